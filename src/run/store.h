/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cache folder. Two runs at once are safe: whatever has a key is built under that key's lock,
 * beside its final name, and renamed; what a killed run left unfinished is removed by the next one
 * or by `accelbench cleanup`.
 *
 *     datasets/<key>/<file>    a dataset: what becomes an image's root; <key>.json: its facts
 *     sources/<key>.json       what a dataset given by path was when it was last hashed
 *     images/<key>.erofs	an image; <key>.json: its facts
 *     locks/<key>		held (flock) while something with that key is built; gone afterwards
 */
#ifndef AB_RUN_STORE_H
#define AB_RUN_STORE_H

#include <stdint.h>
#include "model/result.h"
#include "model/scenario.h"

struct store {
	char dir[4096];	       /* created when absent */
	char tools_root[4096]; /* another root whose mkfs.erofs may be used, "" if none */
};

struct dataset {
	char path[4096]; /* becomes the image's root; the measured file is <path>/<file> */
	char file[256];	 /* "testfile", or the corpus' own name; of a folder: its largest file */
	uint64_t file_bytes;
	char file_sha256[65]; /* of that one file: what verification compares with */
	struct result_dataset facts;
};

/*
 * @cache_dir NULL: $XDG_CACHE_HOME/accelbench, as root /var/cache/accelbench. @tools_root may be
 * NULL.
 */
int store_open(struct store *st, const char *cache_dir, const char *tools_root, struct diag *d);
/* The same, of one that is there; makes nothing. -ENOENT: there is none, @d says where. */
int store_find(struct store *st, const char *cache_dir, struct diag *d);

/*
 * Removes what killed runs left unfinished; @removed counts it. What a living one builds is left
 * alone.
 */
int store_sweep(const struct store *st, unsigned int *removed, struct diag *d);

/*
 * Generates, or finds and checks, the dataset. -ENOENT, -EACCES, -ENODATA (empty), -EBADMSG (hash
 * differs), -ESTALE (changed while it was read), -ENOSPC, -EINTR; @d says what to do.
 *
 * A file given by path is copied into the store once (cloned where the file system can), so that
 * what is measured is what was hashed; a folder is used where it is. The hash of a folder is that
 * of one record per entry below it, ordered by relative name as strcmp() does: type letter ("d",
 * "f" or "l"), blank, sha256 of the content or of the link's target in hex ("-" for folders),
 * blank, relative name, NUL. Nothing else may be in it. Owner, mode and time are no part of the
 * hash.
 */
int dataset_prepare(const struct store *st, const struct dataset_spec *spec, struct dataset *ds,
		    struct diag *d);

struct store_lock {
	int fd;
	char path[4096];
};

/* Waits for the lock of @key; makes its unfinished work disappear. -EINTR. */
int store_lock(const struct store *st, const char *key, struct store_lock *lock, struct diag *d);
void store_unlock(struct store_lock *lock);
#define AB_STORE_LOCK AB_CLEANUP(store_unlock)

/*
 * An empty folder <area>/<key>.partial to build in; its content is renamed away and the rest
 * removed by store_partial_end().
 */
int store_partial_begin(const struct store *st, const char *area, const char *key, char *path,
			size_t size, struct diag *d);
void store_partial_end(const char *path);

#endif
