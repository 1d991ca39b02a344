// SPDX-License-Identifier: GPL-2.0-only
/*
 * The switch takes one name a line, frees all accelerators first, silently ignores names that it
 * does not know, and accepts prefixes of those it knows (kernel 6.16 to 7.3,
 * z_erofs_crypto_enable_engine()). So what it lists afterwards is what counts.
 */
#include "run/accel.h"

#include <errno.h>
#include <string.h>
#include "base/fsutil.h"
#include "run/host_parse.h"

#define SWITCH	   "/sys/fs/erofs/accel"
#define MAX_CRYPTO ((size_t)4 << 20)

/* What is set now: names separated by newlines, none at the end. */
static int read_switch(char *buf, size_t size, struct diag *d)
{
	AB_STRBUF struct strbuf text = {0};
	int ret;

	ret = fs_read_file(SWITCH, size - 1, &text, d);
	if (ret)
		return ret;
	while (text.len && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	return fs_path(buf, size, "%s", strbuf_str(&text));
}

int accel_open(struct accel *a, struct undo *u, struct diag *d)
{
	int ret;

	*a = (struct accel){.undo = u};
	ret = read_switch(a->original, sizeof(a->original), d);
	if (ret == -ENOENT)
		return 0;
	if (ret)
		return ret;
	memcpy(a->current, a->original, sizeof(a->current));
	a->known = true;
	return 0;
}

static int find_driver(const char *driver, struct crypto_driver *found, struct diag *d)
{
	AB_STRBUF struct strbuf text = {0};
	const char *rest;
	int ret;

	ret = fs_read_file("/proc/crypto", MAX_CRYPTO, &text, d);
	if (ret)
		return ret;
	rest = strbuf_str(&text);
	while (host_parse_crypto(&rest, found))
		if (!strcmp(found->driver, driver))
			return 0;
	return -ENOENT;
}

int accel_explain(const char *driver, struct diag *d)
{
	struct crypto_driver found;
	int ret;

	if (!fs_exists("/sys/fs/erofs"))
		return diag_set(d, -EOPNOTSUPP,
				"%s: EROFS is not loaded in this kernel (modprobe erofs)", driver);
	if (!fs_exists(SWITCH))
		return diag_set(
			d, -EOPNOTSUPP,
			"%s: this kernel's EROFS has no accelerator switch (" SWITCH
			"): it is older than 6.16, or was built without CONFIG_EROFS_FS_ZIP_ACCEL; the lab's kernel has it (--target lab)",
			driver);
	ret = find_driver(driver, &found, d);
	if (ret == -ENOENT)
		return diag_set(
			d, -EOPNOTSUPP,
			"%s: no such driver in /proc/crypto; load the device's driver (Intel QAT: the module of your generation, with its service \"dc\" enabled)",
			driver);
	if (ret)
		return ret;
	if (strcmp(found.selftest, "passed"))
		return diag_set(
			d, -EOPNOTSUPP,
			"%s: the kernel's self-test of the driver has not passed (/proc/crypto says \"%s\"); look for \"alg:\" in the kernel's log",
			driver, found.selftest);
	return 0;
}

/* Writes and reads back. */
static int switch_to(struct accel *a, const char *names, struct diag *d)
{
	struct diag why = {""};
	int ret;

	ret = fs_write_sysfs(SWITCH, names, &why);
	if (read_switch(a->current, sizeof(a->current), d))
		return diag_prefix(d, -EIO, "after writing \"%s\"", names);
	if (ret)
		return diag_set(d, -EOPNOTSUPP, "%s", why.text);
	if (strcmp(a->current, names))
		return diag_set(
			d, -EOPNOTSUPP,
			SWITCH
			": \"%s\" was written, but the kernel lists \"%s\"; it does not know that accelerator",
			names, a->current);
	return 0;
}

int accel_set(struct accel *a, const char *driver, struct diag *d)
{
	struct diag why = {""};
	int ret;

	if (!driver)
		driver = "";
	/* EROFS may have been loaded since. */
	if (!a->known) {
		ret = accel_open(a, a->undo, d);
		if (ret)
			return ret;
	}
	if (!a->known)
		return *driver ? accel_explain(driver, d) : 0;
	ret = read_switch(a->current, sizeof(a->current), d);
	if (ret || !strcmp(a->current, driver))
		return ret;
	if (!a->undo_id) {
		ret = undo_push(a->undo, UNDO_WRITE, SWITCH, a->original, d);
		if (ret < 0)
			return ret;
		a->undo_id = ret;
	}
	ret = switch_to(a, driver, d);
	/* The kernel says only "not supported"; why is written elsewhere. */
	if (ret == -EOPNOTSUPP && *driver && accel_explain(driver, &why))
		diag_set(d, ret, "%s", why.text);
	return ret;
}

int accel_restore(struct accel *a, struct diag *d)
{
	int ret;

	if (!a->undo_id)
		return 0;
	ret = undo_run(a->undo, a->undo_id, d);
	if (!ret) {
		a->undo_id = 0;
		memcpy(a->current, a->original, sizeof(a->current));
	}
	return ret;
}
