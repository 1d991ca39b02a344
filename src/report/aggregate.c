// SPDX-License-Identifier: GPL-2.0-only
#include "report/aggregate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/targets.h"

static int add_name(const char *names[], size_t *count, const char *name, const char *axis,
		    struct diag *d)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcmp(names[i], name))
			return 0;
	if (*count == AXIS_MAX)
		return diag_set(d, -E2BIG, "more than %d different %s; too many for tables",
				AXIS_MAX, axis);
	names[(*count)++] = name;
	return 0;
}

/* Keeps cluster sizes ascending. */
static int add_cluster(struct axes *axes, uint64_t bytes, struct diag *d)
{
	size_t at = 0;

	while (at < axes->cluster_count && axes->clusters[at] < bytes)
		at++;
	if (at < axes->cluster_count && axes->clusters[at] == bytes)
		return 0;
	if (axes->cluster_count == AXIS_MAX)
		return diag_set(d, -E2BIG,
				"more than %d different cluster sizes; too many for tables",
				AXIS_MAX);
	memmove(&axes->clusters[at + 1], &axes->clusters[at],
		(axes->cluster_count - at) * sizeof(axes->clusters[0]));
	axes->clusters[at] = bytes;
	axes->cluster_count++;
	return 0;
}

int axes_find(const struct result *r, struct axes *axes, struct diag *d)
{
	int err = 0;

	memset(axes, 0, sizeof(*axes));
	for (size_t i = 0; i < r->cell_count && !err; i++) {
		const struct result_cell *cell = &r->cells[i];

		err = add_name(axes->workloads, &axes->workload_count, cell->workload, "workloads",
			       d);
		if (!err)
			err = add_name(axes->engines, &axes->engine_count, cell->engine, "engines",
				       d);
		if (!err)
			err = add_cluster(axes, cell->cluster_bytes, d);
	}
	return err;
}

const struct result_cell *axes_cell(const struct result *r, const char *workload,
				    const char *engine, uint64_t cluster_bytes)
{
	for (size_t i = 0; i < r->cell_count; i++) {
		const struct result_cell *cell = &r->cells[i];

		if (cell->cluster_bytes == cluster_bytes && !strcmp(cell->workload, workload) &&
		    !strcmp(cell->engine, engine))
			return cell;
	}
	return NULL;
}

bool engine_is_accelerated(const struct result *r, const char *engine)
{
	const struct engine_info *info = engine_find(engine);

	if (info)
		return info->accel_driver != NULL;
	for (size_t i = 0; i < r->cell_count; i++)
		if (!strcmp(r->cells[i].engine, engine) &&
		    r->cells[i].trace.served[AB_SERVED_OFFLOADED].requests)
			return true;
	return false;
}

struct stats_summary aggregate_summary(const struct result_cell *cell, enum aggregate_metric metric)
{
	if (!cell || cell->status != CELL_DONE || !cell->valid)
		return (struct stats_summary){0};
	return metric == AGGREGATE_SPEED ? derive_speed(cell).bandwidth : derive_cpu(cell).work;
}

enum outcome aggregate_compare(const struct stats_summary *a, const struct stats_summary *b,
			       enum aggregate_metric metric, bool values_only)
{
	bool more_is_better = metric == AGGREGATE_SPEED;

	if (!a->n || !b->n)
		return OUTCOME_UNKNOWN;
	if (values_only) {
		if (a->median == b->median)
			return OUTCOME_OPEN;
		return (a->median > b->median) == more_is_better ? OUTCOME_A : OUTCOME_B;
	}
	if (a->n < AGGREGATE_MIN_SAMPLES || b->n < AGGREGATE_MIN_SAMPLES)
		return OUTCOME_OPEN;
	if (a->median_interval.low > b->median_interval.high)
		return more_is_better ? OUTCOME_A : OUTCOME_B;
	if (b->median_interval.low > a->median_interval.high)
		return more_is_better ? OUTCOME_B : OUTCOME_A;
	return OUTCOME_OPEN;
}
