/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Typed and bounded access to JSON that may come from anybody, over json-c. Every message names the
 * file and the place in it: "result.json: cells[3].samples[0].io_bytes: expected an integer, found
 * string".
 */
#ifndef AB_BASE_JSON_IN_H
#define AB_BASE_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"

struct json_object;

struct json_in {
	const char *file; /* for messages */
	struct diag *d;
	size_t stored_bytes; /* so far, by json_in_alloc() */
	size_t store_limit;  /* of all of them: small JSON objects can stand for large structs */
};

/* A place in the document, from the inside out; lives on the stack of who walks it. */
struct json_place {
	const struct json_place *up; /* NULL: the top */
	const char *key;	     /* NULL: element @index of an array */
	size_t index;
};

/* Sets the message "file: place: ..." and returns -EINVAL. @at NULL: the document itself. */
int json_in_bad(const struct json_in *in, const struct json_place *at, const char *fmt, ...)
	AB_PRINTF(3, 4);
/* The same for a value of the wrong type: "expected <what>, found <type>". */
int json_in_expected(const struct json_in *in, const struct json_place *at, const char *what,
		     struct json_object *json);

/*
 * Parses the whole of @text strictly: UTF-8, no NUL, nothing behind the document, at most @depth
 * levels. The object is freed with json_object_put(). -EINVAL says "file:line:column: ...".
 */
int json_in_parse(const struct json_in *in, const char *text, size_t len, int depth,
		  struct json_object **json);

/* A string without NUL inside and shorter than @size bytes; @chars lives as long as @json. */
int json_in_chars(const struct json_in *in, const struct json_place *at, struct json_object *json,
		  size_t size, const char **chars);
/* The same, copied to memory that the caller frees. */
int json_in_text(struct json_in *in, const struct json_place *at, struct json_object *json,
		 size_t size, char **text);
/* An integer from 0 to @max. */
int json_in_uint(const struct json_in *in, const struct json_place *at, struct json_object *json,
		 uint64_t max, uint64_t *value);
int json_in_int(const struct json_in *in, const struct json_place *at, struct json_object *json,
		int *value);
/* A finite number, not negative unless @is_signed. */
int json_in_double(const struct json_in *in, const struct json_place *at, struct json_object *json,
		   bool is_signed, double *value);
int json_in_bool(const struct json_in *in, const struct json_place *at, struct json_object *json,
		 bool *value);
/* Length of an array of at most @max elements. */
int json_in_array(const struct json_in *in, const struct json_place *at, struct json_object *json,
		  uint64_t max, size_t *length);
/* Zeroed memory within the limit; -ENOMEM or -EINVAL. */
int json_in_alloc(struct json_in *in, const struct json_place *at, size_t count, size_t size,
		  void **memory);

#endif
