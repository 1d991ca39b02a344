// SPDX-License-Identifier: GPL-2.0-only
/*
 * The experiment's table: cluster sizes down, engines within workloads across, MiB/s with its
 * interval.
 */
#include <stdio.h>
#include <string.h>
#include "report/parts.h"

#define MIB 1048576.0

/* Below it an interval of order statistics is all of the values, and no interval worth its name. */
#define MIN_CONFIDENCE 0.9

/* What the numbers of a table rest on, for its title. */
struct basis {
	size_t fewest, most;   /* repetitions */
	double confidence;     /* the least that an interval reached; 0: no interval */
	bool traced, untraced; /* repetitions that speak */
	bool invalid;
};

static void add_basis(struct basis *b, const struct result_cell *cell,
		      const struct derive_speed *speed)
{
	double confidence = speed->bandwidth.median_interval.confidence;

	if (!speed->bandwidth.n)
		return;
	b->fewest = !b->most || speed->bandwidth.n < b->fewest ? speed->bandwidth.n : b->fewest;
	b->most = speed->bandwidth.n > b->most ? speed->bandwidth.n : b->most;
	if (confidence > 0 && (b->confidence == 0 || confidence < b->confidence))
		b->confidence = confidence;
	if (speed->source == DERIVE_TRACED)
		b->traced = true;
	else
		b->untraced = true;
	b->invalid = b->invalid || !cell->valid;
}

static struct basis find_basis(const struct result *r)
{
	struct basis b = {0};

	for (size_t i = 0; i < r->cell_count; i++) {
		if (r->cells[i].status == CELL_DONE) {
			struct derive_speed speed = derive_speed(&r->cells[i]);

			add_basis(&b, &r->cells[i], &speed);
		}
	}
	return b;
}

static void print_title(const struct report *rep, const struct basis *b)
{
	const char *kind = !b->traced	  ? "untraced "
			   : !b->untraced ? "traced "
					  : "traced or untraced ";
	AB_STRBUF struct strbuf sb = {0};

	if (rep->r->reference)
		kind = "";
	if (b->most == 1)
		strbuf_printf(&sb, "one %srun, no interval", kind);
	else if (!b->most)
		strbuf_puts(&sb, "no cell is finished");
	else if (b->fewest == b->most)
		strbuf_printf(&sb, "median of %zu %sruns", b->most, kind);
	else
		strbuf_printf(&sb, "median of %zu to %zu %sruns", b->fewest, b->most, kind);
	if (b->confidence >= MIN_CONFIDENCE)
		strbuf_printf(&sb, " ±half of its %.3g %% interval", 100 * b->confidence);
	else if (b->confidence > 0)
		strbuf_puts(&sb, " ±half of their range");
	text_line(&rep->to, STYLE_HEAD, 2, "%s%s: %s", rep->to.raw ? "bytes/s" : "MiB/s", rep->mark,
		  strbuf_str(&sb));
}

/* Decimals that give the smallest number of a column three digits. */
static int column_decimals(const struct report *rep, const char *workload, const char *engine)
{
	double least = 0;

	if (rep->to.raw)
		return 0;
	for (size_t c = 0; c < rep->axes.cluster_count; c++) {
		const struct result_cell *cell =
			axes_cell(rep->r, workload, engine, rep->axes.clusters[c]);
		struct derive_speed speed;

		if (!cell || cell->status != CELL_DONE)
			continue;
		speed = derive_speed(cell);
		if (speed.bandwidth.n && (least == 0 || speed.bandwidth.median < least))
			least = speed.bandwidth.median;
	}
	return least < 10 * MIB ? 2 : least < 100 * MIB ? 1 : 0;
}

static void put_cell(struct grid *g, size_t col, const struct report *rep,
		     const struct result_cell *cell, int decimals)
{
	enum text_style style = cell && cell->valid ? STYLE_PLAIN : STYLE_BAD;
	double unit = rep->to.raw ? 1 : MIB;
	struct derive_speed speed;
	const struct stats_interval *interval = &speed.bandwidth.median_interval;

	if (!cell) {
		grid_put(g, col, GRID_RIGHT, STYLE_PLAIN, "-");
		return;
	}
	speed = derive_speed(cell);
	if (cell->status != CELL_DONE || !speed.bandwidth.n) {
		grid_put(g, col, GRID_RIGHT, STYLE_WARN, "%s",
			 cell->status == CELL_DONE ? "none" : report_status(cell));
		return;
	}
	grid_put(g, col, GRID_RIGHT, style, "%.*f", decimals, speed.bandwidth.median / unit);
	if (interval->confidence > 0)
		grid_put(g, col + 1, GRID_LEFT, style, "±%.*f%s", decimals,
			 (interval->high - interval->low) / 2 / unit, cell->valid ? "" : " !");
	else if (!cell->valid)
		grid_put(g, col + 1, GRID_LEFT, style, "!");
}

static bool has_cells(const struct report *rep, const char *workload, const char *engine)
{
	for (size_t c = 0; c < rep->axes.cluster_count; c++)
		if (axes_cell(rep->r, workload, engine, rep->axes.clusters[c]))
			return true;
	return false;
}

/* One column of the table: a workload and an engine. */
struct speed_column {
	const char *workload, *engine;
	size_t in_group; /* columns of the same workload, in the first of them; else 0 */
};

static size_t find_columns(const struct report *rep, struct speed_column *columns)
{
	size_t count = 0;

	for (size_t w = 0; w < rep->axes.workload_count; w++) {
		size_t first = count;

		for (size_t e = 0; e < rep->axes.engine_count; e++)
			if (has_cells(rep, rep->axes.workloads[w], rep->axes.engines[e]))
				columns[count++] = (struct speed_column){rep->axes.workloads[w],
									 rep->axes.engines[e], 0};
		columns[first].in_group = count - first;
	}
	return count;
}

void report_speed(const struct report *rep)
{
	AB_FREE struct speed_column *columns =
		calloc(rep->axes.workload_count * rep->axes.engine_count + 1, sizeof(*columns));
	struct basis basis = find_basis(rep->r);
	AB_GRID struct grid g = {0};
	char cluster[TEXT_NUMBER_SIZE];
	size_t count;

	if (!columns || !rep->r->cell_count)
		return;
	count = find_columns(rep, columns);
	strbuf_putc(rep->to.sb, '\n');
	print_title(rep, &basis);
	grid_init(&g, 1 + 2 * count, 1);
	grid_row(&g);
	for (size_t i = 0; i < count; i++)
		if (columns[i].in_group)
			grid_head(&g, 1 + 2 * i, 2 * columns[i].in_group, GRID_CENTER, "%s",
				  columns[i].workload);
	grid_row(&g);
	grid_put(&g, 0, GRID_RIGHT, STYLE_HEAD, "cluster");
	for (size_t i = 0; i < count; i++) {
		if (columns[i].in_group)
			grid_group(&g, 1 + 2 * i);
		grid_join(&g, 2 + 2 * i);
		grid_head(&g, 1 + 2 * i, 2, GRID_RIGHT, "%s", columns[i].engine);
	}
	for (size_t c = 0; c < rep->axes.cluster_count; c++) {
		grid_row(&g);
		grid_put(&g, 0, GRID_RIGHT, STYLE_PLAIN, "%s",
			 report_cluster(cluster, rep->axes.clusters[c]));
		for (size_t i = 0; i < count; i++)
			put_cell(&g, 1 + 2 * i, rep,
				 axes_cell(rep->r, columns[i].workload, columns[i].engine,
					   rep->axes.clusters[c]),
				 column_decimals(rep, columns[i].workload, columns[i].engine));
	}
	grid_print(&g, &rep->to);
	if (basis.invalid)
		text_line(&rep->to, STYLE_BAD, 2, "! not valid, see above");
}
