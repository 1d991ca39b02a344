// SPDX-License-Identifier: GPL-2.0-only
#include "base/undo_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/strbuf.h"
#include "base/undo_act.h"

#define HEADER	    "accelbench-undo 1 "
#define MAX_JOURNAL ((size_t)4 << 20)

int undo_dir(const char *dir, bool create, char *buf, size_t size, struct diag *d)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct stat st;
	int ret;

	if (dir)
		ret = fs_path(buf, size, "%s", dir);
	else if (geteuid() == 0)
		ret = fs_path(buf, size, "/run/accelbench");
	else if (runtime && *runtime == '/')
		ret = fs_path(buf, size, "%s/accelbench", runtime);
	else
		ret = fs_path(buf, size, "/tmp/accelbench-%u", (unsigned int)geteuid());
	if (!ret && create)
		ret = fs_mkdir_p(buf, 0700, d);
	if (ret)
		return ret;
	if (lstat(buf, &st))
		return errno == ENOENT ? -ENOENT : diag_errno(d, -errno, "%s", buf);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022))
		return diag_set(
			d, -EPERM,
			"%s: must be a folder that only user %u can write; remove it or change its owner and mode",
			buf, (unsigned int)geteuid());
	return 0;
}

static int append(const struct undo *u, const struct strbuf *line)
{
	off_t end = lseek(u->fd, 0, SEEK_END);
	ssize_t n;

	if (line->failed)
		return -ENOMEM;
	if (end < 0)
		return -errno;
	n = write(u->fd, line->data, line->len);
	if (n == (ssize_t)line->len)
		return fsync(u->fd) && errno != EINVAL ? -errno : 0;
	/* Half a line must not become the beginning of the next one. */
	if (n > 0 && ftruncate(u->fd, end))
		return -errno;
	return n < 0 ? -errno : -ENOSPC;
}

static void add_escaped(struct strbuf *line, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c <= ' ' || c == '%' || c >= 0x7f)
			strbuf_printf(line, "%%%02X", c);
		else
			strbuf_putc(line, (char)c);
	}
}

int undo_journal_add(struct undo *u, const struct undo_entry *entry)
{
	AB_STRBUF struct strbuf line = {0};

	strbuf_printf(&line, "+ %d %s ", entry->id, undo_kind_name(entry->kind));
	add_escaped(&line, entry->path);
	strbuf_puts(&line, entry->value ? " =" : " -");
	if (entry->value)
		add_escaped(&line, entry->value);
	strbuf_putc(&line, '\n');
	return append(u, &line);
}

int undo_journal_strike(struct undo *u, int id)
{
	AB_STRBUF struct strbuf line = {0};

	strbuf_printf(&line, "- %d\n", id);
	return append(u, &line);
}

/* Opens and locks a new file. -EAGAIN: a cleanup took it for an abandoned one in between. */
static int create_locked(struct undo *u, const char *dir, uint64_t random)
{
	AB_STRBUF struct strbuf header = {0};
	char temp[4096];
	int ret;

	ret = fs_path(temp, sizeof(temp), "%s/%d-%016" PRIx64 UNDO_NEW_SUFFIX, dir, getpid(),
		      random);
	if (!ret)
		ret = fs_path(u->file, sizeof(u->file), "%s/%d-%016" PRIx64 UNDO_SUFFIX, dir,
			      getpid(), random);
	if (ret)
		return ret;
	u->fd = open(temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0600);
	if (u->fd < 0)
		return -errno;
	strbuf_printf(&header, HEADER "%d\n", getpid());
	ret = flock(u->fd, LOCK_EX | LOCK_NB) ? -EAGAIN : append(u, &header);
	/*
	 * Under its final name it is locked from the first moment: never taken for a dead owner's.
	 */
	if (!ret && rename(temp, u->file))
		ret = errno == ENOENT ? -EAGAIN : -errno;
	if (ret) {
		unlink(temp);
		close(u->fd);
		u->fd = -1;
	}
	return ret;
}

int undo_journal_create(struct undo *u, const char *dir, struct diag *d)
{
	char folder[4096];
	uint64_t random;
	int ret;

	for (int tries = 0; tries < 16; tries++) {
		ret = undo_dir(dir, true, folder, sizeof(folder), d);
		if (ret && ret != -ENOENT)
			return ret;
		if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
			return diag_errno(d, -EIO, "random number");
		ret = create_locked(u, folder, random);
		/* -ENOENT: the last of the others has just removed the folder. */
		if (ret != -EAGAIN && ret != -ENOENT)
			break;
	}
	return ret ? diag_errno(d, ret, "%s: no undo journal can be made there", folder) : 0;
}

static char *unescape(const char *text)
{
	char *copy = malloc(strlen(text) + 1), *to = copy;

	for (; copy && *text; text++) {
		unsigned int c;

		if (*text == '%' && sscanf(text + 1, "%2X", &c) == 1 && text[1] && text[2]) {
			*to++ = (char)c;
			text += 2;
		} else {
			*to++ = *text;
		}
	}
	if (copy)
		*to = '\0';
	return copy;
}

int undo_entry_append(struct undo *u, int id, enum undo_kind kind, char *path, char *value)
{
	struct undo_entry *more = reallocarray(u->entries, u->count + 1, sizeof(*more));

	if (!more || !path) {
		free(path);
		free(value);
		u->entries = more ? more : u->entries;
		return -ENOMEM;
	}
	u->entries = more;
	u->entries[u->count++] =
		(struct undo_entry){.id = id, .kind = kind, .path = path, .value = value};
	if (id > u->last_id)
		u->last_id = id;
	return 0;
}

static int parse_line(struct undo *u, char *line)
{
	char *save, *sign = strtok_r(line, " ", &save);
	char *number = strtok_r(NULL, " ", &save);
	char *name = strtok_r(NULL, " ", &save);
	char *path = strtok_r(NULL, " ", &save);
	char *value = strtok_r(NULL, " ", &save);
	long id = number ? strtol(number, NULL, 10) : 0;

	if (id <= 0 || id > INT_MAX)
		return -EINVAL;
	if (!strcmp(sign, "-")) {
		for (size_t i = 0; i < u->count; i++)
			if (u->entries[i].id == id)
				u->entries[i].id = 0;
		return 0;
	}
	if (strcmp(sign, "+") || !value)
		return -EINVAL;
	for (int kind = 0; undo_kind_name(kind); kind++)
		if (!strcmp(name, undo_kind_name(kind)))
			return undo_entry_append(u, (int)id, kind, unescape(path),
						 *value == '=' ? unescape(value + 1) : NULL);
	return -EINVAL;
}

static int parse(struct undo *u, char *text)
{
	char *end;
	int ret;

	if (strncmp(text, HEADER, strlen(HEADER)))
		return -EINVAL;
	while ((end = strchr(text, '\n'))) {
		*end = '\0';
		ret = strncmp(text, HEADER, strlen(HEADER)) ? parse_line(u, text) : 0;
		if (ret)
			return ret;
		text = end + 1;
	}
	return 0;
}

int undo_journal_take(struct undo *u, const char *file, struct diag *d)
{
	AB_STRBUF struct strbuf text = {0};
	struct stat st;
	bool alive;
	int ret;

	*u = (struct undo){.fd = -1};
	ret = fs_path(u->file, sizeof(u->file), "%s", file);
	if (ret)
		return ret;
	u->fd = open(file, O_RDWR | O_NOFOLLOW | O_APPEND | O_NONBLOCK | O_CLOEXEC);
	if (u->fd < 0)
		return errno == ENOENT ? -ENOENT : diag_errno(d, -errno, "%s", file);
	alive = flock(u->fd, LOCK_EX | LOCK_NB) != 0;
	if (fstat(u->fd, &st))
		return diag_errno(d, -errno, "%s", file);
	if (!st.st_nlink)
		return -ENOENT;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022))
		return diag_set(
			d, -EPERM,
			"%s: not a journal that only user %u can write; left alone: remove it, or give it to that user alone",
			file, (unsigned int)geteuid());
	ret = fs_read_file(file, MAX_JOURNAL, &text, d);
	if (ret)
		return ret;
	ret = text.len ? parse(u, text.data) : -EINVAL;
	if (ret)
		return diag_errno(
			d, ret,
			"%s: not an undo journal of this version; look whether it is worth something, then remove it",
			file);
	return alive ? -EWOULDBLOCK : 0;
}

void undo_journal_remove(struct undo *u)
{
	char *slash = strrchr(u->file, '/');

	unlink(u->file);
	if (!slash || slash == u->file)
		return;
	*slash = '\0';
	rmdir(u->file);
	*slash = '/';
}

void undo_journal_close(struct undo *u)
{
	for (size_t i = 0; i < u->count; i++) {
		free(u->entries[i].path);
		free(u->entries[i].value);
	}
	free(u->entries);
	if (u->fd >= 0)
		close(u->fd);
	*u = (struct undo){.fd = -1};
}
