// SPDX-License-Identifier: GPL-2.0-only
/* One family of tests: margins, Holm's correction, what could have been seen. */
#include <math.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "model/gate.h"

#define REPETITIONS_MAX 64

/*
 * Few repetitions show the tails of their noise badly: the loss that is stated is the one that nearly all draws from them find, so that
 * GATE_POWER of later runs do (tests/unit/test_gate_power.c).
 */
#define DETECTABLE_QUANTILE 0.99

/* The accepted range of the change, on the scale that is tested: logarithms, or differences where a value is 0. */
struct margin {
	bool has_low, has_high;
	double low, high;
};

static struct margin margin_of(const struct gate_test *t)
{
	const struct gate_rule *rule = t->rule;
	struct margin m = {.has_low = rule->has_max_drop, .has_high = rule->has_max_rise};
	double base;

	if (t->change.relative) {
		/* A drop by all of it or more excludes nothing. */
		m.has_low = m.has_low && rule->max_drop_ratio < 1;
		m.low = m.has_low ? log1p(-rule->max_drop_ratio) : 0;
		m.high = log1p(rule->max_rise_ratio);
		return m;
	}
	base = fabs(stats_summarize(t->a, t->n_a, 0).median);
	m.low = -rule->max_drop_ratio * base;
	m.high = rule->max_rise_ratio * base;
	return m;
}

static double on_scale(const struct gate_test *t, double change)
{
	return t->change.relative ? log1p(change) : change;
}

static double *scaled(const struct gate_test *t, const double *values, size_t n)
{
	double *out = calloc(n + 1, sizeof(*out));

	for (size_t i = 0; out && i < n; i++)
		out[i] = t->change.relative ? log(values[i]) : values[i];
	return out;
}

/* P of what was seen if the change were just at the margin; of two margins the smaller, doubled. 1: no memory. */
static double p_within(struct stats_cache *cache, const struct gate_test *t, const struct margin *m)
{
	AB_FREE double *a = scaled(t, t->a, t->n_a);
	AB_FREE double *b = scaled(t, t->b, t->n_b);
	double p = 1, other;

	if (!a || !b)
		return 1;
	if (m->has_high)
		p = stats_p_greater(cache, a, t->n_a, b, t->n_b, m->high);
	if (m->has_low) {
		other = stats_p_greater(cache, b, t->n_b, a, t->n_a, -m->low);
		p = other < p ? other : p;
	}
	p *= m->has_low && m->has_high ? 2 : 1;
	return p < 1 ? p : 1;
}

static bool excludes_loss(const struct gate_test *t, const struct margin *m, double low,
			  double high)
{
	return (!m->has_high || on_scale(t, high) <= m->high + 1e-12) &&
	       (!m->has_low || on_scale(t, low) >= m->low - 1e-12);
}

static bool is_gain(const struct gate_test *t, double low, double high)
{
	return (t->metric.sense == METRIC_HIGHER_IS_BETTER && low > 0) ||
	       (t->metric.sense == METRIC_LOWER_IS_BETTER && high < 0);
}

static enum gate_verdict judge(const struct gate_test *t, double alpha)
{
	const struct stats_interval *i = &t->change.interval;
	struct margin m = margin_of(t);

	if (t->change.constant) {
		if (!excludes_loss(t, &m, t->change.change, t->change.change))
			return GATE_WORSE;
		return is_gain(t, t->change.change, t->change.change) ? GATE_BETTER : GATE_SAME;
	}
	if (t->p_adjusted <= alpha)
		return GATE_WORSE;
	if (i->confidence <= 0 || !excludes_loss(t, &m, i->low, i->high))
		return GATE_NOISY;
	return is_gain(t, i->low, i->high) ? GATE_BETTER : GATE_SAME;
}

/* The loss beyond the margin that is found with GATE_POWER. */
static double detectable(struct stats_cache *cache, const struct gate_test *t, size_t family,
			 double alpha)
{
	AB_FREE double *a = scaled(t, t->a, t->n_a);
	AB_FREE double *b = scaled(t, t->b, t->n_b);
	double level = alpha / (double)family, loss;

	if (t->change.constant)
		return 0;
	if (!t->change.relative || !a || !b)
		return -1;
	if (t->rule->has_max_drop && t->rule->has_max_rise)
		level /= 2; /* p of two margins is doubled */
	loss = stats_detectable(cache, a, t->n_a, b, t->n_b, level, DETECTABLE_QUANTILE);
	if (loss < 0)
		return -1;
	return t->rule->has_max_drop ? -expm1(-loss) : expm1(loss);
}

size_t gate_family(const struct gate_test *tests, size_t count)
{
	size_t family = 0;

	for (size_t i = 0; i < count; i++)
		family += !tests[i].change.constant;
	return family ? family : 1;
}

void gate_find_detectable(struct gate_test *tests, size_t count, size_t family, double alpha)
{
	AB_CLEANUP(stats_cache_free) struct stats_cache cache = {0};

	for (size_t i = 0; i < count; i++)
		tests[i].detectable_ratio = detectable(&cache, &tests[i], family, alpha);
}

bool gate_judge(struct gate_test *tests, size_t count, double alpha)
{
	AB_CLEANUP(stats_cache_free) struct stats_cache cache = {0};
	AB_FREE double *p = calloc(count + 1, sizeof(*p));
	size_t family = 0;

	if (!p)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct gate_test *t = &tests[i];
		struct margin m;

		t->change = compare_values(&cache, t->a, t->n_a, t->b, t->n_b, 1 - 2 * alpha,
					   t->change.constant);
		m = margin_of(t);
		t->p = t->change.constant ? 1 : p_within(&cache, t, &m);
		if (!t->change.constant)
			p[family++] = t->p;
	}
	if (!stats_holm(p, family))
		return false;
	for (size_t i = 0, k = 0; i < count; i++) {
		tests[i].p_adjusted = tests[i].change.constant ? 1 : p[k++];
		tests[i].verdict = judge(&tests[i], alpha);
	}
	return true;
}

size_t gate_repetitions_needed(size_t count, double alpha)
{
	size_t n = 1;

	while (n < REPETITIONS_MAX && stats_p_smallest(n, n) > alpha / (double)(count ? count : 1))
		n++;
	return n;
}
