/* SPDX-License-Identifier: GPL-2.0-only */
/* A growing, always NUL-terminated string. Running out of memory ends in `failed`, checked once at the end. */
#ifndef AB_BASE_STRBUF_H
#define AB_BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/cleanup.h"
#include "base/diag.h"

struct strbuf {
	char *data; /* NULL until the first byte is added; use strbuf_str() */
	size_t len;
	size_t cap;
	bool failed; /* an allocation failed; the content is incomplete */
};

#define AB_STRBUF AB_CLEANUP(strbuf_free)

void strbuf_add(struct strbuf *sb, const void *bytes, size_t len);
void strbuf_puts(struct strbuf *sb, const char *s);
void strbuf_putc(struct strbuf *sb, char c);
void strbuf_printf(struct strbuf *sb, const char *fmt, ...) AB_PRINTF(2, 3);
void strbuf_vprintf(struct strbuf *sb, const char *fmt, va_list ap);
/* Adds @count times @c. */
void strbuf_pad(struct strbuf *sb, char c, size_t count);
void strbuf_reset(struct strbuf *sb);
void strbuf_free(struct strbuf *sb);

static inline const char *strbuf_str(const struct strbuf *sb)
{
	return sb->data ? sb->data : "";
}

#endif
