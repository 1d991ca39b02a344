/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes JSON text as it goes, indented by two blanks, with stable key order. Strings that are no
 * UTF-8 (cut in the middle of a character, a program's raw output) are written with '?' for each
 * bad byte; a double that is not finite is written as null.
 */
#ifndef AB_BASE_JSON_OUT_H
#define AB_BASE_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/strbuf.h"

struct json_out {
	struct strbuf *sb; /* where it goes; its `failed` is the only error */
	unsigned int depth;
	unsigned int flat; /* levels inside an array that is written on one line */
	bool comma;	   /* a value stands before the next one on this level */
};

/* @key: name inside an object, NULL inside an array and for the outermost value. */
void json_object_begin(struct json_out *j, const char *key);
void json_object_end(struct json_out *j);
void json_array_begin(struct json_out *j, const char *key);
void json_array_end(struct json_out *j);
/* An array on one line, for numbers; closed by json_array_end(). */
void json_flat_array_begin(struct json_out *j, const char *key);

void json_string(struct json_out *j, const char *key, const char *value);
void json_u64(struct json_out *j, const char *key, uint64_t value);
void json_i64(struct json_out *j, const char *key, int64_t value);
/* The shortest text that reads back to the same double. */
void json_double(struct json_out *j, const char *key, double value);
void json_boolean(struct json_out *j, const char *key, bool value);
void json_null(struct json_out *j, const char *key);

#endif
