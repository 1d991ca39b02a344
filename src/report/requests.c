// SPDX-License-Identifier: GPL-2.0-only
/* Per cell: how many requests, who served them, and why the accelerator did not serve the rest. */
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "model/phase.h"
#include "report/parts.h"

enum column {
	COL_CLUSTER,
	COL_ENGINE,
	COL_REQUESTS,
	COL_OFFLOADED,
	COL_BYTES,
	COL_ON_CPU,
	COL_DISK,
	COL_OUT,
	COL_VERDICT,
	COL_OBSERVED,
	COLUMNS
};

static void put_share(struct grid *g, size_t col, struct figure f)
{
	char number[TEXT_NUMBER_SIZE];

	grid_put(g, col, GRID_RIGHT, STYLE_PLAIN, "%s",
		 f.known ? text_share(number, f.value) : "-");
}

/*
 * Who served most of the cell's requests, how many others there were, and how long requests were on
 * a processor.
 */
static void put_observed(struct grid *g, const struct derive_group *groups, size_t count)
{
	const char *most = "-";
	double on_cpu = 0, wall = 0;
	char number[TEXT_NUMBER_SIZE];
	size_t seen = 0;

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(groups[i].engine, "stored") || !groups[i].requests)
			continue;
		/* The largest group comes first. */
		most = seen++ ? most : groups[i].engine;
		on_cpu += (double)groups[i].hists[AB_ON_CPU].sum;
		wall += groups[i].hists[AB_ON_CPU].present ? (double)groups[i].hists[AB_TOTAL].sum
							   : 0;
	}
	if (seen > 1)
		grid_put(g, COL_OBSERVED, GRID_LEFT, STYLE_WARN, "%s +%zu", most, seen - 1);
	else
		grid_put(g, COL_OBSERVED, GRID_LEFT, STYLE_PLAIN, "%s", most);
	grid_put(g, COL_ON_CPU, GRID_RIGHT, STYLE_PLAIN, "%s",
		 wall > 0 ? text_share(number, on_cpu / wall) : "-");
}

static void put_verdict(struct grid *g, size_t col, const struct result_cell *cell)
{
	bool done = cell->status == CELL_DONE;

	grid_put(g, col, GRID_LEFT, done && cell->valid ? STYLE_GOOD : STYLE_BAD, "%s",
		 !done	       ? report_status(cell)
		 : cell->valid ? "valid"
			       : "INVALID");
}

static void put_row(const struct report *rep, struct grid *g, const struct result_cell *cell)
{
	struct derive_coverage coverage = derive_coverage(&cell->trace);
	struct derive_bytes bytes = derive_bytes(cell);
	bool accelerated = engine_is_accelerated(rep->r, cell->engine);
	char number[TEXT_NUMBER_SIZE];
	struct derive_group *groups;
	size_t count;

	grid_row(g);
	grid_put(g, COL_CLUSTER, GRID_RIGHT, STYLE_PLAIN, "%s",
		 report_cluster(number, cell->cluster_bytes));
	grid_put(g, COL_ENGINE, GRID_LEFT, STYLE_PLAIN, "%s", cell->engine);
	grid_put(g, COL_REQUESTS, GRID_RIGHT, STYLE_PLAIN, "%s",
		 cell->trace.present ? units_count(number, sizeof(number), coverage.requests)
				     : "-");
	if (accelerated) {
		put_share(g, COL_OFFLOADED, coverage.by_requests);
		put_share(g, COL_BYTES, coverage.by_bytes);
	} else {
		grid_put(g, COL_OFFLOADED, GRID_RIGHT, STYLE_FAINT, "-");
		grid_put(g, COL_BYTES, GRID_RIGHT, STYLE_FAINT, "-");
	}
	grid_put(g, COL_DISK, GRID_RIGHT, STYLE_PLAIN, "%s",
		 bytes.disk_per_request.known
			 ? text_bytes(&rep->to, number, bytes.disk_per_request.value)
			 : "-");
	grid_put(g, COL_OUT, GRID_RIGHT, STYLE_PLAIN, "%s",
		 bytes.out_per_user.known ? text_number(number, bytes.out_per_user.value) : "-");
	put_verdict(g, COL_VERDICT, cell);
	if (derive_groups(&cell->trace, &groups, &count)) {
		g->failed = true;
		return;
	}
	put_observed(g, groups, count);
	derive_groups_free(groups, count);
}

/*
 * Why requests of an accelerated cell were not offloaded, most frequent reasons of the table's
 * order.
 */
static void print_reasons(const struct report *rep, const struct result_cell *cell)
{
	struct derive_coverage coverage = derive_coverage(&cell->trace);
	uint64_t rest = coverage.requests - cell->trace.served[AB_SERVED_OFFLOADED].requests;
	char count[TEXT_NUMBER_SIZE], share[TEXT_NUMBER_SIZE];
	AB_STRBUF struct strbuf sb = {0};
	const char *separator = ": ";

	if (!cell->trace.present || !rest || !engine_is_accelerated(rep->r, cell->engine))
		return;
	report_cell_name(&sb, cell);
	strbuf_printf(&sb, ": %s of ", units_count(count, sizeof(count), rest));
	strbuf_printf(&sb, "%s not offloaded",
		      units_count(count, sizeof(count), coverage.requests));
	for (int i = 0; i < AB_SERVED; i++) {
		uint64_t n = cell->trace.served[i].requests;

		if (!n || i == AB_SERVED_OFFLOADED || i == AB_SERVED_STORED)
			continue;
		strbuf_printf(&sb, "%s%s %s (%s)", separator, served_table[i].name,
			      units_count(count, sizeof(count), n),
			      text_share(share, (double)n / (double)coverage.requests));
		separator = ", ";
	}
	text_line(&rep->to, STYLE_WARN, 2, "%s", strbuf_str(&sb));
}

/* What the names of the reasons mean, for those that occurred. */
static void print_meanings(const struct report *rep, const char *workload)
{
	for (int i = 0; i < AB_SERVED; i++) {
		uint64_t n = 0;

		for (size_t c = 0; c < rep->r->cell_count; c++)
			if (!strcmp(rep->r->cells[c].workload, workload) &&
			    engine_is_accelerated(rep->r, rep->r->cells[c].engine))
				n += rep->r->cells[c].trace.served[i].requests;
		if (n && i != AB_SERVED_OFFLOADED && i != AB_SERVED_STORED)
			text_line(&rep->to, STYLE_FAINT, 4, "  %s: %s", served_table[i].name,
				  served_table[i].meaning);
	}
}

typedef void visit_cell(const struct report *rep, const struct result_cell *cell, struct grid *g);

static void add_row(const struct report *rep, const struct result_cell *cell, struct grid *g)
{
	put_row(rep, g, cell);
}

static void add_reasons(const struct report *rep, const struct result_cell *cell, struct grid *g)
{
	print_reasons(rep, cell);
}

/* Cells of a workload that ran, cluster by cluster. */
static void each_cell(const struct report *rep, const char *workload, visit_cell *visit,
		      struct grid *g)
{
	for (size_t c = 0; c < rep->axes.cluster_count; c++) {
		for (size_t e = 0; e < rep->axes.engine_count; e++) {
			const struct result_cell *cell =
				axes_cell(rep->r, workload, rep->axes.engines[e],
					  rep->axes.clusters[c]);

			if (cell && (cell->status == CELL_DONE || cell->trace.present))
				visit(rep, cell, g);
		}
	}
}

static void put_heads(struct grid *g)
{
	static const struct {
		const char *name;
		enum grid_align align;
	} heads[COLUMNS] = {
		[COL_CLUSTER] = {"cluster", GRID_RIGHT},
		[COL_ENGINE] = {"engine", GRID_LEFT},
		[COL_REQUESTS] = {"requests", GRID_RIGHT},
		[COL_OFFLOADED] = {"of all", GRID_RIGHT},
		[COL_BYTES] = {"bytes", GRID_RIGHT},
		[COL_ON_CPU] = {"on CPU", GRID_RIGHT},
		[COL_DISK] = {"request", GRID_RIGHT},
		[COL_OUT] = {"byte", GRID_RIGHT},
		[COL_VERDICT] = {"verdict", GRID_LEFT},
		[COL_OBSERVED] = {"served by", GRID_LEFT},
	};

	grid_row(g);
	grid_head(g, COL_OFFLOADED, 2, GRID_CENTER, "offloaded");
	grid_put(g, COL_DISK, GRID_RIGHT, STYLE_HEAD, "disk per");
	grid_put(g, COL_OUT, GRID_RIGHT, STYLE_HEAD, "out per");
	grid_row(g);
	for (size_t col = 0; col < COLUMNS; col++)
		grid_put(g, col, heads[col].align, STYLE_HEAD, "%s", heads[col].name);
}

static void report_workload(const struct report *rep, const char *workload)
{
	AB_GRID struct grid g = {0};

	grid_init(&g, COLUMNS, COL_REQUESTS);
	put_heads(&g);
	each_cell(rep, workload, add_row, &g);
	strbuf_putc(rep->to.sb, '\n');
	text_line(&rep->to, STYLE_HEAD, 2, "requests: %s%s", workload, rep->mark);
	grid_print(&g, &rep->to);
	each_cell(rep, workload, add_reasons, NULL);
	print_meanings(rep, workload);
}

void report_requests(const struct report *rep)
{
	if (!report_has_trace(rep->r))
		return;
	for (size_t w = 0; w < rep->axes.workload_count; w++)
		report_workload(rep, rep->axes.workloads[w]);
}
