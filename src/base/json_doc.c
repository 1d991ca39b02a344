// SPDX-License-Identifier: GPL-2.0-only
/* JSON text -> tokens. Everything that a document must not be is found here; json_value.c reads the tokens. */
#include "base/json_doc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/json_string.h"
#include "base/utf8.h"

struct parser {
	struct json_doc *doc;
	struct json_error *error;
	const char *at, *end;
	bool lax;
};

static int fail_at(struct parser *p, const char *at, const char *what)
{
	p->error->offset = (size_t)(at - p->doc->text);
	p->error->what = what;
	return -EINVAL;
}

/* What stands at p->at is wrong; if nothing stands there, the text was cut. */
static int fail(struct parser *p, const char *what)
{
	p->error->cut = p->at >= p->end;
	return fail_at(p, p->at, what);
}

static void skip_space(struct parser *p)
{
	static const char blanks[8] = "        ";

	/* Most of a file that people can read is indentation. */
	while (p->end - p->at >= 8 && !memcmp(p->at, blanks, 8))
		p->at += 8;
	while (p->at < p->end &&
	       (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t'))
		p->at++;
}

static bool next_is(const struct parser *p, char c)
{
	return p->at < p->end && *p->at == c;
}

static bool next_is_digit(const struct parser *p)
{
	return p->at < p->end && *p->at >= '0' && *p->at <= '9';
}

/* Adds a token that begins at @at. Its index, or -ENOMEM. */
static ssize_t add(struct parser *p, enum json_type type, const char *at, size_t size)
{
	struct json_doc *doc = p->doc;

	if (doc->count == doc->room) {
		size_t room = doc->room ? 2 * doc->room : (size_t)(p->end - doc->text) / 16 + 16;
		struct json_token *grown = reallocarray(doc->tokens, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		doc->tokens = grown;
		doc->room = room;
	}
	doc->tokens[doc->count] = (struct json_token){.at = (uint32_t)(at - doc->text),
						      .type = type & 7,
						      .size = size & JSON_MAX_BYTES};
	return (ssize_t)doc->count++;
}

/* p->at is behind the backslash. */
static int parse_escape(struct parser *p)
{
	size_t len = json_escape_length(p->at, (size_t)(p->end - p->at));

	if (!len) {
		/* Cut inside the escape, or at it? */
		p->error->cut = p->end - p->at < 6;
		return fail_at(p, p->at - 1, "not an escape sequence");
	}
	p->at += len;
	return 0;
}

/* A byte in a string that is not plain ASCII. */
static int parse_odd_byte(struct parser *p)
{
	size_t bytes = utf8_decode(p->at, (size_t)(p->end - p->at), NULL);

	if (p->lax)
		bytes = 1;
	else if ((unsigned char)*p->at < 0x20)
		return fail(p, "a control character inside a string");
	else if (!bytes)
		return fail(p, "not UTF-8");
	p->at += bytes;
	return 0;
}

/* p->at is at the opening quote. */
static int parse_string(struct parser *p)
{
	const char *begin = ++p->at;
	bool escaped = false;
	ssize_t index;
	int err = 0;

	while (!err) {
		unsigned char c;

		while (p->at < p->end && json_plain[c = (unsigned char)*p->at])
			p->at++;
		if (p->at >= p->end)
			return fail(p, "a string without end");
		if (c == '"')
			break;
		if (c == '\\') {
			p->at++;
			escaped = true;
			err = parse_escape(p);
		} else {
			err = parse_odd_byte(p);
		}
	}
	if (err)
		return err;
	index = add(p, JSON_STRING, begin, (size_t)(p->at - begin));
	if (index < 0)
		return (int)index;
	p->doc->tokens[index].escaped = escaped;
	p->at++;
	return 0;
}

static int parse_digits(struct parser *p)
{
	if (!next_is_digit(p))
		return fail(p, "expected a digit");
	while (next_is_digit(p))
		p->at++;
	return 0;
}

static int parse_number(struct parser *p)
{
	const char *begin = p->at;
	enum json_type type = JSON_INT;
	int err;

	p->at += *p->at == '-';
	if (next_is(p, '0'))
		p->at++;
	else if ((err = parse_digits(p)))
		return err;
	if (next_is(p, '.')) {
		type = JSON_DOUBLE;
		p->at++;
		err = parse_digits(p);
		if (err)
			return err;
	}
	if (next_is(p, 'e') || next_is(p, 'E')) {
		type = JSON_DOUBLE;
		p->at++;
		p->at += next_is(p, '+') || next_is(p, '-');
		err = parse_digits(p);
		if (err)
			return err;
	}
	if (p->at - begin >= JSON_MAX_NUMBER)
		return fail_at(p, begin, "too long for a number");
	return add(p, type, begin, (size_t)(p->at - begin)) < 0 ? -ENOMEM : 0;
}

static int parse_word(struct parser *p)
{
	static const struct {
		const char *word;
		enum json_type type;
		bool lax;
	} words[] = {
		{"true", JSON_BOOLEAN, false}, {"false", JSON_BOOLEAN, false},
		{"null", JSON_NULL, false},    {"nan", JSON_NULL, true},
		{"-nan", JSON_NULL, true},     {"inf", JSON_NULL, true},
		{"-inf", JSON_NULL, true},
	};
	size_t left = (size_t)(p->end - p->at);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *word = words[i].word;
		size_t len = strlen(word);

		if (words[i].lax && !p->lax)
			continue;
		if (memcmp(p->at, word, left < len ? left : len) != 0)
			continue;
		if (left < len) {
			p->at = p->end;
			return fail(p, "a word without end");
		}
		p->at += len;
		return add(p, words[i].type, p->at - len, len) < 0 ? -ENOMEM : 0;
	}
	return fail(p, "expected a value");
}

static int parse_value(struct parser *p, int depth);

/* What stands between two elements, or the end. @more: another follows. */
static int parse_separator(struct parser *p, char close, bool *more)
{
	skip_space(p);
	*more = next_is(p, ',');
	if (!*more && !next_is(p, close))
		return fail(p, close == ']' ? "expected , or ]" : "expected , or }");
	p->at++;
	return 0;
}

/* Key, colon, value. */
static int parse_member(struct parser *p, int depth, bool *escaped)
{
	int err;

	skip_space(p);
	if (!next_is(p, '"'))
		return fail(p, "expected a key in quotes");
	err = parse_string(p);
	if (err)
		return err;
	*escaped |= p->doc->tokens[p->doc->count - 1].escaped;
	skip_space(p);
	if (!next_is(p, ':'))
		return fail(p, "expected a colon behind the key");
	p->at++;
	return parse_value(p, depth);
}

/* The inside of an array or object, p->at is behind the bracket. @count: of elements. */
static int parse_inside(struct parser *p, enum json_type type, int depth, size_t *count,
			bool *escaped)
{
	char close = type == JSON_ARRAY ? ']' : '}';
	bool more = true;
	int err = 0;

	skip_space(p);
	if (next_is(p, close)) {
		p->at++;
		return 0;
	}
	for (*count = 0; !err && more; ++*count) {
		err = type == JSON_ARRAY ? parse_value(p, depth) : parse_member(p, depth, escaped);
		if (!err)
			err = parse_separator(p, close, &more);
	}
	return err;
}

static int parse_container(struct parser *p, enum json_type type, int depth)
{
	ssize_t index = add(p, type, p->at, 0);
	const struct json_token *bad;
	bool escaped = false;
	size_t count = 0;
	int err;

	if (index < 0)
		return (int)index;
	if (!depth)
		return fail(p, "nested too deeply");
	p->at++;
	err = parse_inside(p, type, depth - 1, &count, &escaped);
	if (err)
		return err;
	p->doc->tokens[index].size = (p->doc->count - (size_t)index - 1) & JSON_MAX_BYTES;
	if (type == JSON_ARRAY || count < 2 || p->lax)
		return 0;
	err = json_check_keys(p->doc, &p->doc->tokens[index], count, escaped, &bad);
	return err == -EINVAL ? fail_at(p, p->doc->text + bad->at - 1,
					"the key occurs twice, with another value")
			      : err;
}

static int parse_value(struct parser *p, int depth)
{
	skip_space(p);
	if (p->at >= p->end)
		return fail(p, "expected a value");
	switch (*p->at) {
	case '{':
		return parse_container(p, JSON_OBJECT, depth);
	case '[':
		return parse_container(p, JSON_ARRAY, depth);
	case '"':
		return parse_string(p);
	case '-':
		if (p->lax && p->end - p->at > 1 && (p->at[1] == 'n' || p->at[1] == 'i'))
			return parse_word(p);
		return parse_number(p);
	case '0' ... '9':
		return parse_number(p);
	default:
		return parse_word(p);
	}
}

int json_doc_parse(struct json_doc *doc, const char *text, size_t len, enum json_flags flags,
		   int depth, struct json_error *error)
{
	struct parser p = {.doc = doc,
			   .error = error,
			   .at = text,
			   .end = text + len,
			   .lax = flags == JSON_LAX};
	int err;

	*doc = (struct json_doc){.text = text};
	*error = (struct json_error){0};
	if (len > JSON_MAX_BYTES)
		return fail(&p, "too large");
	err = parse_value(&p, depth);
	if (!err && !p.lax) {
		skip_space(&p);
		if (p.at < p.end)
			err = fail(&p, "more text behind the end");
	}
	return err;
}

void json_doc_free(struct json_doc *doc)
{
	free(doc->tokens);
	*doc = (struct json_doc){0};
}
