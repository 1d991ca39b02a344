/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result format as data: one table per struct, one row per JSON key. Writer (result_write.c),
 * reader (result_read.c) and schema (result_schema.c) walk the same rows; a new number in the
 * format is one line in result_fields.c.
 */
#ifndef AB_MODEL_RESULT_FIELDS_H
#define AB_MODEL_RESULT_FIELDS_H

#include "model/result.h"

enum field_type {
	FIELD_STRING, /* char array; "" is null */
	FIELD_TEXT,   /* allocated char *; NULL is null */
	FIELD_BOOL,
	FIELD_NAMED_BOOL, /* bool written as one of two words: names[0] false, names[1] true */
	FIELD_ENUM,	  /* int written as one of names */
	FIELD_UINT,	  /* unsigned int */
	FIELD_INT,	  /* int */
	FIELD_SIZE,	  /* size_t */
	FIELD_U64,
	FIELD_DOUBLE,
	FIELD_STRINGS,	    /* struct string_list */
	FIELD_CONST_STRING, /* always the word names[0]; anything else is refused */
	FIELD_CONST_NUMBER, /* always the number max */
	FIELD_OBJECT, /* sub-table at offset: a struct, or with offset 0 a group of this one's members */
	FIELD_ARRAY, /* pointer to elements of the sub-table, their number at count */
	FIELD_KEYED, /* fixed array; object with keys names_of(0..max-1); sub-table or uint64_t */
	FIELD_U32_LIST, /* uint32_t pointer, number of elements at count */
	FIELD_U64_LIST, /* likewise uint64_t; must be as long as the list read before it */
};

enum field_flags {
	FIELD_REQUIRED = 1 << 0,    /* a file without it is refused */
	FIELD_ZERO_NULL = 1 << 1,   /* 0 stands for unknown and is written as null */
	FIELD_SIGNED = 1 << 2,	    /* a double that may be negative */
	FIELD_HAS = 1 << 3,	    /* null unless the bool at has is set */
	FIELD_IF_ANY = 1 << 4,	    /* null unless the uint64_t at has is more than 0 */
	FIELD_IF_POSITIVE = 1 << 5, /* null unless the double at has is more than 0 */
};

struct table;

struct field {
	const char *name;
	const char *doc; /* meaning, for the schema */
	enum field_type type;
	unsigned int flags;
	size_t offset;
	size_t size;  /* of a char array */
	size_t has;   /* offset, see FIELD_HAS, FIELD_IF_ANY, FIELD_IF_POSITIVE */
	size_t count; /* offset of the size_t that counts elements */
	uint64_t max; /* most elements; of a text: its size; of FIELD_CONST_NUMBER: the number */
	const struct table *sub;
	const char *const *names;
	size_t name_count;
	const char *(*names_of)(size_t i);
};

struct table {
	const char *name; /* in the schema's $defs */
	const char *doc;
	size_t size; /* of the struct */
	const struct field *fields;
	size_t field_count;
	/* A struct that can be absent as a whole is written as {"absent": "reason"} then. */
	bool can_be_absent;
	size_t present; /* offset of the bool */
	size_t absent;	/* offset of the reason, a char array */
	size_t absent_size;
	/* What single fields cannot say; fills @why. May be NULL. */
	bool (*check)(const void *object, struct diag *why);
};

/* The @i-th word of an enum. */
static inline const char *field_word(const struct field *f, size_t i)
{
	return f->names ? f->names[i] : f->names_of(i);
}

extern const struct table result_table;
extern const struct table host_table;

/* "accelbench/result" and "1.0" as they stand in the file. */
extern const char result_schema_version[];

#endif
