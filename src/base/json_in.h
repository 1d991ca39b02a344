/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Typed and bounded access to JSON that may come from anybody. Every message names the
 * file and the place in it: "result.json: cells[3].samples[0].io_bytes: expected an integer, found
 * string".
 */
#ifndef AB_BASE_JSON_IN_H
#define AB_BASE_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "base/json_doc.h"

struct json_in {
	const char *file; /* for messages */
	struct diag *d;
	struct json_doc doc;
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
/* The same for a value of the wrong type: "expected <what>, found <type>". NULL is null. */
int json_in_expected(const struct json_in *in, const struct json_place *at, const char *what,
		     const struct json_token *value);

/*
 * Parses the whole of @text strictly into in->doc: UTF-8, no NUL, no key with two values, nothing behind the document, at most @depth levels. Freed
 * by json_doc_free(), on failure too. -EINVAL says "file:line:column: ...".
 */
int json_in_parse(struct json_in *in, const char *text, size_t len, int depth);

/* A string without NUL inside and shorter than @size bytes, copied to @to. */
int json_in_chars(const struct json_in *in, const struct json_place *at,
		  const struct json_token *value, char *to, size_t size);
/* The same, to memory that the caller frees. */
int json_in_text(struct json_in *in, const struct json_place *at, const struct json_token *value,
		 size_t size, char **text);
/* An integer from 0 to @max. */
int json_in_uint(const struct json_in *in, const struct json_place *at,
		 const struct json_token *value, uint64_t max, uint64_t *number);
int json_in_int(const struct json_in *in, const struct json_place *at,
		const struct json_token *value, int *number);
/* A finite number, not negative unless @is_signed. */
int json_in_double(const struct json_in *in, const struct json_place *at,
		   const struct json_token *value, bool is_signed, double *number);
int json_in_bool(const struct json_in *in, const struct json_place *at,
		 const struct json_token *value, bool *truth);
/* Length of an array of at most @max elements. */
int json_in_array(const struct json_in *in, const struct json_place *at,
		  const struct json_token *value, uint64_t max, size_t *length);
/* Zeroed memory within the limit; -ENOMEM or -EINVAL. */
int json_in_alloc(struct json_in *in, const struct json_place *at, size_t count, size_t size,
		  void **memory);

#endif
