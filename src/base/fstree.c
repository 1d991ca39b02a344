// SPDX-License-Identifier: GPL-2.0-only
#include "base/fsutil.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_DEPTH 64

static int remove_entries(int fd, unsigned int depth, struct diag *d);

/*
 * A folder, never through a link and never onto another mount, bind mounts included (openat2(2),
 * kernel 5.6).
 */
static int open_folder(int parent, const char *name, uint64_t resolve)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = resolve,
	};
	int fd = (int)syscall(SYS_openat2, parent, name, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

static int remove_entry(int parent, const char *name, unsigned int depth, struct diag *d)
{
	int fd, ret;

	if (!unlinkat(parent, name, 0))
		return 0;
	/* unlink(2) of a folder says EISDIR on Linux, EPERM by POSIX. */
	if (errno != EISDIR && errno != EPERM)
		return diag_errno(d, -errno, "%s: cannot be removed", name);
	fd = open_folder(parent, name, RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
	if (fd == -EXDEV)
		return diag_set(d, -EXDEV, "%s: something is mounted there; left alone", name);
	if (fd < 0)
		return diag_errno(d, fd, "%s: cannot be removed", name);
	ret = remove_entries(fd, depth + 1, d);
	if (!ret && unlinkat(parent, name, AT_REMOVEDIR))
		ret = diag_errno(d, -errno, "%s: cannot be removed", name);
	return ret;
}

/* Empties the folder @fd and closes it. Goes on after an error; returns the first. */
static int remove_entries(int fd, unsigned int depth, struct diag *d)
{
	DIR *dir = depth < MAX_DEPTH ? fdopendir(fd) : NULL;
	struct dirent *entry;
	int ret = 0;

	if (!dir) {
		ret = depth < MAX_DEPTH ? -errno : -ELOOP;
		close(fd);
		return diag_errno(d, ret, "folder %u levels deep", depth);
	}
	while ((entry = readdir(dir))) {
		int failed;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		failed = remove_entry(dirfd(dir), entry->d_name, depth, ret ? NULL : d);
		if (!ret)
			ret = failed;
	}
	closedir(dir);
	return ret;
}

int fs_remove_tree(const char *path, struct diag *d)
{
	int fd = open_folder(AT_FDCWD, path, 0);
	struct statx stx;
	int ret;

	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return diag_errno(d, fd, "%s: cannot be removed", path);
	if (!statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &stx) &&
	    (stx.stx_attributes & STATX_ATTR_MOUNT_ROOT)) {
		close(fd);
		return diag_set(d, -EXDEV, "%s: something is mounted there; left alone", path);
	}
	ret = remove_entries(fd, 0, d);
	if (ret)
		return diag_prefix(d, ret, "%s", path);
	if (rmdir(path))
		return diag_errno(d, -errno, "%s: cannot be removed", path);
	return 0;
}

/* Moves the entries of @from that are folders, or those that are not. Goes on after an error; returns the first. */
static int move_entries(const char *from, const char *to, bool folders, unsigned int depth,
			struct diag *d);

static int move_tree(const char *from, const char *to, unsigned int depth, struct diag *d)
{
	int ret;

	if (!rename(from, to))
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return diag_errno(d, -errno, "%s: cannot be moved to %s", from, to);
	if (depth == MAX_DEPTH)
		return diag_errno(d, -ELOOP, "%s", from);
	/* What describes the folders lies beside them, and comes after them. */
	ret = move_entries(from, to, true, depth, d);
	if (!ret)
		ret = move_entries(from, to, false, depth, d);
	if (!ret && rmdir(from))
		ret = diag_errno(d, -errno, "%s: cannot be removed", from);
	return ret;
}

static bool is_folder(DIR *dir, const char *name)
{
	struct stat st;

	return !fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

static int move_entries(const char *from, const char *to, bool folders, unsigned int depth,
			struct diag *d)
{
	char source[4096], target[4096];
	DIR *dir = opendir(from);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return diag_errno(d, -errno, "%s", from);
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;
		int failed;

		if (!strcmp(name, ".") || !strcmp(name, "..") || is_folder(dir, name) != folders)
			continue;
		failed = fs_path(source, sizeof(source), "%s/%s", from, name);
		if (!failed)
			failed = fs_path(target, sizeof(target), "%s/%s", to, name);
		if (failed)
			diag_errno(ret ? NULL : d, failed, "%s/%s", from, name);
		else
			failed = move_tree(source, target, depth + 1, ret ? NULL : d);
		ret = ret ? ret : failed;
	}
	closedir(dir);
	return ret;
}

int fs_move_into(const char *from, const char *to, struct diag *d)
{
	return move_tree(from, to, 0, d);
}
