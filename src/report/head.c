// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first lines: what ran where, and everything that speaks against its numbers before any
 * number.
 */
#include <stdio.h>
#include <string.h>
#include "base/utf8.h"
#include "report/parts.h"

#define NAMED_CELLS 3 /* cells of a group that are called by name */

/* How cells ended; the order is that of the report. */
enum ending {
	ENDING_INVALID,
	ENDING_FAILED,
	ENDING_SKIPPED,
	ENDING_UNFINISHED, /* interrupted between its repetitions */
	ENDING_PENDING,
	ENDING_VALID,
	ENDINGS
};

static const struct {
	const char *name;
	enum text_style style;
} endings[ENDINGS] = {
	[ENDING_INVALID] = {"invalid", STYLE_BAD},
	[ENDING_FAILED] = {"failed", STYLE_BAD},
	[ENDING_SKIPPED] = {"skipped", STYLE_WARN},
	[ENDING_UNFINISHED] = {"unfinished", STYLE_WARN},
	[ENDING_PENDING] = {"not run", STYLE_WARN},
	[ENDING_VALID] = {"valid", STYLE_GOOD},
};

static enum ending ending_of(const struct result_cell *cell)
{
	switch (cell->status) {
	case CELL_DONE:
		return cell->valid ? ENDING_VALID : ENDING_INVALID;
	case CELL_FAILED:
		return ENDING_FAILED;
	case CELL_SKIPPED:
		return ENDING_SKIPPED;
	default:
		return cell->sample_count ? ENDING_UNFINISHED : ENDING_PENDING;
	}
}

static void add_name(const struct report *rep, struct strbuf *sb)
{
	strbuf_printf(sb, "%s%s", rep->r->scenario_name, rep->r->quick ? " (quick)" : "");
}

static void add_cells(const struct report *rep, struct strbuf *sb)
{
	const struct result *r = rep->r;
	size_t counts[ENDINGS] = {0};
	const char *separator = ": ";

	for (size_t i = 0; i < r->cell_count; i++)
		counts[ending_of(&r->cells[i])]++;
	strbuf_printf(sb, "%zu cell%s", r->cell_count, r->cell_count == 1 ? "" : "s");
	for (int e = 0; e < ENDINGS; e++) {
		/* What is good comes first, and is said even when it is none. */
		int which = e ? e - 1 : ENDING_VALID;

		if (!counts[which] && which != ENDING_VALID)
			continue;
		strbuf_printf(sb, "%s%zu %s", separator, counts[which], endings[which].name);
		separator = ", ";
	}
}

static void add_target(const struct report *rep, struct strbuf *sb)
{
	const struct result *r = rep->r;

	if (r->reference) {
		strbuf_puts(sb, "published figures, not measured by accelbench");
		return;
	}
	strbuf_printf(sb, "%s%s", r->target[0] ? r->target : "host", rep->mark);
	if (r->host.kernel_release[0])
		strbuf_printf(sb, ", Linux %s", r->host.kernel_release);
}

static void add_version(const struct report *rep, struct strbuf *sb)
{
	if (!rep->r->reference)
		strbuf_printf(sb, "accelbench %s", rep->r->tool_version);
}

static void add_tracer(const struct report *rep, struct strbuf *sb)
{
	const struct result_tracer *t = &rep->r->tracer;

	if (rep->r->reference)
		return;
	if (!t->present) {
		strbuf_printf(sb, "not traced%s%s", t->absent[0] ? ": " : "", t->absent);
		return;
	}
	if (!t->has_overhead) {
		strbuf_puts(sb, "tracer cost not measured");
		return;
	}
	strbuf_printf(sb, "tracer cost %+.1f %%", 100 * t->overhead_ratio);
	if (t->overhead_confidence > 0)
		strbuf_printf(sb, " ±%.1f (%.0f %%, %ju pairs)",
			      50 * (t->overhead_high_ratio - t->overhead_low_ratio),
			      100 * t->overhead_confidence, (uintmax_t)t->overhead_pairs);
	else
		strbuf_puts(sb, " (one pair, no interval)");
}

typedef void add_head_part(const struct report *rep, struct strbuf *sb);
static add_head_part *const head_parts[] = {add_name, add_cells, add_target, add_version,
					    add_tracer};

static void report_where(const struct report *rep)
{
	AB_STRBUF struct strbuf sb = {0};
	const struct result_host *host = &rep->r->host;

	if (host->cpu_model[0])
		strbuf_printf(&sb, ", %s", host->cpu_model);
	if (host->cpus_online)
		strbuf_printf(&sb, ", %u CPU%s", host->cpus_online,
			      host->cpus_online == 1 ? "" : "s");
	if (host->virtualization[0])
		strbuf_printf(&sb, ", %s", host->virtualization);
	if (host->clocksource[0])
		strbuf_printf(&sb, ", clock %s", host->clocksource);
	if (host->fio_version[0])
		strbuf_printf(&sb, ", %s", host->fio_version);
	if (host->mkfs_version[0])
		strbuf_printf(&sb, ", %s", host->mkfs_version);
	if (sb.len)
		text_line(&rep->to, STYLE_PLAIN, 9, "machine  %s", strbuf_str(&sb) + 2);
	if (host->emulated)
		text_line(
			&rep->to, STYLE_WARN, 9,
			"emulated processor: times compare with each other in this run, never with hardware");
	if (rep->r->deterministic)
		text_line(
			&rep->to, STYLE_WARN, 9,
			"instruction clock: on one CPU, 2 ns pass with every instruction; exact, and no machine's speed");
	if (!strcmp(host->accelerator_kind, "simulated"))
		text_line(&rep->to, STYLE_WARN, 9,
			  "simulated accelerator: its times are a test provider's, not a device's");
}

/* Parts of the first line: three blanks between them, and no line break inside one that fits. */
static void add_part(const struct report *rep, struct strbuf *line, const struct strbuf *part)
{
	size_t width = utf8_width(strbuf_str(line)) + utf8_width(strbuf_str(part)) + 3;

	if (line->len && width > rep->to.columns) {
		text_line(&rep->to, STYLE_HEAD, 2, "%s", strbuf_str(line));
		strbuf_reset(line);
	}
	strbuf_printf(line, "%s%s", line->len ? "   " : "", strbuf_str(part));
}

void report_head(const struct report *rep)
{
	AB_STRBUF struct strbuf line = {0};
	const struct result *r = rep->r;

	for (size_t i = 0; i < ARRAY_SIZE(head_parts); i++) {
		AB_STRBUF struct strbuf raw = {0}, part = {0};

		head_parts[i](rep, &raw);
		utf8_add_clean(&part, strbuf_str(&raw));
		if (part.len)
			add_part(rep, &line, &part);
	}
	text_line(&rep->to, STYLE_HEAD, 2, "%s", strbuf_str(&line));
	if (r->dataset.description[0])
		text_line(&rep->to, STYLE_PLAIN, 9, "data     %s", r->dataset.description);
	if (r->source[0])
		text_line(&rep->to, STYLE_PLAIN, 9, "source   %s", r->source);
	report_where(rep);
	if (!r->complete)
		text_line(
			&rep->to, STYLE_BAD, 9,
			"incomplete: still going on, or interrupted: `accelbench run --resume` goes on with it");
}

static void add_reason(struct strbuf *sb, const struct result_cell *cell)
{
	if (ending_of(cell) != ENDING_INVALID) {
		strbuf_puts(sb, cell->reason);
		return;
	}
	for (size_t i = 0; i < cell->invalid_reasons.count; i++)
		strbuf_printf(sb, "%s%s", i ? "; " : "", cell->invalid_reasons.items[i]);
}

static bool same_reason(const struct result_cell *a, const struct result_cell *b)
{
	AB_STRBUF struct strbuf x = {0}, y = {0};

	if (ending_of(a) != ending_of(b))
		return false;
	add_reason(&x, a);
	add_reason(&y, b);
	return !strcmp(strbuf_str(&x), strbuf_str(&y));
}

static bool is_first_with_reason(const struct result *r, size_t cell)
{
	for (size_t i = 0; i < cell; i++)
		if (same_reason(&r->cells[i], &r->cells[cell]))
			return false;
	return true;
}

/* "skipped: 15 cells of qat_deflate: the kernel ..." for all cells that ended like @first. */
static void report_group(const struct report *rep, size_t first)
{
	AB_STRBUF struct strbuf names = {0}, reason = {0};
	const struct result_cell *cells = rep->r->cells;
	enum ending ending = ending_of(&cells[first]);
	bool one_engine = true;
	size_t count = 0;

	for (size_t i = first; i < rep->r->cell_count; i++) {
		if (!same_reason(&cells[first], &cells[i]))
			continue;
		one_engine = one_engine && !strcmp(cells[first].engine, cells[i].engine);
		if (count++ < NAMED_CELLS) {
			strbuf_puts(&names, count > 1 ? ", " : "");
			report_cell_name(&names, &cells[i]);
		}
	}
	if (count > NAMED_CELLS && one_engine) {
		strbuf_reset(&names);
		strbuf_printf(&names, "%zu cells of %s", count, cells[first].engine);
	} else if (count > NAMED_CELLS) {
		strbuf_printf(&names, " and %zu more", count - NAMED_CELLS);
	}
	add_reason(&reason, &cells[first]);
	text_line(&rep->to, endings[ending].style, 9, "%s: %s%s%s", endings[ending].name,
		  strbuf_str(&names), reason.len ? ": " : "", strbuf_str(&reason));
}

static void report_integrity(const struct report *rep)
{
	char cluster[TEXT_NUMBER_SIZE];

	for (size_t i = 0; i < rep->r->image_count; i++) {
		const struct result_image *image = &rep->r->images[i];

		report_cluster(cluster, image->cluster_bytes);
		for (size_t v = 0; v < image->verify_count; v++)
			if (!image->verifies[v].ok)
				text_line(&rep->to, STYLE_BAD, 9,
					  "integrity: %s %s read through %s: %s", image->algorithm,
					  cluster, image->verifies[v].engine,
					  image->verifies[v].reason);
		if (!image->ok && image->reason[0])
			text_line(&rep->to, STYLE_BAD, 9, "image: %s %s: %s", image->algorithm,
				  cluster, image->reason);
	}
}

void report_problems(const struct report *rep)
{
	const struct result *r = rep->r;

	report_integrity(rep);
	for (int ending = 0; ending < ENDING_VALID; ending++)
		for (size_t i = 0; i < r->cell_count; i++)
			if (ending_of(&r->cells[i]) == (enum ending)ending &&
			    is_first_with_reason(r, i))
				report_group(rep, i);
}
