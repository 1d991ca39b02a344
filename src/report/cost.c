// SPDX-License-Identifier: GPL-2.0-only
/* Per cell: core-seconds per GiB by who spent them, where the run's time went, what bounds it. */
#include <stdio.h>
#include <string.h>
#include "report/parts.h"

/* Above half of the run's time, one thing bounds the run. */
#define BOUND_SHARE 0.5

enum column {
	COL_CLUSTER,
	COL_ENGINE,
	COL_WORK,
	COL_WORK_SPREAD,
	COL_FIO,
	COL_KTHREAD,
	COL_IRQ,
	COL_MACHINE,
	COL_REQUESTS,
	COL_CPU,
	COL_ELSEWHERE,
	COL_BOUND,
	COLUMNS
};

static void put_number(struct grid *g, size_t col, struct figure f)
{
	char number[TEXT_NUMBER_SIZE];

	grid_put(g, col, GRID_RIGHT, STYLE_PLAIN, "%s",
		 f.known ? text_number(number, f.value) : "-");
}

static void put_share(struct grid *g, size_t col, struct figure f)
{
	char number[TEXT_NUMBER_SIZE];

	grid_put(g, col, GRID_RIGHT, STYLE_PLAIN, "%s",
		 f.known ? text_share(number, f.value) : "-");
}

/*
 * An I/O-bound run rewards a better ratio, one bound by decompression a faster codec. The share
 * spent elsewhere is a lower bound, so "disk" is never said too early.
 */
static const char *bound_by(const struct derive_time *time)
{
	if (time->elsewhere.known && time->elsewhere.value > BOUND_SHARE)
		return "disk";
	if (time->requests.known && time->requests.value > BOUND_SHARE)
		return "requests";
	/* System calls, copies to user space, fio itself. */
	if (time->fio_cpu.known && time->fio_cpu.value > BOUND_SHARE)
		return "CPU";
	return time->elsewhere.known && time->requests.known ? "mixed" : "-";
}

static void put_row(const struct report *rep, struct grid *g, const struct result_cell *cell)
{
	struct derive_cpu cpu = derive_cpu(cell);
	struct derive_time time = derive_time(cell);
	const struct stats_interval *interval = &cpu.work.median_interval;
	char number[TEXT_NUMBER_SIZE];

	grid_row(g);
	grid_put(g, COL_CLUSTER, GRID_RIGHT, STYLE_PLAIN, "%s",
		 report_cluster(number, cell->cluster_bytes));
	grid_put(g, COL_ENGINE, GRID_LEFT, STYLE_PLAIN, "%s", cell->engine);
	grid_put(g, COL_WORK, GRID_RIGHT, STYLE_PLAIN, "%s",
		 cpu.work.n ? text_number(number, cpu.work.median) : "-");
	if (interval->confidence > 0)
		grid_put(g, COL_WORK_SPREAD, GRID_LEFT, STYLE_PLAIN, "±%.*f",
			 text_decimals(cpu.work.median), (interval->high - interval->low) / 2);
	put_number(g, COL_FIO, cpu.fio);
	put_number(g, COL_KTHREAD, cpu.kthread);
	put_number(g, COL_IRQ, cpu.irq);
	put_number(g, COL_MACHINE, cpu.machine);
	put_share(g, COL_REQUESTS, time.requests);
	put_share(g, COL_CPU, time.fio_cpu);
	put_share(g, COL_ELSEWHERE, time.elsewhere);
	grid_put(g, COL_BOUND, GRID_LEFT, STYLE_PLAIN, "%s", bound_by(&time));
}

static void put_heads(struct grid *g)
{
	static const char *const names[COLUMNS] = {
		[COL_FIO] = "fio",
		[COL_KTHREAD] = "kthr",
		[COL_IRQ] = "irq",
		[COL_MACHINE] = "machine",
		[COL_REQUESTS] = "requests",
		[COL_CPU] = "in fio",
		[COL_ELSEWHERE] = "elsewhere",
	};

	grid_row(g);
	grid_head(g, COL_WORK, COL_REQUESTS - COL_WORK, GRID_CENTER, "core-seconds per GiB");
	grid_head(g, COL_REQUESTS, COL_BOUND - COL_REQUESTS, GRID_CENTER,
		  "share of the run's time");
	grid_row(g);
	grid_put(g, COL_CLUSTER, GRID_RIGHT, STYLE_HEAD, "cluster");
	grid_put(g, COL_ENGINE, GRID_LEFT, STYLE_HEAD, "engine");
	grid_head(g, COL_WORK, 2, GRID_LEFT, "work");
	for (size_t col = COL_FIO; col < COL_BOUND; col++)
		grid_put(g, col, GRID_RIGHT, STYLE_HEAD, "%s", names[col]);
	grid_put(g, COL_BOUND, GRID_LEFT, STYLE_HEAD, "bound by");
	grid_join(g, COL_WORK_SPREAD);
	grid_group(g, COL_WORK);
	grid_group(g, COL_REQUESTS);
}

static void report_workload(const struct report *rep, const char *workload)
{
	AB_GRID struct grid g = {0};
	size_t rows = 0;

	/* Without a trace nobody knows where the time of the run went. */
	grid_init(&g, report_has_trace(rep->r) ? COLUMNS : COL_REQUESTS, COL_WORK);
	put_heads(&g);
	for (size_t c = 0; c < rep->axes.cluster_count; c++) {
		for (size_t e = 0; e < rep->axes.engine_count; e++) {
			const struct result_cell *cell =
				axes_cell(rep->r, workload, rep->axes.engines[e],
					  rep->axes.clusters[c]);

			if (!cell || cell->status != CELL_DONE)
				continue;
			put_row(rep, &g, cell);
			rows++;
		}
	}
	if (!rows)
		return;
	strbuf_putc(rep->to.sb, '\n');
	text_line(&rep->to, STYLE_HEAD, 2, "cost: %s%s", workload, rep->mark);
	grid_print(&g, &rep->to);
}

static bool has_cost(const struct result *r)
{
	for (size_t i = 0; i < r->cell_count; i++) {
		struct derive_cpu cpu = derive_cpu(&r->cells[i]);

		if (cpu.work.n || cpu.machine.known)
			return true;
	}
	return false;
}

void report_cost(const struct report *rep)
{
	if (!has_cost(rep->r))
		return;
	for (size_t w = 0; w < rep->axes.workload_count; w++)
		report_workload(rep, rep->axes.workloads[w]);
	strbuf_putc(rep->to.sb, '\n');
	text_line(
		&rep->to, STYLE_FAINT, 10,
		"work      fio and kernel threads, of traced repetitions; fio alone without them");
	text_line(
		&rep->to, STYLE_FAINT, 10,
		"fio       its jobs' rusage; kthr: kernel threads, by the scheduler; irq, machine: "
		"/proc/stat, everything that ran");
	if (!report_has_trace(rep->r))
		return;
	text_line(&rep->to, STYLE_FAINT, 10,
		  "requests  inside decompression requests, wherever they ran");
	text_line(&rep->to, STYLE_FAINT, 10,
		  "in fio    fio on a processor, requests that it served itself included");
	text_line(
		&rep->to, STYLE_FAINT, 10,
		"elsewhere at least so much waiting that neither explains: the disk, or a busy processor");
}
