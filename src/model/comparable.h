/* SPDX-License-Identifier: GPL-2.0-only */
/* What two results must have in common before their numbers are set against each other: one row a key. */
#ifndef AB_MODEL_COMPARABLE_H
#define AB_MODEL_COMPARABLE_H

#include "model/result.h"

#define COMPARABLE_KEYS	     17
#define COMPARABLE_TEXT_SIZE 512

struct comparable_key {
	const char *name; /* as --allow takes it: "fio" */
	const char *meaning;
	/* The key's value as text into @buf; "" where it is not known. @cell NULL: a key of the whole result only. */
	void (*text)(const struct result *r, const struct result_cell *cell, char *buf,
		     size_t size);
	bool of_cell;
};
extern const struct comparable_key comparable_keys[COMPARABLE_KEYS];

/* Keys in which a difference is accepted, a bit each. */
typedef uint32_t comparable_set;

/* Adds the key of that name. -EINVAL: there is none, with the nearest. */
int comparable_allow(comparable_set *set, const char *name, struct diag *d);

/*
 * Keys in which @a and @b differ: those of the whole result when both cells are NULL, else those of the cells. A value that one side
 * does not know differs from every other.
 */
comparable_set comparable_differences(const struct result *a, const struct result_cell *cell_a,
				      const struct result *b, const struct result_cell *cell_b);

#endif
