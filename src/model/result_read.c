// SPDX-License-Identifier: GPL-2.0-only
/* result.json -> struct result, by the rows of result_fields*.c. The file may come from anybody. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/fsutil.h"
#include "base/json_in.h"
#include "model/result_fields.h"

#define MAX_FILE_BYTES	(32u << 20) /* its tokens take up to four times as much */
#define MAX_STORE_BYTES (256u << 20)
#define MAX_DEPTH	24
#define MAX_LIST_STRING 4096 /* bytes of one string in a list, with the NUL */

static int read_struct(struct json_in *in, const struct json_place *at, const struct table *t,
		       const struct json_token *json, void *object);

static int read_word(struct json_in *in, const struct json_place *at, const struct field *f,
		     const struct json_token *json, unsigned int *which)
{
	char chars[MAX_LIST_STRING];
	int err;

	if (json_is(json, JSON_STRING))
		for (*which = 0; *which < f->name_count; ++*which)
			if (json_equals(&in->doc, json, field_word(f, *which)))
				return 0;
	err = json_in_chars(in, at, json, chars, sizeof(chars));
	if (err)
		return err;
	return json_in_bad(in, at,
			   "\"%.40s\" is none of the %zu known words, the first of which is \"%s\"",
			   chars, f->name_count, field_word(f, 0));
}

static int read_const(struct json_in *in, const struct json_place *at, const struct field *f,
		      const struct json_token *json)
{
	uint64_t number;
	int err;

	if (f->type == FIELD_CONST_STRING) {
		if (!json_is(json, JSON_STRING))
			return json_in_expected(in, at, "a string", json);
		return json_equals(&in->doc, json, f->names[0])
			       ? 0
			       : json_in_bad(in, at, "must be \"%s\"", f->names[0]);
	}
	err = json_in_uint(in, at, json, UINT64_MAX, &number);
	if (!err && number != f->max)
		err = json_in_bad(in, at, "must be %ju", (uintmax_t)f->max);
	return err;
}

static int read_number(struct json_in *in, const struct json_place *at, const struct field *f,
		       const struct json_token *json, void *p)
{
	uint64_t number = 0;
	int err;

	switch (f->type) {
	case FIELD_INT:
		return json_in_int(in, at, json, p);
	case FIELD_DOUBLE:
		return json_in_double(in, at, json, f->flags & FIELD_SIGNED, p);
	case FIELD_UINT:
		err = json_in_uint(in, at, json, UINT_MAX, &number);
		*(unsigned int *)p = (unsigned int)number;
		return err;
	case FIELD_SIZE:
		err = json_in_uint(in, at, json, SIZE_MAX, &number);
		*(size_t *)p = number;
		return err;
	default:
		return json_in_uint(in, at, json, UINT64_MAX, p);
	}
}

static int read_scalar(struct json_in *in, const struct json_place *at, const struct field *f,
		       const struct json_token *json, void *p)
{
	unsigned int which = 0;
	int err;

	switch (f->type) {
	case FIELD_STRING:
		return json_in_chars(in, at, json, p, f->size);
	case FIELD_TEXT:
		return json_in_text(in, at, json, f->max, p);
	case FIELD_BOOL:
		return json_in_bool(in, at, json, p);
	case FIELD_NAMED_BOOL:
		err = read_word(in, at, f, json, &which);
		*(bool *)p = which == 1;
		return err;
	case FIELD_ENUM:
		err = read_word(in, at, f, json, &which);
		*(unsigned int *)p = err ? 0 : which;
		return err;
	case FIELD_CONST_STRING:
	case FIELD_CONST_NUMBER:
		return read_const(in, at, f, json);
	default:
		return read_number(in, at, f, json, p);
	}
}

static int read_strings(struct json_in *in, const struct json_place *at, const struct field *f,
			const struct json_token *json, struct string_list *list)
{
	const struct json_token *value;
	void *items = NULL;
	size_t length;
	int err;

	err = json_in_array(in, at, json, f->max, &length);
	if (!err && length)
		err = json_in_alloc(in, at, length, sizeof(*list->items), &items);
	if (err)
		return err;
	list->items = items;
	value = json_first(json);
	for (size_t i = 0; i < length && !err; i++, value = json_next(value)) {
		struct json_place element = {.up = at, .index = i};

		list->count++; /* its text is freed on failure too */
		err = json_in_text(in, &element, value, MAX_LIST_STRING, &list->items[i]);
	}
	return err;
}

static int read_numbers(struct json_in *in, const struct json_place *at, const struct field *f,
			const struct json_token *json, char *base)
{
	size_t *count = (size_t *)(base + f->count);
	bool wide = f->type == FIELD_U64_LIST;
	const struct json_token *value;
	void *numbers = NULL;
	size_t length;
	int err;

	err = json_in_array(in, at, json, f->max, &length);
	if (!err && wide && length != *count)
		err = json_in_bad(in, at, "%zu elements, but %zu in the list before it", length,
				  *count);
	if (!err && length)
		err = json_in_alloc(in, at, length, wide ? sizeof(uint64_t) : sizeof(uint32_t),
				    &numbers);
	if (err)
		return err;
	*(void **)(base + f->offset) = numbers;
	*count = length;
	value = json_first(json);
	for (size_t i = 0; i < length && !err; i++, value = json_next(value)) {
		struct json_place element = {.up = at, .index = i};
		uint64_t number = 0;

		err = json_in_uint(in, &element, value, wide ? UINT64_MAX : UINT32_MAX, &number);
		if (wide)
			((uint64_t *)numbers)[i] = number;
		else
			((uint32_t *)numbers)[i] = (uint32_t)number;
	}
	return err;
}

static int read_array(struct json_in *in, const struct json_place *at, const struct field *f,
		      const struct json_token *json, char *base)
{
	const struct json_token *value;
	void *elements = NULL;
	size_t length;
	int err;

	err = json_in_array(in, at, json, f->max, &length);
	if (!err && length)
		err = json_in_alloc(in, at, length, f->sub->size, &elements);
	if (err)
		return err;
	*(void **)(base + f->offset) = elements;
	*(size_t *)(base + f->count) = length;
	value = json_first(json);
	for (size_t i = 0; i < length && !err; i++, value = json_next(value)) {
		struct json_place element = {.up = at, .index = i};

		err = read_struct(in, &element, f->sub, value, (char *)elements + i * f->sub->size);
	}
	return err;
}

static int read_keyed(struct json_in *in, const struct json_place *at, const struct field *f,
		      const struct json_token *json, char *p)
{
	const struct json_token *from = NULL, *value;
	int err = 0;

	if (!json_is(json, JSON_OBJECT))
		return json_in_expected(in, at, "an object", json);
	for (size_t i = 0; i < f->max && !err; i++) {
		struct json_place element = {.up = at, .key = f->names_of(i)};

		/* A number that is not there is unknown; it must not become zero. */
		value = json_member(&in->doc, json, element.key, &from);
		if (!value)
			return json_in_bad(in, &element, "missing");
		if (f->sub)
			err = read_struct(in, &element, f->sub, value, p + i * f->sub->size);
		else
			err = json_in_uint(in, &element, value, UINT64_MAX, &((uint64_t *)p)[i]);
	}
	return err;
}

/* @from: see json_member(). */
static int read_field(struct json_in *in, const struct json_place *up, const struct field *f,
		      const struct json_token *json, const struct json_token **from, char *base)
{
	struct json_place at = {.up = up, .key = f->name};
	const struct json_token *value = json_member(&in->doc, json, f->name, from);

	if (!value)
		return f->flags & FIELD_REQUIRED ? json_in_bad(in, &at, "missing") : 0;
	if (f->flags & FIELD_HAS)
		*(bool *)(base + f->has) = true;
	switch (f->type) {
	case FIELD_OBJECT:
		return read_struct(in, &at, f->sub, value, base + f->offset);
	case FIELD_ARRAY:
		return read_array(in, &at, f, value, base);
	case FIELD_KEYED:
		return read_keyed(in, &at, f, value, base + f->offset);
	case FIELD_STRINGS:
		return read_strings(in, &at, f, value, (struct string_list *)(base + f->offset));
	case FIELD_U32_LIST:
	case FIELD_U64_LIST:
		return read_numbers(in, &at, f, value, base);
	default:
		return read_scalar(in, &at, f, value, base + f->offset);
	}
}

static int read_struct(struct json_in *in, const struct json_place *at, const struct table *t,
		       const struct json_token *json, void *object)
{
	const struct json_token *absent, *from = NULL;
	char *base = object;
	struct diag why;
	int err = 0;

	if (!json_is(json, JSON_OBJECT))
		return json_in_expected(in, at, "an object", json);
	absent = t->can_be_absent ? json_member(&in->doc, json, "absent", NULL) : NULL;
	if (absent) {
		struct json_place inside = {.up = at, .key = "absent"};

		return json_in_chars(in, &inside, absent, base + t->absent, t->absent_size);
	}
	for (size_t i = 0; i < t->field_count && !err; i++)
		err = read_field(in, at, &t->fields[i], json, &from, base);
	if (!err && t->check && !t->check(object, &why))
		err = json_in_bad(in, at, "%s", why.text);
	if (!err && t->can_be_absent)
		*(bool *)(base + t->present) = true;
	return err;
}

/*
 * Format and version come first: under a later major version everything else may mean something
 * else.
 */
static int check_format(const struct json_in *in, const struct json_token *json)
{
	struct json_place schema_at = {.key = "schema"}, version_at = {.key = "schema_version"};
	char chars[MAX_LIST_STRING];
	unsigned int major, minor;
	char rest;
	int err;

	if (!json_is(json, JSON_OBJECT))
		return json_in_expected(in, NULL, "an object", json);
	err = json_in_chars(in, &schema_at, json_member(&in->doc, json, schema_at.key, NULL), chars,
			    sizeof(chars));
	if (err)
		return err;
	if (strcmp(chars, RESULT_SCHEMA))
		return json_in_bad(in, &schema_at,
				   "\"%.40s\" instead of \"%s\": not a result of accelbench", chars,
				   RESULT_SCHEMA);
	err = json_in_chars(in, &version_at, json_member(&in->doc, json, version_at.key, NULL),
			    chars, sizeof(chars));
	if (err)
		return err;
	if (sscanf(chars, "%4u.%4u%c", &major, &minor, &rest) != 2)
		return json_in_bad(in, &version_at, "\"%.40s\" is not MAJOR.MINOR", chars);
	if (major != RESULT_SCHEMA_MAJOR)
		return json_in_bad(
			in, &version_at,
			"version %u.%u, but this program reads %u.x; use the accelbench that wrote it",
			major, minor, RESULT_SCHEMA_MAJOR);
	return 0;
}

int result_from_json(const char *name, const char *text, size_t len, struct result *r,
		     struct diag *d)
{
	struct json_in in = {.file = name, .d = d, .store_limit = MAX_STORE_BYTES};
	int err;

	memset(r, 0, sizeof(*r));
	if (len > MAX_FILE_BYTES)
		return diag_set(d, -EFBIG, "%s: %zu bytes; at most %u MiB are read", name, len,
				MAX_FILE_BYTES >> 20);
	err = json_in_parse(&in, text, len, MAX_DEPTH);
	if (!err)
		err = check_format(&in, in.doc.tokens);
	if (!err)
		err = read_struct(&in, NULL, &result_table, in.doc.tokens, r);
	json_doc_free(&in.doc);
	if (err)
		result_free(r);
	return err;
}

int result_load(const char *path, struct result *r, struct diag *d)
{
	AB_STRBUF struct strbuf text = {0};
	char file[PATH_MAX];
	struct stat st;
	int err;

	memset(r, 0, sizeof(*r));
	if (stat(path, &st))
		return diag_errno(d, -errno, "%s", path);
	err = fs_path(file, sizeof(file), S_ISDIR(st.st_mode) ? "%s/result.json" : "%s", path);
	if (err)
		return diag_errno(d, err, "%s", path);
	/* A pipe in a folder that somebody sent would wait for ever; one that the user names is his. */
	if (S_ISDIR(st.st_mode) && !stat(file, &st) && !S_ISREG(st.st_mode))
		return diag_set(d, -EINVAL, "%s: not a file", file);
	err = fs_read_file(file, MAX_FILE_BYTES, &text, d);
	if (err)
		return err;
	return result_from_json(file, strbuf_str(&text), text.len, r, d);
}
