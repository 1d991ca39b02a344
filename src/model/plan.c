// SPDX-License-Identifier: GPL-2.0-only
/* From a scenario to the images, cells and steps of a run, in order. */
#include "model/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool same_algorithm(const struct engine_info *a, const struct engine_info *b)
{
	if (!a->mkfs_algorithm || !b->mkfs_algorithm)
		return a->mkfs_algorithm == b->mkfs_algorithm;
	return !strcmp(a->mkfs_algorithm, b->mkfs_algorithm);
}

/*
 * Index of the image for @engine, added when it is the first to need it. There is room for one per
 * cell.
 */
static size_t image_for(struct plan *p, const struct engine_info *engine, uint64_t cluster_bytes)
{
	const struct plan_image wanted = {
		.engine = engine,
		.cluster_bytes = cluster_bytes,
		.level = scenario_level(p->scenario, engine),
		.timeout_ns = p->scenario->image_timeout_ns,
	};

	for (size_t i = 0; i < p->image_count; i++) {
		const struct plan_image *image = &p->images[i];

		if (image->cluster_bytes == cluster_bytes && image->level == wanted.level &&
		    same_algorithm(image->engine, engine))
			return i;
	}
	p->images[p->image_count] = wanted;
	return p->image_count++;
}

static void add_cells(struct plan *p)
{
	const struct scenario *s = p->scenario;

	for (size_t e = 0; e < s->engine_count; e++) {
		bool clustered = s->engines[e]->cluster_max_bytes;
		/*
		 * Without clusters the axis changes nothing: one cell, not the same one several
		 * times.
		 */
		size_t clusters = clustered ? s->cluster_count : 1;

		for (size_t c = 0; c < clusters; c++) {
			for (size_t w = 0; w < s->workload_count; w++) {
				struct plan_cell *cell = &p->cells[p->cell_count];

				cell->index = p->cell_count++;
				cell->engine = s->engines[e];
				cell->cluster_bytes = clustered ? s->clusters_bytes[c] : 0;
				cell->workload = &s->workloads[w];
				cell->image = image_for(p, cell->engine, cell->cluster_bytes);
			}
		}
	}
}

static void add_step(struct plan *p, size_t cell, unsigned int repetition, bool traced)
{
	p->steps[p->step_count++] = (struct plan_step){
		.cell = cell,
		.repetition = repetition,
		.traced = traced,
	};
}

/*
 * One repetition of a cell, with its untraced partner right beside it when there is one. Which of
 * the two comes first alternates (A B, B A), so that a drift of the machine hits both alike.
 */
static void add_repetition(struct plan *p, size_t cell, unsigned int repetition)
{
	const struct trace_spec *trace = &p->scenario->trace;
	bool traced_first = (cell + repetition) % 2 == 0;

	if (!trace->control) {
		add_step(p, cell, repetition, trace->enabled);
		return;
	}
	add_step(p, cell, repetition, traced_first);
	add_step(p, cell, repetition, !traced_first);
}

/*
 * Every second round runs backwards, and each begins somewhere else: no cell always comes first,
 * last, or after the same neighbour. The order is the same on every run of the same scenario.
 */
static void add_interleaved(struct plan *p)
{
	unsigned int repeat = p->scenario->repeat;
	size_t n = p->cell_count;

	for (unsigned int repetition = 0; repetition < repeat; repetition++) {
		size_t first = n * repetition / repeat;

		for (size_t i = 0; i < n; i++) {
			size_t position = repetition % 2 ? n - i : i;

			add_repetition(p, (first + position) % n, repetition);
		}
	}
}

static void add_sequential(struct plan *p)
{
	for (size_t cell = 0; cell < p->cell_count; cell++)
		for (unsigned int repetition = 0; repetition < p->scenario->repeat; repetition++)
			add_repetition(p, cell, repetition);
}

int plan_build(const struct scenario *s, struct plan *p, struct diag *d)
{
	size_t cells = s->engine_count * s->cluster_count * s->workload_count;
	size_t steps = cells * s->repeat * (s->trace.control ? 2 : 1);

	*p = (struct plan){.scenario = s};
	if (!steps)
		return diag_set(d, -EINVAL, "%s: there is nothing to run", s->name);
	p->images = calloc(cells, sizeof(*p->images));
	p->cells = calloc(cells, sizeof(*p->cells));
	p->steps = calloc(steps, sizeof(*p->steps));
	if (!p->images || !p->cells || !p->steps) {
		plan_free(p);
		return diag_set(d, -ENOMEM, "out of memory");
	}
	add_cells(p);
	if (s->order == ORDER_SEQUENTIAL)
		add_sequential(p);
	else
		add_interleaved(p);
	return 0;
}

void plan_free(struct plan *p)
{
	free(p->images);
	free(p->cells);
	free(p->steps);
	*p = (struct plan){0};
}
