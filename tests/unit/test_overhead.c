// SPDX-License-Identifier: GPL-2.0-only
#include "model/overhead.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* One cell; a pair is an untraced repetition at @control and a traced one at @traced bytes per second. */
static void add_pair(struct result_cell *cell, double control, double traced)
{
	unsigned int repetition = (unsigned int)cell->sample_count / 2;

	cell->samples = realloc(cell->samples, (cell->sample_count + 2) * sizeof(*cell->samples));
	assert_non_null(cell->samples);
	cell->samples[cell->sample_count++] =
		(struct result_sample){.repetition = repetition,
				       .ok = true,
				       .bandwidth_bytes_per_s = control};
	cell->samples[cell->sample_count++] =
		(struct result_sample){.repetition = repetition,
				       .ok = true,
				       .traced = true,
				       .bandwidth_bytes_per_s = traced};
}

static void make(struct result *r, size_t cells)
{
	*r = (struct result){.cells = calloc(cells, sizeof(*r->cells)), .cell_count = cells};
	assert_non_null(r->cells);
}

static void test_same_slowdown(void **state)
{
	struct result r;

	make(&r, 2);
	/* Cells of very different speeds, both 2 % slower when traced. */
	for (int i = 0; i < 5; i++) {
		add_pair(&r.cells[0], 1.02e9, 1e9);
		add_pair(&r.cells[1], 1.02e6, 1e6);
	}
	assert_int_equal(overhead_compute(&r), 0);
	assert_true(r.tracer.has_overhead);
	assert_int_equal(r.tracer.overhead_pairs, 10);
	assert_true(fabs(r.tracer.overhead_ratio - 0.02) < 1e-9);
	assert_true(fabs(r.tracer.overhead_low_ratio - 0.02) < 1e-9);
	assert_true(fabs(r.tracer.overhead_high_ratio - 0.02) < 1e-9);
	assert_true(r.tracer.overhead_confidence >= 0.95);
	result_free(&r);
}

static void test_interval_holds_it(void **state)
{
	static const double factor[] = {1.01, 1.03, 0.99, 1.05, 1.02, 1.00, 1.04, 1.02};
	struct result r;

	make(&r, 1);
	for (size_t i = 0; i < sizeof(factor) / sizeof(factor[0]); i++)
		add_pair(&r.cells[0], 1e8 * factor[i], 1e8);
	assert_int_equal(overhead_compute(&r), 0);
	assert_true(r.tracer.overhead_low_ratio < r.tracer.overhead_ratio);
	assert_true(r.tracer.overhead_ratio < r.tracer.overhead_high_ratio);
	assert_true(fabs(r.tracer.overhead_ratio - 0.02) < 0.005);
	result_free(&r);
}

/* A median of two says nothing about its error: the figure stands alone, with no confidence in an interval. */
static void test_one_pair(void **state)
{
	struct result r;

	make(&r, 1);
	add_pair(&r.cells[0], 1.1e8, 1e8);
	assert_int_equal(overhead_compute(&r), 0);
	assert_true(r.tracer.has_overhead);
	assert_int_equal(r.tracer.overhead_pairs, 1);
	assert_true(fabs(r.tracer.overhead_ratio - 0.1) < 1e-9);
	assert_true(r.tracer.overhead_confidence < 0.95);
	result_free(&r);
}

static void test_no_pairs(void **state)
{
	struct result r;

	make(&r, 4);
	r.tracer.has_overhead = true; /* of an earlier judgement */
	add_pair(&r.cells[0], 1e8, 1e8);
	r.cells[0].samples[0].ok = false;
	add_pair(&r.cells[1], 1e8, 1e8);
	r.cells[1].samples[1].ok = false;
	add_pair(&r.cells[2], 1e8, 1e8);
	r.cells[2].samples[0].repetition = 7;
	add_pair(&r.cells[3], 0, 1e8);
	assert_int_equal(overhead_compute(&r), 0);
	assert_false(r.tracer.has_overhead);
	result_free(&r);
	/* No cells at all. */
	assert_int_equal(overhead_compute(&r), 0);
	assert_false(r.tracer.has_overhead);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_slowdown),
		cmocka_unit_test(test_interval_holds_it),
		cmocka_unit_test(test_one_pair),
		cmocka_unit_test(test_no_pairs),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
