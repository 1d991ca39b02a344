// SPDX-License-Identifier: GPL-2.0-only
#include "model/overhead.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/stats.h"

#define CONFIDENCE 0.95

static const struct result_sample *partner(const struct result_cell *cell,
					   const struct result_sample *traced)
{
	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct result_sample *s = &cell->samples[i];

		if (!s->traced && s->ok && s->repetition == traced->repetition &&
		    s->bandwidth_bytes_per_s > 0)
			return s;
	}
	return NULL;
}

static size_t collect_pairs(const struct result_cell *cell, double *log_slowdowns)
{
	size_t n = 0;

	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct result_sample *traced = &cell->samples[i];
		const struct result_sample *control;

		if (!traced->traced || !traced->ok || traced->bandwidth_bytes_per_s <= 0)
			continue;
		control = partner(cell, traced);
		if (control)
			log_slowdowns[n++] =
				log(control->bandwidth_bytes_per_s / traced->bandwidth_bytes_per_s);
	}
	return n;
}

int overhead_compute(struct result *r)
{
	struct result_tracer *t = &r->tracer;
	AB_FREE double *logs = NULL;
	struct stats_shift shift;
	size_t max = 0, n = 0;

	t->has_overhead = false;
	for (size_t i = 0; i < r->cell_count; i++)
		max += r->cells[i].sample_count;
	logs = calloc(max + 1, sizeof(*logs));
	if (!logs)
		return -ENOMEM;
	for (size_t i = 0; i < r->cell_count; i++)
		n += collect_pairs(&r->cells[i], logs + n);
	if (!n)
		return 0;
	shift = stats_hodges_lehmann(logs, n, CONFIDENCE);
	t->has_overhead = true;
	t->overhead_pairs = n;
	t->overhead_ratio = expm1(shift.estimate);
	t->overhead_confidence = shift.interval.confidence;
	t->overhead_low_ratio =
		shift.interval.confidence > 0 ? expm1(shift.interval.low) : t->overhead_ratio;
	t->overhead_high_ratio =
		shift.interval.confidence > 0 ? expm1(shift.interval.high) : t->overhead_ratio;
	return 0;
}
