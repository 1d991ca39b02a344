/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cache folder: datasets/<key>/testfile and images/<key>.erofs with a facts file beside each. Writers build under a
 * temporary name in the same folder and rename; two runs at once are safe (flock per key).
 */
#ifndef AB_RUN_STORE_H
#define AB_RUN_STORE_H

#include <stdint.h>
#include "model/result.h"
#include "model/scenario.h"

struct store {
	char dir[4096];	      /* created when absent */
	char tools_root[4096]; /* another root whose mkfs.erofs may be used (the lab's), "" if none */
	bool read_only;	      /* build nothing: what is not there is an error */
};

struct dataset {
	char path[4096];   /* the folder that becomes the image's root; the measured file is <path>/<file> */
	char file[256];	   /* "testfile", or the corpus' own name; of a folder: its largest file */
	char file_sha256[65]; /* of that one file: what verification compares with */
	struct result_dataset facts;
};

/* @cache_dir NULL: $XDG_CACHE_HOME/accelbench, as root /var/cache/accelbench. @tools_root may be NULL. */
int store_open(struct store *st, const char *cache_dir, const char *tools_root, struct diag *d);

/*
 * Generates, or finds and checks, the dataset. -ENOENT, -EACCES, -ENODATA (empty), -EBADMSG (hash differs), -ENOSPC,
 * -EINTR; @d says what to do.
 */
int dataset_prepare(const struct store *st, const struct dataset_spec *spec, struct dataset *ds,
		    struct diag *d);

#endif
