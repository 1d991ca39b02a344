// SPDX-License-Identifier: GPL-2.0-only
/* The order of mechanisms: by cost, or, where tasks are preempted in the kernel, by what is missed. */
#include "probe/ladder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_preemption(void **state)
{
	assert_true(ladder_preempts("none voluntary (full) lazy "));
	assert_true(ladder_preempts("full (lazy) "));
	assert_false(ladder_preempts("none (voluntary) full lazy "));
	assert_false(ladder_preempts("(none) voluntary full "));
	assert_true(ladder_preempts("#1 SMP PREEMPT Debian 6.12.1-1"));
	assert_true(ladder_preempts("#1 SMP PREEMPT_RT Debian 6.1.1-1"));
	/* Chosen at boot: it cannot be seen here. */
	assert_false(ladder_preempts("#1 SMP PREEMPT_DYNAMIC Debian 6.1.1-1"));
	assert_false(ladder_preempts("#1 SMP Debian 5.10.1-1"));
}

static void test_order(void **state)
{
	struct btf_index index = {.graph_fprobes = false};
	enum mechanism order[MECHANISMS];

	assert_int_equal(ladder_order(&index, MECHANISM_KPROBE, order), 1);
	assert_int_equal(order[0], BY_KPROBE);
	assert_int_equal(ladder_order(&index, MECHANISM_FPROBE, order), 1);
	assert_int_equal(order[0], BY_FPROBE);
	/* Without fprobes on the function graph tracer it does not matter whether tasks are preempted. */
	assert_int_equal(ladder_order(&index, MECHANISM_AUTO, order), MECHANISMS);
	assert_int_equal(order[0], BY_FENTRY);
	assert_int_equal(order[1], BY_FPROBE);
	assert_int_equal(order[2], BY_KPROBE);
	/* With them, each is still tried once. */
	index.graph_fprobes = true;
	assert_int_equal(ladder_order(&index, MECHANISM_AUTO, order), MECHANISMS);
	assert_int_equal(order[0] + order[1] + order[2], BY_FENTRY + BY_FPROBE + BY_KPROBE);
	assert_int_equal(order[2], BY_KPROBE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_preemption),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
