/* SPDX-License-Identifier: GPL-2.0-only */
/* "Did you mean": the known name that a mistyped word is closest to. */
#ifndef AB_BASE_NEAREST_H
#define AB_BASE_NEAREST_H

#include <stddef.h>

#define NEAREST_WORD_MAX  63 /* longer words get no hint */
#define NEAREST_HINT_SIZE 96

struct nearest {
	const char *word;
	char best[NEAREST_WORD_MAX + 1]; /* "" while nothing was close enough */
	unsigned int distance;		 /* of best */
};

/*
 * Edits that turn @a into @b: insertion, deletion, replacement, two neighbours swapped. Case and
 * '-' against '_' are free. Words beyond NEAREST_WORD_MAX: UINT_MAX.
 */
unsigned int nearest_distance(const char *a, const char *b);

/* @word is kept by reference. Then offer every known name; of equally close ones the first wins. */
void nearest_begin(struct nearest *n, const char *word);
void nearest_offer(struct nearest *n, const char *candidate);

/* "; did you mean 'deflate'?", or "" when nothing is close. Returns @buf. */
const char *nearest_hint(const struct nearest *n, char buf[NEAREST_HINT_SIZE]);

#endif
