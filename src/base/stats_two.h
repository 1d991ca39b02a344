/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two independent samples: did the second one move, by how much, and how sure is that. Free of any
 * distribution. Methods and sources: docs/statistics.md.
 */
#ifndef AB_BASE_STATS_TWO_H
#define AB_BASE_STATS_TWO_H

#include "base/stats.h"

/* Values on one side; more are refused (n_a = 0 in the answer). */
#define STATS_MAX_SIDE 4096

/* The distribution for the sizes asked last, since they are asked again and again. All zero at first. */
struct stats_cache {
	size_t n_a, n_b;
	double *p; /* of U = 0 .. n_a * n_b */
};
void stats_cache_free(struct stats_cache *c);

/* How b differs from a. n_a = 0: one side is empty or too large, or there was no memory. */
struct stats_two {
	size_t n_a, n_b;
	double shift; /* Hodges-Lehmann: median of all differences b - a */
	/* Of the shift, by the Mann-Whitney distribution; confidence 0: the samples are too small for what was asked. */
	struct stats_interval interval;
	double p;   /* Mann-Whitney, two-sided */
	bool exact; /* p and interval by counting, not by the normal approximation */
};
struct stats_two stats_compare(struct stats_cache *c, const double *a, size_t n_a, const double *b,
			       size_t n_b, double confidence);

/*
 * P(differences at least as large as these | b is a, moved by @moved): one-sided Mann-Whitney of b - @moved against a. Small when b
 * moved up by more than that. 1 when a side is empty.
 */
double stats_p_greater(struct stats_cache *c, const double *a, size_t n_a, const double *b,
		       size_t n_b, double moved);

/* The smallest p that stats_p_greater() can give for samples of these sizes, all values different. */
double stats_p_smallest(size_t n_a, size_t n_b);

/*
 * The shift of one side that a one-sided Mann-Whitney test at @level finds with probability @power, if the noise is that of the two
 * samples: of pairs of samples drawn from their deviations from the medians, how far each would have to be moved for its p to fall to
 * @level (a value of the sorted differences), and of that the @power quantile. The draws are the same every time. < 0: samples of
 * these sizes cannot reach @level, or there was no memory.
 */
double stats_detectable(struct stats_cache *c, const double *a, size_t n_a, const double *b,
			size_t n_b, double level, double power);

/*
 * Holm's step-down correction: @p of @n tests become adjusted values, in place; all of those up to alpha can be rejected with
 * at most alpha for one wrong rejection. False: no memory.
 */
bool stats_holm(double *p, size_t n);

#endif
