// SPDX-License-Identifier: GPL-2.0-only
#include "base/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"

#define DOUBLE_TEXT_SIZE 32

static void add_quoted(struct strbuf *sb, const char *s)
{
	size_t len = strlen(s);

	strbuf_putc(sb, '"');
	while (len) {
		size_t bytes = utf8_decode(s, len, NULL);
		unsigned char c = (unsigned char)*s;

		if (!bytes)
			strbuf_putc(sb, '?');
		else if (c == '"' || c == '\\')
			strbuf_printf(sb, "\\%c", c);
		else if (c == '\n')
			strbuf_puts(sb, "\\n");
		else if (c == '\t')
			strbuf_puts(sb, "\\t");
		else if (c < 0x20 || c == 0x7f)
			strbuf_printf(sb, "\\u%04x", c);
		else
			strbuf_add(sb, s, bytes);
		bytes = bytes ? bytes : 1;
		s += bytes;
		len -= bytes;
	}
	strbuf_putc(sb, '"');
}

static void new_line(struct json_out *j)
{
	strbuf_putc(j->sb, '\n');
	strbuf_pad(j->sb, ' ', 2 * (size_t)j->depth);
}

/* Everything that stands before a value: comma, line break, key. */
static void begin_value(struct json_out *j, const char *key)
{
	if (j->comma)
		strbuf_putc(j->sb, ',');
	if (j->flat) {
		if (j->comma)
			strbuf_putc(j->sb, ' ');
	} else if (j->depth) {
		new_line(j);
	}
	if (key) {
		add_quoted(j->sb, key);
		strbuf_puts(j->sb, ": ");
	}
	j->comma = true;
}

static void open_bracket(struct json_out *j, const char *key, char bracket)
{
	begin_value(j, key);
	strbuf_putc(j->sb, bracket);
	j->depth++;
	j->comma = false;
}

static void close_bracket(struct json_out *j, char bracket)
{
	j->depth--;
	if (j->comma && !j->flat)
		new_line(j);
	if (j->flat)
		j->flat--;
	strbuf_putc(j->sb, bracket);
	j->comma = true;
}

void json_object_begin(struct json_out *j, const char *key)
{
	open_bracket(j, key, '{');
	if (j->flat)
		j->flat++;
}

void json_object_end(struct json_out *j)
{
	close_bracket(j, '}');
}

void json_array_begin(struct json_out *j, const char *key)
{
	open_bracket(j, key, '[');
	if (j->flat)
		j->flat++;
}

void json_flat_array_begin(struct json_out *j, const char *key)
{
	open_bracket(j, key, '[');
	j->flat++;
}

void json_array_end(struct json_out *j)
{
	close_bracket(j, ']');
}

void json_string(struct json_out *j, const char *key, const char *value)
{
	begin_value(j, key);
	add_quoted(j->sb, value);
}

void json_u64(struct json_out *j, const char *key, uint64_t value)
{
	begin_value(j, key);
	strbuf_printf(j->sb, "%" PRIu64, value);
}

void json_i64(struct json_out *j, const char *key, int64_t value)
{
	begin_value(j, key);
	strbuf_printf(j->sb, "%" PRId64, value);
}

void json_double(struct json_out *j, const char *key, double value)
{
	char text[DOUBLE_TEXT_SIZE];

	if (!isfinite(value)) {
		json_null(j, key);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	begin_value(j, key);
	/* ".0" keeps it a double for a reader that tells integers from fractions. */
	strbuf_printf(j->sb, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

void json_boolean(struct json_out *j, const char *key, bool value)
{
	begin_value(j, key);
	strbuf_puts(j->sb, value ? "true" : "false");
}

void json_null(struct json_out *j, const char *key)
{
	begin_value(j, key);
	strbuf_puts(j->sb, "null");
}
