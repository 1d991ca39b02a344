// SPDX-License-Identifier: GPL-2.0-only
#include "run/lab_target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/spawn.h"
#include "base/undo.h"
#include "run/lab.h"
#include "run/store.h"

#define MIB	      (1024u * 1024)
#define ARGUMENTS_MAX 160

/* Folders and files of one lab run, all below one temporary folder beside the results. */
struct lab_run {
	const struct plan *plan;
	const struct run_opts *opts;
	const struct lab_target *target;
	struct undo *undo;
	char dir[4096];
	char share[4128]; /* <dir>/share: the guest's /lab */
	char stage[4128]; /* <dir>/stage: what becomes the cache disk */
	char disk[4128];  /* <dir>/cache.img */
	char console[4128];
	uint64_t image_bytes;
};

static int copy_file(const char *from, const char *to, unsigned int mode, struct diag *d)
{
	AB_CLOSE int in = open(from, O_RDONLY | O_CLOEXEC);
	AB_CLOSE int out = -1;
	char buf[65536];
	ssize_t n;

	if (in < 0)
		return diag_errno(d, -errno, "%s: cannot be opened", from);
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (out < 0)
		return diag_errno(d, -errno, "%s: cannot be created", to);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		for (ssize_t done = 0, put; done < n; done += put) {
			put = write(out, buf + done, (size_t)(n - done));
			if (put < 0)
				return diag_errno(d, -errno, "%s: cannot be written", to);
		}
	return n < 0 ? diag_errno(d, -errno, "%s: cannot be read", from) : 0;
}

static int make_folders(struct lab_run *lr, struct diag *d)
{
	AB_FREE char *parent = NULL;
	char path[4200];
	int err = fs_mkdir_p(lr->opts->output_dir, 0755, d);

	if (!err)
		err = undo_open(&lr->undo, NULL, d);
	if (err)
		return err;
	/* Beside the results, so that these move by a rename; absolute, so that cleanup finds it from anywhere. */
	parent = realpath(lr->opts->output_dir, NULL);
	if (!parent)
		return diag_errno(d, -errno, "%s", lr->opts->output_dir);
	err = fs_path(lr->dir, sizeof(lr->dir), "%s/accelbench-lab-XXXXXX", parent);
	if (err)
		return err;
	if (!mkdtemp(lr->dir))
		return diag_errno(d, -errno, "%s: no temporary folder can be made there", parent);
	err = undo_push(lr->undo, UNDO_RMTREE, lr->dir, NULL, d);
	if (err < 0)
		return err;
	snprintf(lr->share, sizeof(lr->share), "%s/share", lr->dir);
	snprintf(lr->stage, sizeof(lr->stage), "%s/stage", lr->dir);
	snprintf(lr->disk, sizeof(lr->disk), "%s/cache.img", lr->dir);
	snprintf(lr->console, sizeof(lr->console), "%s/console.log", lr->dir);
	snprintf(path, sizeof(path), "%s/in/prepared", lr->share);
	err = fs_mkdir_p(path, 0755, d);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/images", lr->stage);
	return fs_mkdir_p(path, 0755, d);
}

/* A link where the file system allows it: images are large. */
static int stage_image(struct lab_run *lr, const char *store_dir, const char *key, struct diag *d)
{
	char from[4400], to[4400];
	struct stat st;
	int err = fs_path(from, sizeof(from), "%s/images/%s.erofs", store_dir, key);

	if (!err)
		err = fs_path(to, sizeof(to), "%s/images/%s.erofs", lr->stage, key);
	if (err)
		return err;
	if (stat(from, &st))
		return diag_errno(d, -errno, "%s", from);
	lr->image_bytes += (uint64_t)st.st_size;
	return link(from, to) && errno != EEXIST ? copy_file(from, to, 0644, d) : 0;
}

static int make_disk(struct lab_run *lr, struct diag *d)
{
	char size[32];
	const char *const argv[] = {"mke2fs",	    "-q",     "-F", "-t", "ext4",	    "-O",
				    "^has_journal", "-m",     "0",  "-E", "root_owner=0:0", "-d",
				    lr->stage,	    lr->disk, size, NULL};
	AB_SPAWN_RESULT struct spawn_result res = {0};
	int err;

	snprintf(size, sizeof(size), "%" PRIu64 "M", lr->image_bytes / MIB * 21 / 20 + 64);
	err = spawn_run(argv, NULL, &res, d);
	if (err == -ENOENT)
		return diag_set(d, err, "mke2fs is missing: install e2fsprogs");
	return err ? err : spawn_check("mke2fs", &res, d);
}

static int fill(struct lab_run *lr, const struct result *r, struct diag *d)
{
	char path[4200];
	struct store st;
	int err = store_open(&st, lr->opts->cache_dir, NULL, d);

	for (size_t i = 0; !err && i < r->image_count; i++)
		if (r->images[i].key[0])
			err = stage_image(lr, st.dir, r->images[i].key, d);
	if (!err)
		err = make_disk(lr, d);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/in/prepared", lr->share);
	err = result_save(path, r, d);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/in/scenario.yaml", lr->share);
	err = copy_file(lr->target->scenario_file, path, 0644, d);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/in/accelbench", lr->share);
	return copy_file("/proc/self/exe", path, 0755, d);
}

/* Needs an accelerator that nobody but the lab has? */
static bool wants_accelerator(const struct plan *p)
{
	for (size_t i = 0; i < p->scenario->engine_count; i++)
		if (p->scenario->engines[i]->accel_driver)
			return true;
	return false;
}

static int guest_arguments(const struct lab_run *lr, const char **argv, struct diag *d)
{
	const struct lab_target *t = lr->target;
	const char *const fixed[] = {"/lab/in/accelbench",
				     "run",
				     "/lab/in/scenario.yaml",
				     "--target=host",
				     "--prepared",
				     "/lab/in/prepared",
				     "--cache",
				     "/cache",
				     "--output",
				     "/lab/out/results",
				     "--mechanism",
				     t->mechanism};
	size_t n = 0;

	if (ARRAY_SIZE(fixed) + 2 * t->set_count + 8 > ARGUMENTS_MAX)
		return diag_set(d, -E2BIG, "too many --set arguments");
	for (; n < ARRAY_SIZE(fixed); n++)
		argv[n] = fixed[n];
	for (size_t i = 0; i < t->set_count; i++) {
		argv[n++] = "--set";
		argv[n++] = t->sets[i];
	}
	if (t->quick)
		argv[n++] = "--quick";
	if (wants_accelerator(lr->plan)) {
		argv[n++] = "--lab-module";
		argv[n++] = t->module_parameters ? t->module_parameters : "";
	}
	if (log_get_level() >= LOG_VERBOSE)
		argv[n++] = log_get_level() >= LOG_DEBUG ? "-vv" : "-v";
	else if (log_get_level() < LOG_INFO)
		argv[n++] = "-q";
	argv[n] = NULL;
	return 0;
}

/* Every repetition may take its own time-out; on top of that the boot and the read-backs, at most one for every cell. */
static uint64_t guest_timeout_ns(const struct lab_run *lr)
{
	const struct plan *p = lr->plan;

	if (lr->target->timeout_ns)
		return lr->target->timeout_ns;
	return (p->step_count + p->cell_count + 2) * p->scenario->timeout_ns;
}

static int boot(struct lab_run *lr, struct lab_result *res, struct diag *d)
{
	const char *argv[ARGUMENTS_MAX];
	struct lab_opts opts = {
		.dir = lr->target->lab_dir,
		.share = lr->share,
		.console = lr->console,
		.cache_disk = lr->disk,
		.cpus = lr->target->cpus,
		.deterministic = lr->target->deterministic,
		.timeout_ns = guest_timeout_ns(lr),
	};
	int err = guest_arguments(lr, argv, d);

	if (err)
		return err;
	log_info("lab: starting the guest (%s)", lr->target->lab_dir);
	return lab_run(argv, &opts, res, d);
}

/* The guest names its folder itself: the only one below out/results. */
static int find_result(const struct lab_run *lr, char *name, size_t size)
{
	char path[4200];
	struct dirent *entry;
	int err = -ENOENT;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/out/results", lr->share);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (err && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < size) {
			snprintf(name, size, "%s", entry->d_name);
			err = 0;
		}
	closedir(dir);
	return err;
}

/* A run that goes on already has a folder: what is new is moved into it. */
static int move_files(const char *from, const char *to, const char *sub, struct diag *d)
{
	char source[4600], target[4600];
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	snprintf(source, sizeof(source), "%s%s", from, sub);
	dir = opendir(source);
	if (!dir)
		return diag_errno(d, -errno, "%s", source);
	while (!err && (entry = readdir(dir))) {
		if (entry->d_type != DT_REG)
			continue;
		if (fs_path(source, sizeof(source), "%s%s/%s", from, sub, entry->d_name) ||
		    fs_path(target, sizeof(target), "%s%s/%s", to, sub, entry->d_name))
			err = diag_errno(d, -ENAMETOOLONG, "%s", entry->d_name);
		else if (rename(source, target))
			err = diag_errno(d, -errno, "%s: cannot be moved to %s", source, target);
	}
	closedir(dir);
	return err;
}

static int move_result(const char *from, const char *to, struct diag *d)
{
	int err;

	if (!rename(from, to))
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return diag_errno(d, -errno, "%s: cannot be moved to %s", from, to);
	err = move_files(from, to, "/fio", d);
	return err ? err : move_files(from, to, "", d);
}

/* Moves the result folder, with the console, to where the user wants it, and reads it. */
static int bring_back(struct lab_run *lr, struct result *r, struct diag *d)
{
	char from[4400], to[4400], name[160];
	int err = find_result(lr, name, sizeof(name));

	if (!err)
		err = fs_path(from, sizeof(from), "%s/out/results/%s", lr->share, name);
	if (!err)
		err = fs_path(to, sizeof(to), "%s/%s", lr->opts->output_dir, lr->opts->id);
	if (err)
		return diag_errno(d, err, "the guest left no result");
	err = move_result(from, to, d);
	if (err)
		return err;
	result_free(r);
	*r = (struct result){0};
	err = result_load(to, r, d);
	if (!err) {
		snprintf(r->id, sizeof(r->id), "%s", lr->opts->id);
		err = result_save(to, r, d);
	}
	if (!err) {
		err = fs_path(from, sizeof(from), "%s/console.log", to);
		if (!err)
			unlink(from);
		if (!err)
			err = copy_file(lr->console, from, 0644, d);
	}
	return err;
}

/* Without a result folder the console is all there is: it gets one of its own. */
static void keep_console(const struct lab_run *lr)
{
	char dir[4400], to[4500];
	struct diag why = {0};

	snprintf(dir, sizeof(dir), "%s/%s", lr->opts->output_dir, lr->opts->id);
	snprintf(to, sizeof(to), "%s/console.log", dir);
	if (fs_exists(to) || !fs_exists(lr->console))
		return;
	if (fs_mkdir_p(dir, 0755, &why) || copy_file(lr->console, to, 0644, &why))
		log_warn("%s", why.text);
}

static enum exit_status guest_status(const struct lab_result *res, struct diag *d)
{
	if (res->outcome != LAB_EXITED)
		return STATUS_FAILED;
	if (res->exit_status <= STATUS_INCONCLUSIVE) {
		/* The guest's program has said why on its own stderr, which was ours. */
		d->text[0] = '\0';
		return (enum exit_status)res->exit_status;
	}
	diag_set(d, -EIO, "accelbench ended in the guest with status %d", res->exit_status);
	return STATUS_FAILED;
}

enum exit_status lab_target_run(const struct plan *p, const struct run_opts *o,
				const struct lab_target *target, struct result *r, struct diag *d)
{
	struct lab_run lr = {.plan = p, .opts = o, .target = target};
	enum exit_status status = STATUS_FAILED;
	struct lab_result res = {0};
	struct diag why = {0};
	int err;

	if (lab_check(target->lab_dir, d))
		return STATUS_SKIPPED;
	if (!strcmp(target->scenario_file, "-")) {
		diag_set(d, -EINVAL, "--target lab needs a scenario file, not standard input");
		return STATUS_USAGE;
	}
	err = run_prepare(p, o, r, d);
	if (err)
		return run_prepare_status(err);
	err = make_folders(&lr, d);
	if (!err)
		err = fill(&lr, r, d);
	if (!err) {
		/* Whatever went wrong with the guest, even with its output: what it measured is brought back. */
		err = boot(&lr, &res, d);
		if (!err)
			status = guest_status(&res, d);
		if (bring_back(&lr, r, &why)) {
			if (status == STATUS_OK)
				status = STATUS_FAILED;
			if (!d->text[0])
				diag_set(d, -EIO, "%s", why.text);
			keep_console(&lr);
		}
	}
	if (lr.undo && undo_close(lr.undo, &why))
		log_warn("%s", why.text);
	return status;
}

int lab_insmod(const char *parameters, struct diag *d)
{
	AB_FREE char *words = strdup(parameters);
	const char *argv[ARGUMENTS_MAX] = {"insmod", LAB_MODULE};
	AB_SPAWN_RESULT struct spawn_result res = {0};
	char *state = NULL;
	size_t n = 2;
	int err;

	if (!words)
		return diag_errno(d, -ENOMEM, "%s", LAB_MODULE);
	for (char *w = strtok_r(words, " ", &state); w && n + 1 < ARGUMENTS_MAX;
	     w = strtok_r(NULL, " ", &state))
		argv[n++] = w;
	err = spawn_run(argv, NULL, &res, d);
	return err ? err : spawn_check("insmod " LAB_MODULE, &res, d);
}
