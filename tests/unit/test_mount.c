// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loop devices, mounts, cold caches, reading back: on the kernel that runs the tests. Needs root
 * and mkfs.erofs.
 */
#include "run/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/spawn.h"
#include "run/accel.h"
#include "run/image.h"
#include "run/verify.h"

#define EROFS_MAGIC 0xe0f5e1e2
#define SECOND	    UINT64_C(1000000000)

static char top[64], journals[96], image[4096];
static struct dataset ds;
static struct undo *undo;
static const char *skip_reason;

static const char *at(const char *name)
{
	static char path[4][4096];
	static unsigned int turn;
	char *buf = path[turn++ % 4];

	fs_path(buf, sizeof(path[0]), "%s/%s", top, name);
	return buf;
}

static void build(const struct engine_info *engine, char *path)
{
	struct plan_image pi = {.engine = engine, .cluster_bytes = 16384, .level = -1};
	struct result_image facts;
	struct diag d = {""};
	struct store st;
	char cache[128];

	fs_path(cache, sizeof(cache), "%s/cache", top);
	if (store_open(&st, cache, NULL, &d) ||
	    image_prepare(&st, &ds, &pi, &facts, path, 4096, &d))
		fail_msg("%s", d.text);
}

/*
 * One dataset and one image for all; in a mount namespace of our own, so that nothing can be left
 * on the machine.
 */
static int setup_group(void **state)
{
	struct dataset_spec spec = {.kind = DATASET_GENERATE,
				    .generator = "text",
				    .size_bytes = 3 << 20,
				    .seed = 1};
	struct store st;
	struct diag d;
	char cache[128];

	if (geteuid() != 0)
		skip_reason = "mounting needs root";
	else if (spawn_find("mkfs.erofs", image, sizeof(image)))
		skip_reason = "mkfs.erofs is not installed";
	if (skip_reason)
		return 0;
	strcpy(top, "/tmp/accelbench-test-XXXXXX");
	if (mount_namespace(&d) || !mkdtemp(top))
		return -1;
	fs_path(journals, sizeof(journals), "%s/journals", top);
	fs_path(cache, sizeof(cache), "%s/cache", top);
	fs_mkdir_p(at("mnt"), 0700, NULL);
	if (store_open(&st, cache, NULL, NULL) || dataset_prepare(&st, &spec, &ds, NULL))
		return -1;
	build(engine_find("lz4hc"), image);
	return 0;
}

static int teardown_group(void **state)
{
	return skip_reason ? 0 : fs_remove_tree(top, NULL);
}

static int setup(void **state)
{
	return skip_reason ? 0 : undo_open(&undo, journals, NULL);
}

static int teardown(void **state)
{
	struct diag d = {""};

	if (!skip_reason && undo_close(undo, &d))
		fail_msg("%s", d.text);
	return 0;
}

#define NEEDS_ROOT()                                              \
	do {                                                      \
		if (skip_reason) {                                \
			print_message("skip: %s\n", skip_reason); \
			skip();                                   \
		}                                                 \
	} while (0)

static bool is_erofs(const char *dir)
{
	struct statfs fs;

	return !statfs(dir, &fs) && (unsigned int)fs.f_type == EROFS_MAGIC;
}

/* Detaching is the kernel's work after the last close; it may take a moment. */
static void assert_detached(const char *device)
{
	char path[128];

	fs_path(path, sizeof(path), "/sys/block/%s/loop/backing_file", strrchr(device, '/') + 1);
	for (int i = 0; i < 200 && fs_exists(path); i++)
		usleep(10000);
	if (fs_exists(path))
		fail_msg("%s is still attached", device);
}

static void assert_reads_back(const struct mounted *m)
{
	struct result_verify v = {0};
	struct diag d = {""};
	char file[8192];

	fs_path(file, sizeof(file), "%s/%s", m->dir, ds.file);
	if (verify_file(file, ds.file_sha256, 60 * SECOND, &v, &d) || !v.ok)
		fail_msg("%s %s", d.text, v.reason);
	assert_string_equal(v.sha256, ds.file_sha256);
}

static void mount_and_read(const char *path, enum backing_kind backing)
{
	uint64_t before = 0, after = 0;
	struct diag d = {""};
	struct mounted m;
	char what[58];
	int ret = mount_image(undo, path, backing, at("mnt"), &m, &d);

	if (ret == -ENODEV && backing == BACKING_FILE) {
		/* An older kernel: the message must say so. */
		assert_non_null(strstr(d.text, "CONFIG_EROFS_FS_BACKED_BY_FILE"));
		return;
	}
	if (ret)
		fail_msg("%s", d.text);
	assert_true(is_erofs(m.dir));
	assert_string_equal(m.backing, backing_names[backing]);
	assert_true(m.kernel_dev != 0);
	assert_int_equal(*m.device != 0, backing != BACKING_FILE);
	if (cache_make_cold(&m, path, what, sizeof(what), &d))
		fail_msg("%s", d.text);
	assert_non_null(strstr(what, " 0 of "));
	assert_int_equal(what[strlen(what) - 1], 't');
	assert_int_equal(mount_disk_read_bytes(&m, &before), *m.device ? 0 : -ENODATA);
	assert_reads_back(&m);
	if (*m.device) {
		assert_int_equal(mount_disk_read_bytes(&m, &after), 0);
		/* Cold: all of the file came from the device. */
		assert_true(after - before > 900000);
	}
	if (unmount_image(undo, &m, &d))
		fail_msg("%s", d.text);
	assert_false(fs_exists(m.dir));
	if (*m.device)
		assert_detached(m.device);
}

static void test_loop_direct(void **state)
{
	NEEDS_ROOT();
	mount_and_read(image, BACKING_LOOP_DIRECT);
}

static void test_loop(void **state)
{
	NEEDS_ROOT();
	mount_and_read(image, BACKING_LOOP);
}

static void test_file(void **state)
{
	NEEDS_ROOT();
	mount_and_read(image, BACKING_FILE);
}

static void test_every_algorithm_of_this_mkfs(void **state)
{
	char path[4096];

	NEEDS_ROOT();
	build(engine_find("none"), path);
	mount_and_read(path, BACKING_LOOP_DIRECT);
	build(engine_find("lz4"), path);
	mount_and_read(path, BACKING_LOOP_DIRECT);
}

/* Read-only, nodev, nosuid, noexec; two at once on two devices. */
static void test_mount_flags_and_two_at_once(void **state)
{
	AB_STRBUF struct strbuf mounts = {0};
	struct mounted one, two;
	struct diag d = {""};
	const char *line;

	NEEDS_ROOT();
	if (mount_image(undo, image, BACKING_LOOP_DIRECT, at("mnt"), &one, &d) ||
	    mount_image(undo, image, BACKING_LOOP_DIRECT, at("mnt"), &two, &d))
		fail_msg("%s", d.text);
	assert_string_not_equal(one.device, two.device);
	assert_string_not_equal(one.dir, two.dir);
	assert_int_not_equal(one.kernel_dev, two.kernel_dev);
	assert_int_equal(fs_read_file("/proc/self/mountinfo", 1 << 20, &mounts, &d), 0);
	line = strstr(mounts.data, one.dir);
	assert_non_null(line);
	assert_int_equal(strncmp(line + strlen(one.dir), " ro,nosuid,nodev,noexec,", 24), 0);
	assert_int_equal(unmount_image(undo, &one, &d), 0);
	assert_reads_back(&two);
	assert_int_equal(unmount_image(undo, &two, &d), 0);
}

static void test_warm_page_is_noticed(void **state)
{
	struct diag d = {""};
	struct mounted m;
	char what[64], file[8192];
	void *mem;
	int fd;

	NEEDS_ROOT();
	if (mount_image(undo, image, BACKING_LOOP_DIRECT, at("mnt"), &m, &d))
		fail_msg("%s", d.text);
	fs_path(file, sizeof(file), "%s/%s", m.dir, ds.file);
	fd = open(file, O_RDONLY);
	mem = mmap(NULL, 8192, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	assert_true(mem != MAP_FAILED);
	/* A locked page stays, whatever is written to drop_caches. */
	assert_int_equal(mlock(mem, 8192), 0);
	assert_int_equal(cache_make_cold(&m, image, what, sizeof(what), &d), -EBUSY);
	assert_non_null(strstr(d.text, "the cache is not cold: 2 of 768 pages"));
	munmap(mem, 8192);
	close(fd);
	assert_int_equal(cache_make_cold(&m, image, what, sizeof(what), &d), 0);
	assert_int_equal(unmount_image(undo, &m, &d), 0);
}

static void copy_of_image(const char *name, off_t cut)
{
	AB_STRBUF struct strbuf bytes = {0};

	assert_int_equal(fs_read_file(image, 64 << 20, &bytes, NULL), 0);
	assert_int_equal(fs_write_atomic(at(name), bytes.data, cut ? (size_t)cut : bytes.len, NULL),
			 0);
}

static void assert_mount_refused(const char *path, int err, const char *words)
{
	struct diag d = {""};
	struct mounted m;

	if (mount_image(undo, path, BACKING_LOOP_DIRECT, at("mnt"), &m, &d) != err ||
	    !strstr(d.text, words))
		fail_msg("expected \"%s\": %s", words, d.text);
	/* Nothing is left: neither folder nor device. */
	assert_int_equal(rmdir(at("mnt")), 0);
	assert_int_equal(mkdir(at("mnt"), 0700), 0);
}

static void test_cut_image(void **state)
{
	NEEDS_ROOT();
	copy_of_image("cut", 500000);
	assert_mount_refused(at("cut"), -EUCLEAN, "cut short");
	fs_write_atomic(at("empty"), "", 0, NULL);
	assert_mount_refused(at("empty"), -EUCLEAN, "not an EROFS image");
	assert_mount_refused(at("none"), -ENOENT, "none");
}

/*
 * A root folder that is none: nothing that our own check looks at; the kernel's refusal with its
 * words.
 */
static void test_kernel_refuses(void **state)
{
	int fd;

	NEEDS_ROOT();
	copy_of_image("odd", 0);
	fd = open(at("odd"), O_RDWR);
	/* No checksum; the root's number points behind the inodes. */
	assert_int_equal(pwrite(fd, "\0\0\0\0", 4, 1024 + 8), 4);
	assert_int_equal(pwrite(fd, "\xff\x7f", 2, 1024 + 14), 2);
	close(fd);

	struct diag d = {""};
	struct mounted m;
	int ret = mount_image(undo, at("odd"), BACKING_LOOP_DIRECT, at("mnt"), &m, &d);

	assert_true(ret == -EUCLEAN || ret == -EOPNOTSUPP || ret == -EINVAL);
	assert_non_null(strstr(d.text, "odd: "));
}

/* One spoilt byte of data: found by the hash, or reported by the kernel with the place. */
static void test_wrong_data_are_found(void **state)
{
	struct result_verify v = {0};
	struct diag d = {""};
	struct mounted m;
	char file[8192], path[4096];
	int fd;

	NEEDS_ROOT();
	build(engine_find("none"), path);
	fd = open(path, O_RDWR);
	assert_int_equal(pwrite(fd, "\xff", 1, 1500000), 1);
	fsync(fd);
	if (mount_image(undo, path, BACKING_LOOP_DIRECT, at("mnt"), &m, &d))
		fail_msg("%s", d.text);
	fs_path(file, sizeof(file), "%s/%s", m.dir, ds.file);
	assert_int_equal(verify_file(file, ds.file_sha256, 60 * SECOND, &v, &d), 0);
	assert_false(v.ok);
	assert_non_null(strstr(v.reason, "wrong data: sha256 of the 3145728 bytes read is"));
	assert_int_equal(unmount_image(undo, &m, &d), 0);
	close(fd);
	unlink(path);
}

static void test_read_error_has_its_place(void **state)
{
	struct result_verify v = {0};
	struct diag d = {""};
	struct mounted m;
	char file[8192];
	static char zeros[16384];
	int fd;

	NEEDS_ROOT();
	copy_of_image("spoilt", 0);
	fd = open(at("spoilt"), O_RDWR);
	/* All zeros are no LZ4 stream. */
	assert_int_equal(pwrite(fd, zeros, sizeof(zeros), 800 * 1024), sizeof(zeros));
	fsync(fd);
	close(fd);
	if (mount_image(undo, at("spoilt"), BACKING_LOOP_DIRECT, at("mnt"), &m, &d))
		fail_msg("%s", d.text);
	fs_path(file, sizeof(file), "%s/%s", m.dir, ds.file);
	assert_int_equal(verify_file(file, ds.file_sha256, 60 * SECOND, &v, &d), 0);
	assert_false(v.ok);
	assert_non_null(strstr(v.reason, "reading failed at byte "));
	assert_string_equal(v.sha256, "");
	assert_int_equal(unmount_image(undo, &m, &d), 0);
}

static void test_no_direct_io_is_an_error(void **state)
{
	struct diag d = {""};
	struct mounted m;
	char what[58];

	NEEDS_ROOT();
	fs_mkdir_p(at("ram"), 0700, NULL);
	assert_int_equal(mount("none", at("ram"), "ramfs", 0, NULL), 0);
	copy_of_image("ram/image", 0);
	assert_int_equal(mount_image(undo, at("ram/image"), BACKING_LOOP_DIRECT, at("mnt"), &m, &d),
			 -EOPNOTSUPP);
	assert_non_null(strstr(d.text, "no direct I/O on the file system that holds it"));
	/* Without it this works, and the result says that no disk was read. */
	if (mount_image(undo, at("ram/image"), BACKING_LOOP, at("mnt"), &m, &d) ||
	    cache_make_cold(&m, at("ram/image"), what, sizeof(what), &d))
		fail_msg("%s", d.text);
	assert_int_equal(strncmp(what, "image in RAM, ", 14), 0);
	assert_reads_back(&m);
	assert_int_equal(unmount_image(undo, &m, &d), 0);
	assert_detached(m.device);
	assert_int_equal(umount(at("ram")), 0);
}

static void test_busy_mount_is_reported_and_detached(void **state)
{
	struct diag d = {""};
	struct mounted m;
	char file[8192];
	int fd;

	NEEDS_ROOT();
	if (mount_image(undo, image, BACKING_LOOP_DIRECT, at("mnt"), &m, &d))
		fail_msg("%s", d.text);
	fs_path(file, sizeof(file), "%s/%s", m.dir, ds.file);
	fd = open(file, O_RDONLY);
	assert_int_equal(unmount_image(undo, &m, &d), -EBUSY);
	assert_non_null(strstr(d.text, "still in use"));
	assert_false(fs_exists(m.dir));
	close(fd);
	assert_detached(m.device);
}

static void test_not_root(void **state)
{
	pid_t pid;
	int status;

	NEEDS_ROOT();
	assert_int_equal(chmod(top, 0711), 0);
	pid = fork();
	if (pid == 0) {
		struct diag d = {""};
		bool right;

		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(2);
		right = mount_namespace(&d) == -EPERM && strstr(d.text, "needs root");
		_exit(!right);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* SIGKILL with an image mounted where it outlives us: cleanup unmounts, detaches, removes. */
static void test_cleanup_after_sigkill(void **state)
{
	struct undo_report report;
	struct diag d = {""};
	struct mounted *m =
		mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid;

	NEEDS_ROOT();
	pid = fork();
	if (pid == 0) {
		struct undo *own;

		if (undo_open(&own, journals, NULL) ||
		    mount_image(own, image, BACKING_LOOP_DIRECT, at("mnt"), m, NULL))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_true(is_erofs(m->dir));
	if (undo_cleanup(journals, &report, &d))
		fail_msg("%s", d.text);
	assert_int_equal(report.journals, 1);
	assert_int_equal(report.alive, 1); /* ours */
	assert_false(fs_exists(m->dir));
	assert_detached(m->device);
	assert_int_equal(undo_cleanup(journals, &report, &d), 0);
	assert_int_equal(report.journals, 0);
	munmap(m, sizeof(*m));
}

static void test_reading_that_hangs_is_ended(void **state)
{
	struct result_verify v = {0};
	struct diag d = {""};

	NEEDS_ROOT();
	/* Opening a pipe that nobody writes to waits for ever. */
	assert_int_equal(mkfifo(at("pipe"), 0600), 0);
	assert_int_equal(verify_file(at("pipe"), ds.file_sha256, SECOND / 5, &v, &d), -ETIME);
	assert_non_null(strstr(d.text, "took too long"));
	assert_int_equal(verify_read(at("pipe"), SECOND / 5, &d), -ETIME);
	assert_int_equal(verify_read(at("nothing"), SECOND, &d), -ENOENT);
}

/* Writing to a frozen file system waits in the kernel, where SIGKILL does not reach. */
static void test_blocked_in_the_kernel_does_not_hang_us(void **state)
{
	AB_SPAWN_RESULT struct spawn_result made = {0}, mounted = {0}, res = {0};
	struct spawn_opts opts = {.timeout_ns = SECOND / 5};
	struct diag d = {""};
	const char *const mkfs[] = {"mke2fs", "-q", "-t", "ext4", at("disk"), "8M", NULL};
	const char *const mnt[] = {"mount", "-o", "loop", at("disk"), at("frozen"), NULL};
	char script[4200];
	int fd;

	NEEDS_ROOT();
	fs_mkdir_p(at("frozen"), 0700, NULL);
	if (spawn_run(mkfs, NULL, &made, &d) || spawn_check("mke2fs", &made, &d)) {
		print_message("skip: %s\n", d.text);
		skip();
	}
	if (spawn_run(mnt, NULL, &mounted, &d) || spawn_check("mount", &mounted, &d))
		fail_msg("%s", d.text);
	fd = open(at("frozen"), O_RDONLY);
	assert_int_equal(ioctl(fd, FIFREEZE, 0), 0);
	fs_path(script, sizeof(script), "exec 3>%s", at("frozen/file"));

	const char *const sh[] = {"sh", "-c", script, NULL};
	int ret = spawn_run(sh, &opts, &res, &d);

	ioctl(fd, FITHAW, 0);
	close(fd);
	assert_int_equal(ret, 0);
	assert_true(res.unkillable && res.timed_out);
	assert_true(res.wall_ns > 7 * SECOND && res.wall_ns < 10 * SECOND);
	assert_int_equal(spawn_check("sh", &res, &d), -ETIME);
	assert_non_null(strstr(d.text, "blocked in the kernel"));
	for (int i = 0; i < 100 && umount(at("frozen")); i++)
		usleep(20000);
	assert_false(is_erofs(at("frozen")));
}

/*
 * What the switch is, is decided by the kernel; what must hold everywhere: off is possible, and
 * unknown names are refused.
 */
static void test_accelerator_switch(void **state)
{
	struct diag d = {""};
	struct accel a;

	NEEDS_ROOT();
	assert_int_equal(accel_open(&a, undo, &d), 0);
	assert_int_equal(accel_set(&a, NULL, &d), 0);
	assert_int_equal(accel_set(&a, "no_such_driver", &d), -EOPNOTSUPP);
	assert_non_null(strstr(d.text, "no_such_driver: "));
	assert_int_equal(accel_explain("no_such_driver", &d), -EOPNOTSUPP);
	assert_int_equal(accel_restore(&a, &d), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_loop_direct),
		TEST(test_loop),
		TEST(test_file),
		TEST(test_every_algorithm_of_this_mkfs),
		TEST(test_mount_flags_and_two_at_once),
		TEST(test_warm_page_is_noticed),
		TEST(test_cut_image),
		TEST(test_kernel_refuses),
		TEST(test_wrong_data_are_found),
		TEST(test_read_error_has_its_place),
		TEST(test_no_direct_io_is_an_error),
		TEST(test_busy_mount_is_reported_and_detached),
		TEST(test_not_root),
		TEST(test_cleanup_after_sigkill),
		TEST(test_reading_that_hangs_is_ended),
		TEST(test_blocked_in_the_kernel_does_not_hang_us),
		TEST(test_accelerator_switch),
	};

	return cmocka_run_group_tests(tests, setup_group, teardown_group);
}
