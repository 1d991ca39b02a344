// SPDX-License-Identifier: GPL-2.0-only
#include "run/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "base/child.h"
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "run/erofs_disk.h"
#include "run/kmsg.h"
#include "run/loop.h"

/* An unmount takes milliseconds; this long only when the kernel waits for something that was lost. */
#define UNMOUNT_TIMEOUT_NS (10 * UINT64_C(1000000000))

#define MAX_MOUNTS  1000
#define MOUNT_FLAGS (MS_RDONLY | MS_NODEV | MS_NOSUID | MS_NOEXEC)

int mount_namespace(struct diag *d)
{
	if (unshare(CLONE_NEWNS)) {
		if (errno == EPERM)
			return diag_set(
				d, -EPERM,
				"mounting images needs root (CAP_SYS_ADMIN); or use --target lab");
		return diag_errno(d, -errno, "no mount namespace of our own");
	}
	/* Nothing of ours shows outside, and nothing new from outside shows here. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return diag_errno(d, -errno, "mounts cannot be made private");
	return 0;
}

/* A damaged or cut image is found here, with better words than the kernel's. */
static int check_image(const char *image, struct erofs_image *img, struct diag *d)
{
	AB_CLOSE int fd = open(image, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return diag_errno(d, -errno, "%s: image cannot be opened", image);
	ret = erofs_image_open(img, fd, image, d);
	img->fd = -1;
	return ret;
}

static int make_folder(struct undo *u, const char *parent, struct mounted *m, struct diag *d)
{
	for (int i = 0; i < MAX_MOUNTS; i++) {
		int ret = fs_path(m->dir, sizeof(m->dir), "%s/image-%d", parent, i);

		if (ret)
			return diag_errno(d, ret, "%s", parent);
		m->undo_dir = undo_push(u, UNDO_RMDIR, m->dir, NULL, d);
		if (m->undo_dir < 0)
			return m->undo_dir;
		if (!mkdir(m->dir, 0700))
			return 0;
		ret = -errno;
		undo_forget(u, m->undo_dir);
		m->undo_dir = 0;
		if (ret != -EEXIST)
			return diag_errno(d, ret, "%s: mount point cannot be made", m->dir);
	}
	return diag_set(d, -EEXIST, "%s: full of mount points", parent);
}

static const char *no_erofs_hint =
	"this kernel has no EROFS; load the module (modprobe erofs), or use a kernel with CONFIG_EROFS_FS, or --target lab";

/* errno of mount(2) and the kernel's words into one of the errors that mount.h promises. */
static int explain_mount(const char *image, const struct erofs_image *img,
			 enum backing_kind backing, int err, const char *words, struct diag *d)
{
	const char *says = *words ? "; the kernel says: " : "";
	char algorithms[64];

	erofs_algorithms_text(img->algorithms, algorithms, sizeof(algorithms));
	switch (err) {
	case -EPERM:
	case -EACCES:
		return diag_set(d, -EPERM, "%s: not allowed; mounting images needs root%s%s", image,
				says, words);
	case -ENODEV:
		return diag_set(d, -EOPNOTSUPP, "%s: %s", image, no_erofs_hint);
	case -ENOTBLK:
		return diag_set(
			d, -ENODEV,
			"%s: this kernel cannot mount a file directly (6.12 and newer with CONFIG_EROFS_FS_BACKED_BY_FILE can); use backing: loop-direct%s%s",
			image, says, words);
	case -EOPNOTSUPP:
	case -EINVAL:
		/*
		 * The image was read and found right a moment ago: it is the kernel that lacks
		 * something.
		 */
		return diag_set(d, -EOPNOTSUPP,
				"%s: this kernel's EROFS cannot read it (algorithms: %s)%s%s",
				image, algorithms, says, words);
	case -EUCLEAN:
	case -EBADMSG:
	case -EIO:
		return diag_set(d, -EUCLEAN, "%s: the kernel finds the image damaged (%s)%s%s",
				image, strerror(-err), says, words);
	default:
		return diag_errno(d, err, "%s: cannot be mounted as %s%s%s", image,
				  backing_names[backing], says, words);
	}
}

static int do_mount(struct undo *u, const char *source, const char *image,
		    const struct erofs_image *img, enum backing_kind backing, struct mounted *m,
		    struct diag *d)
{
	char words[700];
	int kmsg, ret = 0;

	m->undo_mount = undo_push(u, UNDO_UMOUNT, m->dir, source, d);
	if (m->undo_mount < 0)
		return m->undo_mount;
	kmsg = kmsg_open();
	if (mount(source, m->dir, "erofs", MOUNT_FLAGS, NULL))
		ret = -errno;
	kmsg_words(kmsg, "erofs", words, sizeof(words));
	if (ret) {
		undo_forget(u, m->undo_mount);
		m->undo_mount = 0;
		return explain_mount(image, img, backing, ret, words, d);
	}
	return 0;
}

/* Numbers and names that the tracer and the statistics need. */
static int describe(struct mounted *m, enum backing_kind backing, struct diag *d)
{
	char path[128];
	struct stat st;

	snprintf(m->backing, sizeof(m->backing), "%s", backing_names[backing]);
	if (stat(m->dir, &st))
		return diag_errno(d, -errno, "%s", m->dir);
	m->kernel_dev = major(st.st_dev) << 20 | minor(st.st_dev);
	if (*m->device) {
		snprintf(m->disk, sizeof(m->disk), "%.31s", strrchr(m->device, '/') + 1);
		return 0;
	}
	/*
	 * Without a block device EROFS names itself after the device number
	 * (super_set_sysfs_name_id() of s_id).
	 */
	snprintf(m->disk, sizeof(m->disk), "%u:%u", major(st.st_dev), minor(st.st_dev));
	if (fs_path(path, sizeof(path), "/sys/fs/erofs/%s", m->disk) || !fs_exists(path))
		*m->disk = '\0';
	return 0;
}

static int attach(struct undo *u, const char *image, enum backing_kind backing, struct mounted *m,
		  struct loop *loop, struct diag *d)
{
	struct stat st;
	int ret;

	switch (backing) {
	case BACKING_LOOP_DIRECT:
	case BACKING_LOOP:
		ret = loop_attach(u, image, backing == BACKING_LOOP_DIRECT, loop, d);
		if (ret)
			return ret;
		m->undo_loop = loop->undo_id;
		memcpy(m->device, loop->device, sizeof(m->device));
		return 0;
	case BACKING_FILE:
		return 0;
	default:
		if (!stat(image, &st) && S_ISBLK(st.st_mode))
			return fs_path(m->device, sizeof(m->device), "%s", image);
		return diag_set(d, -EINVAL, "%s: not a block device; use backing: loop-direct",
				image);
	}
}

int mount_image(struct undo *u, const char *image, enum backing_kind backing, const char *parent,
		struct mounted *m, struct diag *d)
{
	struct loop loop = {.fd = -1};
	struct erofs_image img;
	char path[4096];
	int ret;

	*m = (struct mounted){0};
	/* As the kernel shows it: what undo compares with. */
	if (!realpath(image, path))
		return diag_errno(d, -errno, "%s: image", image);
	ret = check_image(path, &img, d);
	if (!ret)
		ret = make_folder(u, parent, m, d);
	if (!ret)
		ret = attach(u, path, backing, m, &loop, d);
	if (!ret)
		ret = do_mount(u, *m->device ? m->device : path, path, &img, backing, m, d);
	/* The mount holds the device now; without one it frees itself here. */
	loop_close(&loop);
	if (!ret)
		ret = describe(m, backing, d);
	if (ret) {
		unmount_image(u, m, NULL);
		*m = (struct mounted){0};
	}
	return ret;
}

/* In a child; the exit status is the errno. */
static int unmount_patiently(const char *dir)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
	int err = EBUSY;

	for (int tries = 0; tries < 100 && err == EBUSY; tries++) {
		if (tries)
			nanosleep(&pause, NULL);
		err = umount2(dir, UMOUNT_NOFOLLOW) ? errno : 0;
	}
	return err;
}

/*
 * Not undo's own way, which detaches a busy mount silently: the caller must know that something
 * still reads. A child does it: when a request was lost, the last unmount waits in the kernel for
 * the pages that it would have filled, for ever.
 */
static int unmount_now(const char *dir, struct diag *d)
{
	struct child c;
	pid_t pid = child_fork(&c, UNMOUNT_TIMEOUT_NS, NULL, 0);
	int err;

	if (pid == 0)
		_exit(unmount_patiently(dir));
	if (pid < 0)
		return diag_errno(d, (int)pid, "a process to unmount %s", dir);
	c.ignore_interrupt = true;
	child_wait(&c);
	if (c.unkillable || c.timed_out || !WIFEXITED(c.wait_status))
		return diag_set(d, -ETIME, "%s: unmounting hangs in the kernel", dir);
	err = -WEXITSTATUS(c.wait_status);
	if (err == -EBUSY)
		return diag_set(d, err, "%s: still in use after 2 s", dir);
	return err ? diag_errno(d, err, "%s: cannot be unmounted", dir) : 0;
}

int unmount_image(struct undo *u, struct mounted *m, struct diag *d)
{
	const int ids[] = {m->undo_mount, m->undo_loop, m->undo_dir};
	int ret = m->undo_mount > 0 ? unmount_now(m->dir, d) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		int failed = ids[i] > 0 ? undo_run(u, ids[i], ret ? NULL : d) : 0;

		ret = ret ? ret : failed;
	}
	m->undo_mount = m->undo_loop = m->undo_dir = 0;
	return ret;
}

bool unmount_hangs(int unmount_err, int err)
{
	return unmount_err == -ETIME || (unmount_err == -EBUSY && err);
}

int mount_disk_read_bytes(const struct mounted *m, uint64_t *bytes)
{
	char path[128], line[512];
	uint64_t sectors;

	if (!*m->device || fs_path(path, sizeof(path), "/sys/block/%s/stat", m->disk) ||
	    fs_read_line(path, line, sizeof(line)))
		return -ENODATA;
	/*
	 * Reads completed, reads merged, sectors read (of 512 bytes, whatever the device's own
	 * are).
	 */
	if (sscanf(line, "%*u %*u %" SCNu64, &sectors) != 1)
		return -ENODATA;
	*bytes = sectors * 512;
	return 0;
}
