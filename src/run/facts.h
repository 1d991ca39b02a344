/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Small flat JSON files beside what the store keeps: what it is and where it came from. Described
 * by a table of fields.
 */
#ifndef AB_RUN_FACTS_H
#define AB_RUN_FACTS_H

#include <stddef.h>
#include "base/diag.h"

enum facts_type {
	FACTS_STRING, /* char array */
	FACTS_U64,
	FACTS_INT,
	FACTS_BOOL,
	FACTS_DOUBLE,
};

struct facts_field {
	const char *name;
	enum facts_type type;
	size_t offset;
	size_t size; /* of a char array */
};

#define FACTS_FIELD(t, s, m)                                                    \
	{                                                                       \
		.name = #m, .type = FACTS_##t, .offset = offsetof(struct s, m), \
		.size = sizeof(((struct s *)0)->m)                              \
	}

/* Writes @object atomically. */
int facts_write(const char *path, const struct facts_field *fields, size_t count,
		const void *object, struct diag *d);
/*
 * -ENOENT: no such file; -EINVAL: not such facts (a field is missing or does not fit). @object is
 * untouched then.
 */
int facts_read(const char *path, const struct facts_field *fields, size_t count, void *object,
	       size_t object_size);

#endif
