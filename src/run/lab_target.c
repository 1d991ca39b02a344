// SPDX-License-Identifier: GPL-2.0-only
#include "run/lab_target.h"

#include <errno.h>
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
#include "run/lab_results.h"
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
	char console_kept[4400];
	char prepared[4400]; /* <share>/in/<id>: the guest names its result folder after it */
	char prepared_in_guest[300];
	char result[4400]; /* <share>/out/<id>: that folder */
	int bring_back;	   /* undo action: moves it beside the other results, whatever comes */
	uint64_t image_bytes;
};

/* The guest's result comes home on every way out, and by `accelbench cleanup` after a SIGKILL. */
static int promise_result(struct lab_run *lr, const char *parent, struct diag *d)
{
	const char *id = lr->opts->id;
	char home[4400];
	int err = fs_path(lr->result, sizeof(lr->result), "%s/out/%s", lr->share, id);

	if (!err)
		err = fs_path(lr->prepared, sizeof(lr->prepared), "%s/in/%s", lr->share, id);
	if (!err)
		err = fs_path(lr->prepared_in_guest, sizeof(lr->prepared_in_guest), "/lab/in/%s",
			      id);
	if (!err)
		err = fs_path(home, sizeof(home), "%s/%s", parent, id);
	if (err)
		return diag_errno(d, err, "%s", parent);
	err = lr->bring_back = undo_push(lr->undo, UNDO_MOVE, lr->result, home, d);
	return err < 0 ? err : 0;
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
	err = fs_path(lr->console_kept, sizeof(lr->console_kept), "%s/%s/console.log",
		      lr->opts->output_dir, lr->opts->id);
	if (err)
		return diag_errno(d, err, "%s", lr->opts->output_dir);
	err = promise_result(lr, parent, d);
	if (!err)
		err = fs_mkdir_p(lr->prepared, 0755, d);
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
	return link(from, to) && errno != EEXIST ? fs_copy_file(from, to, 0644, d) : 0;
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
	err = result_save(lr->prepared, r, d);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/in/scenario.yaml", lr->share);
	err = fs_copy_file(lr->target->scenario_file, path, 0644, d);
	if (err)
		return err;
	return lab_share_program(lr->share, d);
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
				     lr->prepared_in_guest,
				     "--cache",
				     "/cache",
				     "--output",
				     "/lab/out",
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
		.console_kept = lr->console_kept,
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

static int bring_back(struct lab_run *lr, struct result *r, struct diag *d)
{
	int err;

	if (!fs_exists(lr->result))
		return diag_set(d, -ENOENT, "the guest left no result");
	err = undo_run(lr->undo, lr->bring_back, d);
	return err ? err : lab_results_take(lr->console, lr->opts, r, d);
}

/* What was read once already, here, is gone when it came through a pipe. */
static bool reads_again(const char *file)
{
	struct stat st;

	return strcmp(file, "-") && !stat(file, &st) && S_ISREG(st.st_mode);
}

enum exit_status lab_target_run(const struct plan *p, const struct run_opts *o,
				const struct lab_target *target, struct result *r, struct diag *d)
{
	struct lab_run lr = {.plan = p, .opts = o, .target = target};
	enum exit_status status = STATUS_FAILED;
	struct lab_result res = {0};
	struct diag why = {0};
	int err;

	if (!reads_again(target->scenario_file)) {
		diag_set(
			d, -EINVAL,
			"--target lab needs a scenario file that the guest can read too, not standard input or a pipe");
		return STATUS_USAGE;
	}
	if (lab_check(target->lab_dir, d))
		return STATUS_SKIPPED;
	snprintf(r->target, sizeof(r->target), "lab");
	r->deterministic = target->deterministic;
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
		err = bring_back(&lr, r, &why);
		/* A program that could not even begin has said why. */
		if (err && !(err == -ENOENT && res.outcome == LAB_EXITED && status)) {
			if (status == STATUS_OK)
				status = STATUS_FAILED;
			if (!d->text[0])
				diag_set(d, -EIO, "%s", why.text);
			lab_results_keep_console(lr.console, o);
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
