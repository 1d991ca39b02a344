// SPDX-License-Identifier: GPL-2.0-only
#include "base/json_in.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/strbuf.h"

static void add_place(struct strbuf *sb, const struct json_place *at)
{
	if (!at)
		return;
	add_place(sb, at->up);
	if (!at->key)
		strbuf_printf(sb, "[%zu]", at->index);
	else
		strbuf_printf(sb, "%s%s", at->up ? "." : "", at->key);
}

int json_in_bad(const struct json_in *in, const struct json_place *at, const char *fmt, ...)
{
	AB_STRBUF struct strbuf where = {0};
	AB_STRBUF struct strbuf what = {0};
	va_list ap;

	add_place(&where, at);
	va_start(ap, fmt);
	strbuf_vprintf(&what, fmt, ap);
	va_end(ap);
	return diag_set(in->d, -EINVAL, "%s: %s%s%s", in->file, strbuf_str(&where),
			where.len ? ": " : "", strbuf_str(&what));
}

int json_in_expected(const struct json_in *in, const struct json_place *at, const char *what,
		     struct json_object *json)
{
	return json_in_bad(in, at, "expected %s, found %s", what,
			   json_type_to_name(json_object_get_type(json)));
}

/* Line and column of byte @offset, both from 1. */
static void locate(const char *text, size_t offset, size_t *line, size_t *column)
{
	*line = 1;
	*column = 1;
	for (size_t i = 0; i < offset; i++) {
		++*column;
		if (text[i] == '\n') {
			++*line;
			*column = 1;
		}
	}
}

int json_in_parse(const struct json_in *in, const char *text, size_t len, int depth,
		  struct json_object **json)
{
	struct json_tokener *tok;
	enum json_tokener_error error;
	size_t offset, line, column;

	*json = NULL;
	if (len > INT_MAX)
		return diag_set(in->d, -EFBIG, "%s: too large", in->file);
	if (memchr(text, '\0', len))
		return diag_set(in->d, -EINVAL, "%s: not JSON: a NUL byte inside", in->file);
	tok = json_tokener_new_ex(depth);
	if (!tok)
		return diag_set(in->d, -ENOMEM, "%s: no memory", in->file);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*json = json_tokener_parse_ex(tok, text, (int)len);
	error = json_tokener_get_error(tok);
	offset = json_tokener_get_parse_end(tok);
	json_tokener_free(tok);
	if (error == json_tokener_success && *json)
		return 0;
	json_object_put(*json);
	*json = NULL;
	locate(text, offset < len ? offset : len, &line, &column);
	if (error == json_tokener_continue)
		return diag_set(in->d, -EINVAL,
				"%s:%zu:%zu: the text ends in the middle (cut short?)", in->file,
				line, column);
	return diag_set(in->d, -EINVAL, "%s:%zu:%zu: not JSON: %s", in->file, line, column,
			json_tokener_error_desc(error));
}

int json_in_chars(const struct json_in *in, const struct json_place *at, struct json_object *json,
		  size_t size, const char **chars)
{
	if (!json_object_is_type(json, json_type_string))
		return json_in_expected(in, at, "a string", json);
	*chars = json_object_get_string(json);
	if (strlen(*chars) != (size_t)json_object_get_string_len(json))
		return json_in_bad(in, at, "a NUL inside the string");
	if (strlen(*chars) >= size)
		return json_in_bad(in, at, "longer than %zu bytes", size - 1);
	return 0;
}

int json_in_text(struct json_in *in, const struct json_place *at, struct json_object *json,
		 size_t size, char **text)
{
	const char *chars;
	void *copy;
	int err;

	err = json_in_chars(in, at, json, size, &chars);
	if (!err)
		err = json_in_alloc(in, at, strlen(chars) + 1, 1, &copy);
	if (err)
		return err;
	*text = memcpy(copy, chars, strlen(chars) + 1);
	return 0;
}

int json_in_uint(const struct json_in *in, const struct json_place *at, struct json_object *json,
		 uint64_t max, uint64_t *value)
{
	if (!json_object_is_type(json, json_type_int))
		return json_in_expected(in, at, "an integer", json);
	/* json_object_get_uint64() makes 0 of a negative number. */
	if (json_object_get_int64(json) < 0)
		return json_in_bad(in, at, "must not be negative");
	*value = json_object_get_uint64(json);
	if (*value > max)
		return json_in_bad(in, at, "must be at most %ju", (uintmax_t)max);
	return 0;
}

int json_in_int(const struct json_in *in, const struct json_place *at, struct json_object *json,
		int *value)
{
	int64_t number;

	if (!json_object_is_type(json, json_type_int))
		return json_in_expected(in, at, "an integer", json);
	number = json_object_get_int64(json);
	if (number < INT_MIN || number > INT_MAX)
		return json_in_bad(in, at, "must be from %d to %d", INT_MIN, INT_MAX);
	*value = (int)number;
	return 0;
}

int json_in_double(const struct json_in *in, const struct json_place *at, struct json_object *json,
		   bool is_signed, double *value)
{
	if (!json_object_is_type(json, json_type_double) &&
	    !json_object_is_type(json, json_type_int))
		return json_in_expected(in, at, "a number", json);
	*value = json_object_get_double(json);
	if (!isfinite(*value))
		return json_in_bad(in, at, "must be a finite number");
	if (!is_signed && *value < 0)
		return json_in_bad(in, at, "must not be negative");
	return 0;
}

int json_in_bool(const struct json_in *in, const struct json_place *at, struct json_object *json,
		 bool *value)
{
	if (!json_object_is_type(json, json_type_boolean))
		return json_in_expected(in, at, "true or false", json);
	*value = json_object_get_boolean(json);
	return 0;
}

int json_in_array(const struct json_in *in, const struct json_place *at, struct json_object *json,
		  uint64_t max, size_t *length)
{
	if (!json_object_is_type(json, json_type_array))
		return json_in_expected(in, at, "an array", json);
	*length = json_object_array_length(json);
	if (*length > max)
		return json_in_bad(in, at, "%zu elements; at most %ju are read", *length,
				   (uintmax_t)max);
	return 0;
}

int json_in_alloc(struct json_in *in, const struct json_place *at, size_t count, size_t size,
		  void **memory)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) ||
	    bytes > in->store_limit - in->stored_bytes)
		return json_in_bad(in, at, "the file holds more than is read (%zu MiB)",
				   in->store_limit >> 20);
	in->stored_bytes += bytes;
	*memory = calloc(count ? count : 1, size);
	return *memory ? 0 : diag_set(in->d, -ENOMEM, "%s: no memory", in->file);
}
