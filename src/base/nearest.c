// SPDX-License-Identifier: GPL-2.0-only
#include "base/nearest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static int fold(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 'a';
	return c == '_' ? '-' : c;
}

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

unsigned int nearest_distance(const char *a, const char *b)
{
	/*
	 * Three rolling rows of the matrix: two are enough for insert, delete and replace; a swap
	 * looks one further back.
	 */
	unsigned int rows[3][NEAREST_WORD_MAX + 1];
	size_t a_len = strnlen(a, NEAREST_WORD_MAX + 1);
	size_t b_len = strnlen(b, NEAREST_WORD_MAX + 1);

	if (a_len > NEAREST_WORD_MAX || b_len > NEAREST_WORD_MAX)
		return UINT_MAX;
	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned int *row = rows[i % 3];
		const unsigned int *above = rows[(i - 1) % 3];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= b_len; j++) {
			unsigned int replace = fold(a[i - 1]) != fold(b[j - 1]);

			row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + replace);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			    fold(a[i - 2]) == fold(b[j - 1]))
				row[j] = min3(row[j], rows[(i - 2) % 3][j - 2] + 1, UINT_MAX);
		}
	}
	return rows[a_len % 3][b_len];
}

void nearest_begin(struct nearest *n, const char *word)
{
	*n = (struct nearest){.word = word, .distance = UINT_MAX};
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	/*
	 * A third of the word may be wrong, and one letter in any case: beyond that a hint
	 * misleads.
	 */
	size_t limit = (strnlen(n->word, NEAREST_WORD_MAX) + 2) / 3;
	unsigned int distance = nearest_distance(n->word, candidate);

	if (distance <= limit && distance < n->distance) {
		snprintf(n->best, sizeof(n->best), "%s", candidate);
		n->distance = distance;
	}
}

const char *nearest_hint(const struct nearest *n, char buf[NEAREST_HINT_SIZE])
{
	if (n->best[0])
		snprintf(buf, NEAREST_HINT_SIZE, "; did you mean '%s'?", n->best);
	else
		buf[0] = '\0';
	return buf;
}
