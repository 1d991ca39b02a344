/* SPDX-License-Identifier: GPL-2.0-only */
/* A metric's values, one for each repetition: what comparisons rest on. */
#ifndef AB_MODEL_REPETITIONS_H
#define AB_MODEL_REPETITIONS_H

#include "model/metrics.h"
#include "model/result.h"

struct repetitions {
	double *values; /* freed by repetitions_free() */
	size_t n;	/* 0: none, see why */
	char why[RESULT_REASON_SIZE];
};

/*
 * Appends the values of @cell to @rep, in the order of the repetitions: those of the ones that speak for the metric (traced ones where
 * it is known from those only). A constant metric has one value. Results older than format 1.1 have no phases of single
 * repetitions: none, and @rep->why says so. -ENOMEM.
 */
int repetitions_add(const struct result *r, const struct result_cell *cell, const struct metric *m,
		    struct repetitions *rep);
void repetitions_free(struct repetitions *rep);

#endif
