// SPDX-License-Identifier: GPL-2.0-only
/* Integrity (PHASES, rule 13): the data read through every engine is hashed once, outside the timed part. */
#include "run/runner_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/interrupt.h"
#include "base/log.h"
#include "base/units.h"
#include "run/image_store.h"
#include "run/verify.h"

/* The engine that served most of the requests of the read-back. */
static void observe(const struct result_trace *t, struct result_verify *v)
{
	uint64_t most = 0;

	for (size_t i = 0; i < t->set_count; i++) {
		const struct result_set *set = &t->sets[i];

		if (set->hists[AB_TOTAL].count <= most || !strcmp(set->engine, "stored"))
			continue;
		most = set->hists[AB_TOTAL].count;
		snprintf(v->observed, sizeof(v->observed), "%s", set->engine);
	}
}

static int traced_read(struct runner *rn, const struct mounted *m, const char *file,
		       struct result_verify *v, struct diag *d)
{
	struct result_trace trace = {0};
	struct result_cpu cpu = {0};
	int err = 0;

	if (rn->session)
		err = session_begin(rn->session, m->kernel_dev, d);
	if (!err)
		err = verify_file(file, rn->result->dataset.sha256, rn->plan->scenario->timeout_ns,
				  v, d);
	if (rn->session) {
		if (!session_end(rn->session, &trace, &cpu, NULL))
			observe(&trace, v);
		result_trace_free(&trace);
	}
	return err;
}

static int verify_one(struct runner *rn, const struct plan_cell *pc, struct result_verify *v,
		      struct diag *d)
{
	char image[4200], file[8192], what[64];
	struct mounted m = {0};
	int err, undo_err;

	snprintf(v->engine, sizeof(v->engine), "%s", pc->engine->name);
	err = accel_set(&rn->accel, pc->engine->accel_driver, d);
	if (!err)
		err = image_path(rn, pc->image, image, sizeof(image));
	if (!err)
		err = mount_image(rn->undo, image, rn->plan->scenario->backing, rn->work, &m, d);
	if (err)
		return err;
	err = measured_file(rn, &m, file, sizeof(file));
	if (!err)
		err = cache_make_cold(&m, image, what, sizeof(what), d);
	if (!err)
		err = traced_read(rn, &m, file, v, d);
	undo_err = unmount_image(rn->undo, &m, err ? NULL : d);
	if (unmount_hangs(undo_err, err))
		rn->stuck = true;
	return err ? err : undo_err;
}

static bool same_check(const struct plan_cell *a, const struct plan_cell *b)
{
	return a->image == b->image && a->engine == b->engine;
}

/* All cells that use this image with this engine. */
static void end_cells(struct runner *rn, const struct plan_cell *pc, enum cell_status status,
		      const char *why)
{
	for (size_t i = 0; i < rn->plan->cell_count; i++)
		if (same_check(&rn->plan->cells[i], pc) &&
		    rn->result->cells[i].status == CELL_PENDING)
			cell_end(&rn->result->cells[i], status, "%s", why);
}

static bool checked_before(const struct runner *rn, size_t cell)
{
	for (size_t i = 0; i < cell; i++)
		if (same_check(&rn->plan->cells[i], &rn->plan->cells[cell]))
			return true;
	return false;
}

static struct result_verify *new_verify(struct result_image *image)
{
	struct result_verify *grown =
		realloc(image->verifies, (image->verify_count + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	image->verifies = grown;
	grown[image->verify_count] = (struct result_verify){0};
	return &grown[image->verify_count++];
}

static int verify_cell(struct runner *rn, const struct plan_cell *pc, struct diag *d)
{
	struct result_image *image = &rn->result->images[pc->image];
	struct result_verify *v = new_verify(image);
	struct diag why = {0};
	char what[80];
	int err;

	if (!v)
		return diag_errno(d, -ENOMEM, "verification");
	image_text(what, sizeof(what), pc->engine->name, pc->cluster_bytes);
	err = verify_one(rn, pc, v, &why);
	if (err && ab_interrupted())
		err = -EINTR;
	/* No loop device is lacking like no EROFS: this machine cannot measure what was asked. */
	if (err == -ENODEV)
		err = -EOPNOTSUPP;
	/* Nothing was read: there is nothing to say about the image. */
	if (err == -EINTR || err == -EOPNOTSUPP)
		image->verify_count--;
	if (err == -EINTR || rn->stuck)
		return diag_set(d, err, "%s", why.text);
	if (err == -EOPNOTSUPP) {
		log_warn("skipped: %s: %s", what, why.text);
		end_cells(rn, pc, CELL_SKIPPED, why.text);
		return 0;
	}
	if (!err && v->ok) {
		log_info("verified: %s: the data has the dataset's hash", what);
		return 0;
	}
	if (err) {
		snprintf(v->reason, sizeof(v->reason), "%.255s", why.text);
		log_warn("%s: %s", what, why.text);
		end_cells(rn, pc, CELL_FAILED, why.text);
	} else {
		log_error("WRONG DATA: %s: %s", what, v->reason);
	}
	/* Unless it was prepared elsewhere, in the lab: -ENOENT. */
	if (image_recheck(rn->images_dir, image->key) == -EUCLEAN)
		log_error(
			"the image was spoilt in the cache after it was built; the next run builds it again");
	return 0;
}

int runner_verify(struct runner *rn, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; !err && i < rn->plan->cell_count; i++) {
		if (rn->result->cells[i].status != CELL_PENDING || checked_before(rn, i))
			continue;
		if (ab_interrupted())
			return diag_set(d, -EINTR, "interrupted");
		err = verify_cell(rn, &rn->plan->cells[i], d);
	}
	return err;
}
