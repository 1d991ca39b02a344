// SPDX-License-Identifier: GPL-2.0-only
#include "base/stats.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "base/spawn.h"

#define MAX_VALUES 260

static void assert_close(double a, double b)
{
	if (fabs(a - b) > 1e-12 * fmax(1, fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

/* The same numbers on every machine. */
static double next_value(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 33) / 1e6 - 1000;
}

static void test_median(void **state)
{
	const double odd[] = {1, 2, 10}, even[] = {1, 2, 10, 20}, huge[] = {DBL_MAX, DBL_MAX};

	assert_close(stats_median(odd, 3), 2);
	assert_close(stats_median(even, 4), 6);
	assert_true(stats_median(huge, 2) == DBL_MAX);
}

static void test_summary_of_few(void **state)
{
	const double values[] = {3, 1, 2};
	struct stats_summary s;

	s = stats_summarize(values, 0, 0.95);
	assert_int_equal(s.n, 0);
	s = stats_summarize(values, 1, 0.95);
	assert_int_equal(s.n, 1);
	assert_close(s.median, 3);
	assert_true(s.median_interval.confidence == 0);
	s = stats_summarize(values, 3, 0.95);
	assert_close(s.median, 2);
	assert_close(s.min, 1);
	assert_close(s.max, 3);
	assert_close(s.median_interval.low, 1);
	assert_close(s.median_interval.high, 3);
	assert_close(s.median_interval.confidence, 0.75);
	assert_close(values[0], 3);
}

/* Ranks of the interval for the median at 95 %, as printed in tables of the sign test. */
static void test_median_interval_table(void **state)
{
	static const struct {
		size_t n, k;
		double reached;
	} table[] = {
		{2, 1, 0.5},
		{3, 1, 0.75},
		{4, 1, 0.875},
		{5, 1, 0.9375},
		{6, 1, 0.96875},
		{8, 1, 0.9921875},
		{9, 2, 0.9609375},
		{10, 2, 0.978515625},
		{12, 3, 0.96142578125},
		{20, 6, 0.9586105346679688},
	};
	double sorted[20];

	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		sorted[i] = (double)i + 1;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct stats_interval got = stats_median_interval(sorted, table[i].n, 0.95);

		assert_close(got.low, (double)table[i].k);
		assert_close(got.high, (double)(table[i].n + 1 - table[i].k));
		assert_close(got.confidence, table[i].reached);
	}
	/* Asked for exactly what five values reach, they must be enough. */
	assert_close(stats_median_interval(sorted, 5, 0.9375).confidence, 0.9375);
	assert_close(stats_median_interval(sorted, 7, 0.9375).low, 1);
	assert_close(stats_median_interval(sorted, 8, 0.9296875).low, 2);
}

static int compare(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) -
	       (*(const double *)a < *(const double *)b);
}

/*
 * Two-sided 5 % critical values of Wilcoxon's signed-rank test: so many Walsh averages lie outside
 * at each end.
 */
static void test_signed_rank_table(void **state)
{
	static const struct {
		size_t n, critical;
	} table[] = {{6, 0},   {7, 2},	 {8, 3},   {9, 5},  {10, 8},
		     {12, 13}, {15, 25}, {20, 52}, {25, 89}};
	double values[25], walsh[25 * 26 / 2];

	for (size_t t = 0; t < ARRAY_SIZE(table); t++) {
		size_t n = table[t].n, count = 0;
		struct stats_shift shift;

		for (size_t i = 0; i < n; i++)
			values[i] = ldexp(1, (int)i) * (i % 2 ? -1 : 1);
		for (size_t i = 0; i < n; i++)
			for (size_t j = i; j < n; j++)
				walsh[count++] = (values[i] + values[j]) / 2;
		qsort(walsh, count, sizeof(*walsh), compare);
		shift = stats_hodges_lehmann(values, n, 0.95);
		assert_int_equal(shift.n, n);
		assert_close(shift.interval.low, walsh[table[t].critical]);
		assert_close(shift.interval.high, walsh[count - 1 - table[t].critical]);
		assert_true(shift.interval.confidence >= 0.95);
	}
}

static void test_shift_of_few(void **state)
{
	const double values[] = {5, 7};
	struct stats_shift shift;

	assert_int_equal(stats_hodges_lehmann(values, 0, 0.95).n, 0);
	assert_int_equal(stats_hodges_lehmann(values, STATS_MAX_DIFFERENCES + 1, 0.95).n, 0);
	shift = stats_hodges_lehmann(values, 1, 0.95);
	assert_close(shift.estimate, 5);
	assert_true(shift.interval.confidence == 0);
	shift = stats_hodges_lehmann(values, 2, 0.95);
	assert_close(shift.estimate, 6);
	assert_close(shift.interval.low, 5);
	assert_close(shift.interval.high, 7);
	assert_close(shift.interval.confidence, 0.5);
}

/* Where the exact distribution hands over to the normal approximation nothing may jump. */
static void test_approximation_continues_the_exact(void **state)
{
	static double values[MAX_VALUES];
	struct stats_shift exact, approximate;
	double width;
	uint64_t seed = 7;

	for (size_t i = 0; i < MAX_VALUES; i++)
		values[i] = next_value(&seed);
	exact = stats_hodges_lehmann(values, 200, 0.95);
	approximate = stats_hodges_lehmann(values, 201, 0.95);
	width = exact.interval.high - exact.interval.low;
	assert_true(fabs(exact.interval.confidence - 0.95) < 1e-4);
	assert_true(fabs(approximate.interval.confidence - 0.95) < 1e-4);
	assert_true(fabs(approximate.interval.low - exact.interval.low) < width * 0.1);
	assert_true(fabs(approximate.interval.high - exact.interval.high) < width * 0.1);
}

static void add_case(FILE *file, const char *kind, const double *values, size_t n,
		     double confidence)
{
	struct stats_interval interval;
	double estimate;

	fprintf(file, "%s %a %zu", kind, confidence, n);
	for (size_t i = 0; i < n; i++)
		fprintf(file, " %a", values[i]);
	if (!strcmp(kind, "median")) {
		struct stats_summary s = stats_summarize(values, n, confidence);

		estimate = s.median;
		interval = s.median_interval;
	} else {
		struct stats_shift s = stats_hodges_lehmann(values, n, confidence);

		estimate = s.estimate;
		interval = s.interval;
	}
	fprintf(file, " %a %a %a %a\n", estimate, interval.low, interval.high, interval.confidence);
}

/* An independent program, with exact integers, must come to the same figures. */
static void test_against_oracle(void **state)
{
	static const double confidences[] = {0.5, 0.9, 0.9375, 0.95, 0.99};
	const char *const argv[] = {"/usr/bin/python3", "tests/unit/stats_oracle.py", NULL};
	AB_SPAWN_RESULT struct spawn_result res = {0};
	AB_FCLOSE FILE *cases = tmpfile();
	struct spawn_opts opts = {0};
	double values[60];
	uint64_t seed = 1;
	struct diag d;

	if (access(argv[0], X_OK)) {
		print_message("skip: %s is not installed\n", argv[0]);
		skip();
	}
	assert_non_null(cases);
	for (size_t n = 1; n <= ARRAY_SIZE(values); n += n < 14 ? 1 : 9) {
		for (size_t c = 0; c < ARRAY_SIZE(confidences); c++) {
			for (size_t i = 0; i < n; i++)
				values[i] = next_value(&seed);
			/* Ties, as equal repetitions give them. */
			if (n > 3 && c % 2)
				values[1] = values[2] = values[3];
			add_case(cases, "median", values, n, confidences[c]);
			add_case(cases, "shift", values, n, confidences[c]);
		}
	}
	fflush(cases);
	rewind(cases);
	opts.stdin_fd = fileno(cases);
	assert_int_equal(spawn_run(argv, &opts, &res, &d), 0);
	if (res.signalled || res.exit_status)
		fail_msg("%s%s", strbuf_str(&res.out), strbuf_str(&res.err));
	assert_string_equal(strbuf_str(&res.out), "190 judged\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_summary_of_few),
		cmocka_unit_test(test_median_interval_table),
		cmocka_unit_test(test_signed_rank_table),
		cmocka_unit_test(test_shift_of_few),
		cmocka_unit_test(test_approximation_continues_the_exact),
		cmocka_unit_test(test_against_oracle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
