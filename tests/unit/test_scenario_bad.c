// SPDX-License-Identifier: GPL-2.0-only
/* Scenarios that must be refused, and in which words. Places (line and column): tests/golden. */
#include "model/scenario.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "model/doc.h"

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

/* The base with one --set. */
static int parse_set(const char *set, struct scenario *s, struct diag *d)
{
	const struct scenario_opts opts = {.sets = &set, .set_count = 1};

	*d = (struct diag){0};
	return scenario_parse("t.yaml", base, strlen(base), &opts, s, d);
}

/* What is refused, told by --set so that only the reason is in the message. */
static const struct {
	const char *set, *message;
} refused[] = {
	{"nmae=x", "unknown key 'nmae'; did you mean 'name'?"},
	{"name=", "the value is missing"},
	{"name=''", "name: is empty, expected a name"},
	{"name=-x", "name: '-x' is not a name: letters, digits, '-' and '_', at most 63 of them"},
	{"name=a.b", "name: 'a.b' is not a name: letters, digits, '-' and '_', at most 63 of them"},
	{"name=[a]", "name: expected a name, found a list"},
	{"description='a\n\nb'", "this value contains control characters or line breaks"},
	{"filesystem=squashfs",
	 "filesystem: squashfs is not supported yet by this version; expected erofs"},
	{"filesystem=ext4", "filesystem: unknown value 'ext4'; known: erofs"},
	{"backing=device",
	 "backing: device is not supported yet by this version; expected loop-direct, loop, file"},
	{"backing=loop_direct",
	 "backing: unknown value 'loop_direct'; did you mean 'loop-direct'?"},
	{"dataset.generate.size=1KiB",
	 "dataset.generate.size: 1KiB is out of range, expected 4KiB to 1TiB"},
	{"dataset.generate.size=99999999999999999999",
	 "dataset.generate.size: 99999999999999999999 is out of range, expected 4KiB to 1TiB"},
	{"dataset.generate.kind=video",
	 "dataset.generate.kind: unknown value 'video'; known: text"},
	{"dataset={generate: {kind: text}}", "dataset.generate: key 'size' is missing"},
	{"dataset={}", "dataset: one of these keys is missing: generate, path, substitute"},
	{"dataset={path: ~/enwik9}", "dataset.path: '~' has no meaning here, write the whole path"},
	{"dataset={path: -rf}", "dataset.path: must not begin with '-', write ./-rf"},
	{"dataset={path: a;b}", "dataset.path: shell characters are not allowed in a path"},
	{"dataset={path: a`b`}", "dataset.path: shell characters are not allowed in a path"},
	{"dataset={path: a, sha256: 12}",
	 "dataset.sha256: '12' is not a SHA-256: 64 hexadecimal digits, small letters"},
	{"dataset={substitute: {kind: text, size: 1MiB}}",
	 "dataset.substitute: stands in for a corpus: key 'corpus' is missing"},
	{"dataset.sha256=159b85351e5f76e60cbe32e04c677847a9ecba3adc79addab6f4c6c7aa3744bc",
	 "dataset.sha256: does not go with generate; to replace all of it: --set 'dataset={path: FILE}'"},
	{"matrix={}", "matrix: key 'engine' is missing"},
	{"matrix.engine={}", "matrix.engine: expected a list, such as [deflate, qat_deflate]"},
	{"matrix.engine=[[deflate]]", "matrix.engine: expected an engine, found a list"},
	{"matrix.engine=[zlib]",
	 "matrix.engine: unknown engine 'zlib'; known: none, lz4, lz4hc, lzma, deflate, zstd, qat_deflate"},
	{"matrix.cluster=[]", "matrix.cluster: is empty, expected at least one size"},
	{"matrix.cluster=[2KiB]", "matrix.cluster: 2KiB is out of range, expected 4KiB to 1MiB"},
	{"matrix.cluster=[4KiB, 4096]", "matrix.cluster: 4096 is there twice"},
	{"matrix.cluster=[4KiB, 5000]", "matrix.cluster: 5000 is not a power of two"},
	{"image.level=10", "image.level: 10 is no level of deflate, expected 0 to 9"},
	{"image.level=-1", "image.level: '-1' is not a whole number"},
	{"image.level={}", "image.level: is empty, expected a level or a map such as {zstd: 3}"},
	{"image.level={lz4: 1}", "image.level.lz4: lz4 has no levels"},
	{"image.level={zstd: 3}", "image.level.zstd: zstd is not in matrix.engine"},
	{"image.level={defalte: 3}",
	 "image.level: unknown engine 'defalte'; did you mean 'deflate'?"},
	{"workloads={}", "workloads: is empty, expected at least one workload"},
	{"workloads={a b: {rw: read, bs: 4k}}",
	 "workloads: a workload's name has letters, digits, '-' and '_', at most 63"},
	{"workloads.seqread.rw=trim",
	 "workloads.seqread.rw: trim writes, and workloads only read; expected read, randread"},
	{"workloads.seqread.ioengine=external:/tmp/x.so",
	 "workloads.seqread.ioengine: unknown value 'external:/tmp/x.so'; known: psync, sync, "
	 "pvsync, mmap, libaio, io_uring, posixaio"},
	{"workloads.seqread.filename=/etc/passwd",
	 "workloads.seqread: unknown key 'filename'; known: rw, bs, io_size, ioengine, iodepth, "
	 "numjobs, direct, runtime, randseed"},
	{"workloads.seqread.bs=1000", "workloads.seqread.bs: 1000 B is no multiple of 512 bytes"},
	{"workloads.seqread.bs=32MiB",
	 "workloads.seqread.bs: 32 MiB is larger than the dataset (16 MiB)"},
	{"workloads.seqread.io_size=6KiB",
	 "workloads.seqread.io_size: 6 KiB is no multiple of bs (4 KiB)"},
	{"workloads.seqread.io_size=17MiB",
	 "workloads.seqread.io_size: 17 MiB is larger than the dataset (16 MiB)"},
	{"workloads.seqread.io_size=5s",
	 "workloads.seqread.io_size: '5s' is not a size, such as 64KiB"},
	{"workloads.seqread.numjobs=0",
	 "workloads.seqread.numjobs: 0 is out of range, expected 1 to 256"},
	{"workloads.seqread.numjobs='2'", "workloads.seqread.numjobs: '2' is not a whole number"},
	{"workloads.seqread.iodepth=2",
	 "workloads.seqread.iodepth: psync has one read in flight; libaio, io_uring and "
	 "posixaio have more"},
	{"workloads.seqread={rw: read, bs: 4k, ioengine: mmap, direct: true}",
	 "workloads.seqread.direct: mmap knows no direct I/O"},
	{"workloads.seqread.direct=true",
	 "workloads.seqread.direct: EROFS has no direct I/O for compressed files (lz4)"},
	{"workloads.seqread.runtime=600s",
	 "workloads.seqread.runtime: is not shorter than timeout"},
	{"workloads.seqread.runtime=0.5s",
	 "workloads.seqread.runtime: 0.5s is out of range, expected 1s to 86400s"},
	{"repeat=1001", "repeat: 1001 is out of range, expected 1 to 1000"},
	{"repeat=18446744073709551616", "repeat: '18446744073709551616' is not a whole number"},
	{"repeat=2.5", "repeat: '2.5' is not a whole number"},
	{"order=random", "order: unknown value 'random'; known: interleaved, sequential"},
	{"cache=hot", "cache: unknown value 'hot'; known: cold, warm"},
	{"image.timeout=0s", "image.timeout: 0s is out of range, expected 1s to 86400s"},
	{"timeout=0s", "timeout: 0s is out of range, expected 1s to 86400s"},
	{"timeout=1KiB", "timeout: '1KiB' is not a time, such as 90s or 250ms"},
	{"trace.control=yes", "trace.control: 'yes' is not true or false"},
	{"trace.control='true'", "trace.control: 'true' is not true or false"},
	{"trace.phases=some", "trace.phases: expected all, none or a list such as [setup, wait]"},
	{"trace.phases=[]", "trace.phases: expected all, none or a list such as [setup, wait]"},
	{"trace.phases=[wait, wait]", "trace.phases: wait is there twice"},
	{"trace={phases: none, control: true}",
	 "trace.control: needs traced repetitions, and trace.phases is none"},
	{"trace={phases: none, records: 1}",
	 "trace.records: needs traced repetitions, and trace.phases is none"},
	{"expect=[{min: 1}]", "expect[0]: key 'metric' is missing"},
	{"expect=[{metric: bandwidth}]", "expect[0]: expects nothing: give min, max or both"},
	{"expect=[{metric: bandwidth, min: 2M, max: 1M}]", "expect[0].min: is more than max"},
	{"expect=[{metric: bandwidth, min: 5%}]",
	 "expect[0].min: '5%' is not bytes per second, such as 100MiB"},
	{"expect=[{metric: iops, min: 5%}]", "expect[0].min: '5%' is not a number"},
	{"expect=[{metric: lat.p90, max: 5ms}]",
	 "expect[0].metric: unknown metric 'lat.p90'; did you mean 'lat.p50'?"},
	{"expect=[{metric: speed, min: 5}]",
	 "expect[0].metric: unknown metric 'speed'; accelbench schema scenario lists them"},
	{"expect=[{metric: iops, engine: zstd, min: 5}]",
	 "expect[0].engine: 'zstd' is not in matrix.engine"},
	{"expect=[{metric: iops, engine: defalte, min: 5}]",
	 "expect[0].engine: 'defalte' is not in matrix.engine; did you mean 'deflate'?"},
	{"expect=[{metric: iops, cluster: 8KiB, min: 5}]",
	 "expect[0].cluster: is not in matrix.cluster"},
	{"expect=[{metric: offload_coverage, engine: lz4, min: 1}]",
	 "expect[0].engine: lz4 is software: it has no offload_coverage"},
	{"gate=[{metric: iops, workload: seqraed, max_drop: 5%}]",
	 "gate[0].workload: there is no workload 'seqraed'; did you mean 'seqread'?"},
	{"gate=[{metric: iops, max_drop: 150%}]",
	 "gate[0].max_drop: 150% is out of range, expected 0% to 100%"},
	{"gate=[{metric: iops}]", "gate[0]: bounds nothing: give max_drop or max_rise"},
	{"gate=[{metric: iops, max_rise: 5%}]",
	 "gate[0].max_rise: iops is better when higher: give max_drop"},
	{"gate=[{metric: wait.p99, max_drop: 5%}]",
	 "gate[0].max_drop: wait.p99 is better when lower: give max_rise"},
	{"quick.repeat=2", "the quick profile cannot be changed"},
	{"quick=x", "the quick profile cannot be changed"},
	{".name=x", "'.name' is not a path of keys, such as image.level"},
	{"name.=x", "'name.' is not a path of keys, such as image.level"},
	{"a.b.c.d.e.f.g=x", "'a.b.c.d.e.f.g' is not a path of keys, such as image.level"},
	{"name.x=y", "'name.x': what it is in is not a map"},
	{"name", "expected PATH=VALUE, such as repeat=3"},
	{"=x", "expected PATH=VALUE, such as repeat=3"},
	{"name=*x", "aliases are not allowed"},
	{"name=&x y", "anchors are not allowed"},
	{"name=!x y", "tags are not allowed"},
	{"name=x\x01", "character U+0001 is not allowed"},
};

static void test_refused(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct scenario s;
		struct diag d;
		int err = parse_set(refused[i].set, &s, &d);
		size_t len = strlen(d.text), expected = strlen(refused[i].message);

		if (err != -EINVAL || strncmp(d.text, "--set ", 6) || len < expected + 2 ||
		    strncmp(d.text + len - expected - 2, ": ", 2) ||
		    strcmp(d.text + len - expected, refused[i].message))
			fail_msg("--set %s: %d\n\"%s\", expected\n\"%s\"", refused[i].set, err,
				 d.text, refused[i].message);
	}
}

static void test_too_many(void **state)
{
	struct scenario s;
	struct diag d;
	AB_STRBUF struct strbuf set = {0};

	strbuf_puts(&set, "workloads={");
	for (int i = 0; i < SCENARIO_MAX_WORKLOAD + 1; i++)
		strbuf_printf(&set, "w%d: {rw: read, bs: 4k}, ", i);
	strbuf_putc(&set, '}');
	assert_int_equal(parse_set(strbuf_str(&set), &s, &d), -EINVAL);
	assert_non_null(strstr(d.text, "more than 16 workloads"));
	strbuf_reset(&set);
	strbuf_puts(&set, "gate=[");
	for (int i = 0; i < SCENARIO_MAX_RULES + 1; i++)
		strbuf_puts(&set, "{metric: iops, max_drop: 5%}, ");
	strbuf_putc(&set, ']');
	assert_int_equal(parse_set(strbuf_str(&set), &s, &d), -EINVAL);
	assert_non_null(strstr(d.text, "gate: more than 64 rules"));
}

static void test_too_many_steps(void **state)
{
	const char *sets[] = {"repeat=1000",
			      "matrix.engine=[none, lz4, lz4hc, lzma, deflate, zstd, qat_deflate]",
			      "matrix.cluster=[4K, 8K, 16K, 32K, 64K, 128K, 256K, 512K]"};
	const struct scenario_opts opts = {.sets = sets, .set_count = 3};
	struct scenario s;
	struct diag d;

	assert_int_equal(scenario_parse("t", base, strlen(base), &opts, &s, &d), -EINVAL);
	assert_non_null(strstr(d.text, "matrix: this would be more than 100000 runs of fio"));
}

/* Hostile documents: one clear error, whatever comes. */
static void expect_refused(const char *text, size_t len, const char *message)
{
	struct scenario s;
	struct diag d = {0};

	assert_int_equal(scenario_parse("t.yaml", text, len, NULL, &s, &d), -EINVAL);
	assert_string_equal(d.text, message);
}

/* A literal, which may hold NULs. */
#define REFUSED(literal, message) expect_refused(literal, sizeof(literal) - 1, message)

static void test_hostile_documents(void **state)
{
	AB_STRBUF struct strbuf text = {0};

	strbuf_pad(&text, '[', 100000);
	expect_refused(strbuf_str(&text), text.len, "t.yaml:1:8: nested too deeply");
	strbuf_reset(&text);
	for (int i = 0; i < 20000; i++)
		strbuf_puts(&text, "- ");
	expect_refused(strbuf_str(&text), text.len, "t.yaml:1:15: nested too deeply");
	strbuf_reset(&text);
	for (int i = 0; i < 5000; i++)
		strbuf_printf(&text, "k%d: v\n", i);
	expect_refused(strbuf_str(&text), text.len, "t.yaml:2048:8: too many values");
	strbuf_reset(&text);
	strbuf_puts(&text, "name: ");
	strbuf_pad(&text, 'x', DOC_MAX_TEXT + 1);
	expect_refused(strbuf_str(&text), text.len, "t.yaml:1:7: this value is too long");
	strbuf_reset(&text);
	strbuf_pad(&text, 'x', DOC_MAX_KEY + 1);
	strbuf_puts(&text, ": 1");
	expect_refused(strbuf_str(&text), text.len,
		       "t.yaml:1:1: a key must have 1 to 127 characters");
	strbuf_reset(&text);
	strbuf_pad(&text, ' ', DOC_MAX_BYTES + 1);
	expect_refused(strbuf_str(&text), text.len,
		       "t.yaml: larger than the 1048576 bytes allowed");
	/* The classic: nine levels of nine aliases. The first anchor ends it. */
	REFUSED("a: &a [x, x]\nb: &b [*a, *a]\n", "t.yaml:1:4: anchors are not allowed");
	REFUSED("name: a\0b\n", "t.yaml:1:8: character U+0000 is not allowed");
	REFUSED("[a]: b\n", "t.yaml:1:1: a key must be a name");
	REFUSED("? \n: b\n", "t.yaml:1:2: a key must have 1 to 127 characters");
	REFUSED("\xef\xbb\xbfname: x", "t.yaml:1:1: character U+FEFF is not allowed");
	expect_refused("\xff\xfe"
		       "n\0",
		       4, "t.yaml:1:1: byte 0xff is not part of UTF-8 text");
	REFUSED("name: \"\\0\"",
		"t.yaml:1:7: this value contains control characters or line breaks");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_too_many_steps),
		cmocka_unit_test(test_hostile_documents),
	};

	return cmocka_run_group_tests_name("scenario_bad", tests, NULL, NULL);
}
