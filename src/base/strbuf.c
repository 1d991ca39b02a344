// SPDX-License-Identifier: GPL-2.0-only
#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for @more bytes and a NUL. */
static bool strbuf_reserve(struct strbuf *sb, size_t more)
{
	size_t need, cap;
	char *data;

	if (sb->failed || more > SIZE_MAX / 4 - sb->len) {
		sb->failed = true;
		return false;
	}
	need = sb->len + more + 1;
	if (need <= sb->cap)
		return true;
	cap = sb->cap ? sb->cap : 64;
	while (cap < need)
		cap *= 2;
	data = realloc(sb->data, cap);
	if (!data) {
		sb->failed = true;
		return false;
	}
	sb->data = data;
	sb->cap = cap;
	return true;
}

void strbuf_add(struct strbuf *sb, const void *bytes, size_t len)
{
	if (!strbuf_reserve(sb, len))
		return;
	if (len)
		memcpy(sb->data + sb->len, bytes, len);
	sb->len += len;
	sb->data[sb->len] = '\0';
}

void strbuf_puts(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_putc(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_vprintf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0) {
		sb->failed = true;
		return;
	}
	if (!strbuf_reserve(sb, (size_t)len))
		return;
	vsnprintf(sb->data + sb->len, (size_t)len + 1, fmt, ap);
	sb->len += (size_t)len;
}

void strbuf_printf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_pad(struct strbuf *sb, char c, size_t count)
{
	if (!strbuf_reserve(sb, count))
		return;
	memset(sb->data + sb->len, c, count);
	sb->len += count;
	sb->data[sb->len] = '\0';
}

void strbuf_reset(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->data)
		sb->data[0] = '\0';
}

void strbuf_free(struct strbuf *sb)
{
	free(sb->data);
	*sb = (struct strbuf){0};
}
