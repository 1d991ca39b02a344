// SPDX-License-Identifier: GPL-2.0-only
/*
 * What docs/statistics.md promises of the gate, on noise that was measured: gates over a whole matrix of 72 cells, with nothing planted
 * and with a loss of the margin plus the printed detectable change.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "model/gate.h"
#include "noise_samples.h"

#define CELLS  72
#define MOST_N 40
#ifdef __SANITIZE_ADDRESS__
#define GATES 100
#else
#define GATES 2000
#endif

static uint64_t state;

static uint64_t next_random(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return state >> 33;
}

static double values[CELLS][2][MOST_N];

/* @n measured ratios of one cell, drawn with replacement and moved by up to 0.1 %, so that few are equal. */
static void draw(double *to, size_t n, size_t cell)
{
	const double *from = noise_samples[cell % ARRAY_SIZE(noise_samples)];

	for (size_t i = 0; i < n; i++)
		to[i] = 1e8 * from[next_random() % ARRAY_SIZE(noise_samples[0])] *
			(1 + 0.002 * ((double)next_random() / 2147483648.0 - 0.5));
}

static const struct gate_rule no_drop = {.metric = "bandwidth",
					 .has_max_drop = true,
					 .max_drop_ratio = 0.05};
static const struct gate_rule no_rise = {.metric = "lat.p99",
					 .has_max_rise = true,
					 .max_rise_ratio = 0.1};

static void draw_gate(struct gate_test *tests, const struct gate_rule *rule, size_t n)
{
	for (size_t c = 0; c < CELLS; c++) {
		draw(values[c][0], n, c);
		draw(values[c][1], n, c);
		tests[c] = (struct gate_test){
			.rule = rule, .a = values[c][0], .b = values[c][1], .n_a = n, .n_b = n};
		assert_true(metric_find(rule->metric, &tests[c].metric));
	}
}

static size_t count(const struct gate_test *tests, enum gate_verdict verdict)
{
	size_t n = 0;

	for (size_t c = 0; c < CELLS; c++)
		n += tests[c].verdict == verdict;
	return n;
}

static void test_no_change_no_alarm(void **unused)
{
	struct gate_test tests[CELLS];
	size_t failed = 0;

	state = 1;
	for (size_t g = 0; g < GATES; g++) {
		draw_gate(tests, g % 2 ? &no_drop : &no_rise, g % 4 < 2 ? 10 : 30);
		assert_true(gate_judge(tests, CELLS, GATE_DEFAULT_ALPHA));
		failed += count(tests, GATE_WORSE) > 0;
	}
	printf("# no change: %zu of %d gates over %d cells failed\n", failed, GATES, CELLS);
	assert_true((double)failed <= 0.01 * GATES);
}

/* A change of just the margin: the hardest that must not fail the gate. */
static void test_change_of_the_margin_no_alarm(void **unused)
{
	struct gate_test tests[CELLS];
	size_t failed = 0;

	state = 2;
	for (size_t g = 0; g < GATES; g++) {
		draw_gate(tests, &no_drop, 10);
		for (size_t c = 0; c < CELLS; c++)
			for (size_t i = 0; i < 10; i++)
				values[c][1][i] *= 0.95;
		assert_true(gate_judge(tests, CELLS, GATE_DEFAULT_ALPHA));
		failed += count(tests, GATE_WORSE) > 0;
	}
	printf("# a change of the margin in every cell: %zu of %d gates failed\n", failed, GATES);
	/* Three standard deviations above the level of 1 %. */
	assert_true((double)failed <= 0.01 * GATES + 3 * sqrt(0.01 * GATES));
}

static void find_planted(const struct gate_rule *rule, size_t n)
{
	struct gate_test tests[CELLS];
	size_t found = 0, gates = GATES / 2;
	double detectable = 0;

	for (size_t g = 0; g < gates; g++) {
		size_t c = next_random() % CELLS;
		double loss;

		draw_gate(tests, rule, n);
		assert_true(gate_judge(tests, CELLS, GATE_DEFAULT_ALPHA));
		gate_find_detectable(&tests[c], 1, gate_family(tests, CELLS), GATE_DEFAULT_ALPHA);
		loss = tests[c].detectable_ratio;
		assert_true(loss > 0);
		detectable += loss;
		/* Other repetitions than those that said what they can detect. */
		draw_gate(tests, rule, n);
		for (size_t i = 0; i < n; i++)
			values[c][1][i] *= rule->has_max_drop
						   ? (1 - rule->max_drop_ratio) * (1 - loss)
						   : (1 + rule->max_rise_ratio) * (1 + loss);
		assert_true(gate_judge(tests, CELLS, GATE_DEFAULT_ALPHA));
		found += tests[c].verdict == GATE_WORSE;
	}
	printf("# %s, %zu repetitions: found %zu of %zu, detectable %.1f %% on average\n",
	       rule->metric, n, found, gates, 100 * detectable / (double)gates);
	assert_true((double)found >= GATE_POWER * (double)gates);
}

static void test_planted_losses_are_found(void **unused)
{
	state = 3;
	find_planted(&no_drop, 10);
	find_planted(&no_drop, 30);
	find_planted(&no_rise, 10);
	find_planted(&no_rise, 30);
}

static void test_too_few_can_find_nothing_and_say_so(void **unused)
{
	struct gate_test tests[CELLS];

	state = 4;
	draw_gate(tests, &no_drop, 5);
	for (size_t i = 0; i < 5; i++)
		values[7][1][i] *= 0.3; /* apart from every other, whatever the noise */
	assert_true(gate_judge(tests, CELLS, GATE_DEFAULT_ALPHA));
	assert_int_equal(tests[7].verdict, GATE_NOISY);
	gate_find_detectable(tests, CELLS, gate_family(tests, CELLS), GATE_DEFAULT_ALPHA);
	assert_true(tests[7].detectable_ratio < 0);
	assert_int_equal(gate_repetitions_needed(CELLS, GATE_DEFAULT_ALPHA), 8);
	/* Alone it can. */
	assert_true(gate_judge(&tests[7], 1, GATE_DEFAULT_ALPHA));
	assert_int_equal(tests[7].verdict, GATE_WORSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_change_no_alarm),
		cmocka_unit_test(test_change_of_the_margin_no_alarm),
		cmocka_unit_test(test_planted_losses_are_found),
		cmocka_unit_test(test_too_few_can_find_nothing_and_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
