/* SPDX-License-Identifier: GPL-2.0-only */
/* A dataset given by path: what it is, whether it changed, its hash. For dataset.c only. */
#ifndef AB_RUN_SOURCE_H
#define AB_RUN_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/diag.h"
#include "base/fsutil.h"

/* Facts of a dataset as kept beside it. */
struct dataset_record {
	char stamp[SHA256_HEX_SIZE]; /* see source_stamp(); of the data that the facts are about */
	char sha256[SHA256_HEX_SIZE];
	char file[256];
	char file_sha256[SHA256_HEX_SIZE];
	uint64_t file_bytes;
	uint64_t size_bytes; /* of all regular files */
	uint64_t build_ns;   /* it took to generate, or to copy and hash */
};

/* One entry below a folder, or the file itself. */
struct source_entry {
	char *name; /* relative, "" for a file given directly */
	char type;  /* 'f', 'd', 'l' */
	uint64_t size;
};

struct source {
	char path[4096]; /* absolute, links resolved */
	bool folder;
	struct source_entry *entries; /* ordered by name */
	size_t count;
	uint64_t size_bytes; /* of all regular files */
	size_t largest;	     /* index of the largest regular file, the first of equals */
	char stamp[SHA256_HEX_SIZE];
	int64_t newest_s; /* latest change to any of it, CLOCK_REALTIME */
};

/*
 * Looks at @path without reading content. The stamp is a hash over name, device, inode, size,
 * modification and change time of everything there: same stamp, same content. -ENOENT, -EACCES,
 * -ENODATA (nothing but empty files), -EINVAL (something else than files, folders and links).
 */
int source_open(struct source *src, const char *path, struct diag *d);
void source_free(struct source *src);

/* Hashes it where it is; fills @rec but stamp and build_ns. -ESTALE: it changed meanwhile. */
int source_hash(const struct source *src, struct dataset_record *rec, struct diag *d);

/* The same for a file, copied (or cloned) to @to on the way. */
int source_copy(const struct source *src, const char *to, struct dataset_record *rec,
		struct diag *d);

/*
 * May the stamp be trusted later? A change within the clock's granularity of the last one would not
 * show in it, so what was changed less than two seconds before @start_s does not count as settled.
 */
bool source_settled(const struct source *src, int64_t start_s);

#endif
