// SPDX-License-Identifier: GPL-2.0-only
/* Cold caches: emptied, and looked at afterwards. */
#include "run/mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"

#define TRIES 3

/* What is left after everything was dropped. */
struct residency {
	bool in_memory; /* the image lies in RAM and cannot be cold */
	bool erofs_dropped;
	uint64_t pages;
	uint64_t resident;
};

/*
 * Adds the pages of an open regular file. mincore(2) looks at the page cache without touching it.
 */
static int count_pages(int fd, struct residency *r)
{
	long page_bytes = sysconf(_SC_PAGESIZE);
	AB_FREE unsigned char *map = NULL;
	struct stat st;
	size_t pages;
	void *mem;
	int ret;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	pages = ((size_t)st.st_size + (size_t)page_bytes - 1) / (size_t)page_bytes;
	map = malloc(pages);
	if (!map)
		return -ENOMEM;
	mem = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED)
		return -errno;
	ret = mincore(mem, (size_t)st.st_size, map) ? -errno : 0;
	munmap(mem, (size_t)st.st_size);
	for (size_t i = 0; !ret && i < pages; i++)
		r->resident += map[i] & 1;
	r->pages += pages;
	return ret;
}

/*
 * The files in the mount's root: the measured one is there, except in a dataset of nested folders.
 */
static int count_mounted(const struct mounted *m, struct residency *r)
{
	DIR *dir = opendir(m->dir);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		AB_CLOSE int fd = -1;

		if (entry->d_type != DT_REG)
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		ret = fd < 0 ? -errno : count_pages(fd, r);
	}
	closedir(dir);
	return ret;
}

/* Direct I/O goes past the image's pages; every other backing reads through them. */
static bool backing_cached(const struct mounted *m)
{
	return strcmp(m->backing, backing_names[BACKING_LOOP_DIRECT]) &&
	       strcmp(m->backing, backing_names[BACKING_DEVICE]);
}

/*
 * A file system in memory is its own page cache: nothing can be dropped, and nothing is read from a
 * disk.
 */
static bool is_in_memory(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

/*
 * EROFS keeps compressed clusters in an inode of its own, which VM's switch may leave. Absent in
 * old kernels.
 */
static int drop_erofs(const struct mounted *m, bool *done, struct diag *d)
{
	char path[128];

	*done = false;
	if (!*m->disk || fs_path(path, sizeof(path), "/sys/fs/erofs/%s/drop_caches", m->disk) ||
	    !fs_exists(path))
		return 0;
	*done = true;
	return fs_write_sysfs(path, "3", d);
}

static int drop_and_count(const struct mounted *m, const char *image, struct residency *r,
			  struct diag *d)
{
	AB_CLOSE int fd = open(image, O_RDONLY | O_CLOEXEC);
	bool count_image;
	int ret;

	*r = (struct residency){0};
	if (fd < 0)
		return diag_errno(d, -errno, "%s", image);
	r->in_memory = is_in_memory(fd);
	count_image = backing_cached(m) && !r->in_memory;
	/* Dirty pages cannot be dropped. */
	if (count_image)
		fdatasync(fd);
	ret = drop_erofs(m, &r->erofs_dropped, d);
	if (!ret)
		ret = fs_write_sysfs("/proc/sys/vm/drop_caches", "3", d);
	if (ret)
		return ret;
	if (count_image) {
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		ret = count_pages(fd, r);
	}
	if (!ret)
		ret = count_mounted(m, r);
	return ret ? diag_errno(d, ret, "%s: cached pages cannot be counted", m->dir) : 0;
}

int cache_make_cold(const struct mounted *m, const char *image, char *what, size_t what_size,
		    struct diag *d)
{
	struct residency r = {0};
	int ret;

	for (int i = 0; i < TRIES; i++) {
		ret = drop_and_count(m, image, &r, d);
		if (ret)
			return ret;
		if (!r.resident)
			break;
	}
	if (r.resident)
		return diag_set(d, -EBUSY,
				"the cache is not cold: %" PRIu64 " of %" PRIu64
				" pages of %s stay resident (locked, or read by somebody else)",
				r.resident, r.pages, image);
	snprintf(what, what_size, "%s, vm 3, erofs %s, 0 of %" PRIu64 " pages resident",
		 r.in_memory ? "image in RAM" : "fresh mount", r.erofs_dropped ? "3" : "-",
		 r.pages);
	return 0;
}
