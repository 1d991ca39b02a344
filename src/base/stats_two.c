// SPDX-License-Identifier: GPL-2.0-only
#include "base/stats_two.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/random.h"

/* Up to this many pairs the distribution of U is counted; beyond, its normal approximation is close enough. */
#define EXACT_MAX_PAIRS 2500
/* Ties make every case a distribution of its own, counted up to this many values of both sides. */
#define EXACT_MAX_TIED 24
/* Pairs of samples drawn to find what can be detected. */
#define ROUNDS	   400
#define FEW_ROUNDS 40
#define MANY_PAIRS 10000
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

/* P(U >= the one seen) and P(U <= the one seen), when b is as a. */
struct tails {
	double up, down;
	bool exact; /* counted */
};

/*
 * Every choice of n_b out of all values alike: number of ways to choose, group by group, by number of values and twice the rank sum.
 * False: no memory.
 */
static bool count_tied(const struct ranked *r, struct tails *t)
{
	size_t n = r->n_a + r->n_b, sums = n * (n + 1) + 1, seen = (size_t)(2 * r->rank_sum_b);
	AB_FREE double *ways = calloc((r->n_b + 1) * sums, sizeof(*ways));
	double all = 0, above = 0, below = 0;
	size_t before = 0;

	if (!ways)
		return false;
	ways[0] = 1;
	for (size_t g = 0; g < r->group_count; g++) {
		size_t twice = 2 * before + r->groups[g] + 1;

		for (size_t i = 0; i < r->groups[g]; i++)
			for (size_t k = r->n_b; k > 0; k--)
				for (size_t s = sums; s-- > twice;)
					ways[k * sums + s] += ways[(k - 1) * sums + s - twice];
		before += r->groups[g];
	}
	for (size_t s = 0; s < sums; s++) {
		double here = ways[r->n_b * sums + s];

		all += here;
		above += s >= seen ? here : 0;
		below += s <= seen ? here : 0;
	}
	*t = (struct tails){above / all, below / all, true};
	return true;
}

/* By the normal distribution, with correction for ties and continuity. */
static struct tails approximate(const struct ranked *r)
{
	double a = (double)r->n_a, b = (double)r->n_b, n = a + b;
	double from_mean = r->rank_sum_b - b * (b + 1) / 2 - a * b / 2;
	double variance = a * b / 12 * (n + 1 - r->tie_sum / (n * (n - 1)));

	if (variance <= 0)
		return (struct tails){1, 1, false};
	return (struct tails){erfc((from_mean - 0.5) / sqrt(variance) / M_SQRT2) / 2,
			      erfc((-from_mean - 0.5) / sqrt(variance) / M_SQRT2) / 2, false};
}

static struct tails tails_of(struct stats_cache *c, const struct ranked *r)
{
	bool tied = r->group_count < r->n_a + r->n_b;
	size_t u = (size_t)(r->rank_sum_b - (double)(r->n_b * (r->n_b + 1)) / 2);
	size_t top = r->n_a * r->n_b;
	struct tails t = {0, 0, true};
	const double *p;

	if (tied && r->n_a + r->n_b <= EXACT_MAX_TIED && count_tied(r, &t))
		return t;
	p = !tied && top <= EXACT_MAX_PAIRS ? distribution(c, r->n_a, r->n_b) : NULL;
	if (!p)
		return approximate(r);
	/* The distribution is symmetrical. */
	for (size_t i = u; i <= top; i++)
		t.up += p[i];
	for (size_t i = top - u; i <= top; i++)
		t.down += p[i];
	t.up = t.up < 1 ? t.up : 1;
	t.down = t.down < 1 ? t.down : 1;
	return t;
}

static struct tails compare_ranks(struct stats_cache *c, const double *a, size_t n_a,
				  const double *b, size_t n_b, double moved)
{
	struct tails t = {1, 1, false};
	struct ranked r;

	if (!n_a || !n_b || n_a > STATS_MAX_SIDE || n_b > STATS_MAX_SIDE)
		return t;
	if (rank(a, n_a, b, n_b, moved, &r))
		t = tails_of(c, &r);
	free(r.groups);
	return t;
}

double stats_p_greater(struct stats_cache *c, const double *a, size_t n_a, const double *b,
		       size_t n_b, double moved)
{
	return compare_ranks(c, a, n_a, b, n_b, moved).up;
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

/* All differences b - a. */
static double *differences(const double *a, size_t n_a, const double *b, size_t n_b)
{
	double *all = calloc(n_a * n_b, sizeof(*all));

	for (size_t i = 0; all && i < n_a; i++)
		for (size_t k = 0; k < n_b; k++)
			all[i * n_b + k] = b[k] - a[i];
	return all;
}

struct stats_two stats_compare(struct stats_cache *c, const double *a, size_t n_a, const double *b,
			       size_t n_b, double confidence)
{
	size_t pairs = n_a * n_b, middle = pairs / 2, k;
	struct stats_two two = {0};
	AB_FREE double *all = NULL;
	struct tails t;
	double tail;

	if (!n_a || !n_b || n_a > STATS_MAX_SIDE || n_b > STATS_MAX_SIDE)
		return two;
	all = differences(a, n_a, b, n_b);
	if (!all)
		return two;
	two.n_a = n_a;
	two.n_b = n_b;
	two.shift = stats_select(all, 0, pairs, middle);
	if (pairs % 2 == 0)
		two.shift += (stats_select(all, 0, middle, middle - 1) - two.shift) / 2;
	k = interval_rank(c, n_a, n_b, confidence, &tail, &two.exact);
	if (k)
		two.interval =
			(struct stats_interval){.low = stats_select(all, 0, middle, k - 1),
						.high = stats_select(all, middle, pairs, pairs - k),
						.confidence = 1 - 2 * tail};
	t = compare_ranks(c, a, n_a, b, n_b, 0);
	two.exact = two.exact && t.exact;
	two.p = 2 * (t.up < t.down ? t.up : t.down);
	two.p = two.p < 1 ? two.p : 1;
	return two;
}

/*
 * Deviations of both samples from their own medians, stretched to what they would be from the true ones, to draw from: smoothed by a kernel of @width (B. W. Silverman, G. A. Young, "The
 * bootstrap: to smooth or not to smooth?", 1987), since few values show the tails badly.
 */
struct pool {
	double *values;
	size_t n;
	double width;
};

static bool fill_pool(struct pool *pool, const double *a, size_t n_a, const double *b, size_t n_b)
{
	double middle_a = stats_summarize(a, n_a, 0).median;
	double middle_b = stats_summarize(b, n_b, 0).median;
	double n = (double)(n_a + n_b), stretch = sqrt(n / (n - 2)), squares = 0;

	*pool = (struct pool){.values = calloc(n_a + n_b, sizeof(double)), .n = n_a + n_b};
	for (size_t i = 0; pool->values && i < pool->n; i++) {
		double value = stretch * (i < n_a ? a[i] - middle_a : b[i - n_a] - middle_b);

		pool->values[i] = value;
		squares += value * value;
	}
	/* Silverman's rule of thumb. */
	pool->width = 1.06 * sqrt(squares / n) * pow(n, -0.2);
	return pool->values;
}

static void free_pool(struct pool *pool)
{
	free(pool->values);
}

/* Roughly normal, mean 0, variance 1. */
static double bump(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 3; i++)
		sum += (double)(random_next(state) >> 11) / 9007199254740992.0;
	return 2 * sum - 3;
}

static void draw(double *to, size_t n, const struct pool *pool, uint64_t *state)
{
	for (size_t i = 0; i < n; i++)
		to[i] = pool->values[random_next(state) % pool->n] + pool->width * bump(state);
}

double stats_detectable(struct stats_cache *c, const double *a, size_t n_a, const double *b,
			size_t n_b, double level, double power)
{
	size_t pairs = n_a * n_b, rounds = pairs <= MANY_PAIRS ? ROUNDS : FEW_ROUNDS, k;
	AB_FREE double *drawn = calloc(n_a + n_b + 1, sizeof(*drawn));
	AB_FREE double *needed = calloc(rounds, sizeof(*needed));
	AB_CLEANUP(free_pool) struct pool pool = {0};
	double tail, found = -1;
	uint64_t state = 1;
	bool exact;

	if (n_a < 2 || n_b < 2 || n_a > STATS_MAX_SIDE || n_b > STATS_MAX_SIDE)
		return -1;
	k = interval_rank(c, n_a, n_b, 1 - 2 * level, &tail, &exact);
	if (!k || !drawn || !needed || !fill_pool(&pool, a, n_a, b, n_b))
		return -1;
	for (size_t i = 0; i < rounds; i++) {
		AB_FREE double *all = NULL;

		draw(drawn, n_a + n_b, &pool, &state);
		all = differences(drawn, n_a, drawn + n_a, n_b);
		if (!all)
			return -1;
		/* Moved down by so much, b would leave k - 1 of the differences above 0. */
		needed[i] = stats_select(all, 0, pairs, pairs - k);
	}
	found = stats_select(needed, 0, rounds, (size_t)ceil(power * (double)rounds) - 1);
	return found > 0 ? found : 0;
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
