/* SPDX-License-Identifier: GPL-2.0-only */
/* File systems that are mounted now, by other hands than ours. */
#ifndef AB_RUN_LIVE_MOUNTS_H
#define AB_RUN_LIVE_MOUNTS_H

#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"

#define LIVE_MOUNTS_MAX 8

struct live_mount {
	char dir[4096];	     /* one of its mount points */
	char filesystem[32]; /* "erofs" */
	uint32_t kernel_dev; /* superblock's device as the kernel encodes it: major << 20 | minor */
};

/*
 * The file systems of type @filesystem that hold @paths, each once; all of that type when @count is 0. Returns their number, or:
 * -ENOENT: a path is not there; -EINVAL: it is on another type of file system; -ENODEV: none is mounted; -E2BIG: more than
 * LIVE_MOUNTS_MAX.
 */
int live_mounts_find(const char *filesystem, const char *const *paths, size_t count,
		     struct live_mount found[LIVE_MOUNTS_MAX], struct diag *d);

#endif
