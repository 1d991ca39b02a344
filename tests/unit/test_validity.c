// SPDX-License-Identifier: GPL-2.0-only
#include "model/validity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "example_result.h"

#define REQUESTS 1000 /* of both sets */
#define PARTIAL	 40

/* One valid cell: every cluster offloaded but for 40 partial decodes in software, two traced repetitions. */
static void make_result(struct result *r)
{
	static const struct example_path offloaded = {
		.engine = "qat_deflate",
		.mean_ns = {[AB_SETUP] = 9000, [AB_WAIT] = 200000, [AB_COPY] = 1000}};
	static const struct example_path software = {.engine = "sw:deflate",
						     .mean_ns = {[AB_DECODE] = 90000}};
	struct result_cell *cell;
	struct result_trace *t;
	uint64_t seed = 1;

	example_head(r);
	r->images = calloc(1, sizeof(*r->images));
	r->cells = cell = calloc(1, sizeof(*r->cells));
	r->image_count = r->cell_count = 1;
	r->images[0].ok = true;
	r->images[0].verifies = calloc(1, sizeof(*r->images[0].verifies));
	r->images[0].verify_count = 1;
	r->images[0].verifies[0].ok = true;
	EXAMPLE_TEXT(r->images[0].verifies[0].engine, "qat_deflate");
	EXAMPLE_TEXT(cell->engine, "qat_deflate");
	EXAMPLE_TEXT(cell->workload, "seqread");
	EXAMPLE_TEXT(cell->rw, "read");
	cell->cluster_bytes = 65536;
	cell->numjobs = cell->iodepth = 1;
	cell->status = CELL_DONE;
	cell->samples = calloc(2, sizeof(*cell->samples));
	cell->sample_count = 2;
	for (unsigned int i = 0; i < 2; i++) {
		example_sample(&cell->samples[i], i, true, 100, 1, 96 << 20, &seed);
		cell->samples[i].disk_read_bytes = 32 << 20;
	}
	t = &cell->trace;
	t->present = true;
	t->sets = calloc(2, sizeof(*t->sets));
	t->set_count = 2;
	example_set(&t->sets[0], &offloaded, REQUESTS - PARTIAL, 65536, &seed);
	example_set(&t->sets[1], &software, PARTIAL, 65536, &seed);
	t->served[AB_SERVED_OFFLOADED] = (struct result_served){.requests = REQUESTS - PARTIAL,
								.in_bytes = 62 << 20,
								.out_bytes = 190 << 20};
	t->served[AB_SERVED_PARTIAL] = (struct result_served){.requests = PARTIAL,
							      .in_bytes = 2 << 20,
							      .out_bytes = 2 << 20};
	t->counters[AB_CNT_ENTRIES] = t->counters[AB_CNT_EXITS] = REQUESTS;
	t->counters[AB_CNT_ENTRY_NS] = 5000;
	t->counters[AB_CNT_EXIT_NS] =
		5000 + t->sets[0].hists[AB_TOTAL].sum + t->sets[1].hists[AB_TOTAL].sum;
	t->counters[AB_CNT_SUBMITS] = REQUESTS - PARTIAL;
	t->counters[AB_CNT_SUBMIT_ASYNC] = REQUESTS - PARTIAL - 5;
	t->counters[AB_CNT_SUBMIT_BUSY] = 5;
	t->counters[AB_CNT_COMPLETIONS] = REQUESTS - PARTIAL;
}

static void judge(struct result *r, const struct scenario *s)
{
	struct diag d;

	assert_int_equal(validity_judge(r, 0, s, &d), 0);
}

static const struct result_check *find_check(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->cells[0].check_count; i++)
		if (!strcmp(r->cells[0].checks[i].name, name))
			return &r->cells[0].checks[i];
	fail_msg("no check %s", name);
	return NULL;
}

/* What makes a check fail. */
#define SPOIL(function) \
	static void function(struct result *r, struct result_cell *cell, struct result_trace *t)

SPOIL(wrong_data)
{
	r->images[0].verifies[0].ok = false;
}
SPOIL(not_read_back)
{
	EXAMPLE_TEXT(r->images[0].verifies[0].engine, "deflate");
}
SPOIL(other_image)
{
	r->images[0].ok = false;
}
SPOIL(failed_repetition)
{
	cell->samples[1].ok = false;
}
SPOIL(no_repetition)
{
	cell->sample_count = 0;
}
SPOIL(failed_request)
{
	t->served[AB_SERVED_FAILED].requests = 1;
}
SPOIL(never_offloaded)
{
	t->served[AB_SERVED_OFFLOADED].requests = 0;
}
SPOIL(other_engine)
{
	EXAMPLE_TEXT(t->sets[1].engine, "sw:lz4");
}
SPOIL(larger_cluster)
{
	t->sets[0].size_class_bytes = 131072;
}
SPOIL(larger_cluster_than_any_on_disk)
{
	t->sets[0].size_class_bytes = 262144;
	r->images[0].observed_cluster_bytes = 65536 + 4096;
}
SPOIL(open_class)
{
	t->sets[0].size_class_bytes = 0;
}
SPOIL(lost_exit)
{
	t->counters[AB_CNT_EXITS]--;
}
SPOIL(lost_completion)
{
	t->counters[AB_CNT_COMPLETIONS]--;
}
SPOIL(in_flight)
{
	t->inflight_at_end = 1;
}
SPOIL(phase_missing)
{
	t->sets[0].hists[AB_SETUP].sum--;
}
SPOIL(wrong_latency)
{
	t->counters[AB_CNT_EXIT_NS] *= 2;
}
SPOIL(too_little_out)
{
	t->served[AB_SERVED_OFFLOADED].out_bytes -= 5 << 20;
}
SPOIL(device_too_much)
{
	cell->samples[0].disk_read_bytes += 8 << 20;
}
SPOIL(device_too_little)
{
	cell->samples[0].disk_read_bytes -= 12 << 20;
}
SPOIL(page_cache)
{
	cell->samples[0].disk_read_bytes = cell->samples[1].disk_read_bytes = 0;
}
SPOIL(many_skipped)
{
	t->recursion_misses = 2;
}
SPOIL(many_negative)
{
	t->counters[AB_CNT_NEGATIVE] = 11;
}

static const struct {
	const char *check;
	void (*spoil)(struct result *r, struct result_cell *cell, struct result_trace *t);
} cases[] = {
	{"integrity", wrong_data},
	{"integrity", not_read_back},
	{"image_as_asked", other_image},
	{"repetitions_succeeded", failed_repetition},
	{"repetitions_succeeded", no_repetition},
	{"requests_without_error", failed_request},
	{"engine_as_asked", never_offloaded},
	{"engine_as_asked", other_engine},
	{"cluster_as_asked", larger_cluster},
	{"cluster_as_asked", larger_cluster_than_any_on_disk},
	{"cluster_as_asked", open_class},
	{"entries_equal_exits", lost_exit},
	{"submits_equal_completions", lost_completion},
	{"none_in_flight", in_flight},
	{"phases_add_up", phase_missing},
	{"littles_law", wrong_latency},
	{"bytes_out_cover_fio", too_little_out},
	{"bytes_in_match_device", device_too_much},
	{"bytes_in_match_device", device_too_little},
	{"bytes_in_match_device", page_cache},
	{"nothing_lost", many_skipped},
	{"no_anomalies", many_negative},
};

static void test_all_pass(void **state)
{
	struct result r;

	make_result(&r);
	judge(&r, NULL);
	for (size_t i = 0; i < r.cells[0].check_count; i++)
		if (!r.cells[0].checks[i].ok || !r.cells[0].checks[i].applicable)
			fail_msg("%s: %s", r.cells[0].checks[i].name, r.cells[0].checks[i].detail);
	assert_true(r.cells[0].valid);
	assert_int_equal(r.cells[0].invalid_reasons.count, 0);
	result_free(&r);
}

static void test_each_can_fail(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct result_check *c;
		struct result r;
		bool told = false;
		char begin[64];

		make_result(&r);
		cases[i].spoil(&r, &r.cells[0], &r.cells[0].trace);
		judge(&r, NULL);
		c = find_check(&r, cases[i].check);
		if (c->ok || !c->applicable)
			fail_msg("case %zu: %s passed: %s", i, c->name, c->detail);
		assert_false(r.cells[0].valid);
		snprintf(begin, sizeof(begin), "%s: ", c->name);
		for (size_t k = 0; k < r.cells[0].invalid_reasons.count; k++)
			told |= !strncmp(r.cells[0].invalid_reasons.items[k], begin, strlen(begin));
		assert_true(told);
		result_free(&r);
	}
}

/* mkfs' encoder of DEFLATE took one block more than it was given: the image's check knows. */
static void test_cluster_one_block_longer(void **state)
{
	struct result r;

	make_result(&r);
	r.images[0].observed_cluster_bytes = 65536 + 4096;
	r.cells[0].trace.sets[0].size_class_bytes = 131072;
	judge(&r, NULL);
	if (!r.cells[0].valid)
		fail_msg("%s", r.cells[0].invalid_reasons.items[0]);
	result_free(&r);
}

/* A check that nobody saw fail is no check. */
static void test_all_have_a_case(void **state)
{
	struct result r;

	make_result(&r);
	judge(&r, NULL);
	for (size_t i = 0; i < r.cells[0].check_count; i++) {
		bool has = false;

		for (size_t k = 0; k < ARRAY_SIZE(cases); k++)
			has |= !strcmp(cases[k].check, r.cells[0].checks[i].name);
		if (!has)
			fail_msg("%s has no case that fails", r.cells[0].checks[i].name);
	}
	result_free(&r);
}

/* Every counter of its kind, one at a time, above and at the tolerance of one in a thousand. */
static void test_counters(void **state)
{
	for (int i = 0; i < AB_COUNTERS; i++) {
		const char *check = counter_table[i].kind == COUNTER_LOSS      ? "nothing_lost"
				    : counter_table[i].kind == COUNTER_ANOMALY ? "no_anomalies"
									       : NULL;

		/* Sampled records are lost without a number being wrong; clamped differences have a tolerance of their own. */
		if (!check || i == AB_CNT_RECORDS_LOST || i == AB_CNT_NEGATIVE)
			continue;
		for (uint64_t n = 1; n <= 2; n++) {
			struct result r;

			make_result(&r);
			r.cells[0].trace.counters[i] += n;
			judge(&r, NULL);
			if (find_check(&r, check)->ok != (n == 1))
				fail_msg("%s = %d: %s", counter_table[i].name, (int)n,
					 find_check(&r, check)->detail);
			result_free(&r);
		}
	}
}

/* A program that the kernel skipped explains one count that does not match, and one strange event. */
static void test_misses_explain(void **state)
{
	struct result r;

	make_result(&r);
	r.cells[0].trace.recursion_misses = 1;
	r.cells[0].trace.counters[AB_CNT_EXITS]--;
	r.cells[0].trace.counters[AB_CNT_OVERWRITTEN] = 1;
	judge(&r, NULL);
	if (!r.cells[0].valid)
		fail_msg("%s", r.cells[0].invalid_reasons.items[0]);
	assert_false(find_check(&r, "littles_law")->applicable);
	result_free(&r);
}

static void test_not_applicable(void **state)
{
	struct result r;

	make_result(&r);
	r.cells[0].numjobs = 2;
	r.cells[0].samples[0].has_disk = r.cells[0].samples[1].has_disk = false;
	memset(&r.cells[0].trace.counters[AB_CNT_SUBMITS], 0, sizeof(uint64_t));
	judge(&r, NULL);
	assert_false(find_check(&r, "bytes_out_cover_fio")->applicable);
	assert_false(find_check(&r, "bytes_in_match_device")->applicable);
	assert_false(find_check(&r, "submits_equal_completions")->applicable);
	assert_true(r.cells[0].valid);

	/* Random reads decompress a cluster several times from one read. */
	r.cells[0].numjobs = 1;
	EXAMPLE_TEXT(r.cells[0].rw, "randread");
	r.cells[0].samples[0].has_disk = true;
	r.cells[0].samples[0].disk_read_bytes = 4096;
	judge(&r, NULL);
	assert_true(find_check(&r, "bytes_in_match_device")->applicable);
	assert_true(r.cells[0].valid);

	/* fio alone: what needs no tracer still counts. */
	result_trace_free(&r.cells[0].trace);
	judge(&r, NULL);
	assert_true(r.cells[0].valid);
	assert_false(find_check(&r, "engine_as_asked")->applicable);
	assert_true(find_check(&r, "integrity")->applicable);
	r.images[0].verifies[0].ok = false;
	judge(&r, NULL);
	assert_false(r.cells[0].valid);
	result_free(&r);
}

static void test_only_done_cells(void **state)
{
	static const enum cell_status others[] = {CELL_PENDING, CELL_FAILED, CELL_SKIPPED};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct result r;

		make_result(&r);
		r.cells[0].status = others[i];
		r.cells[0].valid = true;
		judge(&r, NULL);
		assert_false(r.cells[0].valid);
		assert_int_equal(r.cells[0].invalid_reasons.count, 0);
		result_free(&r);
	}
}

static struct expect_rule rule(const char *metric, double min, double max)
{
	struct expect_rule e = {.has_min = min >= 0, .min = min, .has_max = max >= 0, .max = max};

	EXAMPLE_TEXT(e.metric, metric);
	return e;
}

static void test_expectations(void **state)
{
	AB_FREE struct scenario *s = calloc(1, sizeof(*s));
	struct result r;

	assert_non_null(s);
	make_result(&r);
	s->expects[0] = rule("offload_coverage_whole", 1, -1);
	s->expects[1] = rule("offload_coverage", 0.95, 0.97);
	s->expects[2] = rule("offload_coverage", 0.99, -1);
	EXAMPLE_TEXT(s->expects[2].engine, "deflate");
	s->expects[3] = rule("offload_coverage", 0.99, -1);
	s->expects[3].cluster_bytes = 4096;
	s->expects[4] = rule("offload_coverage", 0.99, -1);
	EXAMPLE_TEXT(s->expects[4].workload, "randread");
	s->expect_count = 5;
	judge(&r, s);
	assert_true(r.cells[0].valid);

	s->expects[0] = rule("offload_coverage", 0.99, -1);
	s->expects[1] = rule("wait.p99", -1, 1000);
	s->expects[2] = rule("ratio", 2, -1);
	s->expect_count = 3;
	judge(&r, s);
	assert_false(r.cells[0].valid);
	assert_int_equal(r.cells[0].invalid_reasons.count, 3);
	assert_string_equal(r.cells[0].invalid_reasons.items[0],
			    "expect: offload_coverage is 0.96, at least 0.99 was expected");
	assert_non_null(strstr(r.cells[0].invalid_reasons.items[1], "at most 1000 was expected"));
	assert_string_equal(r.cells[0].invalid_reasons.items[2],
			    "expect: ratio is not known: no image");
	result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_pass),
		cmocka_unit_test(test_each_can_fail),
		cmocka_unit_test(test_cluster_one_block_longer),
		cmocka_unit_test(test_all_have_a_case),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_misses_explain),
		cmocka_unit_test(test_not_applicable),
		cmocka_unit_test(test_only_done_cells),
		cmocka_unit_test(test_expectations),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
