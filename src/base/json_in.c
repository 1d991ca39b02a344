// SPDX-License-Identifier: GPL-2.0-only
#include "base/json_in.h"

#include <errno.h>
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
		     const struct json_token *value)
{
	return json_in_bad(in, at, "expected %s, found %s", what,
			   json_type_names[value ? value->type : JSON_NULL]);
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

int json_in_parse(struct json_in *in, const char *text, size_t len, int depth)
{
	struct json_error error;
	size_t line, column;
	int err;

	if (memchr(text, '\0', len))
		return diag_set(in->d, -EINVAL, "%s: not JSON: a NUL byte inside", in->file);
	err = json_doc_parse(&in->doc, text, len, JSON_STRICT, depth, &error);
	if (err == -ENOMEM)
		return diag_set(in->d, err, "%s: no memory", in->file);
	if (!err)
		return 0;
	locate(text, error.offset, &line, &column);
	if (error.cut)
		return diag_set(in->d, -EINVAL,
				"%s:%zu:%zu: the text ends in the middle (cut short?)", in->file,
				line, column);
	return diag_set(in->d, -EINVAL, "%s:%zu:%zu: not JSON: %s", in->file, line, column,
			error.what);
}

int json_in_chars(const struct json_in *in, const struct json_place *at,
		  const struct json_token *value, char *to, size_t size)
{
	size_t len;

	if (!json_is(value, JSON_STRING))
		return json_in_expected(in, at, "a string", value);
	len = json_unescape(&in->doc, value, to, size);
	if (len >= size)
		return json_in_bad(in, at, "longer than %zu bytes", size - 1);
	if (memchr(to, '\0', len))
		return json_in_bad(in, at, "a NUL inside the string");
	return 0;
}

int json_in_text(struct json_in *in, const struct json_place *at, const struct json_token *value,
		 size_t size, char **text)
{
	void *copy;
	int err;

	if (!json_is(value, JSON_STRING))
		return json_in_expected(in, at, "a string", value);
	/* Unescaped it is never longer. */
	if (size > value->size)
		size = (size_t)value->size + 1;
	err = json_in_alloc(in, at, size, 1, &copy);
	if (err)
		return err;
	*text = copy;
	return json_in_chars(in, at, value, *text, size);
}

int json_in_uint(const struct json_in *in, const struct json_place *at,
		 const struct json_token *value, uint64_t max, uint64_t *number)
{
	bool negative, fits;

	if (!json_is(value, JSON_INT))
		return json_in_expected(in, at, "an integer", value);
	fits = json_to_u64(&in->doc, value, number, &negative);
	if (negative && (!fits || *number))
		return json_in_bad(in, at, "must not be negative");
	if (!fits || *number > max)
		return json_in_bad(in, at, "must be at most %ju", (uintmax_t)max);
	return 0;
}

int json_in_int(const struct json_in *in, const struct json_place *at,
		const struct json_token *value, int *number)
{
	uint64_t size;
	bool negative;

	if (!json_is(value, JSON_INT))
		return json_in_expected(in, at, "an integer", value);
	if (!json_to_u64(&in->doc, value, &size, &negative) || size > (uint64_t)INT_MAX + negative)
		return json_in_bad(in, at, "must be from %d to %d", INT_MIN, INT_MAX);
	*number = (int)(negative ? -(int64_t)size : (int64_t)size);
	return 0;
}

int json_in_double(const struct json_in *in, const struct json_place *at,
		   const struct json_token *value, bool is_signed, double *number)
{
	if (!json_is(value, JSON_DOUBLE) && !json_is(value, JSON_INT))
		return json_in_expected(in, at, "a number", value);
	*number = json_to_double(&in->doc, value);
	if (!isfinite(*number))
		return json_in_bad(in, at, "must be a finite number");
	if (!is_signed && *number < 0)
		return json_in_bad(in, at, "must not be negative");
	return 0;
}

int json_in_bool(const struct json_in *in, const struct json_place *at,
		 const struct json_token *value, bool *truth)
{
	if (!json_is(value, JSON_BOOLEAN))
		return json_in_expected(in, at, "true or false", value);
	*truth = json_equals(&in->doc, value, "true");
	return 0;
}

int json_in_array(const struct json_in *in, const struct json_place *at,
		  const struct json_token *value, uint64_t max, size_t *length)
{
	if (!json_is(value, JSON_ARRAY))
		return json_in_expected(in, at, "an array", value);
	*length = 0;
	for (const struct json_token *t = json_first(value); t < json_end(value); t = json_next(t))
		++*length;
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
