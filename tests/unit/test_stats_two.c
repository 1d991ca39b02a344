// SPDX-License-Identifier: GPL-2.0-only
#include "base/stats_two.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "stats_vectors.h"

static void assert_close(double found, double expected, double tolerance, const char *what,
			 size_t i)
{
	if (fabs(found - expected) > tolerance * (fabs(expected) + 1e-3))
		fail_msg("%s of vector %zu is %.17g, R has %.17g", what, i, found, expected);
}

static void test_as_r_has_it(void **state)
{
	AB_CLEANUP(stats_cache_free) struct stats_cache cache = {0};

	for (size_t i = 0; i < ARRAY_SIZE(two_vectors); i++) {
		struct stats_two two = stats_compare(&cache, two_vectors[i].a, two_vectors[i].n_a,
						     two_vectors[i].b, two_vectors[i].n_b,
						     two_vectors[i].confidence);

		assert_true(two.exact);
		assert_int_equal(two.n_a, two_vectors[i].n_a);
		assert_close(two.shift, two_vectors[i].shift, 1e-12, "shift", i);
		if (two_vectors[i].low == 0 && two_vectors[i].high == 0 &&
		    two_vectors[i].n_a * two_vectors[i].n_b < 10) {
			assert_true(two.interval.confidence == 0);
		} else {
			assert_close(two.interval.low, two_vectors[i].low, 1e-12, "low end", i);
			assert_close(two.interval.high, two_vectors[i].high, 1e-12, "high end", i);
			assert_true(two.interval.confidence >= two_vectors[i].confidence - 1e-9);
		}
		assert_close(two.p, two_vectors[i].p, 1e-9, "p", i);
		assert_close(stats_p_greater(&cache, two_vectors[i].a, two_vectors[i].n_a,
					     two_vectors[i].b, two_vectors[i].n_b,
					     two_vectors[i].moved),
			     two_vectors[i].greater, 1e-9, "one-sided p", i);
	}
}

static void test_holm_as_r_has_it(void **state)
{
	double p[ARRAY_SIZE(holm_p)];

	memcpy(p, holm_p, sizeof(p));
	assert_true(stats_holm(p, ARRAY_SIZE(p)));
	for (size_t i = 0; i < ARRAY_SIZE(p); i++)
		assert_close(p[i], holm_adjusted[i], 1e-12, "adjusted p", i);
	assert_true(stats_holm(NULL, 0));
}

/* Where R, too, only approximates: the approximation must meet the count at the size where they change. */
static void test_approximation_meets_the_count(void **state)
{
	AB_CLEANUP(stats_cache_free) struct stats_cache cache = {0};
	double a[51], b[51], counted, approximated;

	srand(3);
	for (size_t i = 0; i < ARRAY_SIZE(a); i++) {
		a[i] = (double)rand();
		b[i] = (double)rand() * 1.1;
	}
	counted = stats_p_greater(&cache, a, 50, b, 50, 0);
	approximated = stats_p_greater(&cache, a, 51, b, 50, 0);
	assert_true(fabs(counted - approximated) < 0.03);
	assert_false(stats_compare(&cache, a, 51, b, 50, 0.95).exact);
	assert_true(stats_compare(&cache, a, 50, b, 50, 0.95).exact);
}

static void test_what_small_samples_can_say(void **state)
{
	static const double low[] = {1, 2, 3, 4, 5}, high[] = {11, 12, 13, 14, 15};
	AB_CLEANUP(stats_cache_free) struct stats_cache cache = {0};

	assert_true(fabs(stats_p_smallest(5, 5) - 1. / 252) < 1e-15);
	assert_true(fabs(stats_p_greater(&cache, low, 5, high, 5, 0) - 1. / 252) < 1e-15);
	assert_true(stats_p_greater(&cache, low, 0, high, 5, 0) == 1);
	assert_true(stats_p_smallest(30, 30) < 1e-16);
	assert_int_equal(stats_compare(&cache, low, 0, high, 5, 0.95).n_a, 0);
	assert_true(stats_compare(&cache, low, 1, high, 1, 0.95).interval.confidence == 0);
	assert_true(stats_compare(&cache, low, 1, high, 1, 0.95).shift == 10);
}

/* Constant samples, as byte counts are: no interval may come out wider or narrower than the nothing that varies. */
static void test_constant_samples(void **state)
{
	static const double same[] = {7, 7, 7, 7, 7}, other[] = {8, 8, 8, 8, 8};
	AB_CLEANUP(stats_cache_free) struct stats_cache cache = {0};
	struct stats_two two = stats_compare(&cache, same, 5, same, 5, 0.95);

	assert_true(two.p == 1 && two.shift == 0);
	assert_true(two.interval.low == 0 && two.interval.high == 0);
	two = stats_compare(&cache, same, 5, other, 5, 0.95);
	assert_true(fabs(two.p - 2. / 252) < 1e-15);
	assert_true(two.interval.low == 1 && two.interval.high == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_r_has_it),
		cmocka_unit_test(test_holm_as_r_has_it),
		cmocka_unit_test(test_approximation_meets_the_count),
		cmocka_unit_test(test_what_small_samples_can_say),
		cmocka_unit_test(test_constant_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
