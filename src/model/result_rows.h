/* SPDX-License-Identifier: GPL-2.0-only */
/* How rows of the result tables are written; for result_fields*.c only. */
#ifndef AB_MODEL_RESULT_ROWS_H
#define AB_MODEL_RESULT_ROWS_H

#include "model/result_fields.h"

#define MEMBER_SIZE(s, m) sizeof(((struct s *)0)->m)

/* A row: struct, member, JSON key, meaning, and more designators where there is more to say. */
#define ROW(t, s, m, key, text, ...)                                                          \
	{                                                                                     \
		.type = FIELD_##t, .offset = offsetof(struct s, m), .name = key, .doc = text, \
		##__VA_ARGS__                                                                 \
	}
#define STRING(s, m, key, text, ...) \
	ROW(STRING, s, m, key, text, .size = MEMBER_SIZE(s, m), ##__VA_ARGS__)
/* Pointer @m to @n structs of table @t, at most @most. */
#define ARRAY(s, m, n, t, most, key, text, ...)                                                 \
	ROW(ARRAY, s, m, key, text, .count = offsetof(struct s, n), .sub = &(t), .max = (most), \
	    ##__VA_ARGS__)
/* Members of the struct itself, in an object of their own. */
#define GROUP(t, key, text, ...)                                                          \
	{                                                                                 \
		.type = FIELD_OBJECT, .offset = 0, .name = key, .doc = text, .sub = &(t), \
		##__VA_ARGS__                                                             \
	}

#define REQUIRED     .flags = FIELD_REQUIRED
#define ZERO_NULL    .flags = FIELD_ZERO_NULL
#define HAS(s, m)    .flags = FIELD_HAS, .has = offsetof(struct s, m)
#define IF_ANY(s, m) .flags = FIELD_IF_ANY, .has = offsetof(struct s, m)

#define TABLE(s, rows, text) \
	.doc = text, .size = sizeof(struct s), .fields = (rows), .field_count = ARRAY_SIZE(rows)
/* The struct as a whole can be absent, with a reason. */
#define ABSENT(s)                                                      \
	.can_be_absent = true, .present = offsetof(struct s, present), \
	.absent = offsetof(struct s, absent), .absent_size = MEMBER_SIZE(s, absent)

extern const struct table trace_table;
extern const struct table requests_table;
extern const struct table times_table;
extern const struct table tracer_table;

#endif
