// SPDX-License-Identifier: GPL-2.0-only
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/child.h"
#include "base/clock.h"
#include "base/fsutil.h"

#define RUN(res, d, opts, ...) spawn_run((const char *const[]){__VA_ARGS__, NULL}, opts, res, d)

static void test_output_and_status(void **state)
{
	AB_SPAWN_RESULT struct spawn_result res;
	struct diag d = {""};

	assert_int_equal(RUN(&res, &d, NULL, "sh", "-c",
			     "printf out; printf 'a\\nb\\n' >&2; exit 3"),
			 0);
	assert_string_equal(strbuf_str(&res.out), "out");
	assert_string_equal(strbuf_str(&res.err), "a\nb\n");
	assert_false(res.signalled);
	assert_int_equal(res.exit_status, 3);
	assert_int_equal(spawn_check("sh", &res, &d), -EIO);
	assert_string_equal(d.text, "sh: exit status 3: a; b");
}

static void test_arguments_are_not_shell_text(void **state)
{
	AB_SPAWN_RESULT struct spawn_result res;

	assert_int_equal(RUN(&res, NULL, NULL, "echo", "$(id) `id` ; | > * \"'"), 0);
	assert_string_equal(strbuf_str(&res.out), "$(id) `id` ; | > * \"'\n");
}

static void test_no_such_program(void **state)
{
	struct diag d = {""};

	AB_SPAWN_RESULT struct spawn_result res;
	assert_int_equal(RUN(&res, &d, NULL, "accelbench-no-such-program"), -ENOENT);
	assert_non_null(strstr(d.text, "accelbench-no-such-program"));
}

static void test_exec_failure_is_reported(void **state)
{
	AB_SPAWN_RESULT struct spawn_result res;
	struct spawn_opts opts = {.cwd = "/no/such/folder"};
	struct diag d = {""};

	assert_int_equal(RUN(&res, &d, &opts, "true"), -ENOENT);
	assert_non_null(strstr(d.text, "No such file"));
}

static void test_signal(void **state)
{
	AB_SPAWN_RESULT struct spawn_result res;
	struct diag d = {""};

	assert_int_equal(RUN(&res, &d, NULL, "sh", "-c", "echo words; kill -SEGV $$"), 0);
	assert_true(res.signalled);
	assert_int_equal(res.signal, SIGSEGV);
	assert_int_equal(spawn_check("sh", &res, &d), -EIO);
	assert_non_null(strstr(d.text, "signal 11"));
	assert_non_null(strstr(d.text, "words"));
}

static void test_timeout_reaches_the_group(void **state)
{
	AB_SPAWN_RESULT struct spawn_result res;
	struct spawn_opts opts = {.timeout_ns = 200000000};
	struct diag d = {""};
	pid_t grandchild;

	assert_int_equal(RUN(&res, &d, &opts, "sh", "-c", "sleep 1000 & echo $!; wait"), 0);
	assert_true(res.timed_out);
	assert_true(res.wall_ns < 2000000000u);
	assert_int_equal(spawn_check("sh", &res, &d), -ETIME);
	grandchild = atoi(strbuf_str(&res.out));
	assert_true(grandchild > 1);
	/* Adopted by process 1, which may take a moment to bury it. */
	for (int i = 0; i < 100 && !kill(grandchild, 0); i++) {
		char path[64], line[256];

		fs_path(path, sizeof(path), "/proc/%d/stat", grandchild);
		if (fs_read_line(path, line, sizeof(line)) || strstr(line, ") Z "))
			return;
		usleep(10000);
	}
	assert_int_not_equal(kill(grandchild, 0), 0);
}

static void test_sigterm_ignored_needs_sigkill(void **state)
{
	AB_SPAWN_RESULT struct spawn_result res;
	struct spawn_opts opts = {.timeout_ns = 100000000};

	assert_int_equal(RUN(&res, NULL, &opts, "sh", "-c",
			     "trap '' TERM; while :; do sleep 0.05; done"),
			 0);
	assert_true(res.timed_out);
	assert_true(res.signalled);
	assert_int_equal(res.signal, SIGKILL);
	assert_true(res.wall_ns >= 2000000000u && res.wall_ns < 4000000000u);
}

static void test_stragglers_end_with_the_leader(void **state)
{
	AB_SPAWN_RESULT struct spawn_result res;

	/* The sleeper keeps the pipes open; nobody waits for it. */
	assert_int_equal(RUN(&res, NULL, NULL, "sh", "-c", "sleep 1000 & exit 0"), 0);
	assert_int_equal(res.exit_status, 0);
	assert_true(res.wall_ns < 2000000000u);
}

static void test_big_output_is_cut_not_blocked(void **state)
{
	AB_SPAWN_RESULT struct spawn_result res;
	struct spawn_opts opts = {.max_output_bytes = 1000};

	assert_int_equal(RUN(&res, NULL, &opts, "head", "-c", "10000000", "/dev/zero"), 0);
	assert_int_equal(res.exit_status, 0);
	assert_int_equal(res.out.len, 1000);
	assert_true(res.truncated);
}

static void test_big_output_is_whole(void **state)
{
	AB_SPAWN_RESULT struct spawn_result res;

	assert_int_equal(RUN(&res, NULL, NULL, "head", "-c", "3000001", "/dev/zero"), 0);
	assert_int_equal(res.out.len, 3000001);
	assert_false(res.truncated);
}

static void test_environment(void **state)
{
	static const char *const add[] = {"AB_TEST_A=new", "AB_TEST_B=2", NULL};
	AB_SPAWN_RESULT struct spawn_result res;
	struct spawn_opts opts = {.env_add = add};

	setenv("AB_TEST_A", "old", 1);
	setenv("AB_TEST_AB", "kept", 1);
	assert_int_equal(RUN(&res, NULL, &opts, "sh", "-c",
			     "echo $AB_TEST_A $AB_TEST_B $AB_TEST_AB; env | grep -c AB_TEST_A="),
			 0);
	assert_string_equal(strbuf_str(&res.out), "new 2 kept\n1\n");
}

static void test_no_descriptor_leaks(void **state)
{
	AB_SPAWN_RESULT struct spawn_result res;
	int leak = open("/dev/null", O_RDONLY); /* without O_CLOEXEC on purpose */

	assert_true(leak > 2);
	assert_int_equal(RUN(&res, NULL, NULL, "ls", "/proc/self/fd"), 0);
	/* The last one is the folder that is being listed. */
	assert_string_equal(strbuf_str(&res.out), "0\n1\n2\n3\n");
	close(leak);
}

static void test_stdin(void **state)
{
	AB_SPAWN_RESULT struct spawn_result res;
	struct spawn_opts opts = {0};
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "hello", 5), 5);
	close(ends[1]);
	opts.stdin_fd = ends[0];
	assert_int_equal(RUN(&res, NULL, &opts, "cat"), 0);
	assert_string_equal(strbuf_str(&res.out), "hello");
	close(ends[0]);
}

static void test_stdin_is_empty_by_default(void **state)
{
	AB_SPAWN_RESULT struct spawn_result res;

	assert_int_equal(RUN(&res, NULL, NULL, "cat"), 0);
	assert_int_equal(res.out.len, 0);
}

static void test_cpu_time(void **state)
{
	AB_SPAWN_RESULT struct spawn_result res;

	assert_int_equal(RUN(&res, NULL, NULL, "sh", "-c",
			     "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"),
			 0);
	assert_true(res.user_ns > 1000000);
	assert_true(res.user_ns + res.system_ns <= 2 * res.wall_ns);
}

/* The child must die with its parent, even when nobody is left to kill it. */
static void test_child_dies_with_us(void **state)
{
	pid_t middle, inner = 0;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	middle = fork();
	if (middle == 0) {
		struct child c;
		pid_t pid = child_fork(&c, 0, NULL, 0);

		if (pid == 0) {
			for (;;)
				pause();
		}
		if (write(ends[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(read(ends[0], &inner, sizeof(inner)), sizeof(inner));
	waitpid(middle, NULL, 0);
	for (int i = 0; i < 200; i++) {
		char path[64], line[256];

		fs_path(path, sizeof(path), "/proc/%d/stat", inner);
		if (fs_read_line(path, line, sizeof(line)) || strstr(line, ") Z "))
			return;
		usleep(10000);
	}
	fail_msg("process %d outlived its parent", inner);
}

static void test_find(void **state)
{
	char path[4096];

	assert_int_equal(spawn_find("sh", path, sizeof(path)), 0);
	assert_int_equal(*path, '/');
	assert_int_equal(spawn_find("/bin/sh", path, sizeof(path)), 0);
	assert_int_equal(spawn_find("/etc/passwd", path, sizeof(path)), -ENOENT);
	assert_int_equal(spawn_find("etc", path, sizeof(path)), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output_and_status),
		cmocka_unit_test(test_arguments_are_not_shell_text),
		cmocka_unit_test(test_no_such_program),
		cmocka_unit_test(test_exec_failure_is_reported),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_timeout_reaches_the_group),
		cmocka_unit_test(test_sigterm_ignored_needs_sigkill),
		cmocka_unit_test(test_stragglers_end_with_the_leader),
		cmocka_unit_test(test_big_output_is_cut_not_blocked),
		cmocka_unit_test(test_big_output_is_whole),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_no_descriptor_leaks),
		cmocka_unit_test(test_stdin),
		cmocka_unit_test(test_stdin_is_empty_by_default),
		cmocka_unit_test(test_cpu_time),
		cmocka_unit_test(test_child_dies_with_us),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
