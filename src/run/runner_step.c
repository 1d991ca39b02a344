// SPDX-License-Identifier: GPL-2.0-only
/* One repetition: fresh mount, cold cache, tracer on or off, fio, collect. */
#include "run/runner_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fsutil.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/units.h"
#include "run/cpu_stat.h"
#include "run/fio.h"
#include "run/records.h"
#include "run/verify.h"

int image_path(const struct runner *rn, size_t image, char *path, size_t size)
{
	return fs_path(path, size, "%s/%s.erofs", rn->images_dir, rn->result->images[image].key);
}

int measured_file(const struct runner *rn, const struct mounted *m, char *path, size_t size)
{
	return fs_path(path, size, "%s/%s", m->dir, rn->result->dataset.file);
}

int runner_trace(struct runner *rn, bool on, struct diag *d)
{
	int err = 0;

	if (!rn->session || on == rn->attached)
		return 0;
	if (on)
		err = session_attach(rn->session, d);
	else
		session_detach(rn->session);
	rn->attached = on && !err;
	return err;
}

static int save_fio_json(const struct runner *rn, const struct plan_step *step,
			 const struct strbuf *json, struct diag *d)
{
	char path[4200];
	int err;

	if (!json->len)
		return 0;
	err = fs_path(path, sizeof(path), "%s/fio/cell-%03zu-rep-%02u-%s.json", rn->dir, step->cell,
		      step->repetition, step->traced ? "traced" : "control");
	return err ? err : fs_write_atomic(path, strbuf_str(json), json->len, d);
}

/* The cache state that the scenario asks for; what was really done goes to the sample. */
static int set_cache(struct runner *rn, const struct mounted *m, const char *image,
		     const char *file, struct result_sample *sample, struct diag *d)
{
	char what[sizeof(sample->cache)];
	int err;

	if (rn->plan->scenario->cache == CACHE_COLD) {
		err = cache_make_cold(m, image, what, sizeof(what), d);
		if (!err)
			snprintf(sample->cache, sizeof(sample->cache), "cold: %.57s", what);
		return err;
	}
	snprintf(sample->cache, sizeof(sample->cache), "warm: read once before");
	return verify_read(file, rn->plan->scenario->timeout_ns, d);
}

static int keep_window(struct runner *rn, const struct plan_step *step,
		       struct result_sample *sample, const struct result_trace *window,
		       struct diag *d)
{
	int err = result_sample_describe(sample, window);

	if (!err)
		err = result_trace_add(&rn->result->cells[step->cell].trace, window);
	if (err)
		return diag_errno(d, err, "what the tracer saw");
	return records_append(rn->session, rn->dir, step->cell, step->repetition, d);
}

static int timed_part(struct runner *rn, const struct plan_step *step, const struct mounted *m,
		      const char *file, struct result_sample *sample, struct diag *d)
{
	const struct plan_cell *pc = &rn->plan->cells[step->cell];
	bool traced = step->traced && rn->session;
	AB_STRBUF struct strbuf json = {0};
	AB_CLEANUP(result_trace_free) struct result_trace window = {0};
	struct cpu_stat before, after;
	uint64_t disk_before = 0, disk_after = 0, t0;
	struct diag save = {0};
	bool has_cpu, has_disk;
	int err, end_err = 0;

	if (traced) {
		err = session_begin(rn->session, m->kernel_dev, d);
		if (err)
			return err;
	}
	has_cpu = !cpu_stat_read(&before);
	has_disk = !mount_disk_read_bytes(m, &disk_before);
	sample->start_ns = t0 = clock_mono_ns();
	err = fio_run(pc->workload, file, rn->result->dataset.size_bytes,
		      rn->plan->scenario->timeout_ns, sample, &json, d);
	rn->fio_ns += clock_mono_ns() - t0;
	if (has_cpu && !cpu_stat_read(&after))
		cpu_stat_between(&before, &after, &sample->cpu);
	sample->has_disk = has_disk && !mount_disk_read_bytes(m, &disk_after);
	if (sample->has_disk)
		sample->disk_read_bytes = disk_after - disk_before;
	/* An interrupted repetition did not happen: its requests are nobody's. */
	if (traced)
		end_err = session_end(rn->session, &window, &sample->cpu, err ? NULL : d);
	if (traced && !end_err && err != -EINTR)
		end_err = keep_window(rn, step, sample, &window, err ? NULL : d);
	sample->ok = !err && !end_err;
	if (save_fio_json(rn, step, &json, &save))
		log_warn("%s", save.text);
	return err ? err : end_err;
}

/* Mounts, measures, unmounts; whatever happens in between, the mount goes away again. */
static int mounted_part(struct runner *rn, const struct plan_step *step,
			struct result_sample *sample, struct diag *d)
{
	const struct plan_cell *pc = &rn->plan->cells[step->cell];
	char image[4200], file[8192];
	struct mounted m = {0};
	struct diag undo = {0};
	int err = image_path(rn, pc->image, image, sizeof(image)), undo_err;

	if (!err)
		err = mount_image(rn->undo, image, rn->plan->scenario->backing, rn->work, &m, d);
	if (err)
		return err;
	snprintf(sample->backing, sizeof(sample->backing), "%s", m.backing);
	err = measured_file(rn, &m, file, sizeof(file));
	if (!err)
		err = set_cache(rn, &m, image, file, sample, d);
	if (!err)
		err = timed_part(rn, step, &m, file, sample, d);
	undo_err = unmount_image(rn->undo, &m, &undo);
	if (unmount_hangs(undo_err, err)) {
		/* The kernel waits for something that does not come. */
		rn->stuck = true;
		return err ? err : diag_set(d, undo_err, "%s", undo.text);
	}
	return undo_err ? diag_set(d, undo_err, "%s", undo.text) : err;
}

static struct result_sample *new_sample(struct result_cell *cell, const struct plan_step *step)
{
	struct result_sample *grown =
		realloc(cell->samples, (cell->sample_count + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	cell->samples = grown;
	grown[cell->sample_count] =
		(struct result_sample){.repetition = step->repetition, .traced = step->traced};
	return &grown[cell->sample_count++];
}

/* Of no use to any other cell either. */
static bool is_fatal(int err)
{
	return err == -EINTR || err == -ENOSPC || err == -ENOMEM;
}

int runner_step(struct runner *rn, const struct plan_step *step, struct diag *d)
{
	const struct plan_cell *pc = &rn->plan->cells[step->cell];
	struct result_cell *cell = &rn->result->cells[step->cell];
	struct result_sample *sample = new_sample(cell, step);
	struct diag why = {0};
	int err;

	if (!sample)
		return diag_errno(d, -ENOMEM, "samples");
	/* Without a tracer nothing is traced, whatever the plan says. */
	sample->traced = step->traced && rn->session;
	err = accel_set(&rn->accel, pc->engine->accel_driver, &why);
	if (!err)
		err = runner_trace(rn, sample->traced, &why);
	if (!err)
		err = mounted_part(rn, step, sample, &why);
	if (!err)
		return 0;
	if (err == -EINTR || ab_interrupted()) {
		/* Nobody's fault: the repetition did not happen. */
		err = -EINTR;
		free(cell->samples[--cell->sample_count].times);
		return diag_set(d, err, "%s", why.text);
	}
	if (!sample->reason[0])
		snprintf(sample->reason, sizeof(sample->reason), "%.255s", why.text);
	cell_end(cell, CELL_FAILED, "%s", why.text);
	if (is_fatal(err) || rn->stuck)
		return diag_set(d, err, "%s%s", why.text,
				rn->stuck ? "; the kernel does not give it back: not going on"
					  : "");
	log_warn("%s", why.text);
	return 0;
}
