/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Made-up text: the same bytes for the same seed on any machine. It compresses like prose (deflate
 * level 9 at 64 KiB physical clusters: between 2.5 and 4 times), every block differs, and repeats
 * are as short as chance makes them.
 *
 * Integer arithmetic only; text is made in pieces of 1 MiB that depend on the seed and their number
 * alone, so a shorter text is a prefix of a longer one.
 */
#ifndef AB_RUN_TEXTGEN_H
#define AB_RUN_TEXTGEN_H

#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "base/fsutil.h"

#define TEXTGEN_PIECE ((size_t)1 << 20)
/* A word and what follows it may be written past the end of a piece before it is cut. */
#define TEXTGEN_SLACK 64

struct textgen; /* vocabulary and tables of one seed, about 150 KiB */

struct textgen *textgen_new(uint64_t seed); /* NULL: out of memory */
void textgen_free(struct textgen *g);

/*
 * Piece @index into @piece of TEXTGEN_PIECE + TEXTGEN_SLACK bytes; the first TEXTGEN_PIECE are the
 * text.
 */
void textgen_piece(const struct textgen *g, uint64_t index, char *piece);

/*
 * @size bytes of text into @fd, hashed on the way. -EINTR, -ENOSPC, ...; @name stands for the file
 * in messages.
 */
int textgen_write(int fd, const char *name, uint64_t size, uint64_t seed, char hex[SHA256_HEX_SIZE],
		  struct diag *d);

#endif
