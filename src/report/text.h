/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of a terminal report: colour, wrapping, numbers. */
#ifndef AB_REPORT_TEXT_H
#define AB_REPORT_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/strbuf.h"

enum text_style { STYLE_PLAIN, STYLE_HEAD, STYLE_FAINT, STYLE_GOOD, STYLE_WARN, STYLE_BAD };

/* Where report text goes and how. */
struct text_out {
	struct strbuf *sb;
	bool color;
	bool raw;	      /* times in integer ns, speeds in integer bytes per second */
	unsigned int columns; /* width of a line */
};

/* Appends @text as it is, in the style's colour. */
void text_styled(const struct text_out *to, enum text_style style, const char *text);

/*
 * One paragraph: cleaned of control characters, broken at blanks where it would pass the last
 * column, further lines begin with @indent blanks. A word longer than a line stays whole.
 */
void text_line(const struct text_out *to, enum text_style style, unsigned int indent,
	       const char *fmt, ...) AB_PRINTF(4, 5);

#define TEXT_NUMBER_SIZE 32

/* A time; raw: integer nanoseconds. Returns @buf. */
const char *text_ns(const struct text_out *to, char buf[TEXT_NUMBER_SIZE], double ns);
/* 0.976 is "97.6 %"; what is neither none nor all never reads "0 %" or "100 %". */
const char *text_share(char buf[TEXT_NUMBER_SIZE], double ratio);
/* Decimals that show three significant digits of @value: 9.87, 98.7, 987. */
int text_decimals(double value);
/* @value with as many: "0.52", "9.87", "98.7", "987", "9871". */
const char *text_number(char buf[TEXT_NUMBER_SIZE], double value);
/* The same for bytes: "987 B", "12.3 KiB"; raw: integer bytes. */
const char *text_bytes(const struct text_out *to, char buf[TEXT_NUMBER_SIZE], double bytes);

#endif
