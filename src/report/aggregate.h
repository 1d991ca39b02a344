/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cells of a result by workload, engine and cluster size, and the figures that tables show of them.
 */
#ifndef AB_REPORT_AGGREGATE_H
#define AB_REPORT_AGGREGATE_H

#include "model/derive.h"
#include "model/result.h"

#define AXIS_MAX 64 /* different values along one axis */

/*
 * The axes of a result, in the order in which their values first appear; cluster sizes ascend.
 * Points into the result.
 */
struct axes {
	const char *workloads[AXIS_MAX];
	size_t workload_count;
	const char *engines[AXIS_MAX];
	size_t engine_count;
	uint64_t clusters[AXIS_MAX];
	size_t cluster_count;
};
/* -E2BIG: more than AXIS_MAX values. */
int axes_find(const struct result *r, struct axes *axes, struct diag *d);

/* The cell of a combination, or NULL. */
const struct result_cell *axes_cell(const struct result *r, const char *workload,
				    const char *engine, uint64_t cluster_bytes);

/*
 * Whether the engine of that name asks for an accelerator. An unknown one does if an accelerator
 * ever served it.
 */
bool engine_is_accelerated(const struct result *r, const char *engine);

/* What is compared between engines. */
enum aggregate_metric { AGGREGATE_SPEED, AGGREGATE_WORK };
/*
 * Median and interval of a valid cell; n = 0: the cell is missing, not valid, or has no such
 * figure.
 */
struct stats_summary aggregate_summary(const struct result_cell *cell,
				       enum aggregate_metric metric);

/* Outcome of engine A against engine B at one cluster size. */
enum outcome { OUTCOME_UNKNOWN, OUTCOME_A, OUTCOME_B, OUTCOME_OPEN };

/*
 * A is better where A's interval lies beyond B's, on the good side; OPEN where they overlap or one
 * of them rests on fewer than AGGREGATE_MIN_SAMPLES repetitions. With @values_only (published
 * single runs) the medians alone decide.
 */
#define AGGREGATE_MIN_SAMPLES 4 /* four against four, all apart: p = 0.03 */
enum outcome aggregate_compare(const struct stats_summary *a, const struct stats_summary *b,
			       enum aggregate_metric metric, bool values_only);

#endif
