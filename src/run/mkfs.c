// SPDX-License-Identifier: GPL-2.0-only
#include "run/mkfs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"

#define MAX_ARGS	 24
#define PROBE_TIMEOUT_NS (UINT64_C(30) * 1000000000)

struct args {
	const char *items[MAX_ARGS + 1];
	size_t count;
};

static void add(struct args *a, const char *arg)
{
	if (a->count < MAX_ARGS)
		a->items[a->count++] = arg;
}

/* How the program is called: by itself, or as the argument of another root's loader. */
static struct args call(const struct mkfs_tool *tool)
{
	struct args a = {.count = 0};

	if (*tool->loader) {
		add(&a, tool->loader);
		add(&a, "--library-path");
		add(&a, tool->libraries);
	}
	add(&a, tool->program);
	return a;
}

/*
 * mkfs prints its usage after an error and repeats itself: the first two lines say what is wrong.
 */
static void error_lines(const struct spawn_result *res, struct strbuf *words)
{
	static const char mark[] = "<E> erofs: ";
	const char *text = strbuf_str(&res->err);

	for (int lines = 0; lines < 2 && (text = strstr(text, mark)); lines++) {
		int len;

		text += strlen(mark);
		text += strspn(text, " \t");
		len = (int)strcspn(text, "\r\n");
		strbuf_printf(words, "%s%.*s", lines ? "; " : "", len < 200 ? len : 200, text);
	}
}

static int check_run(const struct mkfs_tool *tool, const struct spawn_result *res, struct diag *d)
{
	AB_STRBUF struct strbuf words = {0};

	if (res->timed_out || res->interrupted || res->unkillable)
		return spawn_check(tool->program, res, d);
	if (res->signalled && res->signal == SIGKILL)
		return diag_set(d, -EFAULT,
				"%s: was killed; the kernel does that when memory is short",
				tool->program);
	error_lines(res, &words);
	if (res->signalled)
		return diag_set(d, -EFAULT, "%s: crashed (%s)%s%s", tool->program,
				strsignal(res->signal), words.len ? ": " : "", strbuf_str(&words));
	if (!words.len)
		return spawn_check(tool->program, res, d);
	if (res->exit_status)
		return diag_set(d, -EIO, "%s: exit status %d: %s", tool->program, res->exit_status,
				words.data);
	return 0;
}

/* erofs-utils 1.5 does not know -V and fails, but says the same line first. */
static int ask_version(struct mkfs_tool *tool, struct diag *d)
{
	AB_SPAWN_RESULT struct spawn_result res = {0};
	struct spawn_opts opts = {.timeout_ns = PROBE_TIMEOUT_NS};
	struct args a = call(tool);
	const char *line;
	int ret;

	add(&a, "-V");
	ret = spawn_run(a.items, &opts, &res, d);
	if (ret)
		return ret;
	if (res.interrupted || res.timed_out || res.signalled)
		return check_run(tool, &res, d);
	line = strstr(strbuf_str(&res.out), "mkfs.erofs");
	if (!line)
		return diag_set(d, -EIO, "%s: does not say its version; is it mkfs.erofs?",
				tool->program);
	snprintf(tool->version, sizeof(tool->version), "%.*s", (int)strcspn(line, "\r\n"), line);
	return 0;
}

int mkfs_find(struct mkfs_tool *tool, struct diag *d)
{
	int ret;

	*tool = (struct mkfs_tool){0};
	ret = spawn_find("mkfs.erofs", tool->program, sizeof(tool->program));
	return ret ? ret : ask_version(tool, d);
}

/*
 * Anybody's rename or mount on the machine makes the kernel doubt a "..", and say -EAGAIN: try again (openat2(2),
 * RESOLVE_IN_ROOT).
 */
static int open_in(int root, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	int fd, tries = 1000;

	do {
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	} while (fd < 0 && errno == EAGAIN && --tries);
	return fd;
}

/* Host path of @path as seen from inside @root: links there are followed as if it were /. */
static int resolve_in(const char *root, const char *path, char *buf, size_t size)
{
	AB_CLOSE int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char link[64];
	ssize_t len;

	if (dir < 0)
		return -errno;

	AB_CLOSE int fd = open_in(dir, path);

	if (fd < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, buf, size - 1);
	if (len < 0)
		return -errno;
	if ((size_t)len == size - 1)
		return -ENAMETOOLONG;
	buf[len] = '\0';
	return 0;
}

/*
 * The dynamic loader that an ELF program names. -ENOENT: none, it is static; -ENOEXEC: no 64-bit
 * ELF file.
 */
static int read_interpreter(const char *program, char *buf, size_t size)
{
	AB_CLOSE int fd = open(program, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	ssize_t n;

	if (fd < 0)
		return -errno;
	if (pread(fd, &eh, sizeof(eh), 0) != (ssize_t)sizeof(eh) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_phentsize != sizeof(ph))
		return -ENOEXEC;
	for (unsigned int i = 0; i < eh.e_phnum; i++) {
		if (pread(fd, &ph, sizeof(ph), (off_t)(eh.e_phoff + i * sizeof(ph))) !=
		    (ssize_t)sizeof(ph))
			return -ENOEXEC;
		if (ph.p_type != PT_INTERP)
			continue;
		n = pread(fd, buf, ph.p_filesz < size ? ph.p_filesz : size - 1, (off_t)ph.p_offset);
		if (n <= 0)
			return -ENOEXEC;
		buf[n] = '\0';
		return 0;
	}
	return -ENOENT;
}

int mkfs_find_in(struct mkfs_tool *tool, const char *root, struct diag *d)
{
	char interpreter[4096], folder[4096];
	int ret;

	*tool = (struct mkfs_tool){0};
	ret = resolve_in(root, "/usr/bin/mkfs.erofs", tool->program, sizeof(tool->program));
	if (ret == -ENOENT)
		ret = resolve_in(root, "/usr/sbin/mkfs.erofs", tool->program,
				 sizeof(tool->program));
	if (ret)
		return ret == -ENOENT ? ret : diag_errno(d, ret, "%s: its mkfs.erofs", root);
	ret = read_interpreter(tool->program, interpreter, sizeof(interpreter));
	if (ret == -ENOENT)
		return ask_version(tool, d);
	if (!ret)
		ret = resolve_in(root, interpreter, tool->loader, sizeof(tool->loader));
	if (ret)
		return diag_errno(d, ret, "%s: its dynamic loader", tool->program);
	/* The C library lies beside the loader; distributions differ in where the rest is. */
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(tool->loader, '/') - tool->loader),
		 tool->loader);
	ret = fs_path(tool->libraries, sizeof(tool->libraries), "%s:%s/usr/lib64:%s/usr/lib:%s/lib",
		      folder, root, root, root);
	return ret ? diag_errno(d, ret, "%s", root) : ask_version(tool, d);
}

void mkfs_options(const struct plan_image *pi, char *buf, size_t size)
{
	const char *algorithm = pi->engine->mkfs_algorithm;

	if (!algorithm)
		snprintf(buf, size, "uncompressed");
	else if (pi->level < 0)
		snprintf(buf, size, "-z%s -C%" PRIu64, algorithm, pi->cluster_bytes);
	else
		snprintf(buf, size, "-z%s,%d -C%" PRIu64, algorithm, pi->level, pi->cluster_bytes);
}

int mkfs_run(const struct mkfs_tool *tool, const struct plan_image *pi, const char *uuid,
	     const char *image, const char *folder, uint64_t timeout_ns, struct diag *d)
{
	AB_SPAWN_RESULT struct spawn_result res = {0};
	struct spawn_opts opts = {.timeout_ns = timeout_ns};
	struct args a = call(tool);
	char compress[64], cluster[32], identity[64];
	int ret;

	/*
	 * "-zX,level=Y" would be level 0 to erofs-utils 1.5; "-zX,Y" means the same to all of them.
	 */
	snprintf(compress, sizeof(compress), pi->level < 0 ? "-z%s" : "-z%s,%d",
		 pi->engine->mkfs_algorithm, pi->level);
	snprintf(cluster, sizeof(cluster), "-C%" PRIu64, pi->cluster_bytes);
	snprintf(identity, sizeof(identity), "-U%s", uuid);
	if (pi->engine->mkfs_algorithm) {
		add(&a, compress);
		add(&a, cluster);
	}
	add(&a, "-T0");
	add(&a, identity);
	add(&a, "--all-root");
	/* Attributes of the source (security labels) would make images differ between machines. */
	add(&a, "-x-1");
	add(&a, image);
	add(&a, folder);
	ret = spawn_run(a.items, &opts, &res, d);
	return ret ? ret : check_run(tool, &res, d);
}
