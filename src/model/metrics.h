/* SPDX-License-Identifier: GPL-2.0-only */
/* What `expect` and `gate` rules, comparisons and exports can name. */
#ifndef AB_MODEL_METRICS_H
#define AB_MODEL_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include "accelbench.h"

#define METRIC_NAME_SIZE 32

enum metric_unit {
	METRIC_RATIO, /* 1 is the whole */
	METRIC_BYTES,
	METRIC_BYTES_PER_S,
	METRIC_PER_S,
	METRIC_NS,
	METRIC_NUMBER,
};

enum metric_sense { METRIC_HIGHER_IS_BETTER, METRIC_LOWER_IS_BETTER, METRIC_NEITHER };

enum metric_stat { STAT_MEAN, STAT_P50, STAT_P90, STAT_P99, STAT_P999, STAT_MAX, STATS };
extern const char *const stat_names[STATS]; /* "p99.9" */

/* One row per metric, and one for each family of "<something>.<stat>". */
struct metric_info {
	const char *name; /* "bandwidth", "lat" */
	enum metric_unit unit;
	enum metric_sense sense;
	unsigned int stats; /* bits 1 << STAT_*: the metric is "<name>.<stat>"; 0: it is "<name>" */
	bool traced;	    /* known from traced repetitions only */
	bool constant;	    /* of the image: the same in every repetition */
	bool offload;	    /* about accelerators: has no meaning for a software engine */
	const char *meaning;
};
extern const struct metric_info metric_table[];
extern const size_t metric_count;

/* A metric by name. */
struct metric {
	const struct metric_info *info; /* NULL: a phase, "<phase>.<stat>" */
	int phase;			/* enum ab_phase, valid when info is NULL */
	enum metric_stat stat;		/* valid for a phase and when info->stats */
	enum metric_unit unit;
	enum metric_sense sense;
	bool traced;
	bool offload;
};

/* False: there is no such metric. */
bool metric_find(const char *name, struct metric *m);

/* Calls @visit with every full name, in table order. */
void metric_each(void (*visit)(void *ctx, const char *name), void *ctx);

#endif
