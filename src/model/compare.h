/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sides of one or several results, cell by cell and metric by metric: did a side's value change against the first side's, by how
 * much, how sure. Pure functions of results; methods: docs/statistics.md.
 */
#ifndef AB_MODEL_COMPARE_H
#define AB_MODEL_COMPARE_H

#include "base/stats_two.h"
#include "model/comparable.h"
#include "model/metrics.h"
#include "model/repetitions.h"

/* Results that stand for the same thing. */
struct compare_side {
	char name[160]; /* the id of its only result, else the folder's name */
	struct result *results;
	size_t count;
};

/* Loads a result, or every result folder of a folder, in the order of their names. -errno with the reason. */
int compare_side_load(const char *path, struct compare_side *side, struct diag *d);
void compare_side_free(struct compare_side *side);

/* A cell as both sides know it. */
struct compare_key {
	const char *workload, *engine;
	uint64_t cluster_bytes;
};
/* The cell in @r, NULL: it has none. */
const struct result_cell *compare_cell(const struct result *r, const struct compare_key *key);

/*
 * The values of one side for one cell and metric. Repetitions; or, of a side of at least COMPARE_MIN_RUNS results, the median of each
 * result, since repetitions of one run are more alike than runs are.
 */
#define COMPARE_MIN_RUNS 4
struct compare_values {
	struct repetitions of;
	struct stats_summary summary;
	bool by_run;
};

/* Why there is no comparison, or that there is one. */
enum compare_state {
	COMPARE_DONE,
	COMPARE_ABSENT,	      /* one side has no such cell, or no value of that metric in it */
	COMPARE_SKIPPED,      /* the cell could not be measured on one side's host */
	COMPARE_INVALID,      /* the cell failed or is not valid on one side */
	COMPARE_INCOMPARABLE, /* the sides differ in what they must have in common */
	COMPARE_STATES,
};
extern const char *const compare_state_names[COMPARE_STATES];

/* How a value differs from that of the first side. */
struct compare_change {
	enum compare_state state;
	char why[RESULT_REASON_SIZE]; /* when not done */
	bool relative; /* change, low and high are b / a - 1; else b - a, where a value is 0 */
	double change;
	struct stats_interval interval; /* of it; confidence 0: too few values */
	double p; /* two-sided; 1 where samples are constants that differ: see constant */
	bool exact;
	bool constant; /* the metric has one value by nature: any difference is one */
};

struct compare_opts {
	double confidence; /* of intervals; 0.95 */
	comparable_set allowed;
};

/* One line: a cell and a metric over all sides. */
struct compare_row {
	struct compare_key key;
	struct metric metric;
	char metric_name[METRIC_NAME_SIZE];
	struct compare_values *values;	/* one per side */
	struct compare_change *changes; /* one per side; the first is not used */
};

struct comparison {
	struct compare_side *sides; /* not owned */
	size_t side_count;
	struct compare_opts opts;
	/* Keys in which any side differs from the first, accepted ones too: of the results, then of any cell. */
	comparable_set differences;
	struct compare_row *
		rows; /* in the order of metrics, then of the first side's cells, then of cells that only others have */
	size_t row_count;
};

/* -ENOMEM. @metrics: names that metric_find() knows. Keeps pointers into @sides. */
int compare_sides(struct compare_side *sides, size_t side_count, const char *const *metrics,
		  size_t n_metrics, const struct compare_opts *opts, struct comparison *c,
		  struct diag *d);
void comparison_free(struct comparison *c);
/* Drops all rows but the first @count. */
void comparison_cut(struct comparison *c, size_t count);

/*
 * @b against @a, both with at least one value. On the logarithms where all values are positive: then an interval of ratios, free of
 * the unit.
 */
struct compare_change compare_values(struct stats_cache *cache, const double *a, size_t n_a,
				     const double *b, size_t n_b, double confidence, bool constant);

/* Is the change one, by its p? */
bool compare_changed(const struct compare_change *change, double confidence);
/* 1: better, -1: worse, 0: no change, or neither is better. */
int compare_sense(const struct compare_change *change, const struct metric *m, double confidence);

#endif
