/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mkfs.erofs programs of this machine: its own, and one inside another root tree. For image.c
 * only.
 */
#ifndef AB_RUN_MKFS_H
#define AB_RUN_MKFS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"
#include "base/spawn.h"
#include "model/plan.h"

struct mkfs_tool {
	char program[4096];   /* its full path */
	char loader[4096];    /* the other root's dynamic loader, "" when it is not needed */
	char libraries[8192]; /* folders of that root's libraries, colon-separated */
	char version[64];     /* its own words: "mkfs.erofs (erofs-utils) 1.8.6" */
};

/* This machine's own. -ENOENT: none in PATH; other -errno when it cannot be run. */
int mkfs_find(struct mkfs_tool *tool, struct diag *d);
/*
 * The one of another root tree of this machine's architecture. Run through that tree's dynamic
 * loader with that tree's libraries, which needs no root rights. -ENOENT: none there.
 */
int mkfs_find_in(struct mkfs_tool *tool, const char *root, struct diag *d);

/*
 * Options that shape an image, as one string: part of its key. @uuid is not in it. Same options,
 * same version, same dataset: same bytes.
 */
void mkfs_options(const struct plan_image *pi, char *buf, size_t size);

/*
 * Builds @image from @folder; 0, -EIO with mkfs' own words, -EFAULT: it crashed or was killed, -ETIME, -EINTR. @timeout_ns 0: none.
 * After an error there may be half an image.
 */
int mkfs_run(const struct mkfs_tool *tool, const struct plan_image *pi, const char *uuid,
	     const char *image, const char *folder, uint64_t timeout_ns, struct diag *d);

#endif
