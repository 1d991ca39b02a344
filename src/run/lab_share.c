// SPDX-License-Identifier: GPL-2.0-only
#include "run/lab_share.h"

#include <errno.h>
#include <stdio.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/strbuf.h"

#define CONSOLE_MAX_BYTES ((size_t)64 << 20)

static int share_path(char path[PATH_MAX], const struct lab_opts *o, const char *name,
		      struct diag *d)
{
	int err = fs_path(path, PATH_MAX, "%s/%s", o->share, name);

	return err ? diag_errno(d, err, "%s", o->share) : 0;
}

static int make_folder(const struct lab_opts *o, const char *name, struct diag *d)
{
	char path[PATH_MAX];
	int err = share_path(path, o, name, d);

	return err ? err : fs_mkdir_p(path, 0755, d);
}

static int write_text(const struct lab_opts *o, const char *name, const struct strbuf *text,
		      struct diag *d)
{
	char path[PATH_MAX];
	int err;

	if (text->failed)
		return diag_set(d, -ENOMEM, "out of memory");
	err = share_path(path, o, name, d);
	return err ? err : fs_write_atomic(path, strbuf_str(text), text->len, d);
}

/* Each word with a NUL behind it. */
static int write_words(const struct lab_opts *o, const char *name, const char *const *words,
		       struct diag *d)
{
	AB_STRBUF struct strbuf text = {0};

	for (; words && *words; words++)
		strbuf_add(&text, *words, strlen(*words) + 1);
	return write_text(o, name, &text, d);
}

static int remove_status(const struct lab_opts *o, struct diag *d)
{
	char path[PATH_MAX];
	int err = share_path(path, o, "out/status", d);

	if (err)
		return err;
	if (unlink(path) && errno != ENOENT)
		return diag_errno(d, -errno, "%s: cannot be removed", path);
	return 0;
}

int lab_share_fill(const char *const argv[], const struct lab_opts *o, struct diag *d)
{
	AB_STRBUF struct strbuf cwd = {0};
	int err;

	strbuf_puts(&cwd, o->cwd ? o->cwd : "/");
	err = make_folder(o, "in", d);
	if (!err)
		err = make_folder(o, "out", d);
	if (!err)
		err = remove_status(o, d);
	if (!err)
		err = write_words(o, "in/argv", argv, d);
	if (!err)
		err = write_words(o, "in/env", o->env, d);
	if (!err)
		err = write_text(o, "in/cwd", &cwd, d);
	return err;
}

int lab_share_program(const char *share, struct diag *d)
{
	static const char self[] = "/proc/self/exe";
	char path[PATH_MAX], folder[PATH_MAX];
	int err;

	if (fs_path(folder, sizeof(folder), "%s/in", share) ||
	    fs_path(path, sizeof(path), "%s/in/accelbench", share))
		return diag_errno(d, -ENAMETOOLONG, "%s", share);
	err = fs_mkdir_p(folder, 0755, d);
	if (err)
		return err;
	unlink(path);
	if (!linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
		return 0;
	return fs_copy_file(self, path, 0755, d);
}

int lab_share_status(const struct lab_opts *o, int *exit_status)
{
	char path[PATH_MAX], line[32], *end;
	int err = fs_path(path, sizeof(path), "%s/out/status", o->share);
	long status;

	if (!err)
		err = fs_read_line(path, line, sizeof(line));
	if (err)
		return err;
	status = strtol(line, &end, 10);
	if (end == line || *end || status < 0 || status > 255)
		return -EINVAL;
	*exit_status = (int)status;
	return 0;
}

void lab_console_reason(const struct lab_opts *o, char *buf, size_t size)
{
	/* The first of these that occurs; of its lines the first, for what follows is a consequence. */
	static const char qemu_says[] = LAB_QEMU_PROGRAM ": ";
	static const char *const marks[] = {
		"Kernel panic - ", "lab: ", qemu_says, "blocked for more than", "BUG: ", "Oops",
	};
	AB_STRBUF struct strbuf log = {0};
	const char *found = NULL;

	buf[0] = '\0';
	if (fs_read_file(o->console, CONSOLE_MAX_BYTES, &log, NULL))
		return;
	for (size_t i = 0; !found && i < ARRAY_SIZE(marks); i++)
		found = strstr(strbuf_str(&log), marks[i]);
	if (found)
		snprintf(buf, size, "%.*s", (int)strcspn(found, "\r\n"), found);
}
