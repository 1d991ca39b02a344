// SPDX-License-Identifier: GPL-2.0-only
/* Where the time of one request went: phases across, cluster sizes and observed engines down. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "model/phase.h"
#include "report/parts.h"

/* Phases shown, in table order; the rest (on and off CPU) stand in the table of requests. */
static const enum ab_phase shown[] = {
	AB_SETUP, AB_SUBMIT, AB_WAIT,	 AB_DECODE,  AB_COPY,
	AB_OTHER, AB_TOTAL,  AB_SERVICE, AB_BACKLOG, AB_WAKEUP,
};

#define KEYS 2 /* columns before the phases */

/* One table: a workload and an engine; its columns, and what its footnotes have to say. */
struct section {
	const struct report *rep;
	struct grid grid;
	enum ab_phase phases[ARRAY_SIZE(shown)];
	size_t phase_count;
	struct string_list unobservable;
	bool partly; /* a phase that some requests have and some do not */
	size_t rows;
};

typedef int visit_groups(struct section *s, const struct result_cell *cell,
			 const struct derive_group *groups, size_t count);

/* Calls @visit for every cell of the section that has a trace. */
static int each_cell(struct section *s, const char *workload, const char *engine,
		     visit_groups *visit)
{
	const struct axes *axes = &s->rep->axes;
	int err = 0;

	for (size_t c = 0; c < axes->cluster_count && !err; c++) {
		const struct result_cell *cell =
			axes_cell(s->rep->r, workload, engine, axes->clusters[c]);
		struct derive_group *groups;
		size_t count;

		if (!cell || !cell->trace.present)
			continue;
		err = derive_groups(&cell->trace, &groups, &count);
		if (err)
			return err;
		err = visit(s, cell, groups, count);
		derive_groups_free(groups, count);
	}
	return err;
}

/* Stored clusters have nothing to decompress; they are counted, not timed. */
static bool is_shown(const struct derive_group *group)
{
	return group->requests && strcmp(group->engine, "stored") != 0;
}

/* Phases of the partition always have a column; a span has one where any request had it. */
static int find_columns(struct section *s, const struct result_cell *cell,
			const struct derive_group *groups, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		s->rows += is_shown(&groups[i]);
		for (size_t p = 0; p < ARRAY_SIZE(shown); p++) {
			size_t at = 0;

			if (shown[p] > AB_TOTAL && !groups[i].hists[shown[p]].count)
				continue;
			while (at < s->phase_count && s->phases[at] < shown[p])
				at++;
			if (at < s->phase_count && s->phases[at] == shown[p])
				continue;
			memmove(&s->phases[at + 1], &s->phases[at],
				(s->phase_count - at) * sizeof(s->phases[0]));
			s->phases[at] = shown[p];
			s->phase_count++;
		}
	}
	return 0;
}

static int note_unobservable(struct section *s, enum ab_phase phase, const char *reason)
{
	AB_STRBUF struct strbuf text = {0};

	strbuf_printf(&text, "%s: %s", phase_table[phase].title,
		      reason[0] ? reason : "not in the result");
	for (size_t i = 0; i < s->unobservable.count; i++)
		if (!strcmp(s->unobservable.items[i], strbuf_str(&text)))
			return 0;
	return string_list_add(&s->unobservable, "%s", strbuf_str(&text));
}

static void put_time(struct section *s, size_t col, const struct derive_group *group,
		     enum ab_phase phase, double p)
{
	const struct result_hist *h = &group->hists[phase];
	bool partly = h->count * 100 < group->requests * 99;
	char number[TEXT_NUMBER_SIZE];

	if (!h->count) {
		grid_put(&s->grid, col, GRID_RIGHT, STYLE_FAINT, "%s",
			 result_hist_unobservable(h) ? "n/o" : "-");
		return;
	}
	s->partly = s->partly || partly;
	grid_put(&s->grid, col, GRID_RIGHT, STYLE_PLAIN, "%s%s%s",
		 h->saturated && p > 0.9 ? ">" : "",
		 text_ns(&s->rep->to, number, result_hist_percentile(h, p)), partly ? "*" : "");
}

static void put_share(struct section *s, size_t col, const struct derive_group *group,
		      enum ab_phase phase)
{
	struct figure share = derive_share(group, phase);
	char number[TEXT_NUMBER_SIZE];

	/*
	 * Spans overlap the phases: a share of theirs would be read as one more part of the whole.
	 */
	if (phase > AB_TOTAL)
		return;
	if (share.known)
		grid_put(&s->grid, col, GRID_RIGHT, STYLE_FAINT, "%s",
			 text_share(number, share.value));
	else
		grid_put(&s->grid, col, GRID_RIGHT, STYLE_FAINT, "%s",
			 result_hist_unobservable(&group->hists[phase]) ? "n/o" : "-");
}

/* Three rows: p50 behind the cluster size, p99 behind who served, shares behind how many. */
static int put_group(struct section *s, const struct result_cell *cell,
		     const struct derive_group *group)
{
	char cluster[TEXT_NUMBER_SIZE], count[TEXT_NUMBER_SIZE];
	int err = 0;

	report_cluster(cluster, cell->cluster_bytes);
	for (int row = 0; row < 3; row++) {
		grid_row(&s->grid);
		if (row == 0)
			grid_put(&s->grid, 0, GRID_LEFT, cell->valid ? STYLE_PLAIN : STYLE_BAD,
				 "%s%s", cluster, cell->valid ? "" : " !");
		else if (row == 1)
			grid_put(&s->grid, 0, GRID_LEFT, STYLE_FAINT, "  %s", group->engine);
		else
			grid_put(&s->grid, 0, GRID_LEFT, STYLE_FAINT, "  n=%s",
				 units_count(count, sizeof(count), group->requests));
		grid_put(&s->grid, 1, GRID_LEFT, STYLE_FAINT, "%s",
			 row == 0   ? "p50"
			 : row == 1 ? "p99"
				    : "");
		for (size_t p = 0; p < s->phase_count && !err; p++) {
			const struct result_hist *h = &group->hists[s->phases[p]];

			if (row < 2)
				put_time(s, KEYS + p, group, s->phases[p], row == 0 ? 0.5 : 0.99);
			else
				put_share(s, KEYS + p, group, s->phases[p]);
			if (result_hist_unobservable(h))
				err = note_unobservable(s, s->phases[p], h->absent);
		}
	}
	return err;
}

static int put_groups(struct section *s, const struct result_cell *cell,
		      const struct derive_group *groups, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		if (is_shown(&groups[i]))
			err = put_group(s, cell, &groups[i]);
	return err;
}

static void print_section(struct section *s, const char *workload, const char *engine)
{
	const struct text_out *to = &s->rep->to;

	strbuf_putc(to->sb, '\n');
	text_line(to, STYLE_HEAD, 2, "one request: %s, %s%s%s", workload, engine, s->rep->mark,
		  to->raw ? " (ns)" : "");
	grid_print(&s->grid, to);
	for (size_t i = 0; i < s->unobservable.count; i++)
		text_line(to, STYLE_FAINT, 2, "n/o  %s", s->unobservable.items[i]);
	if (s->partly)
		text_line(
			to, STYLE_FAINT, 2,
			"*    not every request had this phase: its p50 and p99 are of those that did");
}

static int report_section(const struct report *rep, const char *workload, const char *engine)
{
	struct section s = {.rep = rep};
	int err;

	err = each_cell(&s, workload, engine, find_columns);
	if (err || !s.rows)
		return err;
	grid_init(&s.grid, KEYS + s.phase_count, KEYS);
	grid_row(&s.grid);
	for (size_t p = 0; p < s.phase_count; p++) {
		grid_put(&s.grid, KEYS + p, GRID_RIGHT, STYLE_HEAD, "%s",
			 phase_table[s.phases[p]].title);
		if (s.phases[p] > AB_TOTAL && s.phases[p - 1] <= AB_TOTAL)
			grid_group(&s.grid, KEYS + p);
	}
	err = each_cell(&s, workload, engine, put_groups);
	if (!err)
		print_section(&s, workload, engine);
	string_list_free(&s.unobservable);
	grid_free(&s.grid);
	return err;
}

int report_phases(const struct report *rep)
{
	int err = 0;

	for (size_t w = 0; w < rep->axes.workload_count && !err; w++)
		for (size_t e = 0; e < rep->axes.engine_count && !err; e++)
			err = report_section(rep, rep->axes.workloads[w], rep->axes.engines[e]);
	return err;
}
