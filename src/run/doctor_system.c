// SPDX-License-Identifier: GPL-2.0-only
/* The doctor on who we are, on the tools and on the lab. */
#include "run/doctor_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "run/fio.h"
#include "run/lab.h"
#include "run/mount.h"

#define TOOL_TIMEOUT_NS (UINT64_C(20) * 1000000000)

/* Bits of CapEff in /proc/self/status; a container's root often lacks them. */
static const struct {
	const char *name;
	unsigned int bit;
} capabilities[] = {
	{"CAP_SYS_ADMIN", 21},
	{"CAP_PERFMON", 38},
	{"CAP_BPF", 39},
};

static uint64_t effective_capabilities(void)
{
	AB_STRBUF struct strbuf text = {0};
	uint64_t set = 0;
	const char *line;

	if (fs_read_file("/proc/self/status", 65536, &text, NULL))
		return 0;
	line = strstr(strbuf_str(&text), "\nCapEff:");
	if (!line || sscanf(line, "\nCapEff: %" SCNx64, &set) != 1)
		return 0;
	return set;
}

void check_root(struct doctor *dr, unsigned int which, struct finding *f)
{
	uint64_t set = effective_capabilities();
	AB_STRBUF struct strbuf lacking = {0};

	for (size_t i = 0; i < ARRAY_SIZE(capabilities); i++)
		if (!(set >> capabilities[i].bit & 1))
			strbuf_printf(&lacking, "%s%s", lacking.len ? ", " : "",
				      capabilities[i].name);
	if (lacking.len)
		found(f, FINDING_NO, "user %u without %s", geteuid(), strbuf_str(&lacking));
	else
		found(f, FINDING_OK, "user %u", geteuid());
	if (lacking.len && !geteuid())
		advise(f, "this root is confined (a container?): run on the machine itself, or %s",
		       USE_LAB);
}

void check_lockdown(struct doctor *dr, unsigned int which, struct finding *f)
{
	const char *mode = dr->report->host.lockdown;

	if (!*mode)
		found(f, FINDING_UNTRIED,
		      "unknown: the kernel's security file system cannot be read");
	else if (!strcmp(mode, "confidentiality"))
		found(f, FINDING_NO, "confidentiality: BPF programs may not read kernel memory");
	else
		found(f, FINDING_OK, "%s", mode);
}

void check_private_mounts(struct doctor *dr, unsigned int which, struct finding *f)
{
	struct diag why = {0};
	int err = mount_namespace(&why);

	dr->private_mounts = !err;
	if (err)
		refused(f, err, &why);
	else
		found(f, FINDING_OK, "a mount namespace of its own");
}

void check_fio(struct doctor *dr, unsigned int which, struct finding *f)
{
	struct diag why = {0};
	char version[64];
	int err = fio_version(version, sizeof(version), &why);

	dr->has_fio = !err;
	if (err)
		refused(f, err, &why);
	else
		found(f, FINDING_OK, "%s", version);
}

/* One file that compresses, in a folder of its own: what a tool makes images of. */
static int make_source(const struct doctor *dr, char *folder, size_t size)
{
	unsigned char content[EROFS_TINY_FILE_BYTES];
	char file[128];
	int err = fs_path(folder, size, "%s/source", dr->folder);

	if (!err)
		err = fs_mkdir_p(folder, 0700, NULL);
	if (!err)
		err = fs_path(file, sizeof(file), "%s/" EROFS_TINY_FILE, folder);
	erofs_tiny_content(content);
	return err ? err : fs_write_atomic(file, content, sizeof(content), NULL);
}

/* The first engine whose images are the same: they depend on the algorithm only. */
static size_t maker_row(size_t engine)
{
	const char *algorithm = engine_table[engine].mkfs_algorithm;

	for (size_t i = 0; algorithm && i < engine; i++)
		if (engine_table[i].mkfs_algorithm &&
		    !strcmp(engine_table[i].mkfs_algorithm, algorithm))
			return i;
	return engine;
}

/* Lets the tool build an image for each algorithm. @words: those that it can make, for people. */
static void try_algorithms(struct doctor *dr, const struct mkfs_tool *tool, struct strbuf *words)
{
	static const char uuid[] = "00000000-0000-0000-0000-000000000000";
	char folder[96], image[96];
	uint32_t made = 0;

	if (make_source(dr, folder, sizeof(folder)))
		return;
	snprintf(image, sizeof(image), "%s/made.erofs", dr->folder);
	for (size_t i = 0; i < engine_count; i++) {
		const struct engine_info *e = &engine_table[i];
		struct plan_image pi = {
			.engine = e,
			.cluster_bytes = e->mkfs_algorithm ? EROFS_TINY_BLOCK : 0,
			.level = -1,
		};

		if (maker_row(i) < i) {
			made |= (made >> maker_row(i) & 1) << i;
			continue;
		}
		if (mkfs_run(tool, &pi, uuid, image, folder, TOOL_TIMEOUT_NS, NULL))
			continue;
		made |= 1u << i;
		strbuf_printf(words, "%s%s", words->len ? ", " : "", e->name);
	}
	unlink(image);
	dr->makes |= made;
}

/* @which 0: this machine's, 1: the other root's. */
void check_mkfs(struct doctor *dr, unsigned int which, struct finding *f)
{
	struct mkfs_tool *tool = &dr->tools[which];
	AB_STRBUF struct strbuf words = {0};
	char root[4096] = "";
	struct diag why = {0};
	int err;

	if (which == 0) {
		err = mkfs_find(tool, &why);
	} else {
		if (dr->opts->tools_root)
			err = fs_path(root, sizeof(root), "%s", dr->opts->tools_root);
		else
			err = fs_path(root, sizeof(root), "%s/root", dr->opts->lab_dir);
		if (!err)
			err = mkfs_find_in(tool, root, &why);
		if (err == -ENOENT) {
			found(f, FINDING_UNTRIED, "there is none in %.300s", root);
			return;
		}
	}
	if (err == -ENOENT) {
		diag_set(&why, err, "not installed");
		dr->tools_tried = true;
	}
	if (err) {
		refused(f, err, &why);
		return;
	}
	if (!*dr->folder) {
		no_folder(dr, f);
		return;
	}
	dr->tools_tried = true;
	try_algorithms(dr, tool, &words);
	found(f, words.len ? FINDING_OK : FINDING_NO, "%.300s%s%s makes %s", root,
	      *root ? ": " : "", tool->version, words.len ? strbuf_str(&words) : "no image");
}

/* First line of what "@program --version" says. */
static void check_tool(struct finding *f, const char *program)
{
	const char *const argv[] = {program, "--version", NULL};
	struct spawn_opts opts = {.timeout_ns = TOOL_TIMEOUT_NS};
	AB_SPAWN_RESULT struct spawn_result res = {0};
	struct diag why = {0};
	const char *text;
	int err = spawn_run(argv, &opts, &res, &why);

	if (err == -ENOENT)
		diag_set(&why, err, "not installed");
	else if (!err)
		err = spawn_check(program, &res, &why);
	text = strbuf_str(&res.out);
	if (err)
		refused(f, err, &why);
	else
		found(f, FINDING_OK, "%.*s", (int)strcspn(text, "\n"), text);
}

void check_qemu(struct doctor *dr, unsigned int which, struct finding *f)
{
	char path[4096];

	if (fs_path(path, sizeof(path), "%s/" LAB_QEMU_PROGRAM, dr->opts->lab_dir) ||
	    !fs_exists(path))
		found(f, FINDING_NO, "not built: %.300s/" LAB_QEMU_PROGRAM " is missing",
		      dr->opts->lab_dir);
	else
		check_tool(f, path);
}

void check_mmdebstrap(struct doctor *dr, unsigned int which, struct finding *f)
{
	check_tool(f, "mmdebstrap");
}

void check_guest(struct doctor *dr, unsigned int which, struct finding *f)
{
	static const char *const parts[] = {"disk.img", "vmlinux", "initrd.img", "kit"};
	const char *dir = dr->opts->lab_dir;
	char path[4096], kernel[128], accel[32];

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!fs_path(path, sizeof(path), "%s/%s", dir, parts[i]) && fs_exists(path))
			continue;
		found(f, FINDING_NO, "not built: %.300s is missing", path);
		return;
	}
	if (fs_path(path, sizeof(path), "%s/kernel", dir) ||
	    fs_read_line(path, kernel, sizeof(kernel)))
		kernel[0] = '\0';
	if (fs_path(path, sizeof(path), "%s/accel", dir) ||
	    fs_read_line(path, accel, sizeof(accel)))
		accel[0] = '\0';
	dr->lab_ready = true;
	found(f, FINDING_OK, "%.300s: Linux %s%s%s", dir, *kernel ? kernel : "of unknown version",
	      *accel ? ", by " : "", accel);
}
