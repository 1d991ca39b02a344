// SPDX-License-Identifier: GPL-2.0-only
#include "base/fsutil.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/sha256.h"

static char top[64];

static const char *at(const char *name)
{
	static char path[2][4096];
	static int turn;
	char *buf = path[turn ^= 1];

	fs_path(buf, sizeof(path[0]), "%s/%s", top, name);
	return buf;
}

static int setup(void **state)
{
	strcpy(top, "/tmp/accelbench-test-XXXXXX");
	return mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
	return fs_remove_tree(top, NULL);
}

static void test_path_is_never_cut(void **state)
{
	char buf[8];

	assert_int_equal(fs_path(buf, sizeof(buf), "%s", "1234567"), 0);
	assert_int_equal(fs_path(buf, sizeof(buf), "%s", "12345678"), -ENAMETOOLONG);
}

static void test_write_and_read(void **state)
{
	AB_STRBUF struct strbuf text = {0};
	struct diag d = {""};
	char line[64];

	assert_int_equal(fs_write_atomic(at("file"), "first\nsecond\n", 13, &d), 0);
	assert_int_equal(fs_read_file(at("file"), 13, &text, &d), 0);
	assert_string_equal(text.data, "first\nsecond\n");
	assert_int_equal(fs_read_file(at("file"), 12, &text, &d), -EFBIG);
	assert_int_equal(fs_read_line(at("file"), line, sizeof(line)), 0);
	assert_string_equal(line, "first");
	assert_int_equal(fs_read_line(at("none"), line, sizeof(line)), -ENOENT);
	assert_string_equal(line, "");
	assert_int_equal(fs_read_file(at("none"), 10, &text, &d), -ENOENT);
	assert_non_null(strstr(d.text, "/none: cannot be opened: No such file"));
	assert_int_equal(fs_read_file(top, 10, &text, &d), -EISDIR);
}

static void test_write_all(void **state)
{
	AB_STRBUF struct strbuf text = {0};
	int fd = open(at("all"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(fs_write_all(fd, "one, ", 5), 0);
	assert_int_equal(fs_write_all(fd, "", 0), 0);
	assert_int_equal(fs_write_all(fd, "two", 3), 0);
	close(fd);
	assert_int_equal(fs_read_file(at("all"), 100, &text, NULL), 0);
	assert_string_equal(strbuf_str(&text), "one, two");
	fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_int_equal(fs_write_all(fd, "x", 1), -ENOSPC);
	close(fd);
}

static void test_copy(void **state)
{
	AB_STRBUF struct strbuf text = {0};
	char from[4096];
	struct diag d = {""};
	struct stat st;

	snprintf(from, sizeof(from), "%s", at("from"));
	assert_int_equal(fs_write_atomic(from, "all\0of it", 9, &d), 0);
	assert_int_equal(fs_copy_file(from, at("copy"), 0700, &d), 0);
	assert_int_equal(fs_read_file(at("copy"), 100, &text, &d), 0);
	assert_int_equal(text.len, 9);
	assert_memory_equal(text.data, "all\0of it", 9);
	assert_int_equal(stat(at("copy"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	/* Never over something that is there, and nothing is left of a copy that failed. */
	assert_int_equal(fs_copy_file(from, at("copy"), 0700, &d), -EEXIST);
	assert_int_equal(fs_copy_file(at("none"), from, 0700, &d), -ENOENT);
	assert_true(fs_copy_file(top, at("other"), 0700, &d) < 0);
	assert_false(fs_exists(at("other")));
}

static void test_read_appends(void **state)
{
	AB_STRBUF struct strbuf text = {0};

	strbuf_puts(&text, "kept ");
	fs_write_atomic(at("file"), "abc", 3, NULL);
	assert_int_equal(fs_read_file(at("file"), 3, &text, NULL), 0);
	assert_string_equal(text.data, "kept abc");
}

static void test_proc_file_without_size(void **state)
{
	AB_STRBUF struct strbuf text = {0};

	assert_int_equal(fs_read_file("/proc/self/status", 1 << 20, &text, NULL), 0);
	assert_true(text.len > 100);
}

static void test_atomic_write_leaves_nothing_on_failure(void **state)
{
	struct diag d = {""};

	assert_int_equal(mkdir(at("folder"), 0700), 0);
	assert_int_equal(fs_write_atomic(at("folder"), "x", 1, &d), -EISDIR);
	assert_int_equal(fs_write_atomic(at("no/file"), "x", 1, &d), -ENOENT);
	assert_int_equal(rmdir(at("folder")), 0);
	/* Only an empty folder can be removed: no temporary file is left. */
	assert_int_equal(rmdir(top), 0);
	assert_int_equal(mkdir(top, 0700), 0);
}

static void test_atomic_write_does_not_replace_devices(void **state)
{
	struct stat st;

	assert_int_equal(fs_write_atomic("/dev/null", "x", 1, NULL), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static void test_atomic_write_replaces(void **state)
{
	struct stat before, after;

	fs_write_atomic(at("file"), "old", 3, NULL);
	assert_int_equal(stat(at("file"), &before), 0);
	fs_write_atomic(at("file"), "new", 3, NULL);
	assert_int_equal(stat(at("file"), &after), 0);
	assert_int_not_equal(before.st_ino, after.st_ino);
}

static void test_mkdir_p(void **state)
{
	struct diag d = {""};

	assert_int_equal(fs_mkdir_p(at("a/b//c/"), 0755, &d), 0);
	assert_int_equal(fs_mkdir_p(at("a/b/c"), 0755, &d), 0);
	fs_write_atomic(at("a/file"), "", 0, NULL);
	assert_int_equal(fs_mkdir_p(at("a/file"), 0755, &d), -ENOTDIR);
	assert_int_equal(fs_mkdir_p(at("a/file/x"), 0755, &d), -ENOTDIR);
}

static void test_remove_tree_follows_no_link(void **state)
{
	struct diag d = {""};

	fs_mkdir_p(at("keep"), 0755, NULL);
	fs_write_atomic(at("keep/file"), "x", 1, NULL);
	fs_mkdir_p(at("tree/deep"), 0755, NULL);
	fs_write_atomic(at("tree/deep/file"), "x", 1, NULL);
	assert_int_equal(symlink(at("keep"), at("tree/link")), 0);
	assert_int_equal(symlink(at("keep"), at("link")), 0);
	assert_int_equal(fs_remove_tree(at("link"), &d), -ENOTDIR);
	assert_int_equal(fs_remove_tree(at("tree"), &d), 0);
	assert_false(fs_exists(at("tree")));
	assert_true(fs_exists(at("keep/file")));
	assert_int_equal(fs_remove_tree(at("tree"), &d), 0);
}

/* A bind mount has the device number of its surroundings: comparing those would not notice it. */
static void test_remove_tree_crosses_no_mount(void **state)
{
	struct diag d = {""};

	if (geteuid() != 0) {
		print_message("skip: mounting needs root\n");
		skip();
	}
	fs_mkdir_p(at("keep"), 0755, NULL);
	fs_write_atomic(at("keep/file"), "x", 1, NULL);
	fs_mkdir_p(at("tree/mnt"), 0755, NULL);
	assert_int_equal(mount(at("keep"), at("tree/mnt"), NULL, MS_BIND, NULL), 0);
	assert_int_equal(fs_remove_tree(at("tree"), &d), -EXDEV);
	assert_int_equal(fs_remove_tree(at("tree/mnt"), &d), -EXDEV);
	assert_true(fs_exists(at("keep/file")));
	assert_int_equal(umount(at("tree/mnt")), 0);
	assert_int_equal(fs_remove_tree(at("tree"), &d), 0);
}

static void put(const char *name, const char *text)
{
	assert_int_equal(fs_write_atomic(at(name), text, strlen(text), NULL), 0);
}

static void assert_content(const char *name, const char *text)
{
	AB_STRBUF struct strbuf found = {0};

	assert_int_equal(fs_read_file(at(name), 4096, &found, NULL), 0);
	assert_string_equal(strbuf_str(&found), text);
}

static void test_move_into_what_is_there(void **state)
{
	struct diag d = {""};

	fs_mkdir_p(at("from/sub/deep"), 0755, NULL);
	put("from/same", "new");
	put("from/sub/deep/file", "deep");
	assert_int_equal(fs_move_into(at("from"), at("to"), &d), 0);
	assert_false(fs_exists(at("from")));
	assert_content("to/sub/deep/file", "deep");
	fs_mkdir_p(at("from/sub/deep"), 0755, NULL);
	put("from/same", "newer");
	put("from/sub/deep/another", "another");
	assert_int_equal(fs_move_into(at("from"), at("to"), &d), 0);
	assert_false(fs_exists(at("from")));
	assert_content("to/same", "newer");
	assert_content("to/sub/deep/file", "deep");
	assert_content("to/sub/deep/another", "another");
	assert_int_equal(fs_move_into(at("from"), at("to"), &d), -ENOENT);
}

/* A file where a folder should go: all else is moved, and nothing is lost. */
static void test_move_into_goes_on_after_an_error(void **state)
{
	struct diag d = {""};

	fs_mkdir_p(at("from/sub"), 0755, NULL);
	fs_mkdir_p(at("from/other"), 0755, NULL);
	put("from/sub/file", "x");
	put("from/other/file", "y");
	fs_mkdir_p(at("to"), 0755, NULL);
	put("to/sub", "a file");
	assert_int_equal(fs_move_into(at("from"), at("to"), &d), -ENOTDIR);
	assert_non_null(strstr(d.text, "from/sub"));
	assert_content("from/sub/file", "x");
	assert_content("to/other/file", "y");
	assert_content("to/sub", "a file");
}

static void test_hashes(void **state)
{
	static const char abc[] =
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
	static const char empty[] =
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
	char hex[SHA256_HEX_SIZE];
	uint64_t size = 0;

	assert_int_equal(fs_sha256_bytes("abc", 3, hex), 0);
	assert_string_equal(hex, abc);
	fs_write_atomic(at("file"), "abc", 3, NULL);
	assert_int_equal(fs_sha256_file(at("file"), hex, &size, NULL), 0);
	assert_string_equal(hex, abc);
	assert_int_equal(size, 3);
	assert_int_equal(fs_sha256_file("/dev/null", hex, &size, NULL), 0);
	assert_string_equal(hex, empty);
	assert_int_equal(fs_sha256_file(at("none"), hex, &size, NULL), -ENOENT);
	assert_string_equal(hex, "");
}

static void test_hash_in_pieces(void **state)
{
	AB_SHA256 struct sha256 sum;
	char hex[SHA256_HEX_SIZE], whole[SHA256_HEX_SIZE];

	fs_sha256_bytes("abcdef", 6, whole);
	sha256_init(&sum);
	sha256_update(&sum, "abc", 3);
	sha256_update(&sum, "", 0);
	sha256_update(&sum, "def", 3);
	assert_int_equal(sha256_final(&sum, hex), 0);
	assert_string_equal(hex, whole);
	assert_int_equal(sha256_final(&sum, hex), -ENOMEM);
	assert_string_equal(hex, "");
}

static void test_empty_sysfs_value_is_a_newline(void **state)
{
	AB_STRBUF struct strbuf text = {0};

	fs_write_atomic(at("file"), "", 0, NULL);
	assert_int_equal(fs_write_sysfs(at("file"), "", NULL), 0);
	assert_int_equal(fs_read_file(at("file"), 10, &text, NULL), 0);
	assert_string_equal(text.data, "\n");
	assert_int_equal(fs_write_sysfs(at("none"), "1", NULL), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path_is_never_cut),
		cmocka_unit_test_setup_teardown(test_write_and_read, setup, teardown),
		cmocka_unit_test_setup_teardown(test_write_all, setup, teardown),
		cmocka_unit_test_setup_teardown(test_copy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_read_appends, setup, teardown),
		cmocka_unit_test(test_proc_file_without_size),
		cmocka_unit_test_setup_teardown(test_atomic_write_leaves_nothing_on_failure, setup,
						teardown),
		cmocka_unit_test(test_atomic_write_does_not_replace_devices),
		cmocka_unit_test_setup_teardown(test_atomic_write_replaces, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mkdir_p, setup, teardown),
		cmocka_unit_test_setup_teardown(test_remove_tree_follows_no_link, setup, teardown),
		cmocka_unit_test_setup_teardown(test_remove_tree_crosses_no_mount, setup, teardown),
		cmocka_unit_test_setup_teardown(test_move_into_what_is_there, setup, teardown),
		cmocka_unit_test_setup_teardown(test_move_into_goes_on_after_an_error, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_hashes, setup, teardown),
		cmocka_unit_test(test_hash_in_pieces),
		cmocka_unit_test_setup_teardown(test_empty_sysfs_value_is_a_newline, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
