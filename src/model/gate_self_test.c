// SPDX-License-Identifier: GPL-2.0-only
/* A gate tried on its own base line: nothing planted, and a loss planted in one test after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/random.h"
#include "model/gate.h"

static double uniform(uint64_t *state)
{
	return (double)(random_next(state) >> 11) / 9007199254740992.0;
}

/*
 * Another sample of the same noise: drawn from the base line with replacement, and moved within the distance of neighbours, so
 * that values are not equal more often than measured ones.
 */
static void resample(const double *from, size_t n, double *to, uint64_t *state)
{
	struct stats_summary s = stats_summarize(from, n, 0);
	double step = (s.max - s.min) / (double)(2 * n);

	for (size_t i = 0; i < n; i++)
		to[i] = from[random_next(state) % n] + step * (2 * uniform(state) - 1);
}

/* The tests that can be tried, with room for both samples of each. */
struct trial {
	struct gate_test *tests;
	double *values;
	size_t count;
	uint64_t state;
};

static bool begin(const struct gate *g, struct trial *t)
{
	size_t room = 0;

	t->tests = calloc(g->item_count + 1, sizeof(*t->tests));
	for (size_t i = 0; t->tests && i < g->item_count; i++) {
		const struct gate_test *test = &g->items[i].test;

		if (test->change.state != COMPARE_DONE || test->change.constant || test->n_a < 2)
			continue;
		t->tests[t->count++] = *test;
		room += 2 * test->n_a;
	}
	t->values = calloc(room + 1, sizeof(*t->values));
	return t->tests && t->values;
}

static void end(struct trial *t)
{
	free(t->tests);
	free(t->values);
}

/* Draws both sides of every test anew from @base, the samples of the base line. */
static void draw(struct trial *t, const struct gate_test *base)
{
	double *at = t->values;

	for (size_t i = 0; i < t->count; i++) {
		size_t n = base[i].n_a;

		resample(base[i].a, n, at, &t->state);
		resample(base[i].a, n, at + n, &t->state);
		t->tests[i] = base[i];
		t->tests[i].a = at;
		t->tests[i].b = at + n;
		t->tests[i].n_b = n;
		at += 2 * n;
	}
}

/* A loss of the margin and, on top of it, what the test says that it can detect. */
static void plant(struct gate_test *test)
{
	const struct gate_rule *rule = test->rule;
	double factor = rule->has_max_drop
				? (1 - rule->max_drop_ratio) * (1 - test->detectable_ratio)
				: (1 + rule->max_rise_ratio) * (1 + test->detectable_ratio);
	double *b = (double *)test->b; /* our own, see draw() */

	for (size_t i = 0; i < test->n_b; i++)
		b[i] *= factor;
}

static bool any_worse(const struct trial *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->tests[i].verdict == GATE_WORSE)
			return true;
	return false;
}

static bool quiet_rounds(struct trial *t, const struct gate_test *base, double alpha,
			 struct gate_self_test *out)
{
	for (; out->quiet_rounds < GATE_QUIET_ROUNDS; out->quiet_rounds++) {
		draw(t, base);
		if (!gate_judge(t->tests, t->count, alpha))
			return false;
		out->quiet_failures += any_worse(t);
	}
	return true;
}

static bool plant_rounds(struct trial *t, const struct gate_test *base, double alpha,
			 struct gate_self_test *out)
{
	for (size_t i = 0; i < t->count; i++) {
		for (int round = 0; round < GATE_PLANT_ROUNDS; round++) {
			draw(t, base);
			if (!gate_judge(t->tests, t->count, alpha))
				return false;
			gate_find_detectable(&t->tests[i], 1, gate_family(t->tests, t->count),
					     alpha);
			if (t->tests[i].detectable_ratio < 0) {
				out->blind++;
				break;
			}
			plant(&t->tests[i]);
			if (!gate_judge(t->tests, t->count, alpha))
				return false;
			out->planted++;
			out->found += t->tests[i].verdict == GATE_WORSE;
		}
	}
	return true;
}

bool gate_self_test(const struct gate *g, struct gate_self_test *out)
{
	AB_CLEANUP(end) struct trial t = {.state = 1};
	AB_FREE struct gate_test *base = NULL;

	*out = (struct gate_self_test){0};
	if (!begin(g, &t))
		return false;
	out->tests = t.count;
	base = calloc(t.count + 1, sizeof(*base));
	if (!base)
		return false;
	memcpy(base, t.tests, t.count * sizeof(*base));
	return quiet_rounds(&t, base, g->alpha, out) && plant_rounds(&t, base, g->alpha, out);
}

bool gate_self_test_passed(const struct gate_self_test *t, double alpha)
{
	/* Three standard deviations of so many rounds above what is promised. */
	double allowed = alpha + 3 * sqrt(alpha / (double)GATE_QUIET_ROUNDS);

	return t->tests && !t->blind && t->planted &&
	       (double)t->quiet_failures <= allowed * (double)t->quiet_rounds &&
	       (double)t->found >= (GATE_POWER - 0.05) * (double)t->planted;
}
