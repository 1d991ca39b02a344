// SPDX-License-Identifier: GPL-2.0-only
#include "model/live.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "example_result.h"

/* Adds a request of @ns to the set of @engine, all phases alike. */
static void add(struct result_trace *t, const char *engine, uint64_t ns)
{
	struct result_set like = {.direction = "decompress", .size_class_bytes = 4096};
	struct result_set *set;

	EXAMPLE_TEXT(like.engine, engine);
	set = result_trace_set(t, &like);
	assert_non_null(set);
	for (int p = 0; p < AB_PHASES; p++) {
		AB_CLEANUP(result_hist_free) struct result_hist h = {0};

		example_hist(&h, &ns, 1);
		assert_int_equal(result_hist_merge(&set->hists[p], &h), 0);
	}
	t->present = true;
	t->counters[AB_CNT_ENTRIES]++;
	t->counters[AB_CNT_EXITS]++;
}

static void serve(struct result_trace *t, enum ab_served how, uint64_t in, uint64_t out)
{
	t->served[how].requests++;
	t->served[how].in_bytes += in;
	t->served[how].out_bytes += out;
}

static const struct live_row *row(const struct live *l, const char *engine)
{
	for (size_t i = 0; i < l->row_count; i++)
		if (!strcmp(l->rows[i].engine, engine))
			return &l->rows[i];
	fail_msg("no row of %s", engine);
	return NULL;
}

static void test_only_what_came_since(void **state)
{
	AB_CLEANUP(result_trace_free) struct result_trace before = {0}, now = {0};
	AB_CLEANUP(live_free) struct live live = {0};

	for (int i = 0; i < 5; i++) {
		add(&before, "sw:deflate", 1000);
		add(&now, "sw:deflate", 1000);
		serve(&before, AB_SERVED_NO_ENGINE, 10, 40);
		serve(&now, AB_SERVED_NO_ENGINE, 10, 40);
	}
	add(&now, "sw:deflate", 1000);
	add(&now, "sw:deflate", 64000);
	add(&now, "qat_deflate", 2000);
	serve(&now, AB_SERVED_NO_ENGINE, 11, 41);
	serve(&now, AB_SERVED_PARTIAL, 12, 42);
	serve(&now, AB_SERVED_OFFLOADED, 100, 400);
	now.counters[AB_CNT_ENTRIES]++;
	now.counters[AB_CNT_SETS_FULL] = 3;
	assert_int_equal(live_between(&before, &now, &live), 0);
	assert_int_equal(live.requests, 3);
	assert_int_equal(live.out_bytes, 483);
	assert_int_equal(live.in_flight, 1);
	assert_int_equal(live.lost, 3);
	assert_true(live.coverage.by_requests.value * 3 > 0.99);
	assert_true(live.coverage.by_requests.value * 3 < 1.01);
	assert_string_equal(live.rows[0].engine, "sw:deflate");
	assert_int_equal(row(&live, "sw:deflate")->requests, 2);
	assert_int_equal(row(&live, "sw:deflate")->hists[AB_TOTAL].sum, 65000);
	assert_true(row(&live, "sw:deflate")->in_bytes.known);
	assert_true(row(&live, "sw:deflate")->in_bytes.value == 23);
	assert_true(row(&live, "qat_deflate")->out_bytes.value == 400);
}

/* Two decoders: whose bytes are whose is not known, and not guessed. */
static void test_bytes_of_two_decoders_are_unknown(void **state)
{
	AB_CLEANUP(result_trace_free) struct result_trace before = {0}, now = {0};
	AB_CLEANUP(live_free) struct live live = {0};

	add(&now, "sw:deflate", 1000);
	add(&now, "sw:lz4", 500);
	serve(&now, AB_SERVED_NO_ENGINE, 10, 40);
	serve(&now, AB_SERVED_NO_ENGINE, 20, 40);
	assert_int_equal(live_between(&before, &now, &live), 0);
	assert_int_equal(live.in_bytes, 30);
	assert_false(row(&live, "sw:lz4")->in_bytes.known);
	assert_false(row(&live, "sw:deflate")->out_bytes.known);
}

static void test_nothing_happened(void **state)
{
	AB_CLEANUP(result_trace_free) struct result_trace now = {0};
	AB_CLEANUP(live_free) struct live live = {0};

	add(&now, "sw:deflate", 1000);
	serve(&now, AB_SERVED_NO_ENGINE, 10, 40);
	now.counters[AB_CNT_EXITS]++; /* seen before its entry */
	assert_int_equal(live_between(&now, &now, &live), 0);
	assert_int_equal(live.requests, 0);
	assert_int_equal(live.in_flight, 0);
	assert_false(live.coverage.by_requests.known);
	assert_int_equal(live.rows[0].requests, 0);
	assert_int_equal(live.rows[0].hists[AB_TOTAL].count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_came_since),
		cmocka_unit_test(test_bytes_of_two_decoders_are_unknown),
		cmocka_unit_test(test_nothing_happened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
