// SPDX-License-Identifier: GPL-2.0-only
/* A plan for people: what will be built, which cells there are, what runs when. */
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "model/plan.h"

/* Widths of the columns that depend on names. */
struct widths {
	int engine, workload, step;
};

static int decimal_width(size_t value)
{
	return snprintf(NULL, 0, "%zu", value);
}

static struct widths measure(const struct plan *p)
{
	struct widths w = {.step = decimal_width(p->step_count)};

	for (size_t i = 0; i < p->cell_count; i++) {
		int engine = (int)strlen(p->cells[i].engine->name);
		int workload = (int)strlen(p->cells[i].workload->name);

		w.engine = engine > w.engine ? engine : w.engine;
		w.workload = workload > w.workload ? workload : w.workload;
	}
	return w;
}

static const char *cluster_text(char *buf, size_t size, uint64_t bytes)
{
	return bytes ? units_bytes(buf, size, bytes) : "-";
}

static void print_dataset(const struct dataset_spec *ds, struct strbuf *out)
{
	char size[32];

	strbuf_puts(out, "dataset      ");
	if (ds->kind == DATASET_PATH)
		strbuf_printf(out, "%s%s%s%s%s\n", ds->path, ds->corpus[0] ? ", " : "", ds->corpus,
			      ds->sha256[0] ? ", sha256 " : "", ds->sha256);
	else
		strbuf_printf(out, "generated %s, %s, seed %llu%s%s\n", ds->generator,
			      units_bytes(size, sizeof(size), ds->size_bytes),
			      (unsigned long long)ds->seed,
			      ds->substitute ? ", stands in for " : "",
			      ds->substitute ? ds->corpus : "");
}

static void print_workload(const struct workload_spec *w, int width, struct strbuf *out)
{
	char buf[32];

	strbuf_printf(out, "  %-*s  %s, %s reads", width, w->name, w->rw,
		      units_bytes(buf, sizeof(buf), w->bs_bytes));
	if (w->io_size_bytes)
		strbuf_printf(out, ", %s in all", units_bytes(buf, sizeof(buf), w->io_size_bytes));
	strbuf_printf(out, ", %s", w->ioengine);
	if (w->iodepth > 1)
		strbuf_printf(out, ", %u in flight", w->iodepth);
	if (w->numjobs > 1)
		strbuf_printf(out, ", %u jobs", w->numjobs);
	if (w->direct)
		strbuf_puts(out, ", direct I/O");
	if (w->runtime_ns)
		strbuf_printf(out, ", for %s", units_ns(buf, sizeof(buf), (double)w->runtime_ns));
	strbuf_putc(out, '\n');
}

static void print_head(const struct plan *p, const struct widths *widths, struct strbuf *out)
{
	const struct scenario *s = p->scenario;

	strbuf_printf(out, "scenario     %s%s\n", s->name, s->quick ? " (quick profile)" : "");
	print_dataset(&s->dataset, out);
	strbuf_printf(out, "filesystem   %s, mounted from %s, %s cache\n", s->filesystem,
		      backing_names[s->backing], cache_names[s->cache]);
	strbuf_printf(out, "tracing      %s\n",
		      !s->trace.enabled	 ? "none"
		      : s->trace.control ? "on, with an untraced partner of each repetition"
					 : "on");
	strbuf_printf(out, "repetitions  %u, %s\n", s->repeat, order_names[s->order]);
	strbuf_printf(out, "\nworkloads (%zu)\n", s->workload_count);
	for (size_t i = 0; i < s->workload_count; i++)
		print_workload(&s->workloads[i], widths->workload, out);
}

static void print_images(const struct plan *p, const struct widths *widths, struct strbuf *out)
{
	char buf[32];

	strbuf_printf(out, "\nimages (%zu)\n", p->image_count);
	for (size_t i = 0; i < p->image_count; i++) {
		const struct plan_image *image = &p->images[i];
		const char *algorithm = image->engine->mkfs_algorithm;

		strbuf_printf(out, "  %-*s  %8s", widths->engine, algorithm ? algorithm : "none",
			      cluster_text(buf, sizeof(buf), image->cluster_bytes));
		if (image->level >= 0)
			strbuf_printf(out, "  level %d\n", image->level);
		else
			strbuf_puts(out, algorithm ? "  default level\n" : "\n");
	}
}

static void print_cell(const struct plan_cell *cell, const struct widths *widths,
		       struct strbuf *out)
{
	char buf[32];

	strbuf_printf(out, "%-*s  %8s  ", widths->engine, cell->engine->name,
		      cluster_text(buf, sizeof(buf), cell->cluster_bytes));
}

static void print_cells(const struct plan *p, const struct widths *widths, struct strbuf *out)
{
	strbuf_printf(out, "\ncells (%zu)\n", p->cell_count);
	for (size_t i = 0; i < p->cell_count; i++) {
		strbuf_puts(out, "  ");
		print_cell(&p->cells[i], widths, out);
		strbuf_printf(out, "%s\n", p->cells[i].workload->name);
	}
}

static void print_steps(const struct plan *p, const struct widths *widths, struct strbuf *out)
{
	const struct trace_spec *trace = &p->scenario->trace;

	strbuf_printf(out, "\nsteps (%zu)\n", p->step_count);
	for (size_t i = 0; i < p->step_count; i++) {
		const struct plan_step *step = &p->steps[i];
		const struct plan_cell *cell = &p->cells[step->cell];

		strbuf_printf(out, "  %*zu/%zu  rep %-*u  ", widths->step, i + 1, p->step_count,
			      decimal_width(p->scenario->repeat), step->repetition + 1);
		print_cell(cell, widths, out);
		if (trace->control)
			strbuf_printf(out, "%-*s  %s\n", widths->workload, cell->workload->name,
				      step->traced ? "traced" : "control");
		else
			strbuf_printf(out, "%s\n", cell->workload->name);
	}
}

void plan_print(const struct plan *p, struct strbuf *out)
{
	const struct widths widths = measure(p);

	print_head(p, &widths, out);
	print_images(p, &widths, out);
	print_cells(p, &widths, out);
	print_steps(p, &widths, out);
}
