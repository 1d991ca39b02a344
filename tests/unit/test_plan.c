// SPDX-License-Identifier: GPL-2.0-only
#include "model/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cleanup.h"

#define AB_PLAN AB_CLEANUP(plan_free)

static const char text[] =
	"name: plan\n"
	"dataset: {generate: {kind: text, size: 16MiB}}\n"
	"filesystem: erofs\n"
	"matrix: {engine: [none, deflate, qat_deflate], cluster: [4KiB, 64KiB]}\n"
	"image: {level: 9}\n"
	"workloads: {seq: {rw: read, bs: 4k}, rnd: {rw: randread, bs: 4k}}\n"
	"repeat: 6\n";

/* none has one cell per workload, the others one per cluster size too. */
#define CELLS  (2 + 2 * 2 * 2)
#define REPEAT 6

static void build(const char *set, struct scenario *s, struct plan *p)
{
	const struct scenario_opts opts = {.sets = &set, .set_count = set ? 1 : 0};
	struct diag d;

	if (scenario_parse("plan.yaml", text, strlen(text), &opts, s, &d) || plan_build(s, p, &d))
		fail_msg("%s", d.text);
}

static void test_cells_and_images(void **state)
{
	AB_PLAN struct plan p = {0};
	struct scenario s;

	build(NULL, &s, &p);
	assert_int_equal(p.cell_count, CELLS);
	for (size_t i = 0; i < p.cell_count; i++)
		assert_int_equal(p.cells[i].index, i);
	/* Workload fastest, engine slowest. */
	assert_string_equal(p.cells[0].engine->name, "none");
	assert_true(p.cells[0].cluster_bytes == 0);
	assert_string_equal(p.cells[1].workload->name, "rnd");
	assert_string_equal(p.cells[2].engine->name, "deflate");
	assert_true(p.cells[2].cluster_bytes == 4096 && p.cells[4].cluster_bytes == 65536);
	assert_string_equal(p.cells[9].engine->name, "qat_deflate");
	/* Software and accelerator read the same images. */
	assert_int_equal(p.image_count, 3);
	assert_true(p.images[0].level == -1 && p.images[0].cluster_bytes == 0);
	assert_true(p.images[1].level == 9 && p.images[1].cluster_bytes == 4096);
	assert_int_equal(p.cells[2].image, 1);
	assert_int_equal(p.cells[6].image, 1);
	assert_int_equal(p.cells[9].image, 2);
}

static void test_levels_part_images(void **state)
{
	AB_PLAN struct plan p = {0};
	struct scenario s;

	build("image.level={deflate: 9, qat_deflate: 1}", &s, &p);
	assert_int_equal(p.image_count, 5);
}

/* Each cell's repetitions exist once traced and once not, and the two stand side by side. */
static void expect_paired(const struct plan *p)
{
	unsigned int seen[CELLS][REPEAT] = {0};

	assert_int_equal(p->step_count, CELLS * REPEAT * 2);
	for (size_t i = 0; i < p->step_count; i += 2) {
		const struct plan_step *a = &p->steps[i], *b = &p->steps[i + 1];

		assert_int_equal(a->cell, b->cell);
		assert_int_equal(a->repetition, b->repetition);
		assert_true(a->traced != b->traced);
		seen[a->cell][a->repetition]++;
	}
	for (size_t c = 0; c < CELLS; c++)
		for (size_t r = 0; r < REPEAT; r++)
			assert_int_equal(seen[c][r], 1);
}

/* Of a cell's repetitions, as many begin with the tracer as without. */
static void expect_balanced(const struct plan *p)
{
	int balance[CELLS] = {0};

	for (size_t i = 0; i < p->step_count; i += 2)
		balance[p->steps[i].cell] += p->steps[i].traced ? 1 : -1;
	for (size_t c = 0; c < CELLS; c++)
		assert_int_equal(balance[c], 0);
}

static void test_interleaved(void **state)
{
	AB_PLAN struct plan p = {0};
	struct scenario s;
	bool began_with[CELLS] = {false};

	build(NULL, &s, &p);
	expect_paired(&p);
	expect_balanced(&p);
	for (unsigned int round = 0; round < REPEAT; round++) {
		const struct plan_step *steps = &p.steps[round * CELLS * 2];

		for (size_t i = 0; i < CELLS * 2; i++)
			assert_int_equal(steps[i].repetition, round);
		/* No two rounds begin with the same cell, and the direction turns each time. */
		assert_false(began_with[steps[0].cell]);
		began_with[steps[0].cell] = true;
		assert_int_equal(steps[2].cell,
				 (steps[0].cell + (round % 2 ? CELLS - 1 : 1)) % CELLS);
	}
}

static void test_sequential(void **state)
{
	AB_PLAN struct plan p = {0};
	struct scenario s;

	build("order=sequential", &s, &p);
	expect_paired(&p);
	expect_balanced(&p);
	for (size_t i = 0; i < p.step_count; i++) {
		assert_int_equal(p.steps[i].cell, i / (REPEAT * 2));
		assert_int_equal(p.steps[i].repetition, i / 2 % REPEAT);
	}
}

static void test_without_control(void **state)
{
	static const char *const sets[] = {"trace.control=false", "trace.phases=none"};

	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		AB_PLAN struct plan p = {0};
		struct scenario s;

		build(sets[i], &s, &p);
		assert_int_equal(p.step_count, CELLS * REPEAT);
		for (size_t k = 0; k < p.step_count; k++)
			assert_int_equal(p.steps[k].traced, i == 0);
	}
}

static void test_same_every_time(void **state)
{
	AB_PLAN struct plan a = {0}, b = {0};
	AB_STRBUF struct strbuf text_a = {0}, text_b = {0};
	struct scenario s;

	build(NULL, &s, &a);
	build(NULL, &s, &b);
	plan_print(&a, &text_a);
	plan_print(&b, &text_b);
	assert_string_equal(strbuf_str(&text_a), strbuf_str(&text_b));
}

static void test_free_is_repeatable(void **state)
{
	struct scenario s;
	struct plan p;

	build(NULL, &s, &p);
	plan_free(&p);
	plan_free(&p);
	assert_null(p.cells);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells_and_images),
		cmocka_unit_test(test_levels_part_images),
		cmocka_unit_test(test_interleaved),
		cmocka_unit_test(test_sequential),
		cmocka_unit_test(test_without_control),
		cmocka_unit_test(test_same_every_time),
		cmocka_unit_test(test_free_is_repeatable),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
