// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loop devices that a killed run left attached, as kernels before 5.8 let it happen between two calls, where /sys/block cannot
 * be seen. Needs root and the loop driver.
 */
#include "base/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "base/fsutil.h"

#define TRIES 64 /* others take free devices too */

static char top[64], journals[96], ours[96], other[96], device[64];
static const char *skip_reason;

/* In a mount namespace of our own, where /sys/block is empty. */
static int setup_group(void **state)
{
	if (geteuid() != 0)
		skip_reason = "attaching loop devices needs root";
	else if (access("/dev/loop-control", R_OK | W_OK))
		skip_reason = "no loop driver";
	if (skip_reason)
		return 0;
	return unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount("none", "/sys/block", "tmpfs", 0, NULL);
}

static int setup(void **state)
{
	static const char bytes[4096];

	strcpy(top, "/tmp/accelbench-test-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	fs_path(journals, sizeof(journals), "%s/journals", top);
	fs_path(ours, sizeof(ours), "%s/ours", top);
	fs_path(other, sizeof(other), "%s/other", top);
	device[0] = '\0';
	return fs_write_atomic(ours, bytes, sizeof(bytes), NULL) ||
	       fs_write_atomic(other, bytes, sizeof(bytes), NULL);
}

/* The number of the inode that is attached to @device, 0: none. */
static uint64_t attached_inode(void)
{
	AB_CLOSE int fd = open(device, O_RDONLY | O_CLOEXEC);
	struct loop_info64 info;

	return fd >= 0 && !ioctl(fd, LOOP_GET_STATUS64, &info) ? info.lo_inode : 0;
}

static bool is_attached(const char *file)
{
	struct stat st;

	return !stat(file, &st) && attached_inode() == st.st_ino;
}

/* Also after a test that failed. */
static int teardown(void **state)
{
	if (device[0] && (is_attached(ours) || is_attached(other))) {
		AB_CLOSE int fd = open(device, O_RDONLY | O_CLOEXEC);

		ioctl(fd, LOOP_CLR_FD);
	}
	return fs_remove_tree(top, NULL);
}

/* Without LO_FLAGS_AUTOCLEAR: it stays attached although nobody has it open. */
static void attach(const char *file)
{
	AB_CLOSE int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	AB_CLOSE int image = open(file, O_RDONLY | O_CLOEXEC);

	for (int i = 0; i < TRIES; i++) {
		AB_CLOSE int fd = -1;

		fs_path(device, sizeof(device), "/dev/loop%d", ioctl(control, LOOP_CTL_GET_FREE));
		fd = open(device, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && !ioctl(fd, LOOP_SET_FD, image))
			return;
	}
	device[0] = '\0';
	print_message("skip: no loop device can be had\n");
	skip();
}

#define NEEDS_LOOP()                                              \
	do {                                                      \
		if (skip_reason) {                                \
			print_message("skip: %s\n", skip_reason); \
			skip();                                   \
		}                                                 \
	} while (0)

/* Writes down that @path is attached to our file, and undoes it. */
static void undo_device(const char *path)
{
	struct undo *u = NULL;
	struct diag d = {""};

	if (undo_open(&u, journals, &d) || undo_push(u, UNDO_LOOP, path, ours, &d) < 0 ||
	    undo_close(u, &d))
		fail_msg("%s", d.text);
}

static void test_ours_is_detached(void **state)
{
	NEEDS_LOOP();
	attach(ours);
	assert_true(is_attached(ours));
	undo_device(device);
	assert_int_equal(attached_inode(), 0);
}

static void test_somebody_elses_is_left_alone(void **state)
{
	NEEDS_LOOP();
	attach(other);
	undo_device(device);
	assert_true(is_attached(other));
}

static void test_one_that_is_free_or_gone_is_nothing_to_do(void **state)
{
	NEEDS_LOOP();
	attach(ours);
	undo_device(device);
	undo_device(device);
	undo_device("/dev/loop99999");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ours_is_detached),
		TEST(test_somebody_elses_is_left_alone),
		TEST(test_one_that_is_free_or_gone_is_nothing_to_do),
	};

	return cmocka_run_group_tests(tests, setup_group, NULL);
}
