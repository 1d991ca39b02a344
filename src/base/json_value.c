// SPDX-License-Identifier: GPL-2.0-only
/* What tokens of JSON stand for. They were checked: json_doc.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/json_string.h"

const char *const json_type_names[JSON_TYPES] = {
	[JSON_NULL] = "null",	  [JSON_BOOLEAN] = "boolean", [JSON_INT] = "int",
	[JSON_DOUBLE] = "double", [JSON_STRING] = "string",   [JSON_ARRAY] = "array",
	[JSON_OBJECT] = "object",
};

const bool json_plain[256] = {[' ' ... '!'] = true, ['#' ... '['] = true, [']' ... 0x7f] = true};

/* Strings */

/* Four hexadecimal digits, or -1. */
static int hex4(const char *s)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		int digit = s[i] >= '0' && s[i] <= '9'	 ? s[i] - '0'
			    : s[i] >= 'a' && s[i] <= 'f' ? s[i] - 'a' + 10
			    : s[i] >= 'A' && s[i] <= 'F' ? s[i] - 'A' + 10
							 : -1;

		if (digit < 0)
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

static const struct {
	char letter, stands_for;
} escapes[] = {{'"', '"'},  {'\\', '\\'}, {'/', '/'},  {'b', '\b'},
	       {'f', '\f'}, {'n', '\n'},  {'r', '\r'}, {'t', '\t'}};

size_t json_escape_length(const char *s, size_t len)
{
	int unit;

	if (!len)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(escapes); i++)
		if (*s == escapes[i].letter)
			return 1;
	unit = *s == 'u' && len >= 5 ? hex4(s + 1) : -1;
	if (unit < 0 || (unit & 0xfc00) == 0xdc00)
		return 0;
	if ((unit & 0xfc00) != 0xd800)
		return 5;
	/* The first half of a pair means nothing alone. */
	return len >= 11 && s[5] == '\\' && s[6] == 'u' && hex4(s + 7) >= 0 &&
			       (hex4(s + 7) & 0xfc00) == 0xdc00
		       ? 11
		       : 0;
}

/* UTF-8 of @code into @to, its length. */
static size_t encode(uint32_t code, char to[4])
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | code >> 18);
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* The character at *@s, which is moved behind it: one byte, or what an escape stands for. */
static size_t next_char(const char **s, const char *end, char to[4])
{
	size_t len;
	uint32_t code;

	if (**s != '\\') {
		to[0] = **s;
		++*s;
		return 1;
	}
	++*s;
	len = json_escape_length(*s, (size_t)(end - *s));
	if (len == 1) {
		for (size_t i = 0; i < ARRAY_SIZE(escapes); i++)
			if (**s == escapes[i].letter)
				to[0] = escapes[i].stands_for;
		++*s;
		return 1;
	}
	code = (uint32_t)hex4(*s + 1);
	if (len == 11)
		code = 0x10000 + ((code & 0x3ff) << 10 | ((uint32_t)hex4(*s + 7) & 0x3ff));
	*s += len;
	return encode(code, to);
}

size_t json_unescape(const struct json_doc *doc, const struct json_token *t, char *to, size_t size)
{
	const char *s = doc->text + t->at, *end = s + t->size;
	size_t len = 0, kept = 0;

	if (!t->escaped) {
		kept = t->size < size ? t->size : size - 1;
		memcpy(to, s, kept);
		to[kept] = '\0';
		return t->size;
	}
	while (s < end) {
		char piece[4];
		size_t bytes = next_char(&s, end, piece);

		if (kept == len && len + bytes < size) {
			memcpy(to + len, piece, bytes);
			kept += bytes;
		}
		len += bytes;
	}
	to[kept] = '\0';
	return len;
}

int json_compare(const struct json_doc *doc, const struct json_token *a, const struct json_token *b)
{
	const char *s = doc->text + a->at, *s_end = s + a->size;
	const char *t = doc->text + b->at, *t_end = t + b->size;
	char from_s[4], from_t[4];
	size_t have_s = 0, have_t = 0, at_s = 0, at_t = 0;

	for (;;) {
		if (at_s == have_s) {
			at_s = 0;
			have_s = s < s_end ? next_char(&s, s_end, from_s) : 0;
		}
		if (at_t == have_t) {
			at_t = 0;
			have_t = t < t_end ? next_char(&t, t_end, from_t) : 0;
		}
		if (!have_s || !have_t)
			return (have_s > 0) - (have_t > 0);
		if (from_s[at_s] != from_t[at_t])
			return (unsigned char)from_s[at_s] < (unsigned char)from_t[at_t] ? -1 : 1;
		at_s++;
		at_t++;
	}
}

bool json_equals(const struct json_doc *doc, const struct json_token *t, const char *chars)
{
	const char *s = doc->text + t->at, *end = s + t->size;

	if (!t->escaped)
		return strlen(chars) == t->size && !memcmp(chars, s, t->size);
	while (s < end) {
		char piece[4];
		size_t bytes = next_char(&s, end, piece);

		if (strncmp(chars, piece, bytes) || memchr(piece, '\0', bytes))
			return false;
		chars += bytes;
	}
	return !*chars;
}

const struct json_token *json_member(const struct json_doc *doc, const struct json_token *object,
				     const char *key, const struct json_token **from)
{
	const struct json_token *first, *end, *begin;

	if (!json_is(object, JSON_OBJECT) || !object->size)
		return NULL;
	first = json_first(object);
	end = json_end(object);
	begin = from && *from && *from < end ? *from : first;
	for (const struct json_token *t = begin;;) {
		const struct json_token *next = json_next(t + 1);

		if (json_equals(doc, t, key)) {
			if (from)
				*from = next;
			return json_is(t + 1, JSON_NULL) ? NULL : t + 1;
		}
		t = next < end ? next : first;
		if (t == begin)
			return NULL;
	}
}

/* Numbers */

bool json_to_u64(const struct json_doc *doc, const struct json_token *t, uint64_t *value,
		 bool *negative)
{
	const char *s = doc->text + t->at, *end = s + t->size;

	*value = 0;
	*negative = *s == '-';
	for (s += *negative; s < end; s++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*s - '0'), value))
			return false;
	return true;
}

/*
 * Digits that are exact in a double and a power of ten that is exact too: one division rounds as strtod() does (W. D. Clinger, "How to
 * read floating point numbers accurately", 1990). False: it is no such number.
 */
static bool simple_double(const char *s, const char *end, double *value)
{
	static const double powers[] = {1e0,  1e1,  1e2,  1e3,	1e4,  1e5,  1e6,  1e7,
					1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	bool negative = *s == '-', point = false;
	uint64_t digits = 0;
	size_t decimals = 0;

	for (s += negative; s < end; s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		if (*s < '0' || *s > '9' || digits >= (uint64_t)1 << 49)
			return false;
		digits = digits * 10 + (uint64_t)(*s - '0');
		decimals += point;
	}
	if (digits > (uint64_t)1 << 53 || decimals >= ARRAY_SIZE(powers))
		return false;
	*value = (double)digits / powers[decimals];
	*value = negative ? -*value : *value;
	return true;
}

double json_to_double(const struct json_doc *doc, const struct json_token *t)
{
	const char *s = doc->text + t->at;
	char copy[JSON_MAX_NUMBER + 1];
	double value;

	if (simple_double(s, s + t->size, &value))
		return value;
	/* strtod() needs an end that the text may not have. */
	memcpy(copy, s, t->size);
	copy[t->size] = '\0';
	return strtod(copy, NULL);
}
