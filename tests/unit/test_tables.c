// SPDX-License-Identifier: GPL-2.0-only
/* The model's tables: no row left out, every name found. */
#include "model/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "model/phase.h"
#include "model/targets.h"

static void seen(void *ctx, const char *name)
{
	struct metric m;

	if (!metric_find(name, &m))
		fail_msg("%s is listed and not found", name);
	++*(size_t *)ctx;
}

static void test_metrics(void **state)
{
	size_t count = 0;
	struct metric m;

	metric_each(seen, &count);
	assert_int_equal(count, metric_count - 1 + (STATS - 1) + AB_PHASES * STATS);
	assert_true(metric_find("wait.p99.9", &m));
	assert_true(!m.info && m.phase == AB_WAIT && m.stat == STAT_P999 && m.traced);
	assert_true(metric_find("offload_coverage", &m));
	assert_true(m.info && m.offload && m.unit == METRIC_RATIO);
	assert_false(metric_find("", &m));
	assert_false(metric_find("wait", &m));
	assert_false(metric_find("wait.", &m));
	assert_false(metric_find("wait.p98", &m));
	assert_false(metric_find(".p99", &m));
	assert_false(metric_find("bandwidth.p99", &m));
	assert_false(metric_find("lat", &m));
}

/* No row of the tables is left out. */
static void test_tables(void **state)
{
	for (int i = 0; i < AB_PHASES; i++) {
		assert_non_null(phase_table[i].name);
		assert_non_null(phase_table[i].meaning);
		assert_int_equal(phase_find(phase_table[i].name), i);
		assert_int_equal(phase_table[i].kind == PHASE_PARTITION, i < AB_PARTITION);
	}
	assert_int_equal(phase_find("nothing"), -1);
	for (int i = 0; i < AB_COUNTERS; i++)
		assert_true(counter_table[i].name && counter_table[i].meaning);
	for (int i = 0; i < AB_SERVED; i++)
		assert_true(served_table[i].name && served_table[i].meaning);
	for (int i = 0; i < AB_ALGORITHMS; i++)
		assert_non_null(algorithm_names[i]);
	for (size_t i = 0; i < engine_count; i++) {
		assert_ptr_equal(engine_find(engine_table[i].name), &engine_table[i]);
		assert_non_null(engine_table[i].meaning);
		assert_int_equal(!engine_table[i].mkfs_algorithm,
				 !engine_table[i].cluster_max_bytes);
	}
	assert_true(engine_takes_level(engine_find("lzma"), 109));
	assert_false(engine_takes_level(engine_find("lzma"), 10));
	assert_false(engine_takes_level(engine_find("lz4"), 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
