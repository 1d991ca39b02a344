// SPDX-License-Identifier: GPL-2.0-only
#include "report/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "base/utf8.h"

static const char *const style_codes[] = {
	[STYLE_PLAIN] = "",	   [STYLE_HEAD] = "\033[1m",  [STYLE_FAINT] = "\033[2m",
	[STYLE_GOOD] = "\033[32m", [STYLE_WARN] = "\033[33m", [STYLE_BAD] = "\033[1;31m",
};

void text_styled(const struct text_out *to, enum text_style style, const char *text)
{
	bool colored = to->color && style != STYLE_PLAIN && *text;

	if (colored)
		strbuf_puts(to->sb, style_codes[style]);
	strbuf_puts(to->sb, text);
	if (colored)
		strbuf_puts(to->sb, "\033[0m");
}

/* The next piece of @text: blanks and the word behind them. Returns its end. */
static const char *next_word(const char *text)
{
	text += strspn(text, " ");
	return text + strcspn(text, " ");
}

void text_line(const struct text_out *to, enum text_style style, unsigned int indent,
	       const char *fmt, ...)
{
	AB_STRBUF struct strbuf raw = {0}, clean = {0}, line = {0}, word = {0};
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&raw, fmt, ap);
	va_end(ap);
	utf8_add_clean(&clean, strbuf_str(&raw));
	for (const char *at = strbuf_str(&clean); *at;) {
		const char *end = next_word(at);

		strbuf_reset(&word);
		strbuf_add(&word, at, (size_t)(end - at));
		if (strspn(strbuf_str(&line), " ") < line.len &&
		    utf8_width(strbuf_str(&line)) + utf8_width(strbuf_str(&word)) > to->columns) {
			text_styled(to, style, strbuf_str(&line));
			strbuf_putc(to->sb, '\n');
			strbuf_reset(&line);
			strbuf_pad(&line, ' ', indent);
			at += strspn(at, " ");
		}
		strbuf_add(&line, at, (size_t)(end - at));
		at = end;
	}
	text_styled(to, style, strbuf_str(&line));
	strbuf_putc(to->sb, '\n');
}

const char *text_ns(const struct text_out *to, char buf[TEXT_NUMBER_SIZE], double ns)
{
	if (to->raw)
		snprintf(buf, TEXT_NUMBER_SIZE, "%.0f", ns);
	else
		units_ns(buf, TEXT_NUMBER_SIZE, ns);
	return buf;
}

const char *text_share(char buf[TEXT_NUMBER_SIZE], double ratio)
{
	double percent = 100 * ratio;

	if (percent > 0 && percent < 0.05)
		snprintf(buf, TEXT_NUMBER_SIZE, "<0.1 %%");
	else if (percent < 100 && percent >= 99.95)
		snprintf(buf, TEXT_NUMBER_SIZE, ">99.9 %%");
	else
		snprintf(buf, TEXT_NUMBER_SIZE, "%.*f %%", percent == 0 || percent >= 100 ? 0 : 1,
			 percent);
	return buf;
}

int text_decimals(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

const char *text_number(char buf[TEXT_NUMBER_SIZE], double value)
{
	snprintf(buf, TEXT_NUMBER_SIZE, "%.*f", text_decimals(value), value);
	return buf;
}

const char *text_bytes(const struct text_out *to, char buf[TEXT_NUMBER_SIZE], double bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	char number[TEXT_NUMBER_SIZE];
	size_t i = 0;

	if (to->raw) {
		snprintf(buf, TEXT_NUMBER_SIZE, "%.0f", bytes);
		return buf;
	}
	while (i + 1 < ARRAY_SIZE(names) && bytes >= 1023.5) {
		bytes /= 1024;
		i++;
	}
	if (i == 0)
		snprintf(number, sizeof(number), "%.0f", bytes);
	else
		text_number(number, bytes);
	snprintf(buf, TEXT_NUMBER_SIZE, "%.24s %s", number, names[i]);
	return buf;
}
