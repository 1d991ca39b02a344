// SPDX-License-Identifier: GPL-2.0-only
#include "model/result.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/fsutil.h"
#include "base/spawn.h"
#include "example_result.h"
#include "model/result_fields.h"

static const struct example_path software = {
	.engine = "sw:deflate",
	.mean_ns = {[AB_SETUP] = 2000, [AB_DECODE] = 150000, [AB_OTHER] = 100},
};
static const struct example_path accelerated = {
	.engine = "qat_deflate",
	.mean_ns = {[AB_SETUP] = 9000,
		    [AB_SUBMIT] = 18000,
		    [AB_WAIT] = 212000,
		    [AB_COPY] = 1200,
		    [AB_OTHER] = 300},
	.service_ns = 196000,
	.wakeup_ns = 12000,
	.unobservable = "this kernel has no function zlib_inflate",
};

/*
 * One of everything: cells done, failed, skipped and pending, strings that want escaping, numbers
 * at their limits.
 */
static void make_example(struct result *r)
{
	uint64_t seed = 3;

	example_head(r);
	r->deterministic = true;
	r->images = calloc(2, sizeof(*r->images));
	r->image_count = 2;
	example_image(&r->images[0], "deflate", 65536);
	example_image(&r->images[1], "none", 4096);
	r->images[1].has_level = false;
	r->images[1].ok = false;
	EXAMPLE_TEXT(r->images[1].reason,
		     "mkfs.erofs: exit status 1: \"no space\"\n\\ \x01\x7f \t€");
	r->cells = calloc(4, sizeof(*r->cells));
	r->cell_count = 4;
	example_cell(&r->cells[0], "qat_deflate", "seqread", 65536, 100, 5, &seed);
	example_trace(&r->cells[0], &accelerated, 800, &software, 20, &seed);
	r->cells[0].valid = false;
	string_list_add(&r->cells[0].invalid_reasons, "20 of 820 requests were not offloaded");
	r->cells[0].trace.counters[AB_CNT_NEGATIVE] = UINT64_MAX;
	r->cells[0].trace.counters[AB_CNT_LATE_NOTIFICATIONS] = (uint64_t)INT64_MAX + 1;
	example_cell(&r->cells[1], "none", "seqread", 4096, 800, 1, &seed);
	r->cells[1].image = 1;
	r->cells[1].status = CELL_FAILED;
	r->cells[1].valid = false;
	EXAMPLE_TEXT(r->cells[1].reason, "fio: exit status 1");
	EXAMPLE_TEXT(r->cells[1].trace.absent, "not requested");
	r->cells[1].samples[0].ok = false;
	r->cells[2].status = CELL_SKIPPED;
	EXAMPLE_TEXT(r->cells[2].engine, "qat_deflate");
	EXAMPLE_TEXT(r->cells[2].workload, "randread");
	EXAMPLE_TEXT(r->cells[2].reason, "kernel built without CONFIG_EROFS_FS_ZIP_ACCEL");
	EXAMPLE_TEXT(r->cells[3].engine, "deflate");
	EXAMPLE_TEXT(r->cells[3].workload, "randread");
	string_list_add(&r->warnings, "governor is powersave");
	string_list_add(&r->warnings, "%s", "");
}

static void to_json(const struct result *r, struct strbuf *out)
{
	struct diag d = {""};

	if (result_to_json(r, out, &d))
		fail_msg("%s", d.text);
}

static void test_round_trip(void **state)
{
	AB_STRBUF struct strbuf first = {0}, second = {0};
	struct result r, again;
	struct diag d = {""};

	make_example(&r);
	to_json(&r, &first);
	if (result_from_json("x", first.data, first.len, &again, &d))
		fail_msg("%s", d.text);
	to_json(&again, &second);
	assert_string_equal(strbuf_str(&first), strbuf_str(&second));
	assert_string_equal(again.images[1].reason, r.images[1].reason);
	assert_string_equal(again.scenario_yaml, r.scenario_yaml);
	assert_string_equal(again.host.accelerator_parameters.items[0], "service_ns=20000");
	assert_true(again.deterministic);
	assert_true(again.cells[0].trace.counters[AB_CNT_NEGATIVE] == UINT64_MAX);
	assert_int_equal(again.cells[2].status, CELL_SKIPPED);
	assert_false(again.cells[0].trace.sets[0].hists[AB_DECODE].present);
	assert_memory_equal(&again.host.emulated, &r.host.emulated, sizeof(bool));
	assert_true(again.tracer.overhead_low_ratio == r.tracer.overhead_low_ratio);
	result_free(&again);
	result_free(&r);
	result_free(&r);
}

static void test_unknown_is_null_never_zero(void **state)
{
	AB_STRBUF struct strbuf text = {0};
	struct result r = {0};

	EXAMPLE_TEXT(r.scenario_name, "empty");
	r.cells = calloc(1, sizeof(*r.cells));
	r.cell_count = 1;
	r.cells[0].samples = calloc(1, sizeof(*r.cells[0].samples));
	r.cells[0].sample_count = 1;
	to_json(&r, &text);
	assert_non_null(strstr(text.data, "\"memory_bytes\": null"));
	assert_non_null(strstr(text.data, "\"bandwidth_bytes_per_s\": null"));
	assert_non_null(strstr(text.data, "\"workload\": null"));
	assert_non_null(strstr(text.data, "\"latency\": null"));
	assert_non_null(strstr(text.data, "\"tracer\": {\n    \"absent\": \"\"\n  }"));
	result_free(&r);
}

static void test_not_finite_is_null(void **state)
{
	AB_STRBUF struct strbuf text = {0};
	struct result r = {0};

	r.tracer.present = true;
	r.tracer.has_overhead = true;
	r.tracer.overhead_ratio = NAN;
	r.tracer.overhead_low_ratio = -INFINITY;
	r.tracer.overhead_confidence = 0.9;
	to_json(&r, &text);
	assert_null(strstr(text.data, "nan"));
	assert_null(strstr(text.data, "inf"));
	assert_non_null(strstr(text.data, "\"slowdown_ratio\": null"));
	result_free(&r);
}

/* A string that was cut inside a character must still make a file that its reader accepts. */
static void test_cut_utf8_is_replaced(void **state)
{
	AB_STRBUF struct strbuf text = {0};
	struct result r, again;
	struct diag d = {""};

	make_example(&r);
	memset(r.cells[1].reason, 'x', sizeof(r.cells[1].reason) - 2);
	r.cells[1].reason[sizeof(r.cells[1].reason) - 2] = '\xe2';
	to_json(&r, &text);
	assert_int_equal(result_from_json("x", text.data, text.len, &again, &d), 0);
	assert_int_equal(again.cells[1].reason[sizeof(again.cells[1].reason) - 2], '?');
	result_free(&again);
	result_free(&r);
}

/* Replaces the first @from in a good file by @to; the reader must refuse it with @message. */
static void refuse(const char *from, const char *to, const char *message)
{
	AB_STRBUF struct strbuf text = {0}, broken = {0};
	struct result r, again;
	struct diag d = {""};
	const char *at;

	make_example(&r);
	to_json(&r, &text);
	result_free(&r);
	at = strstr(text.data, from);
	if (!at)
		fail_msg("no %s in the example", from);
	strbuf_add(&broken, text.data, (size_t)(at - text.data));
	strbuf_puts(&broken, to);
	strbuf_puts(&broken, at + strlen(from));
	if (!result_from_json("r.json", broken.data, broken.len, &again, &d))
		fail_msg("accepted %s", to);
	if (!strstr(d.text, message))
		fail_msg("expected \"%s\", got \"%s\"", message, d.text);
	assert_int_equal(again.cell_count, 0);
}

static void test_hostile_values(void **state)
{
	refuse("accelbench/result", "accelbench/resulT", "r.json: schema: \"accelbench/resulT\"");
	refuse("\"1.1\"", "\"2.0\"", "schema_version: version 2.0, but this program reads 1.x");
	refuse("\"1.1\"", "\"1.1x\"", "is not MAJOR.MINOR");
	refuse("\"1.1\"", "1.1", "schema_version: expected a string, found double");
	refuse("\"complete\": true", "\"complete\": null", "complete: missing");
	refuse("\"complete\": true", "\"complete\": 1",
	       "complete: expected true or false, found int");
	refuse("\"status\": \"done\"", "\"status\": \"won\"",
	       "cells[0].status: \"won\" is none of");
	refuse("\"verdict\": \"invalid\"", "\"verdict\": \"maybe\"", "cells[0].validity.verdict: ");
	refuse("\"cluster_bytes\": 65536", "\"cluster_bytes\": -1",
	       "images[0].cluster_bytes: must not be negative");
	refuse("\"cluster_bytes\": 65536", "\"cluster_bytes\": 1.5",
	       "expected an integer, found double");
	refuse("\"cluster_bytes\": 65536", "\"cluster_bytes\": \"1\"",
	       "expected an integer, found string");
	refuse("\"cpus_online\": 2", "\"cpus_online\": 4294967296", "must be at most 4294967295");
	refuse("\"level\": 9", "\"level\": 99999999999", "images[0].level: must be from");
	refuse("\"compression_ratio\": 2.", "\"compression_ratio\": -2.", "must not be negative");
	refuse("\"compression_ratio\": 2.", "\"compression_ratio\": 1e999, \"x\": 2.", "finite");
	refuse("\"image\": 1", "\"image\": 2", "cells[1].image is 2, but there are 2 images");
	refuse("\"filesystem\": \"erofs\"", "\"filesystem\": \"0123456789abcdef\"",
	       "longer than 15 bytes");
	refuse("\"filesystem\": \"erofs\"", "\"filesystem\": \"a\\u0000b\"",
	       "a NUL inside the string");
	refuse("\"host\": {", "\"host\": [], \"x\": {", "host: expected an object, found array");
	refuse("\"negative\": 18446744073709551615,", "", "counters.negative: missing");
	refuse("\"name\": \"example\"", "\"name\" \"example\"", "r.json:12:12: not JSON: ");
}

static void test_hostile_histograms(void **state)
{
	refuse("\"scheme\": \"log-linear\"", "\"scheme\": \"log\"",
	       "setup.scheme: must be \"log-linear\"");
	refuse("\"sub_buckets\": 32", "\"sub_buckets\": 16", "setup.sub_buckets: must be 32");
	refuse("\"index\": [", "\"index\": [1, ", "cells[0].trace.sets[0].phases.setup.counts: ");
	refuse("\"counts\": [1,", "\"counts\": [-1,", "counts[0]: must not be negative");
	refuse("\"counts\": [1,", "\"counts\": [18446744073709551615,",
	       "the sum of counts exceeds 64 bits");
	refuse("\"min\": ", "\"min\": 9", "min is larger than max");
}

static int parse(const char *text, size_t len, struct diag *d)
{
	struct result r;
	int err = result_from_json("r.json", text, len, &r, d);

	result_free(&r);
	return err;
}

/* A histogram that was tampered with before it was written. */
static void refuse_index(size_t element, uint32_t bucket, const char *message)
{
	AB_STRBUF struct strbuf text = {0};
	struct result r, again;
	struct diag d = {""};

	make_example(&r);
	r.cells[0].trace.sets[0].hists[AB_SETUP].index[element] = bucket;
	to_json(&r, &text);
	result_free(&r);
	assert_int_equal(result_from_json("r.json", text.data, text.len, &again, &d), -EINVAL);
	if (!strstr(d.text, message))
		fail_msg("expected \"%s\", got \"%s\"", message, d.text);
}

static void test_hostile_indices(void **state)
{
	refuse_index(0, 1023,
		     "phases.setup: index must ascend and stay below 1024, but element 1 is");
	refuse_index(1, 0, "but element 1 is 0");
	refuse_index(2, 1024, "but element 2 is 1024");
	refuse_index(2, UINT32_MAX, "but element 2 is 4294967295");
}

static void test_hostile_documents(void **state)
{
	AB_STRBUF struct strbuf text = {0};
	struct diag d = {""};
	struct result r;

	assert_int_equal(parse("", 0, &d), -EINVAL);
	assert_int_equal(parse("[]", 2, &d), -EINVAL);
	assert_int_equal(parse("null", 4, &d), -EINVAL);
	assert_int_equal(parse("{}", 2, &d), -EINVAL);
	assert_string_equal(d.text, "r.json: schema: expected a string, found null");
	assert_int_equal(parse("{\0}", 3, &d), -EINVAL);
	assert_string_equal(d.text, "r.json: not JSON: a NUL byte inside");
	strbuf_pad(&text, '[', 100000);
	assert_int_equal(parse(text.data, text.len, &d), -EINVAL);
	strbuf_reset(&text);
	make_example(&r);
	to_json(&r, &text);
	result_free(&r);
	/* Cut anywhere: refused, nothing leaks (under the sanitizers). */
	for (size_t len = 0; len < text.len - 2; len += 997)
		assert_int_equal(parse(text.data, len, &d), -EINVAL);
	assert_int_equal(parse(text.data, text.len - 3, &d), -EINVAL);
	assert_non_null(strstr(d.text, "cut short?"));
	strbuf_puts(&text, "{}");
	assert_int_equal(parse(text.data, text.len, &d), -EINVAL);
	strbuf_reset(&text);
	strbuf_puts(&text, "{\"schema\": \"\xff\"}");
	assert_int_equal(parse(text.data, text.len, &d), -EINVAL);
	strbuf_reset(&text);
	strbuf_pad(&text, ' ', (32u << 20) + 1);
	assert_int_equal(parse(text.data, text.len, &d), -EFBIG);
}

/* Small JSON, large structs: the bound on memory must hold. */
static void test_amplification_is_bounded(void **state)
{
	static const char head[] =
		"{\"schema\":\"accelbench/result\",\"schema_version\":\"1.0\",\"complete\":true,"
		"\"reference\":false,\"scenario\":{\"name\":\"x\",\"quick\":false},"
		"\"host\":{\"emulated\":false},\"dataset\":{},\"tracer\":{\"absent\":\"\"},\"images\":[";
	AB_STRBUF struct strbuf text = {0};
	struct diag d = {""};

	strbuf_puts(&text, head);
	for (int image = 0; image < 1024; image++) {
		strbuf_printf(
			&text,
			"%s{\"algorithm\":\"x\",\"cluster_bytes\":1,\"ok\":true,\"verified\":[",
			image ? "," : "");
		for (int i = 0; i < 64; i++)
			strbuf_printf(&text, "%s{\"engine_requested\":\"\",\"ok\":true}",
				      i ? "," : "");
		strbuf_puts(&text, "]}");
	}
	strbuf_puts(&text, "],\"cells\":[");
	for (int cell = 0; cell < 8000; cell++) {
		strbuf_printf(
			&text,
			"%s{\"engine_requested\":\"\",\"cluster_bytes\":1,\"workload\":\"\",\"status\":\"done\","
			"\"validity\":{\"verdict\":\"valid\"},\"trace\":{\"absent\":\"\"},\"samples\":[",
			cell ? "," : "");
		for (int i = 0; i < 64; i++)
			strbuf_printf(&text, "%s{\"repetition\":0,\"traced\":true,\"ok\":true}",
				      i ? "," : "");
		strbuf_puts(&text, "]}");
	}
	strbuf_puts(&text, "]}");
	assert_true(text.len < 32u << 20);
	assert_int_equal(parse(text.data, text.len, &d), -EINVAL);
	assert_non_null(strstr(d.text, "the file holds more than is read (256 MiB)"));
}

static void test_later_minor_version_is_read(void **state)
{
	AB_STRBUF struct strbuf text = {0};
	struct result r;
	struct diag d = {""};
	char *version;

	make_example(&r);
	to_json(&r, &text);
	result_free(&r);
	version = strstr(text.data, "\"schema_version\": \"1.1\"");
	version[strlen("\"schema_version\": \"1.")] = '9';
	assert_int_equal(result_from_json("x", text.data, text.len, &r, &d), 0);
	result_free(&r);
}

static void test_save_and_load(void **state)
{
	char dir[] = "/tmp/test_result.XXXXXX", path[64];
	struct result r, again;
	struct diag d = {""};

	assert_non_null(mkdtemp(dir));
	make_example(&r);
	assert_int_equal(result_save(dir, &r, &d), 0);
	assert_int_equal(result_load(dir, &again, &d), 0);
	assert_string_equal(again.id, r.id);
	result_free(&again);
	snprintf(path, sizeof(path), "%s/result.json", dir);
	assert_int_equal(result_load(path, &again, &d), 0);
	result_free(&again);
	assert_int_equal(result_load("/nonexistent", &again, &d), -ENOENT);
	assert_int_equal(result_save("/nonexistent", &r, &d), -ENOENT);
	result_free(&r);
	fs_remove_tree(dir, &d);
}

/* Marks the bytes of a struct that its rows account for, groups included. */
static void mark_rows(const struct table *t, size_t base, unsigned char *seen)
{
	for (size_t i = 0; i < t->field_count; i++) {
		const struct field *f = &t->fields[i];
		size_t size =
			f->type == FIELD_STRING				       ? f->size
			: f->type == FIELD_BOOL || f->type == FIELD_NAMED_BOOL ? sizeof(bool)
			: f->type == FIELD_UINT || f->type == FIELD_INT || f->type == FIELD_ENUM ? 4
			: f->type == FIELD_STRINGS ? sizeof(struct string_list)
			: f->type == FIELD_KEYED   ? f->max * (f->sub ? f->sub->size : 8)
						   : 8;

		if (f->type == FIELD_CONST_STRING || f->type == FIELD_CONST_NUMBER)
			continue;
		if (f->type == FIELD_OBJECT && f->sub->size == t->size)
			mark_rows(f->sub, base, seen);
		else
			memset(seen + base + f->offset, 1,
			       f->type == FIELD_OBJECT ? f->sub->size : size);
		if (f->flags & FIELD_HAS)
			seen[base + f->has] = 1;
		if (f->count)
			memset(seen + base + f->count, 1, sizeof(size_t));
	}
	if (t->can_be_absent) {
		seen[base + t->present] = 1;
		memset(seen + base + t->absent, 1, t->absent_size);
	}
}

/* A member without a row would silently be lost on the way through the file. */
static void check_members(const struct table *t)
{
	unsigned char *seen = calloc(1, t->size + sizeof(uint64_t));
	size_t gap = 0;

	mark_rows(t, 0, seen);
	for (size_t i = 0; i < t->size; i++) {
		gap = seen[i] ? 0 : gap + 1;
		if (gap == sizeof(uint64_t))
			fail_msg("%s: no row for what stands at offset %zu", t->name, i + 1 - gap);
	}
	free(seen);
	for (size_t i = 0; i < t->field_count; i++)
		if (t->fields[i].sub && t->fields[i].sub->size != t->size)
			check_members(t->fields[i].sub);
}

static void test_every_member_has_a_row(void **state)
{
	check_members(&result_table);
}

static void test_hist_percentile(void **state)
{
	uint64_t values[1000];
	struct result_hist h;

	for (size_t i = 0; i < 1000; i++)
		values[i] = 10 * (i + 1);
	example_hist(&h, values, 1000);
	for (int p = 1; p <= 1000; p++) {
		double exact = 10.0 * p, got = result_hist_percentile(&h, p / 1000.0);

		if (fabs(got - exact) > exact / 64 + 0.5)
			fail_msg("p%d: %g instead of %g", p, got, exact);
	}
	result_hist_free(&h);
	/* Values below 64 are exact, and so is one value alone, however large. */
	for (size_t i = 0; i < 3; i++)
		values[i] = 10 * i;
	example_hist(&h, values, 3);
	assert_true(result_hist_percentile(&h, 0.5) == 10);
	assert_true(result_hist_percentile(&h, 1) == 20);
	assert_true(result_hist_percentile(&h, 1e-9) == 0);
	result_hist_free(&h);
	values[0] = 123456789;
	example_hist(&h, values, 1);
	assert_true(result_hist_percentile(&h, 0.99) == 123456789);
	result_hist_free(&h);
}

static void test_hist_merge_is_counting_together(void **state)
{
	struct result_hist all, sum = {0}, part, absent = {.absent = "not applicable"};
	uint64_t values[600], seed = 5;

	for (size_t i = 0; i < 600; i++)
		values[i] = example_next(&seed) % (i < 300 ? 5000 : 500000);
	example_hist(&all, values, 600);
	EXAMPLE_TEXT(sum.absent, "not requested");
	assert_int_equal(result_hist_merge(&sum, &absent), 0);
	assert_false(sum.present);
	for (size_t i = 0; i < 600; i += 200) {
		example_hist(&part, values + i, 200);
		assert_int_equal(result_hist_merge(&sum, &part), 0);
		result_hist_free(&part);
	}
	assert_int_equal(result_hist_merge(&sum, &absent), 0);
	example_hist(&part, values, 0);
	assert_int_equal(result_hist_merge(&sum, &part), 0);
	result_hist_free(&part);
	assert_true(sum.present);
	assert_string_equal(sum.absent, "");
	assert_int_equal(sum.buckets, all.buckets);
	assert_memory_equal(sum.index, all.index, all.buckets * sizeof(*all.index));
	assert_memory_equal(sum.counts, all.counts, all.buckets * sizeof(*all.counts));
	assert_true(sum.count == all.count && sum.sum == all.sum);
	assert_true(sum.min == all.min && sum.max == all.max);
	result_hist_free(&sum);
	result_hist_free(&all);
}

/*
 * An independent validator: what is written satisfies the schema that is printed, and the schema
 * can refuse.
 */
static void test_schema(void **state)
{
	const char *const argv[] = {"/usr/bin/python3", "tests/unit/schema_check.py", NULL, NULL,
				    NULL};
	char dir[] = "/tmp/test_schema.XXXXXX", schema[64], result[64];
	const char *args[ARRAY_SIZE(argv)];
	AB_SPAWN_RESULT struct spawn_result res = {0};
	AB_STRBUF struct strbuf text = {0};
	struct result r;
	struct diag d = {""};

	if (access(argv[0], X_OK)) {
		print_message("skip: %s is not installed\n", argv[0]);
		skip();
	}
	assert_non_null(mkdtemp(dir));
	snprintf(schema, sizeof(schema), "%s/schema.json", dir);
	snprintf(result, sizeof(result), "%s/result.json", dir);
	make_example(&r);
	assert_int_equal(result_save(dir, &r, &d), 0);
	result_free(&r);
	result_schema(&text);
	assert_int_equal(fs_write_atomic(schema, text.data, text.len, &d), 0);
	memcpy(args, argv, sizeof(args));
	args[2] = schema;
	args[3] = result;
	assert_int_equal(spawn_run(args, NULL, &res, &d), 0);
	fs_remove_tree(dir, &d);
	if (!res.signalled && res.exit_status == 4) {
		print_message("skip: python3-jsonschema is not installed\n");
		skip();
	}
	if (res.signalled || res.exit_status)
		fail_msg("%s%s", strbuf_str(&res.out), strbuf_str(&res.err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_unknown_is_null_never_zero),
		cmocka_unit_test(test_not_finite_is_null),
		cmocka_unit_test(test_cut_utf8_is_replaced),
		cmocka_unit_test(test_hostile_values),
		cmocka_unit_test(test_hostile_histograms),
		cmocka_unit_test(test_hostile_indices),
		cmocka_unit_test(test_hostile_documents),
		cmocka_unit_test(test_amplification_is_bounded),
		cmocka_unit_test(test_later_minor_version_is_read),
		cmocka_unit_test(test_save_and_load),
		cmocka_unit_test(test_every_member_has_a_row),
		cmocka_unit_test(test_hist_percentile),
		cmocka_unit_test(test_hist_merge_is_counting_together),
		cmocka_unit_test(test_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
