// SPDX-License-Identifier: GPL-2.0-only
#include "run/live_mounts.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <libmount.h>
#include "base/cleanup.h"
#include "base/fsutil.h"

/* As dev_t is inside the kernel, where 20 bits are the minor number (include/linux/kdev_t.h). */
static uint32_t kernel_dev(dev_t dev)
{
	return major(dev) << 20 | minor(dev);
}

static void free_table(struct libmnt_table **table)
{
	mnt_unref_table(*table);
}

static void free_iter(struct libmnt_iter **iter)
{
	mnt_free_iter(*iter);
}

static int add(struct live_mount *found, int n, struct libmnt_fs *fs, struct diag *d)
{
	uint32_t dev = kernel_dev(mnt_fs_get_devno(fs));

	for (int i = 0; i < n; i++)
		if (found[i].kernel_dev == dev)
			return n;
	if (n == LIVE_MOUNTS_MAX)
		return diag_set(d, -E2BIG, "more than %d file systems: name those to trace",
				LIVE_MOUNTS_MAX);
	if (fs_path(found[n].dir, sizeof(found[n].dir), "%s", mnt_fs_get_target(fs)))
		return diag_errno(d, -ENAMETOOLONG, "%s", mnt_fs_get_target(fs));
	snprintf(found[n].filesystem, sizeof(found[n].filesystem), "%s", mnt_fs_get_fstype(fs));
	found[n].kernel_dev = dev;
	return n + 1;
}

static int add_path(struct libmnt_table *table, const char *filesystem, const char *path,
		    struct live_mount *found, int n, struct diag *d)
{
	struct libmnt_fs *fs;
	struct stat st;

	if (stat(path, &st))
		return diag_errno(d, -errno, "%s", path);
	fs = mnt_table_find_devno(table, st.st_dev, MNT_ITER_BACKWARD);
	if (!fs)
		return diag_set(d, -EINVAL, "%s: its file system is in no list of mounts", path);
	if (strcmp(mnt_fs_get_fstype(fs), filesystem) != 0)
		return diag_set(d, -EINVAL, "%s: on %s, and only %s can be traced", path,
				mnt_fs_get_fstype(fs), filesystem);
	return add(found, n, fs, d);
}

static int add_all(struct libmnt_table *table, const char *filesystem, struct live_mount *found,
		   struct diag *d)
{
	AB_CLEANUP(free_iter) struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	int n = 0;

	if (!iter)
		return diag_errno(d, -ENOMEM, "mounts");
	while (n >= 0 && !mnt_table_next_fs(table, iter, &fs))
		if (!strcmp(mnt_fs_get_fstype(fs), filesystem))
			n = add(found, n, fs, d);
	return n ? n : diag_set(d, -ENODEV, "no %s file system is mounted", filesystem);
}

int live_mounts_find(const char *filesystem, const char *const *paths, size_t count,
		     struct live_mount found[LIVE_MOUNTS_MAX], struct diag *d)
{
	AB_CLEANUP(free_table)
	struct libmnt_table *table = mnt_new_table_from_file("/proc/self/mountinfo");
	int n = 0;

	if (!table)
		return diag_errno(d, -EIO, "/proc/self/mountinfo cannot be read");
	if (!count)
		return add_all(table, filesystem, found, d);
	for (size_t i = 0; i < count && n >= 0; i++)
		n = add_path(table, filesystem, paths[i], found, n, d);
	return n;
}
