/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings and keys inside JSON text; for json_doc.c, json_keys.c and json_value.c. */
#ifndef AB_BASE_JSON_STRING_H
#define AB_BASE_JSON_STRING_H

#include "base/json_doc.h"

/* Bytes that stand for themselves: ASCII but control characters, the quote and the backslash. */
extern const bool json_plain[256];

/*
 * Length of the escape sequence at @s, behind its backslash: "n" is 1, "u20ac" 5, a pair of surrogates 11. 0: it is none. @len bytes are
 * readable.
 */
size_t json_escape_length(const char *s, size_t len);

/* Order of two strings or keys by the bytes that they stand for. */
int json_compare(const struct json_doc *doc, const struct json_token *a,
		 const struct json_token *b);

/*
 * Looks for a key that occurs twice in @object with different values: -EINVAL, @bad is its second place. -ENOMEM. @count of members;
 * @escaped: a key may have escapes in it.
 */
int json_check_keys(const struct json_doc *doc, const struct json_token *object, size_t count,
		    bool escaped, const struct json_token **bad);

#endif
