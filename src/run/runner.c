// SPDX-License-Identifier: GPL-2.0-only
#include "run/runner_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fsutil.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/spawn.h"
#include "base/units.h"
#include "model/overhead.h"
#include "model/validity.h"
#include "run/fio.h"
#include "run/host.h"
#include "run/result_folder.h"
#include "run/store.h"

#define MODPROBE_TIMEOUT_NS (UINT64_C(30) * 1000000000)

void run_load_filesystem(const char *filesystem)
{
	const char *const argv[] = {"modprobe", "-q", filesystem, NULL};
	struct spawn_opts opts = {.timeout_ns = MODPROBE_TIMEOUT_NS};
	AB_SPAWN_RESULT struct spawn_result res = {0};

	/* Not an error: it may be built in, or loaded in another way; mounting will tell. */
	spawn_run(argv, &opts, &res, NULL);
}

/* What the scenario asks for and this version does not do is said, not dropped. */
static int warn_stacks(struct runner *rn)
{
	static const char words[] =
		"trace.stacks: this version records no stacks; the result has none";
	const struct trace_spec *t = &rn->plan->scenario->trace;

	if (!t->stacks_oncpu_hz && !t->stacks_offcpu)
		return 0;
	log_warn("%s", words);
	return string_list_add(&rn->result->warnings, "%s", words);
}

static int open_tracer(struct runner *rn, struct diag *d)
{
	const struct scenario *s = rn->plan->scenario;
	struct result_tracer *t = &rn->result->tracer;
	struct session_opts opts = {.filesystem = s->filesystem,
				    .phases = s->trace.phases,
				    .mechanism = rn->opts->mechanism,
				    .record_every = s->trace.record_every};
	struct diag why = {0};
	int err;

	if (!s->trace.enabled) {
		snprintf(t->absent, sizeof(t->absent), "not requested");
		return 0;
	}
	for (size_t i = 0; i < s->engine_count; i++)
		opts.algorithms |= 1u << s->engines[i]->algorithm;
	if (session_open(&rn->session, &opts, &why)) {
		rn->session = NULL;
		snprintf(t->absent, sizeof(t->absent), "unobservable: %.240s", why.text);
		log_warn("phases are unobservable: %s", why.text);
		return string_list_add(&rn->result->warnings, "phases are unobservable: %s",
				       why.text);
	}
	rn->attached = true;
	err = session_describe(rn->session, t);
	if (!err)
		log_verbose("tracer: open %.0f ms, load %.0f ms, attach %.0f ms",
			    (double)t->open_ns / 1e6, (double)t->load_ns / 1e6,
			    (double)t->attach_ns / 1e6);
	return err;
}

static int open_folders(struct runner *rn, struct diag *d)
{
	char path[4200];
	struct store st;
	int err = store_open(&st, rn->opts->cache_dir, NULL, d);

	if (!err)
		err = fs_path(rn->images_dir, sizeof(rn->images_dir), "%s/images", st.dir);
	if (!err)
		err = fs_path(rn->dir, sizeof(rn->dir), "%s/%s", rn->opts->output_dir,
			      rn->opts->id);
	if (!err)
		err = fs_path(path, sizeof(path), "%s/fio", rn->dir);
	if (!err)
		err = fs_mkdir_p(path, 0755, d);
	if (!err)
		err = fs_path(path, sizeof(path), "%s/log.txt", rn->dir);
	/* The process outside of the guest has claimed the folder where the results will be. */
	if (!err && !rn->opts->resume && !rn->opts->prepared)
		err = rn->claim_fd = result_folder_claim(rn->dir, d);
	if (err < 0)
		return err;
	rn->log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (rn->log_fd < 0)
		return diag_errno(d, -errno, "%s: cannot be created", path);
	log_copy_to(rn->log_fd);
	err = undo_open(&rn->undo, NULL, d);
	if (err)
		return err;
	snprintf(rn->work, sizeof(rn->work), "/tmp/accelbench-XXXXXX");
	if (!mkdtemp(rn->work))
		return diag_errno(d, -errno, "a private folder for mount points in /tmp");
	err = undo_push(rn->undo, UNDO_RMDIR, rn->work, NULL, d);
	return err < 0 ? err : 0;
}

/* What a crashed run left switched on would be taken for the state to restore. */
static void clean_up_after_others(void)
{
	struct undo_report report = {0};
	struct diag why = {0};

	if (undo_cleanup(NULL, &report, &why))
		log_warn("cleaning up after an earlier run: %s", why.text);
	else if (report.undone)
		log_info("cleaned up after an earlier run: %u things undone", report.undone);
}

/* A run that goes on finds the facts of its first half in the result. */
static int learn_host(struct runner *rn, struct diag *d)
{
	struct result_host *host = &rn->result->host, now = {0};
	int err = host_facts(&now, d);

	/* An interrupted fio told host_facts() nothing, and a run that goes on would find another fio than this one. */
	if (!err)
		err = fio_version(now.fio_version, sizeof(now.fio_version), d);
	if (!err && host->kernel_release[0])
		err = runner_same_host(host, &now, d);
	if (err) {
		result_host_free(&now);
		return err;
	}
	memcpy(now.mkfs_version, host->mkfs_version, sizeof(now.mkfs_version));
	result_host_free(host);
	*host = now;
	return 0;
}

static int learn_tracer(struct runner *rn, bool goes_on, struct diag *d)
{
	struct result_tracer begun = rn->result->tracer;
	int err;

	rn->result->tracer = (struct result_tracer){0};
	err = open_tracer(rn, d);
	if (!err && goes_on)
		err = runner_same_tracer(&begun, &rn->result->tracer, d);
	free(begun.hooks);
	return err;
}

static int runner_open(struct runner *rn, struct diag *d)
{
	bool goes_on = rn->result->host.kernel_release[0];
	int err;

	clean_up_after_others();
	run_load_filesystem(rn->plan->scenario->filesystem);
	err = mount_namespace(d);
	/* Root without the capability, as in most containers: this machine cannot, whatever is tried. */
	if (err == -EPERM)
		err = -EOPNOTSUPP;
	if (!err)
		err = learn_host(rn, d);
	if (!err)
		err = open_folders(rn, d);
	if (!err)
		err = accel_open(&rn->accel, rn->undo, d);
	if (!err)
		err = warn_stacks(rn);
	if (!err)
		err = learn_tracer(rn, goes_on, d);
	for (size_t i = 0; i < rn->result->cell_count && !rn->session; i++)
		snprintf(rn->result->cells[i].trace.absent,
			 sizeof(rn->result->cells[i].trace.absent), "%s",
			 rn->result->tracer.absent);
	return err;
}

static void runner_close(struct runner *rn)
{
	struct diag why = {0};

	session_close(rn->session);
	if (rn->stuck) {
		/*
		 * EROFS holds a lock while it waits for an accelerator, and writing to its switch takes the same lock: restoring would
		 * hang as the reader does.
		 */
		undo_leave(rn->undo);
		log_warn(
			"a reader hangs in the kernel: the accelerator's setting and the mounts stay as they are; "
			"restart the machine, or when the reader came back: accelbench cleanup");
	} else {
		if (rn->accel.known && accel_restore(&rn->accel, &why))
			log_warn("%s", why.text);
		if (rn->undo && undo_close(rn->undo, &why))
			log_warn("%s", why.text);
	}
	log_copy_to(-1);
	if (rn->log_fd >= 0)
		close(rn->log_fd);
	if (rn->claim_fd >= 0)
		close(rn->claim_fd);
}

static void account_time(struct runner *rn)
{
	struct rusage usage;
	uint64_t spent = clock_mono_ns() - rn->begin_ns;

	rn->result->fio_ns = rn->fio_ns;
	rn->result->harness_ns = spent > rn->fio_ns ? spent - rn->fio_ns : 0;
	if (!getrusage(RUSAGE_SELF, &usage))
		rn->result->tracer.max_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
}

static bool step_done(const struct runner *rn, const struct plan_step *step)
{
	const struct result_cell *cell = &rn->result->cells[step->cell];

	for (size_t i = 0; i < cell->sample_count; i++)
		if (cell->samples[i].repetition == step->repetition &&
		    cell->samples[i].traced == (step->traced && rn->session))
			return true;
	return false;
}

/* @ran of @due repetitions have run in this process; those of a resumed run before it do not count. */
static void report_step(const struct runner *rn, const struct plan_step *step, uint64_t elapsed_ns,
			size_t ran, size_t due)
{
	const struct plan_cell *pc = &rn->plan->cells[step->cell];
	const struct result_cell *cell = &rn->result->cells[step->cell];
	const struct result_sample *sample = &cell->samples[cell->sample_count - 1];
	double left_s = (double)elapsed_ns / 1e9 / (double)ran * (double)(due - ran);
	char cluster[32], speed[32] = "failed";

	cluster_text(cluster, sizeof(cluster), pc->cluster_bytes);
	if (sample->ok)
		snprintf(speed, sizeof(speed), "%.1f MiB/s",
			 sample->bandwidth_bytes_per_s / 1048576.0);
	log_info("%4zu/%zu  %-12s %8s  %-16s rep %u %-7s %14s  %3.0f s left", ran, due,
		 pc->engine->name, cluster, pc->workload->name, step->repetition + 1,
		 sample->traced					    ? "traced"
		 : rn->plan->scenario->trace.control && rn->session ? "control"
								    : "",
		 speed, left_s);
}

static bool is_due(const struct runner *rn, const struct plan_step *step)
{
	return rn->result->cells[step->cell].status == CELL_PENDING && !step_done(rn, step);
}

static size_t count_due(const struct runner *rn)
{
	size_t due = 0;

	for (size_t i = 0; i < rn->plan->step_count; i++)
		/* Without a tracer a traced repetition is the same as its control: one of the two runs. */
		due += is_due(rn, &rn->plan->steps[i]) &&
		       (rn->session || !rn->plan->scenario->trace.control ||
			!rn->plan->steps[i].traced);
	return due;
}

static int run_steps(struct runner *rn, struct diag *d)
{
	uint64_t t0 = clock_mono_ns();
	size_t ran = 0, due = count_due(rn);
	bool told;
	int err = 0;

	for (rn->next = 0; !err && rn->next < rn->plan->step_count; rn->next++) {
		const struct plan_step *step = &rn->plan->steps[rn->next];

		if (ab_interrupted())
			return diag_set(d, -EINTR, "interrupted");
		if (!is_due(rn, step))
			continue;
		err = runner_step(rn, step, d);
		told = err != -EINTR && rn->result->cells[step->cell].sample_count;
		account_time(rn);
		if (!err)
			err = result_save(rn->dir, rn->result, d);
		/* Who reads of a repetition finds it in the result, whatever happens next. */
		if (told) {
			ran++;
			report_step(rn, step, clock_mono_ns() - t0, ran, due > ran ? due : ran);
		}
	}
	return err;
}

/* Cells that got all their repetitions are done; others stay pending in an interrupted run. */
static void finish_cells(struct runner *rn, bool ran_out)
{
	for (size_t i = 0; i < rn->result->cell_count; i++) {
		struct result_cell *cell = &rn->result->cells[i];
		size_t wanted = 0;

		for (size_t k = 0; k < rn->plan->step_count; k++)
			wanted += rn->plan->steps[k].cell == i;
		if (cell->status == CELL_PENDING && (ran_out || cell->sample_count >= wanted) &&
		    cell->sample_count)
			cell->status = CELL_DONE;
	}
}

static int finish(struct runner *rn, bool complete, struct diag *d)
{
	struct result *r = rn->result;
	time_t now = time(NULL);
	struct tm tm;
	int err = 0;

	finish_cells(rn, complete);
	account_time(rn);
	for (size_t i = 0; !err && i < r->cell_count; i++)
		err = validity_judge(r, i, rn->plan->scenario, d);
	if (err)
		return err;
	err = overhead_compute(r);
	if (err)
		return diag_errno(d, err, "the tracer's own cost");
	r->complete = complete;
	gmtime_r(&now, &tm);
	strftime(r->finished, sizeof(r->finished), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return result_save(rn->dir, r, d);
}

int run_measure(const struct plan *p, const struct run_opts *o, struct result *r, struct diag *d)
{
	struct runner rn = {
		.plan = p,
		.opts = o,
		.result = r,
		.log_fd = -1,
		.claim_fd = -1,
		.begin_ns = clock_mono_ns(),
	};
	struct diag late = {0};
	int err = runner_open(&rn, d), end_err = 0;

	if (!err) {
		err = result_save(rn.dir, r, d);
		if (!err)
			err = runner_verify(&rn, d);
		if (!err)
			err = run_steps(&rn, d);
		/* Whatever happened: what was measured is judged and kept. */
		end_err = finish(&rn, !err, &late);
	}
	runner_close(&rn);
	if (!err && end_err)
		return diag_set(d, end_err, "%s", late.text);
	return err;
}
