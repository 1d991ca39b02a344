/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Images as the store keeps them: found, checked, put there. @folder is the store's "images" in all
 * of this. For image.c, runner_verify.c and lab_results.c only.
 */
#ifndef AB_RUN_IMAGE_STORE_H
#define AB_RUN_IMAGE_STORE_H

#include "base/diag.h"
#include "base/fsutil.h"
#include "model/result.h"

/* Facts of an image as kept beside it. */
struct image_record {
	char stamp[64];		      /* file as it was built: inode, size, time of change */
	char sha256[SHA256_HEX_SIZE]; /* of the image itself */
	char dataset_sha256[65];
	char file[256];
	char options[96];
	char mkfs[64];
	char program[4096];
	uint64_t image_bytes;
	uint64_t build_ns;
	char observed_algorithms[64];
	uint64_t observed_cluster_bytes;
	bool ok;
	char reason[RESULT_REASON_SIZE];
};

/*
 * Finds the image of @key by its stamp, without reading it. 0: @path and @rec are filled. -ENOENT:
 * none; -ESTALE: something touched it after it was built, image_recheck() tells what; @path is
 * filled.
 */
int image_find(const char *folder, const char *key, struct image_record *rec, char *path,
	       size_t path_size);

/*
 * Reads the whole image of @key. 0: it is as it was built, and its stamp is renewed. -EUCLEAN: it
 * is not, and it was struck from the store: it is built again when it is wanted. -ENOENT: nothing
 * is known of it. Other -errno: it cannot be read.
 */
int image_recheck(const char *folder, const char *key);

/* Moves the image @built into the store, with @rec, whose stamp and sha256 are filled here. */
int image_publish(const char *folder, const char *key, const char *built, struct image_record *rec,
		  char *path, size_t path_size, struct diag *d);

#endif
