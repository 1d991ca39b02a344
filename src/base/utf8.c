// SPDX-License-Identifier: GPL-2.0-only
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

struct code_range {
	uint32_t first;
	uint32_t last;
};

/* Take no column: combining marks and joiners that can occur in names. */
static const struct code_range zero_width[] = {
	{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
	{0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
};

/* Take two columns: East Asian Wide and Fullwidth blocks, emoji. */
static const struct code_range double_width[] = {
	{0x1100, 0x115f},   {0x2e80, 0x303e},	{0x3041, 0x33ff},   {0x3400, 0x4dbf},
	{0x4e00, 0x9fff},   {0xa000, 0xa4cf},	{0xac00, 0xd7a3},   {0xf900, 0xfaff},
	{0xfe30, 0xfe6f},   {0xff00, 0xff60},	{0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
	{0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

/*
 * Would change how the text around them reads: C1 controls, zero-width and bidirectional marks, the
 * byte order mark, tags.
 */
static const struct code_range harmful[] = {
	{0x0000, 0x001f}, {0x007f, 0x009f}, {0x061c, 0x061c}, {0x200b, 0x200f},	  {0x2028, 0x202e},
	{0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

static bool in_ranges(uint32_t code, const struct code_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

size_t utf8_decode(const char *s, size_t len, uint32_t *code)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *u = (const unsigned char *)s;
	uint32_t value;
	size_t bytes;

	if (u[0] < 0x80) {
		bytes = 1;
		value = u[0];
	} else if (u[0] >= 0xc2 && u[0] <= 0xdf) {
		bytes = 2;
		value = u[0] & 0x1f;
	} else if ((u[0] & 0xf0) == 0xe0) {
		bytes = 3;
		value = u[0] & 0x0f;
	} else if (u[0] >= 0xf0 && u[0] <= 0xf4) {
		bytes = 4;
		value = u[0] & 0x07;
	} else {
		return 0;
	}
	if (bytes > len)
		return 0;
	for (size_t i = 1; i < bytes; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (u[i] & 0x3f);
	}
	if (value < smallest[bytes] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	if (code)
		*code = value;
	return bytes;
}

size_t utf8_width(const char *s)
{
	size_t len = strlen(s), width = 0;

	while (len) {
		uint32_t code = 0;
		size_t bytes = utf8_decode(s, len, &code);

		if (in_ranges(code, double_width, ARRAY_SIZE(double_width)))
			width += 2;
		else if (!in_ranges(code, zero_width, ARRAY_SIZE(zero_width)))
			width += 1;
		bytes = bytes ? bytes : 1;
		s += bytes;
		len -= bytes;
	}
	return width;
}

void utf8_add_clean(struct strbuf *sb, const char *s)
{
	size_t len = strlen(s);

	while (len) {
		uint32_t code;
		size_t bytes = utf8_decode(s, len, &code);

		if (!bytes) {
			strbuf_printf(sb, "\\x%02x", (unsigned char)*s);
			bytes = 1;
		} else if (code == '\n' || code == '\t') {
			strbuf_putc(sb, ' ');
		} else if (!in_ranges(code, harmful, ARRAY_SIZE(harmful))) {
			strbuf_add(sb, s, bytes);
		} else if (code < 0x100) {
			strbuf_printf(sb, "\\x%02x", code);
		} else {
			strbuf_printf(sb, "\\u{%x}", code);
		}
		s += bytes;
		len -= bytes;
	}
}
