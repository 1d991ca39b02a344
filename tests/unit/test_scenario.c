// SPDX-License-Identifier: GPL-2.0-only
#include "model/scenario.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "model/fio_options.h"
#include "model/metrics.h"
#include "model/phase.h"

static const char base[] = "name: base\n"
			   "description: >\n"
			   "  Two\n"
			   "  lines.\n"
			   "dataset: {generate: {kind: text, size: 16MiB}}\n"
			   "filesystem: erofs\n"
			   "matrix:\n"
			   "  engine: [none, lz4, deflate, qat_deflate]\n"
			   "  cluster: [4KiB, 64KiB]\n"
			   "workloads:\n"
			   "  seqread: {rw: read, bs: 4k}\n"
			   "  randread: {rw: randread, bs: 4k}\n";

static int parse_text(const char *text, struct scenario *s, struct diag *d)
{
	*d = (struct diag){0};
	return scenario_parse("t.yaml", text, strlen(text), NULL, s, d);
}

/* The base with one --set. */
static int parse_set(const char *set, struct scenario *s, struct diag *d)
{
	const struct scenario_opts opts = {.sets = &set, .set_count = 1};

	*d = (struct diag){0};
	return scenario_parse("t.yaml", base, strlen(base), &opts, s, d);
}

/* Fewer engines by --set: what the file says of the others does not apply; what --set itself brings must fit. */
static void test_narrowed(void **state)
{
	static const char rules[] =
		"image: {level: {deflate: 9}}\n"
		"expect:\n"
		"  - {metric: offload_coverage, min: 0.9}\n"
		"  - {metric: iops, workload: randread, min: 5}\n"
		"  - {metric: offload_coverage, engine: qat_deflate, min: 0.9}\n"
		"gate:\n"
		"  - {metric: iops, cluster: 4KiB, max_drop: 5%}\n"
		"  - {metric: iops, engine: lz4, max_drop: 7%}\n";
	const char *sets[] = {"matrix.engine=[lz4]", "matrix.cluster=[64KiB]",
			      "expect=[{metric: iops, engine: deflate, min: 5}]"};
	struct scenario_opts opts = {.sets = sets, .set_count = 2};
	char text[2048];
	struct scenario s;
	struct diag d = {0};

	snprintf(text, sizeof(text), "%s%s", base, rules);
	assert_int_equal(scenario_parse("t.yaml", text, strlen(text), &opts, &s, &d), 0);
	assert_string_equal(d.text, "");
	assert_int_equal(s.expect_count, 1);
	assert_string_equal(s.expects[0].workload, "randread");
	assert_int_equal(s.gate_count, 1);
	assert_string_equal(s.gates[0].engine, "lz4");
	opts.set_count = 3;
	assert_int_equal(scenario_parse("t.yaml", text, strlen(text), &opts, &s, &d), -EINVAL);
	assert_non_null(strstr(d.text, "'deflate' is not in matrix.engine"));

	snprintf(text, sizeof(text), "%strace: {control: true}\n", base);
	sets[0] = "trace.phases=none";
	opts.set_count = 1;
	assert_int_equal(scenario_parse("t.yaml", text, strlen(text), &opts, &s, &d), 0);
	assert_false(s.trace.enabled);
	assert_false(s.trace.control);
}

static void test_values_and_defaults(void **state)
{
	struct scenario s;
	struct diag d;

	assert_int_equal(parse_text(base, &s, &d), 0);
	assert_string_equal(s.name, "base");
	assert_string_equal(s.description, "Two lines.");
	assert_string_equal(s.file, "t.yaml");
	assert_int_equal(strlen(s.sha256), 64);
	assert_false(s.quick);
	assert_int_equal(s.dataset.kind, DATASET_GENERATE);
	assert_string_equal(s.dataset.generator, "text");
	assert_true(s.dataset.size_bytes == 16 << 20 && s.dataset.seed == 1);
	assert_false(s.dataset.substitute);
	assert_int_equal(s.engine_count, 4);
	assert_ptr_equal(s.engines[3], engine_find("qat_deflate"));
	assert_int_equal(s.cluster_count, 2);
	assert_true(s.clusters_bytes[1] == 65536);
	assert_int_equal(s.workload_count, 2);
	assert_string_equal(s.workloads[1].name, "randread");
	assert_string_equal(s.workloads[1].rw, "randread");
	assert_string_equal(s.workloads[1].ioengine, "psync");
	assert_true(s.workloads[1].bs_bytes == 4096 && s.workloads[1].io_size_bytes == 0);
	assert_true(s.workloads[1].iodepth == 1 && s.workloads[1].numjobs == 1);
	assert_int_equal(s.repeat, 5);
	assert_int_equal(s.backing, BACKING_LOOP_DIRECT);
	assert_int_equal(s.order, ORDER_INTERLEAVED);
	assert_int_equal(s.cache, CACHE_COLD);
	assert_true(s.timeout_ns == 600000000000);
	assert_true(s.image_timeout_ns == 3600000000000);
	assert_true(s.trace.enabled && s.trace.control);
	for (int i = 0; i < AB_PHASES; i++)
		assert_true(s.trace.phases[i]);
	assert_int_equal(scenario_level(&s, engine_find("deflate")), -1);
}

static void test_set(void **state)
{
	struct scenario s;
	struct diag d;

	assert_int_equal(parse_set("image={level: {deflate: 9, qat_deflate: 1}}", &s, &d), 0);
	assert_int_equal(scenario_level(&s, engine_find("deflate")), 9);
	assert_int_equal(scenario_level(&s, engine_find("qat_deflate")), 1);
	assert_int_equal(scenario_level(&s, engine_find("lz4")), -1);
	assert_int_equal(parse_set("image.level=6", &s, &d), 0);
	assert_int_equal(scenario_level(&s, engine_find("deflate")), 6);
	assert_int_equal(scenario_level(&s, engine_find("none")), -1);
	assert_int_equal(parse_set("trace.phases=[wait]", &s, &d), 0);
	assert_true(s.trace.phases[AB_WAIT] && s.trace.phases[AB_TOTAL]);
	assert_false(s.trace.phases[AB_SETUP]);
	assert_int_equal(parse_set("trace.phases=none", &s, &d), 0);
	assert_false(s.trace.enabled || s.trace.control || s.trace.phases[AB_TOTAL]);
	assert_int_equal(parse_set("workloads.third={rw: read, bs: 1m}", &s, &d), 0);
	assert_int_equal(s.workload_count, 3);
	assert_int_equal(parse_set("dataset={path: /data/enwik9}", &s, &d), 0);
	assert_int_equal(s.dataset.kind, DATASET_PATH);
	assert_string_equal(s.dataset.path, "/data/enwik9");
	assert_true(s.dataset.size_bytes == 0);
	assert_int_equal(parse_set("expect=[{metric: lat.p99.9, max: 2ms}]", &s, &d), 0);
	assert_true(s.expects[0].has_max && !s.expects[0].has_min && s.expects[0].max == 2e6);
	assert_int_equal(parse_set("gate=[{metric: wait.p99, max_rise: 10%}]", &s, &d), 0);
	assert_true(s.gates[0].has_max_rise && s.gates[0].max_rise_ratio == 0.1);
}

static void test_later_set_wins_and_beats_quick(void **state)
{
	static const char *const sets[] = {"repeat=3", "repeat=4"};
	const struct scenario_opts both = {.sets = sets, .set_count = 2, .quick = true};
	const struct scenario_opts quick = {.quick = true};
	char text[2048];
	struct scenario s;
	struct diag d;

	snprintf(text, sizeof(text), "%squick: {repeat: 2, dataset.generate.size: 1MiB}\n", base);
	assert_int_equal(scenario_parse("t", text, strlen(text), NULL, &s, &d), 0);
	assert_true(s.repeat == 5 && s.dataset.size_bytes == 16 << 20 && !s.quick);
	assert_int_equal(scenario_parse("t", text, strlen(text), &quick, &s, &d), 0);
	assert_true(s.repeat == 2 && s.dataset.size_bytes == 1 << 20 && s.quick);
	assert_int_equal(scenario_parse("t", text, strlen(text), &both, &s, &d), 0);
	assert_true(s.repeat == 4 && s.dataset.size_bytes == 1 << 20);
}

static void test_corpus(void **state)
{
	static const char corpus[] =
		"dataset={corpus: enwik9, substitute: {kind: text, size: 1MiB, seed: 3}, "
		"sha256: 159b85351e5f76e60cbe32e04c677847a9ecba3adc79addab6f4c6c7aa3744bc}";
	const char *sets[] = {corpus, "dataset.path=/data/enwik9"};
	struct scenario_opts opts = {.sets = sets, .set_count = 1};
	struct scenario s;
	struct diag d;

	assert_int_equal(scenario_parse("t", base, strlen(base), &opts, &s, &d), 0);
	assert_int_equal(s.dataset.kind, DATASET_GENERATE);
	assert_true(s.dataset.substitute && s.dataset.size_bytes == 1 << 20 && s.dataset.seed == 3);
	assert_string_equal(s.dataset.corpus, "enwik9");
	opts.set_count = 2;
	assert_int_equal(scenario_parse("t", base, strlen(base), &opts, &s, &d), 0);
	assert_int_equal(s.dataset.kind, DATASET_PATH);
	assert_false(s.dataset.substitute);
	assert_int_equal(strlen(s.dataset.sha256), 64);
	assert_true(s.dataset.size_bytes == 0);
}

static void expect_round_trip(const struct scenario *s)
{
	AB_STRBUF struct strbuf first = {0}, second = {0};
	struct scenario back;
	struct diag d = {0};

	scenario_print(s, &first);
	if (scenario_parse(s->file, strbuf_str(&first), first.len, NULL, &back, &d))
		fail_msg("%s\n%s", d.text, strbuf_str(&first));
	scenario_print(&back, &second);
	assert_string_equal(strbuf_str(&first), strbuf_str(&second));
	/* The text differs, so its hash does; and it is no profile of anything. */
	memcpy(back.sha256, s->sha256, sizeof(back.sha256));
	back.quick = s->quick;
	assert_memory_equal(&back, s, sizeof(back));
}

static void test_round_trip(void **state)
{
	static const char *const sets[] = {
		"repeat=2",
		"description='\"\\ ''\xc3\xa9'",
		"trace.phases=none",
		"trace={phases: [setup, on_cpu], records: 7, control: false, stacks: {oncpu_hz: 99}}",
		"image.level={deflate: 0}",
		"image.level=9",
		"matrix={engine: [lzma], cluster: [1MiB]}",
		"dataset={path: 'dir with blanks/f', corpus: c}",
		"dataset={corpus: c, substitute: {kind: text, size: 4097MiB, seed: 0}}",
		"workloads={a: {rw: randread, bs: 512, io_size: 1024, runtime: 1.000000001s, randseed: 0}}",
		"expect=[{metric: ratio, min: 2.5, max: 4}, {metric: lat.max, max: 1.5us}, "
		"{metric: bandwidth, engine: lz4, workload: seqread, cluster: 64K, min: 100M}]",
		"gate=[{metric: requests, max_rise: 0.1%, max_drop: 33.3333%}, {metric: total.mean, "
		"max_rise: 1.1}]",
		"expect=[{metric: offload_coverage, min: 0.123456789012345}]",
	};

	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		struct scenario s;
		struct diag d;

		if (parse_set(sets[i], &s, &d))
			fail_msg("%s", d.text);
		expect_round_trip(&s);
	}
}

static void test_load(void **state)
{
	char path[] = "/tmp/ab-test-scenario-XXXXXX";
	struct scenario from_file, from_text;
	struct diag d;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_true(write(fd, base, strlen(base)) == (ssize_t)strlen(base));
	close(fd);
	assert_int_equal(scenario_load(path, NULL, &from_file, &d), 0);
	assert_string_equal(from_file.file, path);
	assert_int_equal(parse_text(base, &from_text, &d), 0);
	assert_string_equal(from_file.sha256, from_text.sha256);
	unlink(path);
	assert_int_equal(scenario_load(path, NULL, &from_file, &d), -ENOENT);
	assert_non_null(strstr(d.text, path));
	assert_int_equal(scenario_load("/", NULL, &from_file, &d), -EISDIR);
}

static void expect_documented(const char *text, const char *name)
{
	char marked[80];

	snprintf(marked, sizeof(marked), "`%s`", name);
	if (!strstr(text, marked))
		fail_msg("%s is not in scenarios/README.md", marked);
}

static void expect_metric_documented(void *text, const char *name)
{
	if (!strchr(name, '.'))
		expect_documented(text, name);
}

/* Every key, option, engine, phase and metric has its place in the manual of scenarios. */
static void test_readme(void **state)
{
	AB_STRBUF struct strbuf text = {0};
	struct diag d;

	if (fs_read_file("scenarios/README.md", 1 << 20, &text, &d))
		fail_msg("%s", d.text);
	for (size_t i = 0; i < scenario_table.count; i++) {
		const struct key_info *k = &scenario_table.keys[i];
		const char *last = strrchr(k->path, '.');

		/*
		 * Of a map that stands for its members, only they have a row; of small maps, only
		 * the map.
		 */
		if (k->type != &key_map && !strstr(strbuf_str(&text), last ? last + 1 : k->path))
			fail_msg("%s is not in scenarios/README.md", k->path);
		if (k->type != &key_map && strcspn(k->path, ".") == strlen(k->path))
			expect_documented(strbuf_str(&text), k->path);
	}
	for (size_t i = 0; i < workload_table.count; i++)
		expect_documented(strbuf_str(&text), workload_table.keys[i].path);
	for (size_t i = 0; i < engine_count; i++)
		expect_documented(strbuf_str(&text), engine_table[i].name);
	for (int i = 0; i < AB_PHASES; i++)
		expect_documented(strbuf_str(&text), phase_table[i].name);
	metric_each(expect_metric_documented, text.data);
}

/* The scenarios that come with the program, and their quick profiles. */
static void test_shipped(void **state)
{
	static const struct {
		const char *path;
		size_t engines, clusters, workloads;
	} shipped[] = {
		{"scenarios/quickstart.yaml", 2, 2, 1},
		{"scenarios/erofs-seq.yaml", 2, 5, 3},
		{"scenarios/erofs-enwik9.yaml", 3, 1, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(shipped); i++) {
		struct scenario s;
		struct diag d;

		if (scenario_load(shipped[i].path, NULL, &s, &d))
			fail_msg("%s", d.text);
		assert_int_equal(s.engine_count, shipped[i].engines);
		assert_int_equal(s.cluster_count, shipped[i].clusters);
		assert_int_equal(s.workload_count, shipped[i].workloads);
		assert_true(s.trace.control);
		expect_round_trip(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_and_defaults),
		cmocka_unit_test(test_narrowed),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_later_set_wins_and_beats_quick),
		cmocka_unit_test(test_corpus),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_readme),
		cmocka_unit_test(test_shipped),
	};

	return cmocka_run_group_tests_name("scenario", tests, NULL, NULL);
}
