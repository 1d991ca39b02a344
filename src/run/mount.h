/* SPDX-License-Identifier: GPL-2.0-only */
/* Loop devices, mounts and cold caches; every side effect goes through undo. */
#ifndef AB_RUN_MOUNT_H
#define AB_RUN_MOUNT_H

#include <stdint.h>
#include "base/undo.h"
#include "model/scenario.h"

struct mounted {
	char dir[4096];	 /* mount point */
	char device[64]; /* "/dev/loop3", "" for file-backed mounts */
	char disk
		[32]; /* "loop3": name in /sys/block and /sys/fs/erofs; file-backed: the latter or "" */
	uint32_t kernel_dev; /* superblock's device as the kernel encodes it: major << 20 | minor */
	char backing[32];    /* in force: "loop-direct", "loop", "file" */
	int undo_loop, undo_mount, undo_dir; /* ids, 0: none */
};

/* Makes mounts private to this process (unshare(CLONE_NEWNS), everything private). Once per run. */
int mount_namespace(struct diag *d);

/*
 * Attaches @image (read-only) as @backing says and mounts it on a folder below @parent: read-only,
 * nodev, nosuid, noexec. loop-direct that the backing file system refuses is an error, never a
 * silent fallback. -ENODEV: no loop device left or no file-backed mounts in this kernel;
 * -EOPNOTSUPP: kernel without EROFS or without the image's algorithm; -EUCLEAN: image damaged. @d
 * says which, with the kernel's words where it has any.
 */
int mount_image(struct undo *u, const char *image, enum backing_kind backing, const char *parent,
		struct mounted *m, struct diag *d);
/*
 * -ETIME: the kernel does not finish; nothing more can be done with the device. -EBUSY: something still uses it after 2 s (a reader that the kernel does not give back); it is
 * detached all the same and goes away when that ends.
 */
int unmount_image(struct undo *u, struct mounted *m, struct diag *d);
/*
 * Does the kernel hold a reader or the mount itself? @unmount_err: of unmount_image(); @err: of what was done with the mount
 * before. Something that fails and is still in use after that is a reader which does not come back.
 */
bool unmount_hangs(int unmount_err, int err);

/*
 * Empties what could hold the data: VM caches, EROFS' cached clusters, the backing file's pages;
 * then counts what is left. @what receives what was really done, in at most 57 bytes: "fresh mount,
 * vm 3, erofs 3, 0 of 72960 pages resident" ("-" for 3 where the kernel has no such switch; "image
 * in RAM" when no disk is behind it). -EBUSY: some pages cannot be dropped.
 */
int cache_make_cold(const struct mounted *m, const char *image, char *what, size_t what_size,
		    struct diag *d);

/*
 * Bytes read from the mounted image's block device so far. -ENODATA when there is no such device.
 */
int mount_disk_read_bytes(const struct mounted *m, uint64_t *bytes);

#endif
