// SPDX-License-Identifier: GPL-2.0-only
/* What comparisons and gates have in common: the sides, numbers, fields. */
#include <math.h>
#include <string.h>
#include "report/compare.h"

#define MIB 1048576.0

static void add_host(struct strbuf *sb, const struct result *r)
{
	if (r->reference) {
		strbuf_puts(sb, "as published");
		return;
	}
	strbuf_printf(sb, "Linux %s, %s", r->host.kernel_release, r->target);
	if (r->host.emulated)
		strbuf_puts(sb, ", emulated");
	if (!strcmp(r->host.accelerator_kind, "simulated"))
		strbuf_puts(sb, ", simulated accelerator");
	if (!r->complete)
		strbuf_puts(sb, ", not complete");
}

static void print_side(const struct comparison *c, size_t i, const struct text_out *to)
{
	const struct compare_side *side = &c->sides[i];
	AB_STRBUF struct strbuf sb = {0};

	strbuf_printf(&sb, "%c  %s", (int)('A' + i % 26), side->name);
	if (side->count > 1)
		strbuf_printf(&sb, " (%zu results%s)", side->count,
			      side->count >= COMPARE_MIN_RUNS ? ", one value each" : "");
	strbuf_puts(&sb, ": ");
	add_host(&sb, &side->results[0]);
	text_line(to, STYLE_PLAIN, 3, "%s", strbuf_str(&sb));
	if (side->count > 1 && side->count < COMPARE_MIN_RUNS)
		text_line(to, STYLE_WARN, 3,
			  "   repetitions of %zu results are taken together: how much whole runs "
			  "differ is not in the intervals (from %d results on it is)",
			  side->count, COMPARE_MIN_RUNS);
}

/* The first result of another side in which the key's text differs from that of the first side, or NULL. */
static const struct result *differs_in(const struct comparison *c, size_t key, char *first,
				       char *other, size_t size)
{
	const struct comparable_key *k = &comparable_keys[key];

	k->text(&c->sides[0].results[0], NULL, first, size);
	for (size_t i = 0; i < c->side_count; i++) {
		for (size_t r = 0; r < c->sides[i].count; r++) {
			k->text(&c->sides[i].results[r], NULL, other, size);
			if (strcmp(first, other) != 0)
				return &c->sides[i].results[r];
		}
	}
	return NULL;
}

static const char *or_unknown(const char *text)
{
	return *text ? text : "not known";
}

static void print_difference(const struct comparison *c, size_t key, const struct text_out *to)
{
	const struct comparable_key *k = &comparable_keys[key];
	char first[COMPARABLE_TEXT_SIZE] = "", other[COMPARABLE_TEXT_SIZE] = "";
	bool allowed = c->opts.allowed & 1u << key;
	enum text_style style = allowed ? STYLE_WARN : STYLE_BAD;

	if (k->of_cell)
		text_line(to, style, 3, "%s: %s differs in some cells%s",
			  allowed ? "accepted" : "not comparable", k->meaning,
			  allowed ? "" : "; to compare all the same:");
	else if (differs_in(c, key, first, other, sizeof(first)))
		text_line(to, style, 3, "%s: %s: %.200s, and %.200s",
			  allowed ? "accepted" : "not comparable", k->meaning, or_unknown(first),
			  or_unknown(other));
	else
		return;
	if (!allowed)
		text_line(to, STYLE_FAINT, 5, "   --allow %s compares all the same", k->name);
}

void report_sides(const struct comparison *c, const struct text_out *to)
{
	for (size_t i = 0; i < c->side_count; i++)
		print_side(c, i, to);
	for (size_t i = 0; i < COMPARABLE_KEYS; i++)
		if (c->differences & 1u << i)
			print_difference(c, i, to);
}

const char *report_value(const struct text_out *to, char buf[TEXT_NUMBER_SIZE],
			 const struct metric *m, double value)
{
	char number[TEXT_NUMBER_SIZE];

	if (to->raw) {
		snprintf(buf, TEXT_NUMBER_SIZE, "%.17g", value);
		return buf;
	}
	switch (m->unit) {
	case METRIC_RATIO:
		return text_share(buf, value);
	case METRIC_BYTES:
		return text_bytes(to, buf, value);
	case METRIC_BYTES_PER_S:
		snprintf(buf, TEXT_NUMBER_SIZE, "%.20s MiB/s", text_number(number, value / MIB));
		return buf;
	case METRIC_NS:
		return text_ns(to, buf, value);
	default:
		return text_number(buf, value);
	}
}

const char *report_change(const struct text_out *to, char buf[TEXT_NUMBER_SIZE],
			  const struct metric *m, const struct compare_change *change, double value)
{
	char number[TEXT_NUMBER_SIZE];
	double percent = 100 * value;

	if (to->raw)
		snprintf(buf, TEXT_NUMBER_SIZE, "%+.17g", value);
	else if (!change->relative)
		snprintf(buf, TEXT_NUMBER_SIZE, "%s%.28s", value < 0 ? "-" : "+",
			 report_value(to, number, m, fabs(value)));
	else if (fabs(percent) >= 999.5)
		snprintf(buf, TEXT_NUMBER_SIZE, "x%.3g", 1 + value);
	else
		snprintf(buf, TEXT_NUMBER_SIZE, "%+.*f %%", fabs(percent) < 99.95 ? 1 : 0, percent);
	return buf;
}

const char *report_interval(const struct text_out *to, char buf[REPORT_INTERVAL_SIZE],
			    const struct metric *m, const struct compare_change *change)
{
	const struct stats_interval *i = &change->interval;
	char low[TEXT_NUMBER_SIZE], high[TEXT_NUMBER_SIZE];
	size_t len;

	if (i->confidence <= 0) {
		snprintf(buf, REPORT_INTERVAL_SIZE, "too few");
		return buf;
	}
	report_change(to, low, m, change, i->low);
	report_change(to, high, m, change, i->high);
	/* Both ends in percent: once is enough. */
	len = strlen(low);
	if (len > 2 && !strcmp(low + len - 2, " %") && strchr(high, '%'))
		low[len - 2] = '\0';
	snprintf(buf, REPORT_INTERVAL_SIZE, "%s .. %s", low, high);
	return buf;
}

const char *report_p(char buf[TEXT_NUMBER_SIZE], double p)
{
	if (p < 0.001)
		memcpy(buf, "<0.001", sizeof("<0.001"));
	else
		snprintf(buf, TEXT_NUMBER_SIZE, "%.3f", p);
	return buf;
}

void report_csv_field(struct strbuf *out, const char *text, bool first)
{
	if (!first)
		strbuf_putc(out, ',');
	strbuf_putc(out, '"');
	/* A spreadsheet takes these for the beginning of a formula. */
	if (*text && strchr("=+-@\t\r", *text))
		strbuf_putc(out, '\'');
	for (; *text; text++) {
		if (*text == '"')
			strbuf_putc(out, '"');
		strbuf_putc(out, *text);
	}
	strbuf_putc(out, '"');
}

void report_csv_optional(struct strbuf *out, bool known, const char *kind, double value)
{
	if (kind)
		strbuf_printf(out, ",%s", known ? kind : "");
	strbuf_putc(out, ',');
	if (known)
		strbuf_printf(out, "%.17g", value);
}
