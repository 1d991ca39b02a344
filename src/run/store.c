// SPDX-License-Identifier: GPL-2.0-only
#include "run/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/interrupt.h"
#include "base/log.h"

#define PARTIAL ".partial"

static const char *const areas[] = {"datasets", "sources", "images", "locks"};

static int default_dir(char *buf, size_t size)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (geteuid() == 0)
		return fs_path(buf, size, "/var/cache/accelbench");
	if (cache && *cache == '/')
		return fs_path(buf, size, "%s/accelbench", cache);
	if (home && *home == '/')
		return fs_path(buf, size, "%s/.cache/accelbench", home);
	return -ENOENT;
}

static int store_path(const char *cache_dir, char *path, size_t size, struct diag *d)
{
	int ret = cache_dir ? fs_path(path, size, "%s", cache_dir) : default_dir(path, size);

	return ret ? diag_set(d, ret, "no cache folder: give one with --cache=DIR") : 0;
}

int store_find(struct store *st, const char *cache_dir, struct diag *d)
{
	char path[4096];
	int ret;

	*st = (struct store){0};
	ret = store_path(cache_dir, path, sizeof(path), d);
	if (!ret && !realpath(path, st->dir))
		ret = diag_errno(d, -errno, "%s", path);
	return ret;
}

int store_open(struct store *st, const char *cache_dir, const char *tools_root, struct diag *d)
{
	char path[4096];
	int ret;

	*st = (struct store){0};
	ret = store_path(cache_dir, path, sizeof(path), d);
	if (!ret)
		ret = fs_mkdir_p(path, 0755, d);
	if (ret)
		return ret;
	/* mkfs runs elsewhere and mounts outlive a change of folder: absolute from here on. */
	if (!realpath(path, st->dir))
		return diag_errno(d, -errno, "%s", path);
	if (tools_root && *tools_root && !realpath(tools_root, st->tools_root))
		return diag_errno(d, -errno, "--tools-root %s", tools_root);
	for (size_t i = 0; i < ARRAY_SIZE(areas); i++) {
		ret = fs_path(path, sizeof(path), "%s/%s", st->dir, areas[i]);
		if (!ret)
			ret = fs_mkdir_p(path, 0755, d);
		if (ret)
			return ret;
	}
	return 0;
}

/* Takes the lock unless somebody has it: -EWOULDBLOCK. */
static int try_lock(struct store_lock *lock)
{
	struct stat ours, theirs;

	lock->fd = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (lock->fd < 0)
		return -errno;
	if (!flock(lock->fd, LOCK_EX | LOCK_NB) && !fstat(lock->fd, &ours) &&
	    !stat(lock->path, &theirs) && ours.st_ino == theirs.st_ino &&
	    ours.st_dev == theirs.st_dev)
		return 0;
	/* Held, or removed by its last holder between open and flock. */
	close(lock->fd);
	lock->fd = -1;
	return -EWOULDBLOCK;
}

int store_lock(const struct store *st, const char *key, struct store_lock *lock, struct diag *d)
{
	const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
	bool told = false;
	int ret;

	lock->fd = -1;
	ret = fs_path(lock->path, sizeof(lock->path), "%s/locks/%s", st->dir, key);
	if (ret)
		return diag_errno(d, ret, "%s", st->dir);
	while ((ret = try_lock(lock)) == -EWOULDBLOCK) {
		if (ab_interrupted())
			return diag_set(d, -EINTR, "interrupted while waiting for another run");
		if (!told)
			log_verbose("waiting: another run is building the same thing (%s)",
				    lock->path);
		told = true;
		nanosleep(&pause, NULL);
	}
	return ret ? diag_errno(d, ret, "%s: cannot be locked", lock->path) : 0;
}

void store_unlock(struct store_lock *lock)
{
	if (lock->fd < 0)
		return;
	/* While it is held: who opened it meanwhile sees that it is gone and makes a new one. */
	unlink(lock->path);
	close(lock->fd);
	lock->fd = -1;
}

int store_partial_begin(const struct store *st, const char *area, const char *key, char *path,
			size_t size, struct diag *d)
{
	int ret;

	ret = fs_path(path, size, "%s/%s/%s" PARTIAL, st->dir, area, key);
	if (ret)
		return diag_errno(d, ret, "%s", st->dir);
	ret = fs_remove_tree(path, d);
	if (ret)
		return ret;
	/*
	 * 0755: mkfs takes over the mode of an image's root, and fio may not run as root one day.
	 */
	if (mkdir(path, 0755))
		return diag_errno(d, -errno, "%s: folder cannot be made", path);
	return 0;
}

void store_partial_end(const char *path)
{
	struct diag d = {""};

	if (fs_remove_tree(path, &d))
		log_warn("%s", d.text);
}

/* A folder that somebody takes for the cache by mistake has files of other names. */
static bool begins_with_key(const char *name)
{
	return strspn(name, "0123456789abcdef") == SHA256_HEX_SIZE - 1;
}

/*
 * A facts file that was being written (fs_write_atomic()); a living writer is done within the
 * minute.
 */
static void sweep_temporary(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode) && st.st_mtime + 60 < time(NULL))
		unlink(path);
}

static int sweep_area(const struct store *st, const char *area, unsigned int *removed,
		      struct diag *d)
{
	struct dirent *entry;
	char path[4096];
	int ret = 0;
	DIR *dir;

	ret = fs_path(path, sizeof(path), "%s/%s", st->dir, area);
	dir = ret ? NULL : opendir(path);
	if (!dir)
		return ret || errno == ENOENT ? ret : diag_errno(d, -errno, "%s", path);
	while (!ret && (entry = readdir(dir))) {
		AB_STORE_LOCK struct store_lock lock = {.fd = -1};
		char *end = strstr(entry->d_name, PARTIAL);

		if (!begins_with_key(entry->d_name) ||
		    fs_path(path, sizeof(path), "%s/%s/%s", st->dir, area, entry->d_name))
			continue;
		if (strstr(entry->d_name, ".json."))
			sweep_temporary(path);
		if (!end || strcmp(end, PARTIAL))
			continue;
		*end = '\0';
		if (fs_path(lock.path, sizeof(lock.path), "%s/locks/%s", st->dir, entry->d_name) ||
		    try_lock(&lock))
			continue;
		ret = fs_remove_tree(path, d);
		*removed += !ret;
	}
	closedir(dir);
	return ret;
}

/* Locks of killed runs: held by nobody. */
static void sweep_locks(const struct store *st)
{
	struct dirent *entry;
	char path[4096];
	DIR *dir;

	if (fs_path(path, sizeof(path), "%s/locks", st->dir))
		return;
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		AB_STORE_LOCK struct store_lock lock = {.fd = -1};

		if (begins_with_key(entry->d_name) &&
		    !fs_path(lock.path, sizeof(lock.path), "%s/%s", path, entry->d_name))
			try_lock(&lock);
	}
	if (dir)
		closedir(dir);
}

int store_sweep(const struct store *st, unsigned int *removed, struct diag *d)
{
	int ret;

	*removed = 0;
	ret = sweep_area(st, "datasets", removed, d);
	if (!ret)
		ret = sweep_area(st, "sources", removed, d);
	if (!ret)
		ret = sweep_area(st, "images", removed, d);
	sweep_locks(st);
	return ret;
}
