/* SPDX-License-Identifier: GPL-2.0-only */
/* Datasets and file-system images, kept in a store under a key of everything that shapes them. */
#ifndef AB_RUN_IMAGE_H
#define AB_RUN_IMAGE_H

#include "model/plan.h"
#include "model/result.h"
#include "run/store.h"

/*
 * Builds the image of @pi from the dataset or finds it in the store; one that was changed there
 * after it was built is built again, and @d says so (with 0). Fills @facts (everything but verifies)
 * and @path (the image file). A refusal or crash of mkfs leaves nothing in the store. -EOPNOTSUPP:
 * no mkfs here knows the algorithm, @d says what to install; -ETIME: mkfs did not finish.
 * Interruptible: -EINTR.
 */
int image_prepare(const struct store *st, const struct dataset *ds, const struct plan_image *pi,
		  struct result_image *facts, char *path, size_t path_size, struct diag *d);

#endif
