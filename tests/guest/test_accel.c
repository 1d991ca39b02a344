// SPDX-License-Identifier: GPL-2.0-only
/*
 * EROFS' accelerator switch in the lab's kernel, with and without an accelerator. Runs in the
 * guest, as root.
 */
#include "run/accel.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/spawn.h"

#define SWITCH "/sys/fs/erofs/accel"
#define DRIVER "qat_deflate"

static char journals[] = "/tmp/accelbench-test-XXXXXX";
static struct undo *undo;

static void run(const char *program, const char *argument)
{
	const char *const argv[] = {program, argument, NULL};
	AB_SPAWN_RESULT struct spawn_result res = {0};
	struct diag d = {""};

	if (spawn_run(argv, NULL, &res, &d) || spawn_check(program, &res, &d))
		fail_msg("%s", d.text);
}

static int setup(void **state)
{
	return undo_open(&undo, journals, NULL);
}

static int teardown(void **state)
{
	return undo_close(undo, NULL);
}

static int load(void **state)
{
	run("insmod", "/kit/modules/acomp_sim.ko");
	return setup(state);
}

static int unload(void **state)
{
	int ret = teardown(state);

	/* Refused as long as EROFS holds the accelerator: the switch was restored. */
	run("rmmod", "acomp_sim");
	return ret;
}

static void assert_switch(const char *value)
{
	char line[256];

	assert_int_equal(fs_read_line(SWITCH, line, sizeof(line)), 0);
	assert_string_equal(line, value);
}

static void test_nobody_registered_it(void **state)
{
	struct diag d = {""};
	struct accel a;

	assert_int_equal(accel_open(&a, undo, &d), 0);
	assert_true(a.known);
	assert_string_equal(a.original, "");
	assert_int_equal(accel_explain(DRIVER, &d), -EOPNOTSUPP);
	assert_non_null(strstr(d.text, "no such driver in /proc/crypto"));
	d.text[0] = '\0';
	assert_int_equal(accel_set(&a, DRIVER, &d), -EOPNOTSUPP);
	assert_non_null(strstr(d.text, "no such driver in /proc/crypto"));
	assert_switch("");
	assert_int_equal(accel_set(&a, NULL, &d), 0);
	assert_int_equal(accel_restore(&a, &d), 0);
}

static void test_on_and_off(void **state)
{
	struct diag d = {""};
	struct accel a;

	assert_int_equal(accel_open(&a, undo, &d), 0);
	if (accel_explain(DRIVER, &d) || accel_set(&a, DRIVER, &d))
		fail_msg("%s", d.text);
	assert_switch(DRIVER);
	assert_string_equal(a.current, DRIVER);
	assert_int_equal(accel_set(&a, DRIVER, &d), 0);
	assert_int_equal(accel_set(&a, "", &d), 0);
	assert_switch("");
	assert_int_equal(accel_set(&a, DRIVER, &d), 0);
	assert_int_equal(accel_restore(&a, &d), 0);
	assert_switch("");
}

/*
 * The kernel takes the beginning of a name for the name, and says nothing about a name that it does
 * not know.
 */
static void test_names_must_be_whole(void **state)
{
	struct diag d = {""};
	struct accel a;

	assert_int_equal(accel_open(&a, undo, &d), 0);
	assert_int_equal(accel_set(&a, "qat_def", &d), -EOPNOTSUPP);
	assert_non_null(strstr(d.text, "qat_def: no such driver"));
	assert_int_equal(accel_set(&a, "deflate-generic", &d), -EOPNOTSUPP);
	assert_non_null(strstr(d.text, "does not know that accelerator"));
	assert_int_equal(accel_restore(&a, &d), 0);
	assert_switch("");
}

static void test_found_on_is_left_on(void **state)
{
	struct diag d = {""};
	struct accel a;

	assert_int_equal(fs_write_sysfs(SWITCH, DRIVER, &d), 0);
	assert_int_equal(accel_open(&a, undo, &d), 0);
	assert_string_equal(a.original, DRIVER);
	assert_int_equal(accel_set(&a, NULL, &d), 0);
	assert_switch("");
	assert_int_equal(accel_restore(&a, &d), 0);
	assert_switch(DRIVER);
	assert_int_equal(fs_write_sysfs(SWITCH, "", &d), 0);
	assert_switch("");
}

static void test_switched_off_after_sigkill(void **state)
{
	struct undo_report report;
	struct diag d = {""};
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct undo *own;
		struct accel a;

		if (undo_open(&own, journals, NULL) || accel_open(&a, own, NULL) ||
		    accel_set(&a, DRIVER, NULL))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_switch(DRIVER);
	if (undo_cleanup(journals, &report, &d))
		fail_msg("%s", d.text);
	assert_int_equal(report.undone, 1);
	assert_switch("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nobody_registered_it, setup, teardown),
		cmocka_unit_test_setup_teardown(test_on_and_off, load, unload),
		cmocka_unit_test_setup_teardown(test_names_must_be_whole, load, unload),
		cmocka_unit_test_setup_teardown(test_found_on_is_left_on, load, unload),
		cmocka_unit_test_setup_teardown(test_switched_off_after_sigkill, load, unload),
	};

	if (!mkdtemp(journals))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
