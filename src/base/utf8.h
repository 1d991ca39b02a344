/* SPDX-License-Identifier: GPL-2.0-only */
/* UTF-8 without the locale: validity, columns on a terminal, and text that cannot harm one. */
#ifndef AB_BASE_UTF8_H
#define AB_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include "base/strbuf.h"

/*
 * Length in bytes (1..4) of the well-formed character at @s, its code point in @code (may be NULL);
 * 0 when it is none: cut short, overlong, a surrogate, beyond U+10FFFF. @len > 0 bytes are
 * readable.
 */
size_t utf8_decode(const char *s, size_t len, uint32_t *code);

/*
 * Columns that @s takes on a terminal: combining marks none, East Asian wide characters two, a byte
 * that is no UTF-8 one. Meant for text that went through utf8_add_clean().
 */
size_t utf8_width(const char *s);

/*
 * Appends text from a file or from a program. Line breaks and tabs become blanks; other control
 * characters (C0, DEL, C1), the characters that reorder or hide text, and bytes that are no UTF-8
 * become \xNN or \u{NNNN}: nothing moves the cursor, changes a colour, or makes a line read other
 * than it is.
 */
void utf8_add_clean(struct strbuf *sb, const char *s);

#endif
