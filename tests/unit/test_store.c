// SPDX-License-Identifier: GPL-2.0-only
/*
 * Datasets and images in the store; mkfs.erofs is played by a script where its failures are the
 * subject.
 */
#include "run/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/spawn.h"
#include "run/image.h"
#include "run/mkfs.h"
#include "run/source.h"

static char top[64];
static struct store st;
static struct dataset ds;
static char *path_kept;

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
	char cache[128];

	strcpy(top, "/tmp/accelbench-test-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	fs_path(cache, sizeof(cache), "%s/cache", top);
	path_kept = strdup(getenv("PATH"));
	return store_open(&st, cache, NULL, NULL);
}

static int teardown(void **state)
{
	setenv("PATH", path_kept, 1);
	free(path_kept);
	return fs_remove_tree(top, NULL);
}

/* Entries of one of the store's folders, those that are not there yet included. */
static int entries(const char *area)
{
	char path[4200];
	struct dirent *entry;
	int n = 0;
	DIR *dir;

	fs_path(path, sizeof(path), "%s/%s", st.dir, area);
	dir = opendir(path);
	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	return n;
}

static void put(const char *name, const char *text)
{
	assert_int_equal(fs_write_atomic(at(name), text, strlen(text), NULL), 0);
}

/* Long enough ago for its hash to be remembered. */
static void age(const char *name)
{
	const struct timespec times[] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};

	assert_int_equal(utimensat(AT_FDCWD, at(name), times, AT_SYMLINK_NOFOLLOW), 0);
}

static struct dataset_spec text_spec(uint64_t size)
{
	return (struct dataset_spec){.kind = DATASET_GENERATE,
				     .generator = "text",
				     .size_bytes = size,
				     .seed = 1};
}

static struct dataset_spec path_spec(const char *path)
{
	struct dataset_spec spec = {.kind = DATASET_PATH};

	fs_path(spec.path, sizeof(spec.path), "%s", path);
	return spec;
}

static void prepare(const struct dataset_spec *spec)
{
	struct diag d = {""};

	if (dataset_prepare(&st, spec, &ds, &d))
		fail_msg("%s", d.text);
}

static void assert_refused(const struct dataset_spec *spec, int err, const char *words)
{
	struct diag d = {""};

	if (dataset_prepare(&st, spec, &ds, &d) != err || !strstr(d.text, words))
		fail_msg("expected \"%s\": %s", words, d.text);
	assert_int_equal(entries("datasets"), 0);
	assert_int_equal(entries("locks"), 0);
}

static void test_generated_once(void **state)
{
	struct dataset_spec spec = text_spec(100000);
	char file[8192], first[65];
	struct stat before, after;

	prepare(&spec);
	assert_string_equal(ds.file, "testfile");
	assert_string_equal(ds.facts.kind, "generate");
	assert_string_equal(ds.facts.description, "generated text, 100000 B, seed 1");
	assert_int_equal(ds.facts.size_bytes, 100000);
	assert_string_equal(ds.facts.sha256, ds.file_sha256);
	strcpy(first, ds.file_sha256);
	fs_path(file, sizeof(file), "%s/%s", ds.path, ds.file);
	assert_int_equal(stat(file, &before), 0);
	prepare(&spec);
	assert_int_equal(stat(file, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_string_equal(first, ds.file_sha256);
	assert_int_equal(entries("datasets"), 2);
	assert_int_equal(entries("locks"), 0);
}

static void test_spoilt_dataset_is_made_again(void **state)
{
	struct dataset_spec spec = text_spec(100000);
	char file[8192], hex[SHA256_HEX_SIZE];
	int fd;

	prepare(&spec);
	fs_path(file, sizeof(file), "%s/%s", ds.path, ds.file);
	fd = open(file, O_WRONLY);
	assert_int_equal(pwrite(fd, "X", 1, 5000), 1);
	close(fd);
	prepare(&spec);
	assert_int_equal(fs_sha256_file(file, hex, NULL, NULL), 0);
	assert_string_equal(hex, ds.file_sha256);
	/* Touched but the same: kept. */
	assert_int_equal(utimensat(AT_FDCWD, file, NULL, 0), 0);
	prepare(&spec);
	assert_int_equal(unlink(file), 0);
	prepare(&spec);
	assert_true(fs_exists(file));
}

static void test_substitute_is_named(void **state)
{
	struct dataset_spec spec = text_spec(1);

	spec.substitute = true;
	strcpy(spec.corpus, "enwik9");
	prepare(&spec);
	assert_true(ds.facts.substitute);
	assert_string_equal(ds.facts.description,
			    "generated text, 1 B, seed 1 (stands in for enwik9)");
}

static void test_size_zero_is_refused(void **state)
{
	struct dataset_spec spec = text_spec(0);

	assert_refused(&spec, -ENODATA, "nothing to measure");
}

static void test_larger_than_the_disk(void **state)
{
	struct dataset_spec spec = text_spec(UINT64_C(1) << 60);

	assert_refused(&spec, -ENOSPC, "no room for a dataset of 1048576 TiB");
}

static void test_file_is_copied_not_touched(void **state)
{
	struct dataset_spec spec = path_spec(at("corpus"));
	char file[8192];
	struct stat before, after;

	put("corpus", "abc");
	age("corpus");
	assert_int_equal(stat(at("corpus"), &before), 0);
	prepare(&spec);
	assert_string_equal(ds.file, "corpus");
	assert_string_equal(ds.facts.kind, "path");
	assert_string_equal(ds.facts.sha256,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(stat(at("corpus"), &after), 0);
	assert_int_equal(before.st_ctim.tv_nsec, after.st_ctim.tv_nsec);
	assert_int_equal(after.st_nlink, 1);
	fs_path(file, sizeof(file), "%s/%s", ds.path, ds.file);
	put("corpus", "xyz"); /* what the store has is not changed by that */
	assert_int_equal(stat(file, &after), 0);
	assert_int_equal(after.st_size, 3);
	prepare(&spec);
	assert_string_not_equal(ds.facts.sha256,
				"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/* The remembered hash must not survive a change that keeps size and modification time. */
static void test_change_in_disguise(void **state)
{
	struct dataset_spec spec = path_spec(at("corpus"));
	char first[65];
	int fd;

	put("corpus", "abc");
	age("corpus");
	sleep(3); /* the change time must be old as well */
	prepare(&spec);
	assert_int_equal(entries("sources"), 1);
	strcpy(first, ds.facts.sha256);
	fd = open(at("corpus"), O_WRONLY);
	assert_int_equal(write(fd, "abd", 3), 3);
	close(fd);
	age("corpus");
	prepare(&spec);
	assert_string_not_equal(first, ds.facts.sha256);
}

static void test_written_to_while_it_is_read(void **state)
{
	AB_FREE char *bytes = calloc(1, 32 << 20);
	struct dataset_spec spec = path_spec(at("corpus"));
	pid_t pid;

	assert_non_null(bytes);
	assert_int_equal(fs_write_atomic(at("corpus"), bytes, 32 << 20, NULL), 0);
	pid = fork();
	if (pid == 0) {
		int fd = open(at("corpus"), O_WRONLY);

		for (;;)
			if (pwrite(fd, "x", 1, 0) != 1)
				_exit(1);
	}
	usleep(50000);
	assert_refused(&spec, -ESTALE, "changed while it was read");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Faster than it can be copied: there is an end all the same. */
static void test_grows_while_it_is_read(void **state)
{
	AB_FREE char *bytes = calloc(1, 4 << 20);
	/* On another file system, so that it is no clone. */
	char elsewhere[] = "/dev/shm/accelbench-test-XXXXXX", copy[64];
	struct dataset_record rec = {0};
	struct source src;
	struct stat copied;
	int fd;

	assert_non_null(bytes);
	assert_non_null(mkdtemp(elsewhere));
	fs_path(copy, sizeof(copy), "%s/copy", elsewhere);
	assert_int_equal(fs_write_atomic(at("corpus"), bytes, 1 << 20, NULL), 0);
	assert_int_equal(source_open(&src, at("corpus"), NULL), 0);
	fd = open(at("corpus"), O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, bytes, 4 << 20), 4 << 20);
	close(fd);
	assert_int_equal(source_copy(&src, copy, &rec, NULL), -ESTALE);
	assert_int_equal(stat(copy, &copied), 0);
	assert_int_equal(copied.st_size, 1 << 20);
	source_free(&src);
	assert_int_equal(fs_remove_tree(elsewhere, NULL), 0);
}

static void test_demanded_hash(void **state)
{
	struct dataset_spec spec = path_spec(at("corpus"));

	put("corpus", "abc");
	memset(spec.sha256, 'f', 64);
	assert_refused(&spec, -EBADMSG, "dataset.sha256 demands fff");
	strcpy(spec.sha256, "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD");
	prepare(&spec);
}

static void test_bad_paths(void **state)
{
	struct dataset_spec missing = path_spec(at("none")), empty = path_spec(at("empty")),
			    pipe = path_spec(at("pipe")), device = path_spec("/dev/zero"),
			    hollow = path_spec(at("hollow")), odd = path_spec(at("odd"));

	put("empty", "");
	fs_mkdir_p(at("hollow/folder"), 0755, NULL);
	put("hollow/empty", "");
	fs_mkdir_p(at("odd"), 0755, NULL);
	put("odd/file", "x");
	assert_int_equal(mkfifo(at("odd/pipe"), 0600), 0);
	assert_int_equal(mkfifo(at("pipe"), 0600), 0);
	assert_refused(&missing, -ENOENT, "the dataset cannot be found; correct dataset.path");
	assert_refused(&empty, -ENODATA, "the dataset is empty");
	assert_refused(&pipe, -EINVAL, "neither file nor folder");
	assert_refused(&device, -EINVAL, "neither file nor folder");
	assert_refused(&hollow, -ENODATA, "the dataset is empty");
	assert_refused(&odd, -EINVAL, "odd/pipe: neither file, folder nor link");
}

static void test_unreadable(void **state)
{
	struct dataset_spec spec = path_spec("/proc/self/mem");
	pid_t pid;
	int status;

	put("secret", "x");
	assert_int_equal(chmod(at("secret"), 0), 0);
	assert_int_equal(chmod(top, 0711), 0);
	spec = path_spec(at("secret"));
	if (geteuid() != 0) {
		assert_refused(&spec, -EACCES, "Permission denied");
		return;
	}
	assert_int_equal(chmod(st.dir, 0777), 0);
	/* root reads everything: as nobody, with a store of its own. */
	pid = fork();
	if (pid == 0) {
		char cache[4200];
		struct diag d = {""};

		fs_path(cache, sizeof(cache), "%s/nobody", st.dir);
		_exit(setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) ||
		      store_open(&st, cache, NULL, NULL) ||
		      dataset_prepare(&st, &spec, &ds, &d) != -EACCES ||
		      !strstr(d.text, "secret: the dataset cannot be read: Permission denied"));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The definition in store.h, by hand. */
static void test_folder_hash(void **state)
{
	static const char abc[] =
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
	struct dataset_spec spec = path_spec(at("folder"));
	AB_STRBUF struct strbuf text = {0};
	char target[SHA256_HEX_SIZE], expected[SHA256_HEX_SIZE];

	fs_mkdir_p(at("folder/sub"), 0755, NULL);
	put("folder/sub/a", "abc");
	put("folder/sub-b", "abc");
	assert_int_equal(symlink("/no/where", at("folder/link")), 0);
	fs_sha256_bytes("/no/where", 9, target);
	/* strcmp() order of whole names: '-' is less than '/'. */
	strbuf_printf(&text, "l %s link%c", target, 0);
	strbuf_printf(&text, "d - sub%c", 0);
	strbuf_printf(&text, "f %s sub-b%c", abc, 0);
	strbuf_printf(&text, "f %s sub/a%c", abc, 0);
	fs_sha256_bytes(text.data, text.len, expected);
	prepare(&spec);
	assert_string_equal(ds.facts.sha256, expected);
	assert_string_equal(ds.file, "sub-b");
	assert_string_equal(ds.file_sha256, abc);
	assert_string_equal(ds.path, at("folder"));
	assert_int_equal(ds.facts.size_bytes, 6);
	put("folder/sub/a", "abcd");
	prepare(&spec);
	assert_string_not_equal(ds.facts.sha256, expected);
	assert_string_equal(ds.file, "sub/a");
}

/* ---- images ---- */

static const struct engine_info lz4 = {.name = "lz4",
				       .mkfs_algorithm = "lz4",
				       .algorithm = AB_ALG_LZ4};
static const struct engine_info lz4hc = {.name = "lz4hc",
					 .mkfs_algorithm = "lz4hc",
					 .algorithm = AB_ALG_LZ4};
static const struct engine_info none = {.name = "none", .algorithm = AB_ALG_STORED};
static const struct engine_info invented = {.name = "invented",
					    .mkfs_algorithm = "invented",
					    .algorithm = AB_ALG_ZSTD};

static uint64_t image_timeout_ns;

static int image(const struct engine_info *engine, uint64_t cluster, struct result_image *facts,
		 char *path, struct diag *d)
{
	struct plan_image pi = {.engine = engine,
				.cluster_bytes = cluster,
				.level = -1,
				.timeout_ns = image_timeout_ns};

	d->text[0] = '\0';
	return image_prepare(&st, &ds, &pi, facts, path, 4096, d);
}

static void test_image_is_built_once(void **state)
{
	struct dataset_spec spec = text_spec(400000);
	struct result_image first, second;
	char path[4096], again[4096];
	struct diag d = {""};

	prepare(&spec);
	if (image(&lz4hc, 16384, &first, path, &d))
		fail_msg("%s", d.text);
	assert_true(first.ok && !first.reused);
	assert_string_equal(first.algorithm, "lz4hc");
	assert_string_equal(first.observed_algorithms, "lz4");
	assert_int_equal(strncmp(first.mkfs, "mkfs.erofs", 10), 0);
	assert_int_equal(first.observed_cluster_bytes, 16384);
	assert_true(first.ratio > 1.5 && first.ratio < 4);
	assert_true(first.build_ns > 0);
	assert_int_equal(entries("images"), 2);
	assert_int_equal(image(&lz4hc, 16384, &second, again, &d), 0);
	assert_true(second.reused && second.ok);
	assert_string_equal(path, again);
	assert_string_equal(first.key, second.key);
	assert_int_equal(first.build_ns, second.build_ns);
	assert_int_equal(image(&lz4hc, 4096, &second, again, &d), 0);
	assert_false(second.reused);
	assert_string_not_equal(first.key, second.key);
}

static void test_same_options_same_bytes(void **state)
{
	struct dataset_spec spec = text_spec(400000);
	char path[4096], one[SHA256_HEX_SIZE], two[SHA256_HEX_SIZE];
	struct result_image facts;
	struct diag d = {""};

	prepare(&spec);
	assert_int_equal(image(&lz4, 4096, &facts, path, &d), 0);
	fs_sha256_file(path, one, NULL, NULL);
	assert_int_equal(unlink(path), 0);
	sleep(1);
	assert_int_equal(image(&lz4, 4096, &facts, path, &d), 0);
	assert_false(facts.reused);
	fs_sha256_file(path, two, NULL, NULL);
	assert_string_equal(one, two);
}

static void test_uncompressed_image(void **state)
{
	struct dataset_spec spec = text_spec(400000);
	struct result_image facts;
	char path[4096];
	struct diag d = {""};

	prepare(&spec);
	assert_int_equal(image(&none, 0, &facts, path, &d), 0);
	assert_true(facts.ok);
	assert_string_equal(facts.algorithm, "none");
	assert_int_equal(facts.observed_cluster_bytes, 0);
	assert_true(facts.ratio > 0.9 && facts.ratio < 1.0);
}

static void test_data_that_do_not_compress(void **state)
{
	AB_FREE char *noise = malloc(100000);
	struct dataset_spec spec;
	struct result_image facts;
	char path[4096];
	struct diag d = {""};
	int fd = open("/dev/urandom", O_RDONLY);

	assert_int_equal(read(fd, noise, 100000), 100000);
	close(fd);
	assert_int_equal(fs_write_atomic(at("noise"), noise, 100000, NULL), 0);
	spec = path_spec(at("noise"));
	prepare(&spec);
	assert_int_equal(image(&lz4, 4096, &facts, path, &d), 0);
	assert_false(facts.ok);
	assert_non_null(strstr(facts.reason, "do not compress"));
}

static void test_cut_image_is_built_again(void **state)
{
	struct dataset_spec spec = text_spec(400000);
	struct result_image facts;
	char path[4096];
	struct diag d = {""};

	prepare(&spec);
	assert_int_equal(image(&lz4, 4096, &facts, path, &d), 0);
	assert_int_equal(truncate(path, 8192), 0);
	assert_int_equal(image(&lz4, 4096, &facts, path, &d), 0);
	assert_false(facts.reused);
}

static void test_unknown_algorithm_says_what_to_install(void **state)
{
	struct dataset_spec spec = text_spec(4096);
	struct result_image facts;
	char path[4096];
	struct diag d = {""};

	prepare(&spec);
	assert_int_equal(image(&invented, 4096, &facts, path, &d), -EOPNOTSUPP);
	assert_non_null(strstr(d.text, "no mkfs.erofs here can write invented"));
	assert_non_null(strstr(d.text, "make lab"));
	assert_non_null(strstr(d.text, "erofs-utils"));
	assert_string_equal(path, "");
	assert_int_equal(entries("images"), 0);
}

static void test_no_mkfs_at_all(void **state)
{
	struct dataset_spec spec = text_spec(4096);
	struct result_image facts;
	char path[4096];
	struct diag d = {""};

	prepare(&spec);
	setenv("PATH", "/nonexistent", 1);
	if (!spawn_find("mkfs.erofs", path, sizeof(path))) {
		print_message("skip: mkfs.erofs is found without PATH: %s\n", path);
		skip();
	}
	assert_int_equal(image(&lz4, 4096, &facts, path, &d), -EOPNOTSUPP);
	assert_non_null(strstr(d.text, "mkfs.erofs is not installed: install erofs-utils"));
	assert_int_equal(entries("images"), 0);
}

static void test_cluster_that_mkfs_refuses(void **state)
{
	struct dataset_spec spec = text_spec(4096);
	struct result_image facts;
	char path[4096];
	struct diag d = {""};

	prepare(&spec);
	assert_int_equal(image(&lz4, 3000, &facts, path, &d), -EINVAL);
	assert_non_null(strstr(d.text, "3000"));
	assert_non_null(strstr(d.text, "invalid physical clustersize"));
	assert_int_equal(entries("images"), 0);
}

/*
 * Puts a script in place of mkfs.erofs. It answers -V, and otherwise runs @body with the image's
 * name in $image.
 */
static void play_mkfs(const char *body)
{
	AB_STRBUF struct strbuf script = {0};
	char path[8192];

	fs_mkdir_p(at("bin"), 0755, NULL);
	strbuf_printf(&script,
		      "#!/bin/sh\n"
		      "[ \"$1\" = -V ] && echo 'mkfs.erofs (played) 9.9' && exit\n"
		      "for word; do image=$folder; folder=$word; done\n"
		      "case $image in *trial.erofs) echo >\"$image\"; exit;; esac\n"
		      "%s\n",
		      body);
	assert_int_equal(fs_write_atomic(at("bin/mkfs.erofs"), script.data, script.len, NULL), 0);
	assert_int_equal(chmod(at("bin/mkfs.erofs"), 0755), 0);
	fs_path(path, sizeof(path), "%s:%s", at("bin"), path_kept);
	setenv("PATH", path, 1);
}

static void assert_build_fails(const char *body, int err, const char *words)
{
	struct dataset_spec spec = text_spec(4096);
	struct result_image facts;
	char path[4096];
	struct diag d = {""};

	prepare(&spec);
	play_mkfs(body);
	if (image(&lz4, 4096, &facts, path, &d) != err || !strstr(d.text, words))
		fail_msg("expected \"%s\": %s", words, d.text);
	assert_int_equal(entries("images"), 0);
	assert_int_equal(entries("locks"), 0);
}

/* Somebody renames files somewhere: the kernel doubts every "..". */
static void test_another_root_while_files_are_renamed(void **state)
{
	struct mkfs_tool tool;
	pid_t pid;

	assert_int_equal(fs_mkdir_p(at("root/usr/bin"), 0755, NULL), 0);
	assert_int_equal(fs_mkdir_p(at("root/opt"), 0755, NULL), 0);
	assert_int_equal(symlink("../../opt/mkfs.erofs", at("root/usr/bin/mkfs.erofs")), 0);
	put("root/opt/mkfs.erofs", "#!/bin/sh\n");
	assert_int_equal(mkdir(at("a"), 0755), 0);
	pid = fork();
	if (pid == 0)
		while (!rename(at("a"), at("b")) && !rename(at("b"), at("a")))
			;
	/* Found each time, and seen to be no program of this machine. */
	for (int i = 0; i < 3000; i++)
		assert_int_equal(mkfs_find_in(&tool, at("root"), NULL), -ENOEXEC);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_mkfs_crashes(void **state)
{
	assert_build_fails(
		"echo half >\"$image\"; echo '<E> erofs: out of luck' >&2; kill -SEGV $$", -EFAULT,
		"crashed (Segmentation fault): out of luck");
}

static void test_mkfs_is_killed(void **state)
{
	assert_build_fails("echo half >\"$image\"; kill -KILL $$", -EFAULT,
			   "was killed; the kernel does that when memory is short");
}

static void test_mkfs_hangs(void **state)
{
	image_timeout_ns = 300000000;
	assert_build_fails("echo half >\"$image\"; trap '' TERM; while :; do sleep 1; done", -ETIME,
			   "no image within image.timeout; raise it, or lower image.level: ");
	image_timeout_ns = 0;
}

static void test_mkfs_fails(void **state)
{
	assert_build_fails(
		"echo half >\"$image\"; echo noise; echo '<E> erofs: went wrong' >&2; exit 1", -EIO,
		"exit status 1: went wrong");
}

static void test_mkfs_succeeds_without_an_image(void **state)
{
	assert_build_fails("exit 0", -ENOENT, "image.erofs");
}

static void test_mkfs_writes_nonsense(void **state)
{
	assert_build_fails("head -c 100000 /dev/zero >\"$image\"", -EUCLEAN, "made no valid image");
}

/* An image that is whole, but not what was asked for, is kept and says so. */
static void test_other_algorithm_than_asked_for(void **state)
{
	static const struct engine_info deflate = {.name = "deflate",
						   .mkfs_algorithm = "deflate",
						   .algorithm = AB_ALG_DEFLATE};
	struct dataset_spec spec = text_spec(400000);
	char real[4096], body[8192], path[4096];
	struct result_image facts;
	struct diag d = {""};

	if (spawn_find("mkfs.erofs", real, sizeof(real))) {
		print_message("skip: no mkfs.erofs\n");
		skip();
	}
	prepare(&spec);
	fs_path(body, sizeof(body), "exec %s -zlz4 -C4096 -x-1 \"$image\" \"$folder\"", real);
	play_mkfs(body);
	if (image(&deflate, 4096, &facts, path, &d))
		fail_msg("%s", d.text);
	assert_false(facts.ok);
	assert_string_equal(facts.reason, "asked for deflate, but its clusters are lz4");
	if (image(&lz4, 65536, &facts, path, &d))
		fail_msg("%s", d.text);
	assert_false(facts.ok);
	assert_non_null(
		strstr(facts.reason, "asked for clusters of 64 KiB, but the largest of its"));
	assert_non_null(strstr(facts.reason, "is of 4 KiB"));
}

/* What a killed run left is gone after the next sweep; what a living one builds stays. */
static void test_killed_in_the_middle(void **state)
{
	struct dataset_spec spec = text_spec(4096);
	unsigned int removed;
	int status;
	pid_t pid;

	prepare(&spec);
	play_mkfs("echo half >\"$image\"; : >\"${image%/cache/*}/started\"; exec sleep 1000");
	pid = fork();
	if (pid == 0) {
		struct result_image facts;
		char path[4096];
		struct diag d;

		image(&lz4, 4096, &facts, path, &d);
		_exit(0);
	}
	for (int i = 0; i < 500 && !fs_exists(at("started")); i++)
		usleep(10000);
	assert_true(fs_exists(at("started")));
	assert_int_equal(store_sweep(&st, &removed, NULL), 0);
	assert_int_equal(removed, 0);
	assert_int_equal(entries("images"), 1);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	assert_int_equal(store_sweep(&st, &removed, NULL), 0);
	assert_int_equal(removed, 1);
	assert_int_equal(entries("images"), 0);
	assert_int_equal(entries("locks"), 0);
}

/* Two runs that want the same image: one builds, the other waits and takes it. */
static void test_two_at_once(void **state)
{
	struct dataset_spec spec = text_spec(3000000);
	int reused = 0;

	prepare(&spec);
	for (int i = 0; i < 3; i++) {
		if (fork() == 0) {
			struct result_image facts;
			char path[4096];
			struct diag d;
			int ret = image(&lz4hc, 65536, &facts, path, &d);

			_exit(ret || !facts.ok ? 100 : facts.reused);
		}
	}
	for (int i = 0; i < 3; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
		reused += WEXITSTATUS(status);
	}
	assert_int_equal(reused, 2);
	assert_int_equal(entries("images"), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_generated_once),
		TEST(test_spoilt_dataset_is_made_again),
		TEST(test_substitute_is_named),
		TEST(test_size_zero_is_refused),
		TEST(test_larger_than_the_disk),
		TEST(test_file_is_copied_not_touched),
		TEST(test_change_in_disguise),
		TEST(test_written_to_while_it_is_read),
		TEST(test_grows_while_it_is_read),
		TEST(test_demanded_hash),
		TEST(test_bad_paths),
		TEST(test_unreadable),
		TEST(test_folder_hash),
		TEST(test_image_is_built_once),
		TEST(test_same_options_same_bytes),
		TEST(test_uncompressed_image),
		TEST(test_data_that_do_not_compress),
		TEST(test_cut_image_is_built_again),
		TEST(test_unknown_algorithm_says_what_to_install),
		TEST(test_no_mkfs_at_all),
		TEST(test_cluster_that_mkfs_refuses),
		TEST(test_another_root_while_files_are_renamed),
		TEST(test_mkfs_crashes),
		TEST(test_mkfs_is_killed),
		TEST(test_mkfs_hangs),
		TEST(test_mkfs_fails),
		TEST(test_mkfs_succeeds_without_an_image),
		TEST(test_mkfs_writes_nonsense),
		TEST(test_other_algorithm_than_asked_for),
		TEST(test_killed_in_the_middle),
		TEST(test_two_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
