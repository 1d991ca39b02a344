// SPDX-License-Identifier: GPL-2.0-only
#include "base/stats_two.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

/* Up to this many pairs the distribution of U is counted; beyond, its normal approximation is close enough. */
#define EXACT_MAX_PAIRS 2500
/* Ties make every case a distribution of its own, counted up to this many values of both sides. */
#define EXACT_MAX_TIED 24
/* Rounding of a sum of probabilities must not decide whether 0.9375 reaches 0.9375. */
#define EPSILON 1e-12

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Probabilities of U = 0 .. n_a * n_b without ties: the coefficients of the Gaussian binomial, product over i of
 * (1 - q^(n_b + i)) / (1 - q^i), each step divided by its value at q = 1, (n_b + i) / i.
 */
static double *count_u(size_t n_a, size_t n_b)
{
	size_t top = n_a * n_b;
	double *p = calloc(top + 1, sizeof(*p));

	if (!p)
		return NULL;
	p[0] = 1;
	for (size_t i = 1; i <= n_a; i++) {
		double share = (double)i / (double)(n_b + i);

		for (size_t u = top + 1; u-- > n_b + i;)
			p[u] -= p[u - n_b - i];
		for (size_t u = i; u <= top; u++)
			p[u] += p[u - i];
		for (size_t u = 0; u <= top; u++)
			p[u] *= share;
	}
	return p;
}

static const double *distribution(struct stats_cache *c, size_t n_a, size_t n_b)
{
	if (c->p && c->n_a == n_a && c->n_b == n_b)
		return c->p;
	stats_cache_free(c);
	c->p = count_u(n_a, n_b);
	c->n_a = n_a;
	c->n_b = n_b;
	return c->p;
}

void stats_cache_free(struct stats_cache *c)
{
	free(c->p);
	c->p = NULL;
}

/* Both samples in one order: midranks, and how ties spoil the distribution. */
struct ranked {
	size_t n_a, n_b;
	double rank_sum_b;
	double tie_sum; /* sum of t^3 - t over groups of t equal values */
	size_t *groups; /* size of each group of equal values, ascending */
	size_t group_count;
};

struct value {
	double value;
	bool is_b;
};

static int compare_values(const void *a, const void *b)
{
	return compare_doubles(&((const struct value *)a)->value,
			       &((const struct value *)b)->value);
}

static bool rank(const double *a, size_t n_a, const double *b, size_t n_b, double moved,
		 struct ranked *r)
{
	size_t n = n_a + n_b;
	AB_FREE struct value *values = calloc(n, sizeof(*values));

	*r = (struct ranked){.n_a = n_a, .n_b = n_b, .groups = calloc(n, sizeof(*r->groups))};
	if (!values || !r->groups)
		return false;
	for (size_t i = 0; i < n; i++)
		values[i] = i < n_a ? (struct value){a[i], false}
				    : (struct value){b[i - n_a] - moved, true};
	qsort(values, n, sizeof(*values), compare_values);
	for (size_t first = 0, next; first < n; first = next) {
		double ties, middle;

		for (next = first + 1; next < n && values[next].value == values[first].value;)
			next++;
		ties = (double)(next - first);
		middle = (double)(first + next + 1) / 2;
		r->groups[r->group_count++] = next - first;
		r->tie_sum += ties * (ties * ties - 1);
		for (size_t i = first; i < next; i++)
			r->rank_sum_b += values[i].is_b ? middle : 0;
	}
	return true;
}

/*
 * P(rank sum of b >= the one seen), every choice of n_b out of all values alike: number of ways to choose, group by group, by
 * number of values and twice the rank sum.
 */
static double count_tied(const struct ranked *r)
{
	size_t n = r->n_a + r->n_b, sums = n * (n + 1) + 1, seen = (size_t)(2 * r->rank_sum_b);
	AB_FREE double *ways = calloc((r->n_b + 1) * sums, sizeof(*ways));
	double all = 0, above = 0;
	size_t before = 0;

	if (!ways)
		return 1;
	ways[0] = 1;
	for (size_t g = 0; g < r->group_count; g++) {
		size_t twice = 2 * before + r->groups[g] + 1;

		for (size_t t = 0; t < r->groups[g]; t++)
			for (size_t k = r->n_b; k > 0; k--)
				for (size_t s = sums; s-- > twice;)
					ways[k * sums + s] += ways[(k - 1) * sums + s - twice];
		before += r->groups[g];
	}
	for (size_t s = 0; s < sums; s++) {
		all += ways[r->n_b * sums + s];
		above += s >= seen ? ways[r->n_b * sums + s] : 0;
	}
	return above / all;
}

/* By the normal distribution, with correction for ties and continuity. */
static double approximate(const struct ranked *r)
{
	double a = (double)r->n_a, b = (double)r->n_b, n = a + b;
	double u = r->rank_sum_b - b * (b + 1) / 2;
	double variance = a * b / 12 * (n + 1 - r->tie_sum / (n * (n - 1)));

	if (variance <= 0)
		return 1;
	return erfc((u - a * b / 2 - 0.5) / sqrt(variance) / M_SQRT2) / 2;
}

static double p_of(struct stats_cache *c, const struct ranked *r, bool *exact)
{
	size_t u = (size_t)(r->rank_sum_b - (double)(r->n_b * (r->n_b + 1)) / 2);
	const double *p;
	double above = 0;

	*exact = true;
	if (r->group_count < r->n_a + r->n_b && r->n_a + r->n_b <= EXACT_MAX_TIED)
		return count_tied(r);
	p = r->group_count == r->n_a + r->n_b && r->n_a * r->n_b <= EXACT_MAX_PAIRS
		    ? distribution(c, r->n_a, r->n_b)
		    : NULL;
	*exact = p;
	if (!p)
		return approximate(r);
	for (size_t i = u; i <= r->n_a * r->n_b; i++)
		above += p[i];
	return above < 1 ? above : 1;
}

static double one_sided(struct stats_cache *c, const double *a, size_t n_a, const double *b,
			size_t n_b, double moved, bool *exact)
{
	struct ranked r;
	double p = 1;

	*exact = false;
	if (!n_a || !n_b || n_a > STATS_MAX_SIDE || n_b > STATS_MAX_SIDE)
		return 1;
	if (rank(a, n_a, b, n_b, moved, &r))
		p = p_of(c, &r, exact);
	free(r.groups);
	return p;
}

double stats_p_greater(struct stats_cache *c, const double *a, size_t n_a, const double *b,
		       size_t n_b, double moved)
{
	bool exact;

	return one_sided(c, a, n_a, b, n_b, moved, &exact);
}

double stats_p_smallest(size_t n_a, size_t n_b)
{
	double p = 1;

	/* One of (n_a + n_b over n_a) orders. */
	for (size_t i = 1; i <= n_a; i++)
		p *= (double)i / (double)(n_b + i);
	return p;
}

/*
 * The largest k for which P(U < k) * 2 stays within 1 - @confidence: the interval runs from the k-th difference to the k-th from the
 * end. 0: even the whole range has less. @tail receives P(U < k).
 */
static size_t interval_rank(struct stats_cache *c, size_t n_a, size_t n_b, double confidence,
			    double *tail, bool *exact)
{
	double a = (double)n_a, b = (double)n_b, deviation = sqrt(a * b * (a + b + 1) / 12);
	const double *p = n_a * n_b <= EXACT_MAX_PAIRS ? distribution(c, n_a, n_b) : NULL;
	size_t k = 0, most = n_a * n_b / 2;

	*exact = p;
	*tail = 0;
	for (; k < most; k++) {
		double next = p ? *tail + p[k]
				: erfc((a * b / 2 - ((double)k + 0.5)) / deviation / M_SQRT2) / 2;

		if (1 - 2 * next + EPSILON < confidence)
			break;
		*tail = next;
	}
	return k;
}

/* All differences b - a, ascending. */
static double *differences(const double *a, size_t n_a, const double *b, size_t n_b)
{
	double *all = calloc(n_a * n_b, sizeof(*all));

	for (size_t i = 0; all && i < n_a; i++)
		for (size_t k = 0; k < n_b; k++)
			all[i * n_b + k] = b[k] - a[i];
	if (all)
		qsort(all, n_a * n_b, sizeof(*all), compare_doubles);
	return all;
}

struct stats_two stats_compare(struct stats_cache *c, const double *a, size_t n_a, const double *b,
			       size_t n_b, double confidence)
{
	struct stats_two two = {0};
	AB_FREE double *all = NULL;
	bool exact_up, exact_down;
	double up, down, tail;
	size_t k;

	if (!n_a || !n_b || n_a > STATS_MAX_SIDE || n_b > STATS_MAX_SIDE)
		return two;
	all = differences(a, n_a, b, n_b);
	if (!all)
		return two;
	two.n_a = n_a;
	two.n_b = n_b;
	two.shift = stats_median(all, n_a * n_b);
	k = interval_rank(c, n_a, n_b, confidence, &tail, &two.exact);
	if (k)
		two.interval = (struct stats_interval){.low = all[k - 1],
						       .high = all[n_a * n_b - k],
						       .confidence = 1 - 2 * tail};
	up = one_sided(c, a, n_a, b, n_b, 0, &exact_up);
	down = one_sided(c, b, n_b, a, n_a, 0, &exact_down);
	two.exact = two.exact && exact_up;
	two.p = 2 * (up < down ? up : down);
	two.p = two.p < 1 ? two.p : 1;
	return two;
}

struct indexed {
	double p;
	size_t index;
};

static int compare_indexed(const void *a, const void *b)
{
	return compare_doubles(&((const struct indexed *)a)->p, &((const struct indexed *)b)->p);
}

bool stats_holm(double *p, size_t n)
{
	AB_FREE struct indexed *order = calloc(n ? n : 1, sizeof(*order));
	double highest = 0;

	if (!order)
		return false;
	for (size_t i = 0; i < n; i++)
		order[i] = (struct indexed){p[i], i};
	qsort(order, n, sizeof(*order), compare_indexed);
	for (size_t i = 0; i < n; i++) {
		double adjusted = order[i].p * (double)(n - i);

		highest = adjusted > highest ? adjusted : highest;
		p[order[i].index] = highest < 1 ? highest : 1;
	}
	return true;
}

/* The place where @cdf passes @p. */
static double invert(double (*cdf)(double x, double df), double df, double p)
{
	double low = -1, high = 1;

	while (cdf(low, df) > p)
		low *= 2;
	while (cdf(high, df) < p)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-13 * (1 + fabs(low)); i++) {
		double middle = (low + high) / 2;

		if (cdf(middle, df) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

static double normal_cdf(double x, double df)
{
	return erfc(-x / M_SQRT2) / 2;
}

/*
 * Student's distribution by Simpson's rule over the angle: with x = sqrt(df) tan(angle) its density is that of cos(angle)^(df - 1),
 * which is smooth and bounded.
 */
static double student_cdf(double x, double df)
{
	const int steps = 400;
	double end = atan(x / sqrt(df)), width = end / steps, sum = 0;
	int sign;
	double scale = exp(lgamma_r((df + 1) / 2, &sign) - lgamma_r(df / 2, &sign)) / sqrt(M_PI);

	for (int i = 0; i <= steps; i++)
		sum += pow(cos(i * width), df - 1) * (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2);
	return 0.5 + scale * sum * width / 3;
}

double stats_normal_quantile(double p)
{
	return invert(normal_cdf, 0, p);
}

double stats_student_quantile(double p, double df)
{
	return invert(student_cdf, df, p);
}
