// SPDX-License-Identifier: GPL-2.0-only
#include "run/cpu_stat.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#define TICK 10000000u /* ns, at 100 ticks per second */

static void test_parse(void **state)
{
	struct cpu_stat now;

	assert_int_equal(
		cpu_stat_parse("cpu  1 2 4 8 16 32 64 128 256 512\ncpu0 9 9 9 9 9 9 9 9 9 9\n", 100,
			       &now),
		0);
	/* guest (256) and guest_nice (512) are part of user and nice. */
	assert_int_equal(now.busy_ns, (1 + 2 + 4 + 32 + 64) * (uint64_t)TICK);
	assert_int_equal(now.irq_ns, (32 + 64) * (uint64_t)TICK);
	assert_int_equal(now.idle_ns, (8 + 16) * (uint64_t)TICK);
	assert_int_equal(now.steal_ns, 128 * (uint64_t)TICK);
	assert_int_equal(cpu_stat_parse("cpu  1 2 4 8 16 32 64 128", 1000, &now), 0);
	assert_int_equal(now.idle_ns, (8 + 16) * (uint64_t)TICK / 10);
	/* Steal came last (2.6.11). */
	assert_int_equal(cpu_stat_parse("cpu  1 2 4 8 16 32 64\n", 100, &now), 0);
	assert_int_equal(now.steal_ns, 0);
}

static void test_nonsense(void **state)
{
	struct cpu_stat now;

	assert_int_equal(cpu_stat_parse("", 100, &now), -EINVAL);
	assert_int_equal(cpu_stat_parse("cpu  1 2 4 8 16 32", 100, &now), -EINVAL);
	assert_int_equal(cpu_stat_parse("cpu  a b c", 100, &now), -EINVAL);
	assert_int_equal(cpu_stat_parse("intr 1 2 4 8 16 32 64", 100, &now), -EINVAL);
	assert_int_equal(cpu_stat_parse("cpu  1 2 4 8 16 32 64", 0, &now), -EINVAL);
	assert_int_equal(cpu_stat_parse("cpu  1 2 4 8 16 32 64", -1, &now), -EINVAL);
}

static void test_between(void **state)
{
	const struct cpu_stat before = {.busy_ns = 100,
					.irq_ns = 10,
					.steal_ns = 1,
					.idle_ns = 1000};
	const struct cpu_stat after = {.busy_ns = 150, .irq_ns = 12, .steal_ns = 1, .idle_ns = 990};
	struct result_cpu cpu = {.has_kthread = true, .kthread_ns = 7};

	cpu_stat_between(&before, &after, &cpu);
	assert_true(cpu.has_machine);
	assert_int_equal(cpu.machine_busy_ns, 50);
	assert_int_equal(cpu.machine_irq_ns, 2);
	assert_int_equal(cpu.machine_steal_ns, 0);
	assert_int_equal(cpu.machine_idle_ns, 0); /* iowait can go backwards */
	assert_int_equal(cpu.kthread_ns, 7);
}

static void test_this_machine(void **state)
{
	struct cpu_stat now;

	assert_int_equal(cpu_stat_read(&now), 0);
	assert_true(now.busy_ns > 0);
	assert_true(now.irq_ns <= now.busy_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_this_machine),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
