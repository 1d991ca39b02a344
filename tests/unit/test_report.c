// SPDX-License-Identifier: GPL-2.0-only
/*
 * The terminal report of example results against golden files in tests/golden/report. Every example
 * goes through its JSON form first. With GOLDEN_UPDATE set in the environment the files are
 * rewritten; look at the difference before committing it.
 */
#include "report/table.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/fsutil.h"
#include "base/utf8.h"
#include "example_result.h"
#include "report/grid.h"

#define GOLDEN	"tests/golden/report/"
#define KIB	1024u
#define REPEATS 5

/* Times of the two paths grow with the cluster; not measured anywhere. */
static struct example_path software_path(uint64_t cluster)
{
	double kib = (double)cluster / KIB;

	return (struct example_path){
		.engine = "sw:deflate",
		.mean_ns =
			{[AB_SETUP] = 2200 + 20 * kib, [AB_DECODE] = 9000 * kib, [AB_OTHER] = 130},
	};
}

static struct example_path accelerated_path(uint64_t cluster)
{
	double kib = (double)cluster / KIB;

	return (struct example_path){
		.engine = "qat_deflate",
		.mean_ns = {[AB_SETUP] = 8000 + 20 * kib,
			    [AB_SUBMIT] = 14000 + 60 * kib,
			    [AB_WAIT] = 20000 + 3000 * kib,
			    [AB_COPY] = 1200,
			    [AB_OTHER] = 300},
		.service_ns = 30000 + 3000 * kib,
		.wakeup_ns = 12000,
	};
}

/* A run of two engines over cluster sizes and workloads, everything fine. */
static void make_run(struct result *r, const uint64_t *clusters, size_t cluster_count,
		     const char *const *workloads, size_t workload_count)
{
	static const char *const engines[] = {"deflate", "qat_deflate"};
	uint64_t seed = 11;
	size_t n = 0;

	example_head(r);
	r->images = calloc(cluster_count, sizeof(*r->images));
	r->image_count = cluster_count;
	for (size_t c = 0; c < cluster_count; c++)
		example_image(&r->images[c], "deflate", clusters[c]);
	r->cell_count = 2 * cluster_count * workload_count;
	r->cells = calloc(r->cell_count, sizeof(*r->cells));
	for (size_t e = 0; e < 2; e++) {
		for (size_t c = 0; c < cluster_count; c++) {
			struct example_path software = software_path(clusters[c]);
			struct example_path path = e ? accelerated_path(clusters[c]) : software;

			for (size_t w = 0; w < workload_count; w++) {
				struct result_cell *cell = &r->cells[n++];
				double mib = (e ? 60 + 6.0 * (double)c * (double)c : 66) /
					     (1 + 4 * (double)w);

				example_cell(cell, engines[e], workloads[w], clusters[c], mib,
					     REPEATS, &seed);
				cell->image = c;
				example_trace(cell, &path, 1000, &software, e && w ? 20 : 0, &seed);
			}
		}
	}
}

static const uint64_t all_clusters[] = {4 * KIB, 16 * KIB, 64 * KIB, 128 * KIB, 256 * KIB};
static const char *const all_workloads[] = {"seqread", "randread", "small-randread"};

static void make_full(struct result *r)
{
	make_run(r, all_clusters, 5, all_workloads, 3);
}

static void make_small(struct result *r)
{
	make_run(r, all_clusters + 1, 2, all_workloads, 1);
}

/* The small one with a workload that has only its name in common. */
static void make_other(struct result *r)
{
	make_small(r);
	for (size_t i = 0; i < r->cell_count; i++)
		r->cells[i].io_size_bytes = 2u << 20;
}

/* Everything that can go wrong, each once. */
static void make_broken(struct result *r)
{
	static const struct example_path blind = {
		.engine = "sw:deflate",
		.mean_ns = {[AB_SETUP] = 150000, [AB_OTHER] = 130},
		.unobservable = "this kernel has no function zlib_inflate (absent or inlined)",
	};
	uint64_t seed = 17;

	make_run(r, all_clusters, 3, all_workloads, 2);
	r->complete = false;
	r->images[1].verifies[0].ok = false;
	EXAMPLE_TEXT(r->images[1].verifies[0].engine, "qat_deflate");
	EXAMPLE_TEXT(r->images[1].verifies[0].reason,
		     "sha256 of the file read is 77aa…, of the dataset 0123…");
	for (size_t i = 8; i < 10; i++) {
		r->cells[i].valid = false;
		string_list_add(&r->cells[i].invalid_reasons,
				"the data read through qat_deflate is wrong");
	}
	r->cells[6].status = CELL_FAILED;
	r->cells[6].valid = false;
	EXAMPLE_TEXT(r->cells[6].reason,
		     "fio: exit status 1: fio: io_u error on file /mnt/testfile: Input/output "
		     "error: read offset=1048576, buflen=4096");
	result_trace_free(&r->cells[6].trace);
	r->cells[5].status = CELL_PENDING;
	r->cells[5].valid = false;
	r->cells[5].sample_count = 2;
	for (size_t i = 10; i < 12; i++) {
		r->cells[i].status = i == 10 ? CELL_SKIPPED : CELL_PENDING;
		r->cells[i].valid = false;
		free(r->cells[i].samples);
		r->cells[i].samples = NULL;
		r->cells[i].sample_count = 0;
		result_trace_free(&r->cells[i].trace);
	}
	EXAMPLE_TEXT(r->cells[10].reason, "the kernel was built without CONFIG_EROFS_FS_ZIP_ACCEL");
	result_trace_free(&r->cells[0].trace);
	example_trace(&r->cells[0], &blind, 400, NULL, 0, &seed);
	r->cells[0].trace.counters[AB_CNT_NEGATIVE] = 3;
	r->cells[0].checks[0].ok = false;
	string_list_add(&r->warnings, "cpufreq governor is powersave");
}

/*
 * Six software engines, one cluster size, no tracing, two repetitions: too wide, and too few to
 * tell.
 */
static void make_wide(struct result *r)
{
	static const char *const engines[] = {"none", "lz4", "lz4hc", "lzma", "deflate", "zstd"};
	uint64_t seed = 23;
	size_t n = 0;

	example_head(r);
	free(r->tracer.hooks);
	r->tracer = (struct result_tracer){0};
	EXAMPLE_TEXT(r->tracer.absent, "not requested");
	r->host.emulated = false;
	r->host.accelerator_kind[0] = '\0';
	EXAMPLE_TEXT(r->host.cpu_model, "A processor");
	EXAMPLE_TEXT(r->target, "host");
	r->cell_count = 18;
	r->cells = calloc(r->cell_count, sizeof(*r->cells));
	for (size_t e = 0; e < 6; e++) {
		for (size_t w = 0; w < 3; w++) {
			struct result_cell *cell = &r->cells[n++];

			example_cell(cell, engines[e], all_workloads[w], e ? 1024 * KIB : 0,
				     2000.0 / (double)((e + 1) * (w * w * 9 + 1)), 1, &seed);
			EXAMPLE_TEXT(cell->trace.absent, "not requested");
		}
	}
}

/* As the published experiment has it. */
static void make_like_published(struct result *r)
{
	make_full(r);
	for (size_t i = 0; i < r->cell_count; i++)
		if (!strcmp(r->cells[i].workload, "small-randread"))
			r->cells[i].io_size_bytes = 14u << 20;
}

static void make_reference(struct result *r)
{
	struct diag d = {""};

	if (result_load("results/reference/erofs-seq", r, &d))
		fail_msg("%s", d.text);
}

static void report(void (*make)(struct result *), const struct report_opts *opts,
		   struct strbuf *out)
{
	AB_STRBUF struct strbuf json = {0};
	struct result made, r;
	struct diag d = {""};

	make(&made);
	assert_int_equal(result_to_json(&made, &json, &d), 0);
	result_free(&made);
	if (result_from_json("example", json.data, json.len, &r, &d))
		fail_msg("%s", d.text);
	if (report_text(&r, opts, out, &d))
		fail_msg("%s", d.text);
	result_free(&r);
}

static void compare(const char *name, const struct strbuf *got)
{
	AB_STRBUF struct strbuf want = {0};
	char path[128];
	struct diag d = {""};

	snprintf(path, sizeof(path), GOLDEN "%s", name);
	if (getenv("GOLDEN_UPDATE")) {
		assert_int_equal(fs_write_atomic(path, got->data, got->len, &d), 0);
		return;
	}
	if (fs_read_file(path, 1 << 20, &want, &d))
		fail_msg("%s", d.text);
	if (strcmp(strbuf_str(&want), strbuf_str(got)))
		fail_msg("%s: GOLDEN_UPDATE=1 shows the difference; now it reads\n%s", path,
			 strbuf_str(got));
}

/* No line may be wider than asked for, end in a blank, or hold a control character. */
static void check_lines(const char *text, size_t columns)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		AB_STRBUF struct strbuf line = {0};

		strbuf_add(&line, text, len);
		if (len && (text[len - 1] == ' ' || utf8_width(strbuf_str(&line)) > columns))
			fail_msg("%zu columns: \"%s\"", utf8_width(strbuf_str(&line)),
				 strbuf_str(&line));
		for (size_t i = 0; i < len; i++)
			assert_true((unsigned char)text[i] >= 0x20 && text[i] != 0x7f);
		text += len + (text[len] == '\n');
	}
}

static void golden(const char *name, void (*make)(struct result *), void (*beside)(struct result *),
		   struct report_opts opts)
{
	AB_STRBUF struct strbuf out = {0};
	struct result b = {0};

	if (beside) {
		beside(&b);
		opts.beside = &b;
	}
	report(make, &opts, &out);
	result_free(&b);
	if (!opts.color)
		check_lines(strbuf_str(&out), opts.columns ? opts.columns : 100);
	compare(name, &out);
}

static void test_full(void **state)
{
	golden("full.txt", make_full, NULL, (struct report_opts){0});
}

static void test_beside_reference(void **state)
{
	golden("beside.txt", make_like_published, make_reference, (struct report_opts){0});
	golden("differs.txt", make_other, make_full, (struct report_opts){0});
}

static void test_broken(void **state)
{
	golden("broken.txt", make_broken, NULL, (struct report_opts){0});
}

static void test_wide(void **state)
{
	golden("wide.txt", make_wide, NULL, (struct report_opts){0});
}

static void test_narrow(void **state)
{
	golden("narrow.txt", make_small, NULL, (struct report_opts){.columns = 80});
}

static void test_raw(void **state)
{
	golden("raw.txt", make_small, NULL, (struct report_opts){.raw = true, .columns = 120});
}

static void test_color(void **state)
{
	golden("color.txt", make_broken, NULL, (struct report_opts){.color = true});
}

static void test_reference(void **state)
{
	golden("reference.txt", make_reference, NULL, (struct report_opts){0});
}

/* The file that the command-line test reads; the same example as "narrow". */
static void test_json(void **state)
{
	AB_STRBUF struct strbuf json = {0};
	struct result r;
	struct diag d = {""};

	make_small(&r);
	assert_int_equal(result_to_json(&r, &json, &d), 0);
	result_free(&r);
	compare("small.json", &json);
}

static void make_hostile(struct result *r)
{
	make_small(r);
	EXAMPLE_TEXT(r->scenario_name, "\033]0;owned\a\033[2J");
	EXAMPLE_TEXT(r->cells[0].workload, "seq\r\nread\x9b\x31m");
	EXAMPLE_TEXT(r->cells[1].engine, "qat\xe2\x80\xae\xef\xbb\xbf");
	EXAMPLE_TEXT(r->cells[2].trace.sets[0].engine, "\b\b\b\x7f");
	EXAMPLE_TEXT(r->dataset.description, "\033[31mred");
	string_list_add(&r->warnings, "\033]52;c;aGk=\a");
}

static void test_terminal_is_safe(void **state)
{
	AB_STRBUF struct strbuf out = {0};

	report(make_hostile, &(struct report_opts){0}, &out);
	check_lines(strbuf_str(&out), 400);
	assert_null(strstr(out.data, "\xe2\x80\xae"));
	assert_null(strstr(out.data, "\xc2\x9b"));
	assert_non_null(strstr(out.data, "\\x1b]0;owned\\x07\\x1b[2J"));
}

static void test_too_many(void **state)
{
	AB_STRBUF struct strbuf out = {0};
	struct result r = {0};
	struct diag d = {""};

	r.cell_count = 65;
	r.cells = calloc(r.cell_count, sizeof(*r.cells));
	for (size_t i = 0; i < r.cell_count; i++)
		snprintf(r.cells[i].engine, sizeof(r.cells[i].engine), "engine%zu", i);
	assert_int_equal(report_text(&r, &(struct report_opts){0}, &out, &d), -E2BIG);
	result_free(&r);
}

static void test_empty(void **state)
{
	AB_STRBUF struct strbuf out = {0};
	struct result r = {0};
	struct diag d = {""};

	EXAMPLE_TEXT(r.scenario_name, "nothing");
	EXAMPLE_TEXT(r.tool_version, "0.1.0");
	assert_int_equal(report_text(&r, &(struct report_opts){0}, &out, &d), 0);
	assert_string_equal(
		strbuf_str(&out),
		"nothing   0 cells: 0 valid   host   accelbench 0.1.0   not traced\n"
		"incomplete: still going on, or interrupted: `accelbench run --resume` goes on with it\n");
}

static void test_grid_cuts_between_groups(void **state)
{
	AB_STRBUF struct strbuf out = {0};
	const struct text_out to = {.sb = &out, .columns = 16};
	AB_GRID struct grid g = {0};

	grid_init(&g, 7, 1);
	grid_row(&g);
	for (size_t group = 0; group < 3; group++) {
		grid_group(&g, 1 + 2 * group);
		grid_join(&g, 2 + 2 * group);
		grid_head(&g, 1 + 2 * group, 2, GRID_CENTER, "g%zu", group);
	}
	grid_row(&g);
	grid_put(&g, 0, GRID_RIGHT, STYLE_PLAIN, "k");
	for (size_t col = 1; col < 7; col++)
		grid_put(&g, col, col % 2 ? GRID_RIGHT : GRID_LEFT, STYLE_PLAIN,
			 col == 2 ? "±€" : "12");
	grid_print(&g, &to);
	assert_string_equal(strbuf_str(&out),
			    "     g0\nk   12 ±€\n\n     g1\nk   12 12\n\n     g2\nk   12 12\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_beside_reference),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_color),
		cmocka_unit_test(test_reference),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_terminal_is_safe),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_grid_cuts_between_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
