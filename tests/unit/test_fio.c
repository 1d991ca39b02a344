// SPDX-License-Identifier: GPL-2.0-only
#include "run/fio.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/clock.h"
#include "base/fsutil.h"
#include "base/spawn.h"

#define MIB 1048576u
#define S   1000000000ull

static struct workload_spec workload(void)
{
	struct workload_spec w = {.bs_bytes = 4096, .iodepth = 1, .numjobs = 1, .randseed = 1};

	strcpy(w.name, "seqread");
	strcpy(w.rw, "read");
	strcpy(w.ioengine, "psync");
	return w;
}

/* The job files of the first experiment's workloads, and one with every option. */
static void test_job(void **state)
{
	struct workload_spec w = workload();
	AB_STRBUF struct strbuf job = {0};
	struct diag d;

	assert_int_equal(fio_job(&w, "/mnt/testfile", 285 * MIB, &job, &d), 0);
	assert_string_equal(strbuf_str(&job),
			    "[job]\nfilename=/mnt/testfile\nallow_file_create=0\n"
			    "rw=read\nbs=4096\nsize=298844160\n"
			    "ioengine=psync\niodepth=1\nnumjobs=1\ndirect=0\n"
			    "randseed=1\ninvalidate=0\nthread=1\ngroup_reporting=1\n"
			    "disk_util=0\npercentile_list=50:99:99.9\n");
	strbuf_reset(&job);
	strcpy(w.rw, "randread");
	strcpy(w.ioengine, "io_uring");
	w.io_size_bytes = 14 * MIB;
	w.iodepth = 8;
	w.numjobs = 4;
	w.direct = true;
	w.runtime_ns = 1500000001;
	w.randseed = UINT32_MAX;
	assert_int_equal(fio_job(&w, "/mnt/a:b", 4096, &job, &d), 0);
	assert_string_equal(strbuf_str(&job), "[job]\nfilename=/mnt/a\\:b\nallow_file_create=0\n"
					      "rw=randread\nbs=4096\nsize=4096\nio_size=14680064\n"
					      "ioengine=io_uring\niodepth=8\nnumjobs=4\ndirect=1\n"
					      "time_based=1\nruntime=1501ms\n"
					      "randseed=4294967295\ninvalidate=0\nthread=1\n"
					      "group_reporting=1\ndisk_util=0\n"
					      "percentile_list=50:99:99.9\n");
}

static void test_job_refusals(void **state)
{
	static const char *const names[] = {"/m/a;b",  "/m/a#b",  "/m/$x",
					    "/m/`id`", "/m/a\\b", "/m/a\nexec_prerun=id",
					    "/m/a\tb", "/m/a "};
	struct workload_spec w = workload();
	struct diag d;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		AB_STRBUF struct strbuf job = {0};

		assert_int_equal(fio_job(&w, names[i], MIB, &job, &d), -EINVAL);
		assert_non_null(strstr(d.text, "rename the file"));
	}
	AB_STRBUF struct strbuf job = {0};
	assert_int_equal(fio_job(&w, "/m/f", 4095, &job, &d), -EINVAL);
	assert_string_equal(
		d.text, "workload seqread: /m/f has 4095 bytes, less than one read of bs = 4096 "
			"bytes; take a larger file or a smaller bs");
}

static int parse(const char *text, struct result_sample *s, struct diag *d)
{
	memset(s, 0, sizeof(*s));
	return fio_parse(text, strlen(text), s, d);
}

/* The parts of fio's JSON that are read, as versions 2 and 3 print them. */
#define NEW_READ                                                                                 \
	"\"read\": {\"io_bytes\": 8192, \"io_kbytes\": 8, \"bw_bytes\": 4096000, \"bw\": 4000, " \
	"\"iops\": 1000.0, \"runtime\": 2, \"total_ios\": 2, "                                   \
	"\"clat_ns\": {\"min\": 800, \"max\": 9000, \"mean\": 4900.5, \"N\": 2, "                \
	"\"percentile\": {\"1.000000\": 800, \"50.000000\": 804, \"99.000000\": 9024, "          \
	"\"99.900000\": 9025}}}"
#define NEW_JOB "{\"jobname\": \"job\", \"error\": 0, " NEW_READ "}"
#define OLD_JOB                                                                                       \
	"{\"jobname\": \"job\", \"error\": 0, \"read\": {\"io_bytes\": 8192, \"bw_bytes\": 4096000, " \
	"\"iops\": 1000, \"runtime\": 2, \"clat\": {\"min\": 1, \"max\": 9, \"mean\": 4.9, "          \
	"\"percentile\": {\"50.000000\": 1, \"99.000000\": 9, \"99.900000\": 9}}}}"
#define DOC(jobs) "{\"fio version\": \"fio-3.33\", \"jobs\": [" jobs "]}\n"

static void test_parse(void **state)
{
	struct result_sample s;
	struct diag d;

	assert_int_equal(parse(DOC(NEW_JOB), &s, &d), 0);
	assert_int_equal(s.io_bytes, 8192);
	assert_int_equal(s.runtime_ns, 2000000);
	assert_true(s.bandwidth_bytes_per_s == 4096000 && s.iops == 1000);
	assert_true(s.has_latency && s.latency_mean_ns == 4900.5);
	assert_int_equal(s.latency_p50_ns, 804);
	assert_int_equal(s.latency_p99_ns, 9024);
	assert_int_equal(s.latency_p999_ns, 9025);
	assert_int_equal(s.latency_max_ns, 9000);

	assert_int_equal(parse(DOC(OLD_JOB), &s, &d), 0);
	assert_true(s.has_latency && s.latency_mean_ns == 4900);
	assert_int_equal(s.latency_p99_ns, 9000);
}

/* Percentages of the job's run time; all of them, or it is not known. */
static void test_parse_cpu(void **state)
{
	struct result_sample s;
	struct diag d;

#define WITH_CPU(cpu) DOC("{\"error\": 0, " cpu NEW_READ "}")
	assert_int_equal(parse(DOC(NEW_JOB), &s, &d), 0);
	assert_false(s.cpu.has_workload);
	assert_int_equal(
		parse(WITH_CPU("\"job_runtime\": 2000, \"usr_cpu\": 12.5, \"sys_cpu\": 50.0, "), &s,
		      &d),
		0);
	assert_true(s.cpu.has_workload);
	assert_int_equal(s.cpu.workload_user_ns, 250000000);
	assert_int_equal(s.cpu.workload_system_ns, 1000000000);
	/* What wait4() said, fio's own start included, is no answer either. */
	s.cpu.has_workload = true;
	assert_int_equal(parse(WITH_CPU("\"job_runtime\": 6, \"usr_cpu\": 0.0, \"sys_cpu\": 0.0, "),
			       &s, &d),
			 0);
	assert_false(s.cpu.has_workload);
	assert_int_equal(parse(WITH_CPU("\"job_runtime\": 2000, \"usr_cpu\": 12.5, "), &s, &d), 0);
	assert_false(s.cpu.has_workload);
	assert_int_equal(
		parse(WITH_CPU("\"job_runtime\": 2000, \"usr_cpu\": -1, \"sys_cpu\": nan, "), &s,
		      &d),
		0);
	assert_false(s.cpu.has_workload);
}

static void test_parse_among_text(void **state)
{
	struct result_sample s;
	struct diag d;

	assert_int_equal(parse("note: {psync} is synchronous\nfio: warning {\"a\": 1}\n{\n" DOC(
				       NEW_JOB),
			       &s, &d),
			 0);
	assert_int_equal(s.io_bytes, 8192);
	assert_int_equal(parse(DOC(NEW_JOB) "fio: terminated\n{", &s, &d), 0);
	assert_int_equal(s.io_bytes, 8192);
}

static void test_parse_several_jobs(void **state)
{
	struct result_sample s;
	struct diag d;

	assert_int_equal(parse(DOC(NEW_JOB ", " NEW_JOB), &s, &d), 0);
	assert_int_equal(s.io_bytes, 16384);
	assert_int_equal(s.runtime_ns, 2000000);
	assert_true(s.bandwidth_bytes_per_s == 8192000);
	assert_false(s.has_latency);
}

static void test_parse_without_latency(void **state)
{
	struct result_sample s;
	struct diag d;

	assert_int_equal(
		parse(DOC("{\"read\": {\"io_bytes\": 1, \"bw_bytes\": 1, \"iops\": 1, \"runtime\": 1}}"),
		      &s, &d),
		0);
	assert_false(s.has_latency);
	assert_int_equal(
		parse(DOC("{\"read\": {\"io_bytes\": 1, \"bw_bytes\": 1, \"iops\": 1, \"runtime\": 1, "
			  "\"clat_ns\": {\"mean\": 5, \"percentile\": {\"50.000000\": 3}}}}"),
		      &s, &d),
		0);
	assert_false(s.has_latency);
	/* A time that no run can have must not overflow on its way to nanoseconds. */
	assert_int_equal(
		parse(DOC("{\"read\": {\"io_bytes\": 1, \"bw_bytes\": 1, \"iops\": 1, "
			  "\"runtime\": 1, \"clat\": {\"max\": 9, \"mean\": 5, \"percentile\": "
			  "{\"50.000000\": 9223372036854775807, \"99.000000\": 3, "
			  "\"99.900000\": 3}}}}"),
		      &s, &d),
		0);
	assert_false(s.has_latency);
}

static void test_parse_nonsense(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "fio printed no result"},
		{"fio: engine foo not loadable\n",
		 "fio printed no result; it said: fio: engine foo not loadable"},
		{"{\"fio version\": \"fio-3.33\", \"jo",
		 "fio printed no result; it said: {\"fio version\""},
		{"{\"jobs\": {}}", "fio printed no result"},
		{DOC(""), "fio's result: jobs: no job was run"},
		{DOC("7"), "fio's result: jobs[0].read.io_bytes: expected a number, found null"},
		{DOC("{\"error\": 5}"),
		 "fio's result: jobs[0]: the job ended with error 5 (Input/output error)"},
		{"fio: pid=1, err=5/file:x.c:1, func=full resid, error=Input/output error\n" DOC(
			 "{\"error\": 5}"),
		 "fio's result: jobs[0]: the job ended with error 5 (Input/output error); it said: fio: pid=1, "
		 "err=5/file:x.c:1, func=full resid, error=Input/output error"},
		{DOC("{\"read\": {\"io_bytes\": 0, \"bw_bytes\": 0, \"iops\": 0, \"runtime\": 0}}"),
		 "fio's result: jobs[0].read: fio read nothing"},
		{DOC("{\"read\": {\"io_bytes\": 4096, \"bw_bytes\": 0, \"iops\": 0, \"runtime\": 0}}"),
		 "fio's result: jobs[0].read: 4096 bytes in no time"},
		{DOC("{\"read\": {\"io_bytes\": -1, \"bw_bytes\": 1, \"iops\": 1, \"runtime\": 1}}"),
		 "fio's result: jobs[0].read.io_bytes: must not be negative"},
		{DOC("{\"read\": {\"io_bytes\": \"1\", \"bw_bytes\": 1, \"iops\": 1, \"runtime\": 1}}"),
		 "fio's result: jobs[0].read.io_bytes: expected a number, found string"},
		{DOC("{\"read\": {\"io_bytes\": 1e99, \"bw_bytes\": 1, \"iops\": 1, \"runtime\": 1}}"),
		 "fio's result: jobs[0].read: impossible numbers"},
		{DOC("{\"read\": {\"io_bytes\": 1, \"bw_bytes\": nan, \"iops\": 1, \"runtime\": 1}}"),
		 "fio's result: jobs[0].read.bw_bytes: expected a number, found null"},
	};
	struct result_sample s;
	struct diag d;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(parse(cases[i].text, &s, &d), -EBADMSG);
		if (strncmp(d.text, cases[i].message, strlen(cases[i].message)))
			fail_msg("expected \"%s\", got \"%s\"", cases[i].message, d.text);
		assert_int_equal(s.io_bytes, 0);
	}
}

/* Any prefix of a document is refused, without reading beyond its end (under the sanitizers). */
static void test_parse_cut_short(void **state)
{
	static const char text[] = DOC(NEW_JOB);
	struct result_sample s = {0};
	struct diag d;

	for (size_t len = 0; len < sizeof(text) - 2; len++) {
		char *cut = malloc(len + 1);

		memcpy(cut, text, len);
		assert_int_equal(fio_parse(cut, len, &s, &d), -EBADMSG);
		free(cut);
	}
}

/* A folder with a program called fio in it, and PATH set to find it first. */
struct fake {
	char dir[32];
	char *path;
	char data[64]; /* a file of 1 MiB */
};

static int setup(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));
	char *bytes = calloc(1, MIB);
	struct diag d;

	*state = f;
	strcpy(f->dir, "/tmp/test_fio.XXXXXX");
	f->path = strdup(getenv("PATH"));
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->data, sizeof(f->data), "%s/data", f->dir);
	memset(bytes, 'x', MIB);
	if (fs_write_atomic(f->data, bytes, MIB, &d))
		return -1;
	free(bytes);
	return 0;
}

static int teardown(void **state)
{
	struct fake *f = *state;
	struct diag d;

	setenv("PATH", f->path, 1);
	fs_remove_tree(f->dir, &d);
	free(f->path);
	free(f);
	return 0;
}

static void install(const struct fake *f, const char *script)
{
	AB_STRBUF struct strbuf text = {0}, path = {0};
	char file[64];
	struct diag d;

	strbuf_printf(&text, "#!/bin/sh\n%s\n", script);
	snprintf(file, sizeof(file), "%s/fio", f->dir);
	assert_int_equal(fs_write_atomic(file, text.data, text.len, &d), 0);
	assert_int_equal(chmod(file, 0755), 0);
	strbuf_printf(&path, "%s:%s", f->dir, f->path);
	setenv("PATH", strbuf_str(&path), 1);
}

static void run_fake(const struct fake *f, const char *script, int want, const char *message)
{
	AB_STRBUF struct strbuf json = {0};
	struct workload_spec w = workload();
	struct result_sample s = {0};
	struct diag d = {""};
	int err;

	install(f, script);
	err = fio_run(&w, f->data, MIB, S / 2, &s, &json, &d);
	if (err != want || !strstr(d.text, message))
		fail_msg("%s: expected %d \"%s\", got %d \"%s\"", script, want, message, err,
			 d.text);
	assert_int_equal(s.ok, !want);
	assert_int_equal(strncmp(s.reason, d.text, sizeof(s.reason) - 1), 0);
}

#define PRINT(json) "cat >/dev/null; cat <<'END'\n" json "END"

static void test_run_failures(void **state)
{
	const struct fake *f = *state;
	uint64_t begin;

	run_fake(f, "echo 'fio: unknown thing' >&2; exit 1", -EIO,
		 "fio: exit status 1: fio: unknown thing");
	/* The words of fio that stand before its JSON, and not the JSON. */
	run_fake(f, PRINT("fio: io_u error\n" DOC("{\"error\": 5}")) "\nexit 1", -EIO,
		 "fio: exit status 1: fio: io_u error");
	run_fake(f, "kill -SEGV $$", -EIO, "fio: ended by signal 11");
	run_fake(f, "exit 0", -EBADMSG, "fio printed no result");
	run_fake(f, PRINT(DOC(NEW_JOB)), -EBADMSG, "fio read 8192 bytes instead of 1048576");
	begin = clock_mono_ns();
	run_fake(f, "sleep 60", -ETIME, "fio: timed out after");
	assert_true(clock_mono_ns() - begin < 10 * S);
	/* A grandchild in the same group must not survive. */
	begin = clock_mono_ns();
	run_fake(f, "trap '' TERM; sleep 60 & wait; wait", -ETIME, "fio: timed out after");
	assert_true(clock_mono_ns() - begin < 10 * S);
	unsetenv("PATH");
	run_fake(f, "exit 127", -EIO, "exit status 127");
	setenv("PATH", "/nonexistent", 1);
	{
		AB_STRBUF struct strbuf json = {0};
		struct workload_spec w = workload();
		struct result_sample s = {0};
		struct diag d;

		assert_int_equal(fio_run(&w, f->data, MIB, S, &s, &json, &d), -ENOENT);
		assert_string_equal(s.reason, "fio is not installed: install package fio");
	}
}

static void test_version(void **state)
{
	const struct fake *f = *state;
	char version[64];
	struct diag d;

	install(f, "echo fio-3.36-17-g8c3e");
	assert_int_equal(fio_version(version, sizeof(version), &d), 0);
	assert_string_equal(version, "fio-3.36-17-g8c3e");
	install(f, "echo fio-2.21");
	assert_int_equal(fio_version(version, sizeof(version), &d), -EOPNOTSUPP);
	assert_string_equal(d.text, "fio-2.21 is too old: install version 3.0 or later");
	install(f, "echo what");
	assert_int_equal(fio_version(version, sizeof(version), &d), -EOPNOTSUPP);
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(fio_version(version, sizeof(version), &d), -EOPNOTSUPP);
	assert_string_equal(version, "");
}

/* The job file must reach fio as it was made; the fake hands back its standard input. */
static void test_job_reaches_fio(void **state)
{
	const struct fake *f = *state;
	AB_STRBUF struct strbuf json = {0}, job = {0};
	struct workload_spec w = workload();
	struct result_sample s = {0};
	struct diag d;

	install(f, "echo \"$@\"; cat");
	assert_int_equal(fio_run(&w, f->data, MIB, S, &s, &json, &d), -EBADMSG);
	strbuf_puts(&job, "--output-format=json --readonly --eta=never -\n");
	fio_job(&w, f->data, MIB, &job, &d);
	assert_string_equal(strbuf_str(&json), strbuf_str(&job));
}

/* The real one, where it is installed. */
static void test_real_fio(void **state)
{
	const struct fake *f = *state;
	AB_STRBUF struct strbuf json = {0};
	struct workload_spec w = workload();
	struct result_sample s = {0};
	char odd[80], version[64];
	struct diag d = {""};

	if (fio_version(version, sizeof(version), &d)) {
		print_message("skip: %s\n", d.text);
		skip();
	}
	if (fio_run(&w, f->data, MIB, 60 * S, &s, &json, &d))
		fail_msg("%s", d.text);
	assert_true(s.ok && s.io_bytes == MIB && s.runtime_ns > 0 && s.bandwidth_bytes_per_s > 0);
	assert_true(s.has_latency && s.latency_p50_ns <= s.latency_p99_ns && s.latency_mean_ns > 0);
	/* So little takes less than a millisecond at times. */
	assert_true(!s.cpu.has_workload || s.cpu.workload_system_ns + s.cpu.workload_user_ns > 0);
	strcpy(w.rw, "randread");
	w.io_size_bytes = 64 * 1024;
	w.numjobs = 2;
	assert_int_equal(fio_run(&w, f->data, MIB, 60 * S, &s, &json, &d), 0);
	assert_int_equal(s.io_bytes, 2 * 64 * 1024);
	snprintf(odd, sizeof(odd), "%s/a b:c,d=e(f)", f->dir);
	assert_int_equal(rename(f->data, odd), 0);
	w = workload();
	assert_int_equal(fio_run(&w, odd, MIB, 60 * S, &s, &json, &d), 0);
	assert_int_equal(fio_run(&w, f->data, MIB, 60 * S, &s, &json, &d), -EIO);
	if (!strstr(s.reason, "No such file or directory"))
		fail_msg("%s", s.reason);
	/* Longer than the file: fio may not extend it, and must not be believed. */
	assert_true(fio_run(&w, odd, 2 * MIB, 60 * S, &s, &json, &d) < 0);
	assert_false(s.ok);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_job),
		cmocka_unit_test(test_job_refusals),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_parse_cpu),
		cmocka_unit_test(test_parse_among_text),
		cmocka_unit_test(test_parse_several_jobs),
		cmocka_unit_test(test_parse_without_latency),
		cmocka_unit_test(test_parse_nonsense),
		cmocka_unit_test(test_parse_cut_short),
		cmocka_unit_test_setup_teardown(test_run_failures, setup, teardown),
		cmocka_unit_test_setup_teardown(test_version, setup, teardown),
		cmocka_unit_test_setup_teardown(test_job_reaches_fio, setup, teardown),
		cmocka_unit_test_setup_teardown(test_real_fio, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
