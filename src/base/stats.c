// SPDX-License-Identifier: GPL-2.0-only
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

/* Rounding of a sum of probabilities must not decide whether 0.9375 reaches 0.9375. */
#define CONFIDENCE_EPSILON 1e-12

/*
 * Up to this many differences the null distribution of the signed-rank sum is counted exactly,
 * in n^3 / 6 additions; beyond it the normal approximation misses the exact rank by one of
 * thousands (n = 200 at 95 %: 8444 instead of 8445).
 */
#define SIGNED_RANK_EXACT_MAX 200

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double stats_median(const double *sorted, size_t n)
{
	if (!n)
		return 0;
	if (n % 2)
		return sorted[n / 2];
	/* Halved before they are added: the sum of two large values must not overflow. */
	return sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
}

/* ln of the probability of exactly @k heads in @n throws. */
static double binomial_log_half(size_t n, size_t k)
{
	int sign;

	return lgamma_r((double)n + 1, &sign) - lgamma_r((double)k + 1, &sign) -
	       lgamma_r((double)(n - k) + 1, &sign) - (double)n * M_LN2;
}

struct stats_interval stats_median_interval(const double *sorted, size_t n, double confidence)
{
	struct stats_interval interval = {0};
	double tail = 0; /* P(heads < k): the median lies below x(k) with this probability */
	size_t k = 0;

	if (n < 2)
		return interval;
	for (size_t next = 1; next <= n / 2; next++) {
		double more = exp(binomial_log_half(n, next - 1));

		if (k && 1 - 2 * (tail + more) + CONFIDENCE_EPSILON < confidence)
			break;
		tail += more;
		k = next;
	}
	interval.low = sorted[k - 1];
	interval.high = sorted[n - k];
	interval.confidence = 1 - 2 * tail;
	return interval;
}

struct stats_summary stats_summarize(const double *values, size_t n, double confidence)
{
	struct stats_summary summary = {0};
	AB_FREE double *sorted = NULL;

	if (!n)
		return summary;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return summary;
	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_doubles);
	summary.n = n;
	summary.median = stats_median(sorted, n);
	summary.min = sorted[0];
	summary.max = sorted[n - 1];
	summary.median_interval = stats_median_interval(sorted, n, confidence);
	return summary;
}

/*
 * The largest k for which P(T < k) * 2 stays within 1 - @confidence, T being the sum of positive
 * ranks of @n differences without a shift; at least 1, 0 without memory. The interval runs from
 * the k-th Walsh average to the k-th from the end. @tail receives P(T < k).
 */
static size_t signed_rank_exact(size_t n, double confidence, double *tail)
{
	size_t sums = n * (n + 1) / 2 + 1;
	AB_FREE double *p = calloc(sums, sizeof(*p));
	size_t k = 1;

	if (!p)
		return 0;
	p[0] = 1;
	for (size_t rank = 1, top = 0; rank <= n; rank++) {
		top += rank;
		for (size_t sum = top + 1; sum-- > 0;)
			p[sum] = (p[sum] + (sum >= rank ? p[sum - rank] : 0)) / 2;
	}
	*tail = p[0];
	while (k < sums / 2 && 1 - 2 * (*tail + p[k]) + CONFIDENCE_EPSILON >= confidence)
		*tail += p[k++];
	return k;
}

/* P(T < k) by the normal approximation with continuity correction. */
static double signed_rank_normal(size_t n, size_t k)
{
	double m = (double)n;
	double mean = m * (m + 1) / 4;
	double deviation = sqrt(m * (m + 1) * (2 * m + 1) / 24);

	return erfc((mean - ((double)k - 0.5)) / deviation / M_SQRT2) / 2;
}

static size_t signed_rank_approximate(size_t n, double confidence, double *tail)
{
	size_t low = 1, high = n * (n + 1) / 4 + 1;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (1 - 2 * signed_rank_normal(n, middle) >= confidence)
			low = middle;
		else
			high = middle;
	}
	*tail = signed_rank_normal(n, low);
	return low;
}

struct stats_shift stats_hodges_lehmann(const double *differences, size_t n, double confidence)
{
	struct stats_shift shift = {0};
	AB_FREE double *walsh = NULL;
	size_t count = 0, k;
	double tail = 0;

	if (!n || n > STATS_MAX_DIFFERENCES)
		return shift;
	walsh = malloc(n * (n + 1) / 2 * sizeof(*walsh));
	if (!walsh)
		return shift;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			walsh[count++] = differences[i] / 2 + differences[j] / 2;
	qsort(walsh, count, sizeof(*walsh), compare_doubles);
	k = n <= SIGNED_RANK_EXACT_MAX ? signed_rank_exact(n, confidence, &tail)
				       : signed_rank_approximate(n, confidence, &tail);
	if (!k)
		return shift;
	shift.n = n;
	shift.estimate = stats_median(walsh, count);
	if (n < 2)
		return shift;
	shift.interval.low = walsh[k - 1];
	shift.interval.high = walsh[count - k];
	shift.interval.confidence = 1 - 2 * tail;
	return shift;
}

/* C. A. R. Hoare, "Algorithm 65: FIND", 1961. Equal values on both sides are exchanged, so that many of them do not make it slow. */
double stats_select(double *v, size_t from, size_t to, size_t k)
{
	while (to - from > 1) {
		double pivot = v[from + (to - from) / 2];
		ptrdiff_t i = (ptrdiff_t)from, j = (ptrdiff_t)to - 1;

		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i <= j) {
				double swap = v[i];

				v[i++] = v[j];
				v[j--] = swap;
			}
		}
		if ((ptrdiff_t)k <= j)
			to = (size_t)j + 1;
		else if ((ptrdiff_t)k >= i)
			from = (size_t)i;
		else
			break;
	}
	return v[k];
}
