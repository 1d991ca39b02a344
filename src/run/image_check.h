/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether an image is what was asked for, by reading it. For image.c only. */
#ifndef AB_RUN_IMAGE_CHECK_H
#define AB_RUN_IMAGE_CHECK_H

#include "model/plan.h"
#include "model/result.h"
#include "run/store.h"

struct image_found {
	uint64_t image_bytes;
	char algorithms[64];	/* of the superblock */
	uint64_t cluster_bytes; /* largest compressed cluster of the measured file; 0: none */
	bool ok;
	char reason[RESULT_REASON_SIZE];
};

/*
 * Reads the image @fd without the kernel and without mkfs' help. -EUCLEAN: it is no whole EROFS
 * image. One that is not what was asked for is 0, with @found->ok false and the reason.
 */
int image_check(int fd, const struct plan_image *pi, const struct dataset *ds,
		struct image_found *found, struct diag *d);

#endif
