// SPDX-License-Identifier: GPL-2.0-only
#include "base/fsutil.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/interrupt.h"
#include "base/sha256.h"

#define CHUNK ((size_t)64 << 10)
#define PIECE ((size_t)1 << 20)

int fs_path(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

bool fs_is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool fs_exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

int fs_read_file(const char *path, size_t max_bytes, struct strbuf *out, struct diag *d)
{
	AB_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t start = out->len;
	char chunk[CHUNK];
	ssize_t n;

	if (fd < 0)
		return diag_errno(d, -errno, "%s: cannot be opened", path);
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR && !ab_interrupted())
			continue;
		if (n < 0)
			return diag_errno(d, -errno, "%s: cannot be read", path);
		if ((size_t)n > max_bytes - (out->len - start))
			return diag_set(d, -EFBIG, "%s: larger than the %zu bytes allowed here",
					path, max_bytes);
		strbuf_add(out, chunk, (size_t)n);
	}
	if (out->failed)
		return diag_errno(d, -ENOMEM, "%s", path);
	return 0;
}

int fs_read_line(const char *path, char *buf, size_t size)
{
	AB_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	*buf = '\0';
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

int fs_write_sysfs(const char *path, const char *value, struct diag *d)
{
	AB_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);
	/*
	 * sysfs never shows an attribute a write of no bytes (sysfs_kf_write); a newline is its
	 * empty value.
	 */
	const char *bytes = *value ? value : "\n";
	ssize_t n;

	if (fd < 0)
		return diag_errno(d, -errno, "%s: cannot be opened for writing", path);
	n = write(fd, bytes, strlen(bytes));
	if (n < 0)
		return diag_errno(d, -errno, "%s: the kernel refuses \"%s\"", path, value);
	if ((size_t)n != strlen(bytes))
		return diag_set(d, -EIO, "%s: the kernel took %zd of the %zu bytes of \"%s\"", path,
				n, strlen(bytes), value);
	return 0;
}

int fs_write_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int sync_folder_of(const char *path)
{
	char dir[4096];
	char *slash;
	int ret;

	ret = fs_path(dir, sizeof(dir), "%s", path);
	if (ret)
		return ret;
	slash = strrchr(dir, '/');
	if (!slash)
		memcpy(dir, ".", 2);
	else
		slash[slash == dir] = '\0';

	AB_CLOSE int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	/* Some network file systems refuse it; the rename happened all the same. */
	return fsync(fd) && errno != EINVAL && errno != ENOTSUP ? -errno : 0;
}

int fs_open_beside(const char *path, char *temp, size_t size)
{
	uint64_t random;
	int fd, ret;

	for (int tries = 0; tries < 16; tries++) {
		if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
			return -EIO;
		ret = fs_path(temp, size, "%s.%016" PRIx64, path, random);
		if (ret)
			return ret;
		fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int fs_commit_beside(int fd, const char *temp, const char *path, struct diag *d)
{
	int ret = 0;

	if (fsync(fd) || rename(temp, path))
		ret = -errno;
	if (ret) {
		unlink(temp);
		return diag_errno(d, ret, "%s: cannot be written", path);
	}
	ret = sync_folder_of(path);
	return ret ? diag_errno(d, ret, "%s: the folder cannot be synchronised", path) : 0;
}

/* A terminal, a pipe, /dev/null: there is nothing to replace, the bytes go into it. */
static int write_into(const char *path, int fd, const void *bytes, size_t len, struct diag *d)
{
	int ret = fs_write_all(fd, bytes, len);

	return ret ? diag_errno(d, ret, "%s: cannot be written", path) : 0;
}

int fs_write_atomic(const char *path, const void *bytes, size_t len, struct diag *d)
{
	char temp[4096 + 32];
	struct stat st;
	int ret;

	if (!strcmp(path, "-"))
		return write_into("standard output", STDOUT_FILENO, bytes, len, d);
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		AB_CLOSE int device = open(path, O_WRONLY | O_CLOEXEC);

		if (device < 0)
			return diag_errno(d, -errno, "%s: cannot be written", path);
		return write_into(path, device, bytes, len, d);
	}

	AB_CLOSE int fd = fs_open_beside(path, temp, sizeof(temp));

	if (fd < 0)
		return diag_errno(d, fd, "%s: no file can be made there", path);
	ret = fs_write_all(fd, bytes, len);
	if (ret) {
		unlink(temp);
		return diag_errno(d, ret, "%s: cannot be written", path);
	}
	return fs_commit_beside(fd, temp, path, d);
}

int fs_copy_file(const char *from, const char *to, unsigned int mode, struct diag *d)
{
	AB_CLOSE int in = open(from, O_RDONLY | O_CLOEXEC);
	AB_CLOSE int out = -1;
	ssize_t n;
	int err;

	if (in < 0)
		return diag_errno(d, -errno, "%s: cannot be opened", from);
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (out < 0)
		return diag_errno(d, -errno, "%s: cannot be created", to);
	while ((n = sendfile(out, in, NULL, PIECE)) > 0)
		;
	if (!n)
		return 0;
	err = -errno;
	unlink(to);
	return diag_errno(d, err, "%s: cannot be copied to %s", from, to);
}

int fs_mkdir_p(const char *path, unsigned int mode, struct diag *d)
{
	char part[4096];
	struct stat st;
	int ret;

	ret = fs_path(part, sizeof(part), "%s", path);
	if (ret)
		return diag_errno(d, ret, "%s", path);
	for (char *slash = part; *slash;) {
		slash += strspn(slash, "/");
		slash += strcspn(slash, "/");
		char kept = *slash;

		*slash = '\0';
		if (mkdir(part, mode) && errno != EEXIST)
			return diag_errno(d, -errno, "%s: folder cannot be made", part);
		*slash = kept;
	}
	if (stat(path, &st))
		return diag_errno(d, -errno, "%s", path);
	if (!S_ISDIR(st.st_mode))
		return diag_errno(d, -ENOTDIR, "%s", path);
	return 0;
}

int fs_sha256_bytes(const void *bytes, size_t len, char hex[SHA256_HEX_SIZE])
{
	AB_SHA256 struct sha256 sum;

	sha256_init(&sum);
	sha256_update(&sum, bytes, len);
	return sha256_final(&sum, hex);
}

int fs_sha256_file(const char *path, char hex[SHA256_HEX_SIZE], uint64_t *size, struct diag *d)
{
	AB_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	AB_FREE char *piece = malloc(PIECE);
	AB_SHA256 struct sha256 sum;
	uint64_t total = 0, end = UINT64_MAX;
	struct stat st;
	ssize_t n;
	int ret;

	sha256_init(&sum);
	*hex = '\0';
	if (fd < 0 || fstat(fd, &st))
		return diag_errno(d, -errno, "%s: cannot be opened", path);
	/* Somebody may be appending faster than this reads. */
	if (S_ISREG(st.st_mode))
		end = (uint64_t)st.st_size;
	if (!piece)
		return diag_errno(d, -ENOMEM, "%s", path);
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	while (total < end &&
	       (n = read(fd, piece, end - total < PIECE ? end - total : PIECE)) != 0) {
		if (ab_interrupted())
			return diag_set(d, -EINTR, "%s: interrupted while it was read", path);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return diag_errno(d, -errno, "%s: cannot be read at byte %" PRIu64, path,
					  total);
		sha256_update(&sum, piece, (size_t)n);
		total += (uint64_t)n;
	}
	ret = sha256_final(&sum, hex);
	if (ret)
		return diag_errno(d, ret, "%s: hash", path);
	if (size)
		*size = total;
	return 0;
}
