// SPDX-License-Identifier: GPL-2.0-only
#include "base/undo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/fsutil.h"

static char top[64], journals[96];

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
	if (!mkdtemp(top))
		return -1;
	fs_path(journals, sizeof(journals), "%s/journals", top);
	return 0;
}

static int teardown(void **state)
{
	return fs_remove_tree(top, NULL);
}

/* Number of files in the journal folder; @path receives one of them. */
static int journal_count(char *path, size_t size)
{
	DIR *dir = opendir(journals);
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		n++;
		if (path)
			fs_path(path, size, "%s/%s", journals, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return n;
}

static struct undo *open_journal(void)
{
	struct undo *u = NULL;
	struct diag d = {""};

	if (undo_open(&u, journals, &d))
		fail_msg("%s", d.text);
	return u;
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

static void test_newest_first_then_gone(void **state)
{
	struct undo *u = open_journal();
	struct diag d = {""};

	put("setting", "2222");
	assert_true(undo_push(u, UNDO_WRITE, at("setting"), "0000", &d) > 0);
	assert_true(undo_push(u, UNDO_WRITE, at("setting"), "1111", &d) > 0);
	assert_int_equal(journal_count(NULL, 0), 1);
	assert_int_equal(undo_close(u, &d), 0);
	assert_content("setting", "0000");
	assert_int_equal(journal_count(NULL, 0), 0);
}

static void test_run_and_forget(void **state)
{
	struct undo *u = open_journal();
	struct diag d = {""};
	int folder, file;

	fs_mkdir_p(at("folder"), 0700, NULL);
	put("file", "x");
	folder = undo_push(u, UNDO_RMDIR, at("folder"), NULL, &d);
	file = undo_push(u, UNDO_UNLINK, at("file"), NULL, &d);
	assert_true(folder > 0 && file > folder);
	assert_int_equal(undo_run(u, folder, &d), 0);
	assert_false(fs_exists(at("folder")));
	assert_int_equal(undo_run(u, folder, &d), -ENOENT);
	undo_forget(u, file);
	assert_int_equal(undo_close(u, &d), 0);
	assert_true(fs_exists(at("file")));
}

static void test_failure_is_kept_and_tried_again(void **state)
{
	struct undo *u = open_journal();
	struct undo_report report;
	struct diag d = {""};

	fs_mkdir_p(at("folder"), 0700, NULL);
	put("folder/file", "x");
	put("other", "x");
	undo_push(u, UNDO_UNLINK, at("other"), NULL, &d);
	undo_push(u, UNDO_RMDIR, at("folder"), NULL, &d);
	assert_int_equal(undo_close(u, &d), 1);
	assert_non_null(strstr(d.text, "accelbench cleanup"));
	assert_false(fs_exists(at("other")));
	assert_int_equal(journal_count(NULL, 0), 1);
	assert_int_equal(undo_cleanup(journals, &report, &d), -ENOTEMPTY);
	assert_int_equal(report.failed, 1);
	assert_int_equal(report.undone, 0);
	unlink(at("folder/file"));
	assert_int_equal(undo_cleanup(journals, &report, &d), 0);
	assert_int_equal(report.journals, 1);
	assert_int_equal(report.undone, 1);
	assert_int_equal(journal_count(NULL, 0), 0);
	assert_int_equal(undo_cleanup(journals, &report, &d), 0);
	assert_int_equal(report.journals, 0);
}

/* Runs @work with a journal in a process that is then killed. */
static void in_killed_process(void (*work)(struct undo *u))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		work(open_journal());
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static void leave_things(struct undo *u)
{
	undo_push(u, UNDO_WRITE, at("set ting\n100%"), "back to %20 this\n", NULL);
	undo_push(u, UNDO_RMTREE, at("tree"), NULL, NULL);
	undo_push(u, UNDO_UNLINK, at("never made"), NULL, NULL);
}

static void test_cleanup_after_sigkill(void **state)
{
	struct undo_report report;
	struct diag d = {""};

	put("set ting\n100%", "changed");
	fs_mkdir_p(at("tree/deep"), 0700, NULL);
	in_killed_process(leave_things);
	assert_int_equal(undo_cleanup(journals, &report, &d), 0);
	assert_int_equal(report.journals, 1);
	assert_int_equal(report.undone, 3);
	assert_false(fs_exists(at("tree")));
	assert_content("set ting\n100%", "back to %20 this\n");
}

static void promise_result(struct undo *u)
{
	undo_push(u, UNDO_RMTREE, at("work"), NULL, NULL);
	undo_push(u, UNDO_MOVE, at("work/result"), at("home"), NULL);
}

/* What lies in a folder that is removed is brought home first; as long as it can't be, the folder stays. */
static void test_result_comes_home_after_sigkill(void **state)
{
	struct undo_report report;
	struct diag d = {""};

	fs_mkdir_p(at("work/result"), 0700, NULL);
	put("work/result/file", "x");
	put("home", "in the way");
	in_killed_process(promise_result);
	assert_int_equal(undo_cleanup(journals, &report, &d), -ENOTDIR);
	assert_content("work/result/file", "x");
	assert_int_equal(unlink(at("home")), 0);
	assert_int_equal(undo_cleanup(journals, &report, &d), 0);
	assert_int_equal(report.undone, 2);
	assert_content("home/file", "x");
	assert_false(fs_exists(at("work")));
	assert_int_equal(journal_count(NULL, 0), 0);
}

static void test_what_was_never_made_is_not_moved(void **state)
{
	struct undo *u = open_journal();
	struct diag d = {""};

	promise_result(u);
	assert_int_equal(undo_close(u, &d), 0);
	assert_false(fs_exists(at("home")));
}

static void test_result_stays_when_it_cannot_come_home(void **state)
{
	struct undo *u = open_journal();
	struct diag d = {""};

	fs_mkdir_p(at("work/result"), 0700, NULL);
	put("work/result/file", "x");
	put("home", "in the way");
	promise_result(u);
	assert_int_equal(undo_close(u, &d), 1);
	assert_content("work/result/file", "x");
}

static void test_living_owner_is_left_alone(void **state)
{
	struct undo *u = open_journal();
	struct undo_report report;

	put("file", "x");
	undo_push(u, UNDO_UNLINK, at("file"), NULL, NULL);
	assert_int_equal(undo_cleanup(journals, &report, NULL), 0);
	assert_int_equal(report.alive, 1);
	assert_int_equal(report.journals, 0);
	assert_true(fs_exists(at("file")));
	assert_int_equal(undo_close(u, NULL), 0);
	assert_false(fs_exists(at("file")));
}

static void change_setting(struct undo *u)
{
	undo_push(u, UNDO_WRITE, at("setting"), "dead's original", NULL);
}

/* The dead one's value must not come back in the middle of a living one's work. */
static void test_what_a_living_owner_uses_waits(void **state)
{
	struct undo_report report;
	struct undo *u;

	put("setting", "dead's value");
	in_killed_process(change_setting);
	u = open_journal();
	undo_push(u, UNDO_WRITE, at("setting"), "dead's value", NULL);
	put("setting", "living's value");
	assert_int_equal(undo_cleanup(journals, &report, NULL), 0);
	assert_int_equal(report.in_use, 1);
	assert_int_equal(report.undone, 0);
	assert_content("setting", "living's value");
	assert_int_equal(undo_close(u, NULL), 0);
	assert_int_equal(undo_cleanup(journals, &report, NULL), 0);
	assert_int_equal(report.undone, 1);
	assert_content("setting", "dead's original");
}

static void test_torn_last_line_is_ignored(void **state)
{
	struct undo_report report;
	char path[4096];
	int fd;

	put("setting", "changed");
	put("file", "x");
	in_killed_process(change_setting);
	assert_int_equal(journal_count(path, sizeof(path)), 1);
	fd = open(path, O_WRONLY | O_APPEND);
	assert_true(fd >= 0);
	dprintf(fd, "+ 2 unlink %s -", at("file"));
	close(fd);
	assert_int_equal(undo_cleanup(journals, &report, NULL), 0);
	assert_int_equal(report.undone, 1);
	assert_true(fs_exists(at("file")));
}

static void test_garbage_is_refused_and_kept(void **state)
{
	static const char *const bad[] = {
		"",
		"nonsense\n",
		"accelbench-undo 2 1\n+ 1 unlink /etc/passwd -\n",
		"accelbench-undo 1 1\n+ x unlink /tmp/x -\n",
		"accelbench-undo 1 1\n+ 1 explode /tmp/x -\n",
		"accelbench-undo 1 1\n+ 1 unlink\n",
	};
	struct undo_report report;
	struct diag d = {""};

	fs_mkdir_p(journals, 0700, NULL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put("journals/1-2.undo", bad[i]);
		assert_int_equal(undo_cleanup(journals, &report, &d), -EINVAL);
		assert_int_equal(report.failed, 1);
		assert_int_equal(journal_count(NULL, 0), 1);
	}
}

static void test_journals_of_others_are_not_trusted(void **state)
{
	struct undo_report report;
	struct diag d = {""};

	put("file", "x");
	in_killed_process(change_setting);
	assert_int_equal(chmod(journals, 0777), 0);
	assert_int_equal(undo_cleanup(journals, &report, &d), -EPERM);
	assert_int_equal(chmod(journals, 0700), 0);
	if (geteuid() != 0)
		return;
	fs_mkdir_p(journals, 0700, NULL);
	put("journals/1-2.undo", "accelbench-undo 1 1\n");
	assert_int_equal(chown(at("journals/1-2.undo"), 12345, 12345), 0);
	assert_int_equal(undo_cleanup(journals, &report, &d), -EPERM);
	assert_non_null(strstr(d.text, "left alone"));
}

/* Written down before it is made, a folder is known by its name only. */
static void test_folder_with_a_foreign_name_is_not_deleted(void **state)
{
	struct undo *u = open_journal();
	char path[] = "/tmp/somebodys-XXXXXX";
	struct diag d = {""};

	assert_non_null(mkdtemp(path));
	assert_int_equal(rmdir(path), 0);
	undo_push(u, UNDO_RMTREE, path, NULL, NULL);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(undo_close(u, &d), 1);
	assert_non_null(strstr(d.text, "left alone"));
	assert_int_equal(rmdir(path), 0);
}

static void test_only_the_very_folder_is_deleted(void **state)
{
	struct undo *u = open_journal();
	char ours[] = "/tmp/any-name-XXXXXX", theirs[] = "/tmp/any-name-XXXXXX", kept[64];
	struct diag d = {""};

	assert_non_null(mkdtemp(ours));
	assert_non_null(mkdtemp(theirs));
	undo_push(u, UNDO_RMTREE, ours, NULL, NULL);
	undo_push(u, UNDO_RMTREE, theirs, NULL, NULL);
	/* Somebody moves it away and puts another in its place. */
	fs_path(kept, sizeof(kept), "%s-kept", theirs);
	assert_int_equal(rename(theirs, kept), 0);
	assert_int_equal(mkdir(theirs, 0700), 0);
	assert_int_equal(undo_close(u, &d), 0);
	assert_false(fs_exists(ours));
	assert_int_equal(rmdir(theirs), 0);
	assert_int_equal(rmdir(kept), 0);
}

static void test_umount(void **state)
{
	struct undo *u = open_journal();

	if (geteuid() != 0) {
		undo_close(u, NULL);
		print_message("skip: mounting needs root\n");
		skip();
	}
	fs_mkdir_p(at("busy mount"), 0700, NULL);
	fs_mkdir_p(at("foreign"), 0700, NULL);
	undo_push(u, UNDO_UMOUNT, at("busy mount"), "ours", NULL);
	undo_push(u, UNDO_UMOUNT, at("foreign"), "ours", NULL);
	undo_push(u, UNDO_UMOUNT, at("never mounted"), NULL, NULL);
	assert_int_equal(mount("ours", at("busy mount"), "tmpfs", 0, NULL), 0);
	assert_int_equal(mount("theirs", at("foreign"), "tmpfs", 0, NULL), 0);
	put("busy mount/file", "x");

	int fd = open(at("busy mount/file"), O_RDONLY);

	assert_int_equal(undo_close(u, NULL), 0);
	assert_false(fs_exists(at("busy mount/file")));
	close(fd);
	assert_int_equal(umount(at("foreign")), 0);
}

static void test_unfinished_journal_is_removed(void **state)
{
	struct undo_report report;

	fs_mkdir_p(journals, 0700, NULL);
	put("journals/1-2.new", "");
	assert_int_equal(undo_cleanup(journals, &report, NULL), 0);
	assert_int_equal(journal_count(NULL, 0), 0);
}

static void test_no_folder_is_nothing_to_do(void **state)
{
	struct undo_report report;

	assert_int_equal(undo_cleanup(at("none"), &report, NULL), 0);
	assert_int_equal(report.journals + report.failed + report.alive, 0);
	assert_false(fs_exists(at("none")));
}

/* Nothing of ours stays where there was nothing before. */
static void test_folder_goes_with_the_last_journal(void **state)
{
	struct undo *first = open_journal(), *last = open_journal();

	assert_int_equal(undo_close(first, NULL), 0);
	assert_true(fs_exists(journals));
	assert_int_equal(undo_close(last, NULL), 0);
	assert_false(fs_exists(journals));
	/* And comes again. */
	assert_int_equal(undo_close(open_journal(), NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_newest_first_then_gone),
		TEST(test_run_and_forget),
		TEST(test_failure_is_kept_and_tried_again),
		TEST(test_cleanup_after_sigkill),
		TEST(test_result_comes_home_after_sigkill),
		TEST(test_what_was_never_made_is_not_moved),
		TEST(test_result_stays_when_it_cannot_come_home),
		TEST(test_living_owner_is_left_alone),
		TEST(test_what_a_living_owner_uses_waits),
		TEST(test_torn_last_line_is_ignored),
		TEST(test_garbage_is_refused_and_kept),
		TEST(test_journals_of_others_are_not_trusted),
		TEST(test_folder_with_a_foreign_name_is_not_deleted),
		TEST(test_only_the_very_folder_is_deleted),
		TEST(test_umount),
		TEST(test_unfinished_journal_is_removed),
		TEST(test_no_folder_is_nothing_to_do),
		TEST(test_folder_goes_with_the_last_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
