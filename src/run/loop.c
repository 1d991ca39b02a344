// SPDX-License-Identifier: GPL-2.0-only
#include "run/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"

#define DEVICE "/dev/loop"
#define TRIES  64 /* somebody else may take a free device before we do */

#define FLAGS_ALWAYS (LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR)

void loop_close(struct loop *loop)
{
	if (loop->fd >= 0)
		close(loop->fd);
	loop->fd = -1;
}

static int open_control(struct diag *d)
{
	int fd = open("/dev/loop-control", O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == EACCES || errno == EPERM)
		return diag_set(d, -EPERM,
				"/dev/loop-control: not allowed; attaching images needs root");
	return diag_errno(
		d, -ENODEV,
		"/dev/loop-control cannot be opened; load the kernel's loop driver (modprobe loop)");
}

/* Kernels before 5.8 have no LOOP_CONFIGURE: three calls do what it does in one. */
static int configure_old(int fd, int image, const struct loop_config *config, bool direct)
{
	if (ioctl(fd, LOOP_SET_FD, image))
		return -errno;
	if (ioctl(fd, LOOP_SET_STATUS64, &config->info) ||
	    (direct && ioctl(fd, LOOP_SET_DIRECT_IO, 1UL))) {
		int ret = -errno;

		ioctl(fd, LOOP_CLR_FD);
		return ret;
	}
	return 0;
}

static int configure(int fd, int image, const char *path, bool direct, uint32_t block_bytes)
{
	struct loop_config config = {.fd = (uint32_t)image, .block_size = block_bytes};
	size_t len = strlen(path);

	config.info.lo_flags = FLAGS_ALWAYS | (direct ? LO_FLAGS_DIRECT_IO : 0);
	/* For losetup to show; the kernel keeps the last 63 bytes at most. */
	len = len < LO_NAME_SIZE ? len : LO_NAME_SIZE - 1;
	memcpy(config.info.lo_file_name, path + strlen(path) - len, len);
	if (!ioctl(fd, LOOP_CONFIGURE, &config))
		return 0;
	if (errno != EINVAL && errno != ENOTTY)
		return -errno;
	return configure_old(fd, image, &config, direct);
}

/* The kernel takes the flag and drops it where the file system below cannot do it. */
static bool direct_in_force(int fd)
{
	struct loop_info64 info;

	return !ioctl(fd, LOOP_GET_STATUS64, &info) && (info.lo_flags & LO_FLAGS_DIRECT_IO);
}

/* -ENODEV: the kernel has the device and /dev does not, as in containers. */
static int open_device(struct loop *loop, struct diag *d)
{
	loop->fd = open(loop->device, O_RDONLY | O_CLOEXEC);
	if (loop->fd >= 0)
		return 0;
	if (errno == ENOENT)
		return diag_set(
			d, -ENODEV,
			"no loop device left: %s is free and not in /dev (of a container?); make it there (mknod %s b 7 %s), or use backing: file",
			loop->device, loop->device, loop->device + strlen(DEVICE));
	return diag_errno(d, errno == ENXIO ? -ENODEV : -errno, "%s", loop->device);
}

/* One device, one try. -EBUSY: taken by somebody else, try another. */
static int try_device(struct undo *u, int image, const char *path, bool direct,
		      uint32_t block_bytes, struct loop *loop, struct diag *d)
{
	int ret;

	ret = open_device(loop, d);
	if (ret)
		return ret;
	loop->undo_id = undo_push(u, UNDO_LOOP, loop->device, path, d);
	if (loop->undo_id < 0)
		return loop->undo_id;
	ret = configure(loop->fd, image, path, direct, block_bytes);
	if (!ret && direct && !direct_in_force(loop->fd)) {
		ioctl(loop->fd, LOOP_CLR_FD);
		ret = -EOPNOTSUPP;
	}
	if (!ret)
		return 0;
	undo_forget(u, loop->undo_id);
	loop->undo_id = 0;
	if (ret == -EOPNOTSUPP)
		return diag_set(
			d, ret,
			"%s: no direct I/O on the file system that holds it; put the cache on another (--cache=DIR), or use backing: loop",
			path);
	return ret == -EBUSY
		       ? ret
		       : diag_errno(d, ret, "%s: cannot be attached to %s", path, loop->device);
}

static int attach_any(struct undo *u, int control, int image, const char *path, bool direct,
		      uint32_t block_bytes, struct loop *loop, struct diag *d)
{
	int ret = -EBUSY;

	for (int i = 0; i < TRIES && ret == -EBUSY; i++) {
		int number = ioctl(control, LOOP_CTL_GET_FREE);

		if (number < 0)
			return diag_set(
				d, -ENODEV,
				"no loop device left (%s); detach those that are not needed (losetup -l shows them), or use backing: file",
				strerror(errno));
		snprintf(loop->device, sizeof(loop->device), DEVICE "%d", number);
		ret = try_device(u, image, path, direct, block_bytes, loop, d);
		if (ret)
			loop_close(loop);
	}
	if (ret == -EBUSY)
		return diag_set(d, -ENODEV, "%s: no loop device could be had in %d tries", path,
				TRIES);
	return ret;
}

int loop_attach(struct undo *u, const char *image, bool direct, struct loop *loop, struct diag *d)
{
	AB_CLOSE int control = -1;
	AB_CLOSE int fd = open(image, O_RDONLY | O_CLOEXEC);
	int ret;

	*loop = (struct loop){.fd = -1};
	if (fd < 0)
		return diag_errno(d, -errno, "%s", image);
	control = open_control(d);
	if (control < 0)
		return control;
	ret = attach_any(u, control, fd, image, direct, 0, loop, d);
	/*
	 * On a disk with blocks of 4 KiB the device needs such blocks too; EROFS has them anyway.
	 */
	if (ret == -EOPNOTSUPP && direct)
		ret = attach_any(u, control, fd, image, direct, 4096, loop, d);
	return ret;
}
