// SPDX-License-Identifier: GPL-2.0-only
/* bpf/hist.h and the percentiles of sparse histograms against computations of another kind. */
#include "hist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "model/result.h"

#define VALUES 20000

/* Where the bucket of @v begins and how wide it is, by counting leading zeros; bpf/hist.h compares and shifts. */
static void expect_bucket(uint64_t v, uint64_t *low, uint64_t *width)
{
	unsigned int shift = v < 64 ? 0 : 63 - (unsigned int)__builtin_clzll(v) - AB_HIST_SUB_BITS;

	*low = v >> shift << shift;
	*width = 1ull << shift;
}

static void check_value(uint64_t v)
{
	unsigned int index = ab_hist_index(v);
	uint64_t low, width;

	assert_in_range(index, 0, AB_HIST_BUCKETS - 1);
	if (v >> AB_HIST_MAX_BITS) {
		assert_int_equal(index, AB_HIST_BUCKETS - 1);
		return;
	}
	expect_bucket(v, &low, &width);
	assert_int_equal(ab_hist_low(index), low);
	assert_int_equal(ab_hist_width(index), width);
	/* The stated error: the middle is at most 1/64 away from anything in the bucket. */
	assert_true(width == 1 || width * 32 <= low);
}

static void test_powers_of_two(void **state)
{
	for (int bit = 0; bit < 64; bit++) {
		assert_int_equal(ab_msb64(1ull << bit), bit);
		assert_int_equal(ab_msb64((1ull << bit) | ((1ull << bit) - 1)), bit);
		check_value((1ull << bit) - 1);
		check_value(1ull << bit);
		check_value((1ull << bit) + 1);
	}
	check_value(UINT64_MAX);
}

/* Every bucket begins where the one before it ends, and its first and last value find it. */
static void test_no_gap_no_overlap(void **state)
{
	uint64_t next = 0;

	for (unsigned int i = 0; i < AB_HIST_BUCKETS; i++) {
		uint64_t low = ab_hist_low(i), last = low + ab_hist_width(i) - 1;

		assert_int_equal(low, next);
		assert_int_equal(ab_hist_index(low), i);
		assert_int_equal(ab_hist_index(last), i);
		next = last + 1;
	}
	assert_int_equal(next, 1ull << AB_HIST_MAX_BITS);
}

static uint64_t random_value(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	/* Any number of bits up to 40: small values as often as large ones, some too large. */
	return *seed >> (24 + (*seed >> 20) % 40);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Adds sorted values to a histogram without any of the code under test but the bucket's number. */
static void fill(struct result_hist *h, const uint64_t *sorted, size_t n)
{
	*h = (struct result_hist){.present = true,
				  .count = n,
				  .min = sorted[0],
				  .max = sorted[n - 1]};
	h->index = calloc(n, sizeof(*h->index));
	h->counts = calloc(n, sizeof(*h->counts));
	assert_true(h->index && h->counts);
	for (size_t i = 0; i < n; i++) {
		unsigned int index = ab_hist_index(sorted[i]);

		h->sum += sorted[i];
		if (!h->buckets || h->index[h->buckets - 1] != index)
			h->index[h->buckets++] = index;
		h->counts[h->buckets - 1]++;
	}
}

/* Smallest value with at least thousandths/1000 of all at or below it. */
static uint64_t exact_percentile(const uint64_t *sorted, size_t n, size_t thousandths)
{
	return sorted[(n * thousandths + 999) / 1000 - 1];
}

static void check_percentiles(const uint64_t *sorted, size_t n)
{
	static const size_t thousandths[] = {1, 10, 250, 500, 900, 990, 999, 1000};
	struct result_hist h;

	fill(&h, sorted, n);
	for (size_t i = 0; i < sizeof(thousandths) / sizeof(thousandths[0]); i++) {
		uint64_t exact = exact_percentile(sorted, n, thousandths[i]);
		double got = result_hist_percentile(&h, (double)thousandths[i] / 1000);

		if (exact >> AB_HIST_MAX_BITS)
			continue;
		if (got < (double)exact * (1 - 1. / 64) || got > (double)exact * (1 + 1. / 64))
			fail_msg("p%zu of %zu values is %llu, the histogram says %.1f",
				 thousandths[i], n, (unsigned long long)exact, got);
	}
	result_hist_free(&h);
}

static void test_percentiles(void **state)
{
	uint64_t *values = calloc(VALUES, sizeof(*values)), seed = 1;

	assert_non_null(values);
	for (size_t n = 1; n <= VALUES; n = n * 3 + 1) {
		for (size_t i = 0; i < n; i++)
			values[i] = random_value(&seed);
		qsort(values, n, sizeof(*values), by_value);
		check_percentiles(values, n);
	}
	free(values);
}

/* Two halves merged are the whole. */
static void test_merge(void **state)
{
	uint64_t all[600], half[2][300], seed = 7;
	struct result_hist a, b, whole;

	for (size_t i = 0; i < 600; i++)
		half[i % 2][i / 2] = all[i] = random_value(&seed);
	qsort(all, 600, sizeof(all[0]), by_value);
	qsort(half[0], 300, sizeof(all[0]), by_value);
	qsort(half[1], 300, sizeof(all[0]), by_value);
	fill(&a, half[0], 300);
	fill(&b, half[1], 300);
	fill(&whole, all, 600);
	assert_int_equal(result_hist_merge(&a, &b), 0);
	assert_int_equal(a.count, whole.count);
	assert_int_equal(a.sum, whole.sum);
	assert_int_equal(a.min, whole.min);
	assert_int_equal(a.max, whole.max);
	assert_int_equal(a.buckets, whole.buckets);
	for (size_t i = 0; i < whole.buckets; i++) {
		assert_int_equal(a.index[i], whole.index[i]);
		assert_int_equal(a.counts[i], whole.counts[i]);
	}
	result_hist_free(&a);
	result_hist_free(&b);
	result_hist_free(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_powers_of_two),
		cmocka_unit_test(test_no_gap_no_overlap),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
