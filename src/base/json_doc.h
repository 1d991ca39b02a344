/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON text (RFC 8259) taken apart into tokens of eight bytes that point into it: the whole document is checked once, and what is never
 * asked for is never copied or converted. The text may come from anybody. Why not a library: docs/adr/0006-json-reader.md.
 */
#ifndef AB_BASE_JSON_DOC_H
#define AB_BASE_JSON_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_type {
	JSON_NULL,
	JSON_BOOLEAN,
	JSON_INT, /* neither fraction nor exponent, of any length */
	JSON_DOUBLE,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
	JSON_TYPES,
};
extern const char *const json_type_names[JSON_TYPES];

/* A value, or the key of a member, which stands before its value. */
struct json_token {
	uint32_t at;	   /* offset of its first byte in the text; of a string, of its content */
	uint32_t type : 3; /* enum json_type */
	uint32_t escaped : 1; /* a string with a backslash in it */
	uint32_t size : 28;   /* of an array or object: tokens inside; else bytes of its text */
};

struct json_doc {
	const char *text; /* not owned; must outlive the tokens */
	struct json_token *tokens;
	size_t count, room;
};

/*
 * JSON_LAX: what programs print that take JSON lightly. Bytes that are no UTF-8, control characters in strings and repeated keys pass,
 * nan and inf are null, and what follows the document is not looked at.
 */
enum json_flags { JSON_STRICT, JSON_LAX };

struct json_error {
	size_t offset; /* of the byte that is wrong */
	const char *what;
	bool cut; /* the text ends inside the document */
};

#define JSON_MAX_BYTES ((1u << 28) - 1)

/*
 * Takes @text apart, at most @depth levels of arrays and objects. 0; -EINVAL with @error; -ENOMEM. Refuses a key that occurs twice in an
 * object with different values. Freed by json_doc_free(), on failure too.
 */
int json_doc_parse(struct json_doc *doc, const char *text, size_t len, enum json_flags flags,
		   int depth, struct json_error *error);
void json_doc_free(struct json_doc *doc);

/* The token behind @t and all that is inside it: the next element, the next key, or a key's value. */
static inline const struct json_token *json_next(const struct json_token *t)
{
	return t + 1 + (t->type >= JSON_ARRAY ? t->size : 0);
}
/* Where the inside of an array or object begins, and the end of it. */
static inline const struct json_token *json_first(const struct json_token *t)
{
	return t + 1;
}
static inline const struct json_token *json_end(const struct json_token *t)
{
	return json_next(t);
}

static inline bool json_is(const struct json_token *t, enum json_type type)
{
	return t && t->type == type;
}

/*
 * The value of @key. NULL: it is null or not there, or @object is none (or NULL). @from, which may be NULL, is where the search begins and
 * receives where to begin for the key that stands next in the text; *@from is NULL at first.
 */
const struct json_token *json_member(const struct json_doc *doc, const struct json_token *object,
				     const char *key, const struct json_token **from);

/* Whether a string or key reads @chars. */
bool json_equals(const struct json_doc *doc, const struct json_token *t, const char *chars);
/*
 * A string or key, unescaped, with a NUL behind it. Returns its length; @size or more: it did not fit, and what did is there. It may hold
 * NUL bytes.
 */
size_t json_unescape(const struct json_doc *doc, const struct json_token *t, char *to, size_t size);

#define JSON_MAX_NUMBER 512 /* bytes of a number's text */
/* A number; beyond the range of double an infinity. */
double json_to_double(const struct json_doc *doc, const struct json_token *t);
/* An integer's absolute value. False: more than 64 bits. */
bool json_to_u64(const struct json_doc *doc, const struct json_token *t, uint64_t *value,
		 bool *negative);

#endif
