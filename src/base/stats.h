/* SPDX-License-Identifier: GPL-2.0-only */
/* Robust statistics of small samples. Methods and sources: docs/methodology.md. */
#ifndef AB_BASE_STATS_H
#define AB_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct stats_interval {
	double low;
	double high;
	double confidence; /* reached, e.g. 0.9375 for n = 5; 0: fewer than 2 samples, low and high not valid */
};

struct stats_summary {
	size_t n;
	double median;
	double min;
	double max;
	struct stats_interval median_interval; /* order statistics, free of any distribution */
};

/* Sorts a copy. No values (or no memory): all zero with n = 0; the caller must not print it. */
struct stats_summary stats_summarize(const double *values, size_t n, double confidence);

/*
 * The smallest interval [x(k), x(n+1-k)] that holds the median with at least @confidence (binomial,
 * p = 1/2); when even [x(1), x(n)] falls short, that one with what it reaches (n = 5: 93.75 %).
 */
struct stats_interval stats_median_interval(const double *sorted, size_t n, double confidence);

double stats_median(const double *sorted, size_t n);

/*
 * The value that would stand at @k if v[from..to) were sorted there, from <= k < to. Afterwards it does, smaller ones before it, larger
 * ones behind it.
 */
double stats_select(double *v, size_t from, size_t to, size_t k);

/*
 * Hodges-Lehmann estimate of the centre of paired differences and its Wilcoxon signed-rank
 * interval: exact up to 200 differences. n = 0 in the answer: there were none, more than
 * STATS_MAX_DIFFERENCES, or no memory.
 */
#define STATS_MAX_DIFFERENCES 4096
struct stats_shift {
	size_t n;
	double estimate;
	struct stats_interval interval;
};
struct stats_shift stats_hodges_lehmann(const double *differences, size_t n, double confidence);

#endif
