// SPDX-License-Identifier: GPL-2.0-only
/*
 * A second result beside the first. Other machines, other data: speeds stand next to each other for
 * the eye, and only what each result says about its own engines, their ratio and its crossover, can
 * be compared.
 */
#include <stdio.h>
#include <string.h>
#include "report/parts.h"

#define MIB 1048576.0

/* What one table holds: a workload, the engines that both results have, the pairs among them. */
struct beside_table {
	const struct report *rep;
	struct axes there;
	const char *workload;
	const char *engines[AXIS_MAX];
	size_t engine_count;
	const char *pairs[AXIS_MAX][2];
	size_t pair_count;
};

static bool contains(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static double median(const struct result *r, const char *workload, const char *engine,
		     uint64_t cluster)
{
	struct stats_summary s =
		aggregate_summary(axes_cell(r, workload, engine, cluster), AGGREGATE_SPEED);

	return s.n ? s.median : 0;
}

static bool both_have(const struct beside_table *t, const char *engine, uint64_t cluster)
{
	return median(t->rep->r, t->workload, engine, cluster) > 0 &&
	       median(t->rep->beside, t->workload, engine, cluster) > 0;
}

static void add_pair(void *ctx, const char *workload, const char *a, const char *b)
{
	struct beside_table *t = ctx;

	if (strcmp(workload, t->workload) || t->pair_count == AXIS_MAX ||
	    !contains(t->engines, t->engine_count, a) || !contains(t->engines, t->engine_count, b))
		return;
	t->pairs[t->pair_count][0] = a;
	t->pairs[t->pair_count++][1] = b;
}

static void find_engines(struct beside_table *t)
{
	const struct axes *here = &t->rep->axes;

	t->engine_count = 0;
	t->pair_count = 0;
	for (size_t e = 0; e < here->engine_count; e++) {
		for (size_t c = 0; c < here->cluster_count; c++) {
			if (!both_have(t, here->engines[e], here->clusters[c]))
				continue;
			t->engines[t->engine_count++] = here->engines[e];
			break;
		}
	}
	crossover_pairs(t->rep->r, here, add_pair, t);
}

static void put_value(struct grid *g, size_t col, double value, const char *fmt)
{
	char number[TEXT_NUMBER_SIZE];

	if (value > 0)
		grid_put(g, col, GRID_RIGHT, STYLE_PLAIN, fmt, text_number(number, value));
	else
		grid_put(g, col, GRID_RIGHT, STYLE_PLAIN, "-");
}

static double ratio_of(const struct result *r, const struct beside_table *t, size_t pair,
		       uint64_t cluster)
{
	double a = median(r, t->workload, t->pairs[pair][0], cluster);
	double b = median(r, t->workload, t->pairs[pair][1], cluster);

	return a > 0 && b > 0 ? a / b : 0;
}

static void put_row(const struct beside_table *t, struct grid *g, uint64_t cluster)
{
	const struct result *here = t->rep->r, *there = t->rep->beside;
	char number[TEXT_NUMBER_SIZE];
	size_t col = 1;

	grid_row(g);
	grid_put(g, 0, GRID_RIGHT, STYLE_PLAIN, "%s", report_cluster(number, cluster));
	for (size_t e = 0; e < t->engine_count; e++) {
		put_value(g, col++, median(here, t->workload, t->engines[e], cluster) / MIB, "%s");
		put_value(g, col++, median(there, t->workload, t->engines[e], cluster) / MIB, "%s");
	}
	for (size_t p = 0; p < t->pair_count; p++) {
		put_value(g, col++, ratio_of(here, t, p, cluster), "%sx");
		put_value(g, col++, ratio_of(there, t, p, cluster), "%sx");
	}
}

static const char *label(const struct result *beside)
{
	return beside->reference ? "published" : "beside";
}

static void put_heads(const struct beside_table *t, struct grid *g)
{
	size_t groups = t->engine_count + t->pair_count;

	grid_row(g);
	for (size_t e = 0; e < t->engine_count; e++)
		grid_head(g, 1 + 2 * e, 2, GRID_CENTER, "%s", t->engines[e]);
	for (size_t p = 0; p < t->pair_count; p++)
		grid_head(g, 1 + 2 * (t->engine_count + p), 2, GRID_CENTER, "%s / %s",
			  t->pairs[p][0], t->pairs[p][1]);
	grid_row(g);
	grid_put(g, 0, GRID_RIGHT, STYLE_HEAD, "cluster");
	for (size_t i = 0; i < groups; i++) {
		grid_group(g, 1 + 2 * i);
		grid_put(g, 1 + 2 * i, GRID_RIGHT, STYLE_HEAD, "here");
		grid_put(g, 2 + 2 * i, GRID_RIGHT, STYLE_HEAD, "%s", label(t->rep->beside));
	}
}

static void print_sentences(const struct beside_table *t)
{
	const struct text_out *to = &t->rep->to;

	for (size_t p = 0; p < t->pair_count; p++) {
		const char *a = t->pairs[p][0], *b = t->pairs[p][1];
		AB_STRBUF struct strbuf here = {0}, there = {0};

		if (crossover_sentence(t->rep->r, &t->rep->axes, t->workload, a, b, AGGREGATE_SPEED,
				       &here))
			text_line(to, STYLE_PLAIN, 2, "%-9s  %s", "here", strbuf_str(&here));
		if (crossover_sentence(t->rep->beside, &t->there, t->workload, a, b,
				       AGGREGATE_SPEED, &there))
			text_line(to, STYLE_PLAIN, 2, "%-9s  %s%s", label(t->rep->beside),
				  strbuf_str(&there),
				  t->rep->beside->reference ? " (by value)" : "");
	}
}

static const struct result_cell *any_cell(const struct result *r, const char *workload)
{
	for (size_t i = 0; i < r->cell_count; i++)
		if (!strcmp(r->cells[i].workload, workload))
			return &r->cells[i];
	return NULL;
}

static void add_workload(struct strbuf *sb, const struct report *rep,
			 const struct result_cell *cell)
{
	char number[TEXT_NUMBER_SIZE];

	strbuf_printf(sb, "rw=%s bs=%s", cell->rw,
		      text_bytes(&rep->to, number, (double)cell->bs_bytes));
	if (cell->io_size_bytes)
		strbuf_printf(sb, " io_size=%s",
			      text_bytes(&rep->to, number, (double)cell->io_size_bytes));
	strbuf_printf(sb, " numjobs=%u iodepth=%u", cell->numjobs, cell->iodepth);
}

/* The same name is not yet the same workload. */
static void warn_of_difference(const struct beside_table *t)
{
	AB_STRBUF struct strbuf here = {0}, there = {0};

	add_workload(&here, t->rep, any_cell(t->rep->r, t->workload));
	add_workload(&there, t->rep, any_cell(t->rep->beside, t->workload));
	if (strcmp(strbuf_str(&here), strbuf_str(&there)))
		text_line(&t->rep->to, STYLE_WARN, 2, "not the same workload: here %s, %s %s",
			  strbuf_str(&here), label(t->rep->beside), strbuf_str(&there));
}

static void report_workload(struct beside_table *t)
{
	const struct axes *here = &t->rep->axes;
	AB_GRID struct grid g = {0};

	find_engines(t);
	if (!t->engine_count) {
		text_line(&t->rep->to, STYLE_PLAIN, 2,
			  "%s: no engine and cluster size that both have", t->workload);
		return;
	}
	grid_init(&g, 1 + 2 * (t->engine_count + t->pair_count), 1);
	put_heads(t, &g);
	for (size_t c = 0; c < here->cluster_count; c++)
		put_row(t, &g, here->clusters[c]);
	strbuf_putc(t->rep->to.sb, '\n');
	text_line(&t->rep->to, STYLE_HEAD, 2, "%s, MiB/s%s", t->workload, t->rep->mark);
	warn_of_difference(t);
	grid_print(&g, &t->rep->to);
	print_sentences(t);
}

static void warn_of_machines(const struct report *rep)
{
	const struct result *here = rep->r, *there = rep->beside;
	bool machines = there->reference || here->host.emulated != there->host.emulated ||
			strcmp(here->host.cpu_model, there->host.cpu_model) ||
			strcmp(here->host.kernel_release, there->host.kernel_release);
	bool data =
		!there->dataset.sha256[0] || strcmp(here->dataset.sha256, there->dataset.sha256);

	if (machines || data)
		text_line(
			&rep->to, STYLE_WARN, 2,
			"  different %s: compare the ratio of engines and the crossover, not MiB/s "
			"with MiB/s",
			!data	   ? "machines"
			: machines ? "machines and data"
				   : "data");
}

void report_beside(const struct report *rep)
{
	struct beside_table t = {.rep = rep};
	const struct result *b = rep->beside;

	strbuf_putc(rep->to.sb, '\n');
	text_line(&rep->to, STYLE_HEAD, 2, "beside %s%s%s%s", b->scenario_name,
		  b->reference ? ", as published" : " ", b->reference ? "" : b->id,
		  b->host.emulated ? ", emulated" : "");
	if (b->source[0])
		text_line(&rep->to, STYLE_PLAIN, 2, "  %s", b->source);
	warn_of_machines(rep);
	if (axes_find(b, &t.there, NULL)) {
		text_line(&rep->to, STYLE_BAD, 2,
			  "  too many engines, workloads or cluster sizes for tables");
		return;
	}
	for (size_t w = 0; w < rep->axes.workload_count; w++) {
		t.workload = rep->axes.workloads[w];
		if (contains(t.there.workloads, t.there.workload_count, t.workload))
			report_workload(&t);
		else
			text_line(&rep->to, STYLE_PLAIN, 2, "%s: not in %s", t.workload,
				  b->scenario_name);
	}
}
