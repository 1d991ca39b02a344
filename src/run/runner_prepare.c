// SPDX-License-Identifier: GPL-2.0-only
/* What is known before anything runs: scenario, cells, dataset, images. */
#include "run/runner_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/units.h"
#include "run/image.h"
#include "run/store.h"

const char *cluster_text(char *buf, size_t size, uint64_t cluster_bytes)
{
	if (cluster_bytes)
		return units_bytes(buf, size, cluster_bytes);
	snprintf(buf, size, "-");
	return buf;
}

const char *image_text(char *buf, size_t size, const char *engine, uint64_t cluster_bytes)
{
	char cluster[32];

	if (cluster_bytes)
		snprintf(buf, size, "%s, %s clusters", engine,
			 units_bytes(cluster, sizeof(cluster), cluster_bytes));
	else
		snprintf(buf, size, "%s", engine);
	return buf;
}

void cell_end(struct result_cell *cell, enum cell_status status, const char *fmt, ...)
{
	va_list ap;

	cell->status = status;
	va_start(ap, fmt);
	vsnprintf(cell->reason, sizeof(cell->reason), fmt, ap);
	va_end(ap);
}

static void describe_cell(const struct plan_cell *pc, struct result_cell *cell)
{
	const struct workload_spec *w = pc->workload;

	snprintf(cell->engine, sizeof(cell->engine), "%s", pc->engine->name);
	snprintf(cell->workload, sizeof(cell->workload), "%s", w->name);
	snprintf(cell->rw, sizeof(cell->rw), "%s", w->rw);
	cell->cluster_bytes = pc->cluster_bytes;
	cell->bs_bytes = w->bs_bytes;
	cell->io_size_bytes = w->io_size_bytes;
	cell->numjobs = w->numjobs;
	cell->iodepth = w->iodepth;
	cell->image = pc->image;
	cell->status = CELL_PENDING;
}

static int describe(const struct plan *p, const struct run_opts *o, struct result *r,
		    struct diag *d)
{
	const struct scenario *s = p->scenario;
	AB_STRBUF struct strbuf yaml = {0};
	time_t now = time(NULL);
	struct tm tm;

	snprintf(r->id, sizeof(r->id), "%s", o->id);
	snprintf(r->tool_version, sizeof(r->tool_version), "%s", AB_VERSION);
	gmtime_r(&now, &tm);
	strftime(r->started, sizeof(r->started), "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(r->scenario_name, sizeof(r->scenario_name), "%s", s->name);
	snprintf(r->scenario_description, sizeof(r->scenario_description), "%s", s->description);
	snprintf(r->scenario_sha256, sizeof(r->scenario_sha256), "%s", s->sha256);
	snprintf(r->filesystem, sizeof(r->filesystem), "%s", s->filesystem);
	snprintf(r->backing, sizeof(r->backing), "%s", backing_names[s->backing]);
	r->quick = s->quick;
	scenario_print(s, &yaml);
	r->scenario_yaml = strdup(strbuf_str(&yaml));
	r->cells = calloc(p->cell_count, sizeof(*r->cells));
	r->images = calloc(p->image_count, sizeof(*r->images));
	if (!r->scenario_yaml || !r->cells || !r->images)
		return diag_errno(d, -ENOMEM, "result");
	r->cell_count = p->cell_count;
	r->image_count = p->image_count;
	for (size_t i = 0; i < p->cell_count; i++)
		describe_cell(&p->cells[i], &r->cells[i]);
	return 0;
}

/* The cells of an image that cannot be made: skipped when tools are missing here, failed when they refused. */
static void image_failed(const struct plan *p, struct result *r, size_t image, int err,
			 const struct diag *why)
{
	for (size_t i = 0; i < p->cell_count; i++)
		if (p->cells[i].image == image)
			cell_end(&r->cells[i], err == -EOPNOTSUPP ? CELL_SKIPPED : CELL_FAILED,
				 "%s", why->text);
}

/* Images of one run can come from different tools: each is named once. */
static void note_tool(struct result_host *host, const char *tool)
{
	size_t used = strlen(host->mkfs_version);

	if (!strstr(host->mkfs_version, tool))
		snprintf(host->mkfs_version + used, sizeof(host->mkfs_version) - used, "%s%s",
			 used ? ", " : "", tool);
}

static int prepare_images(const struct plan *p, const struct store *st, const struct dataset *ds,
			  struct result *r, struct diag *d)
{
	for (size_t i = 0; i < p->image_count; i++) {
		struct result_image *facts = &r->images[i];
		struct diag why = {0};
		char path[4096], what[80];
		int err;

		image_text(what, sizeof(what), p->images[i].engine->name,
			   p->images[i].cluster_bytes);
		log_verbose("image %zu of %zu: %s", i + 1, p->image_count, what);
		err = image_prepare(st, ds, &p->images[i], facts, path, sizeof(path), &why);
		if (err == -EINTR || err == -ENOSPC || err == -ENOMEM)
			return diag_set(d, err, "%s", why.text);
		if (err) {
			log_warn("%s", why.text);
			image_failed(p, r, i, err, &why);
			continue;
		}
		/* Said already, before it was built again. */
		if (why.text[0] && string_list_add(&r->warnings, "%s", why.text))
			return diag_errno(d, -ENOMEM, "warnings");
		if (!facts->reused)
			r->mkfs_ns += facts->build_ns;
		note_tool(&r->host, facts->mkfs);
		log_info("image %zu of %zu: %s, ratio %.2f%s", i + 1, p->image_count, what,
			 facts->ratio, facts->reused ? " (from the cache)" : "");
		if (!facts->ok)
			log_warn("%s", facts->reason);
		if (ab_interrupted())
			return diag_set(d, -EINTR, "interrupted");
	}
	return 0;
}

enum exit_status run_prepare_status(int err)
{
	static const int wrong_input[] = {ENOENT, ENOTDIR, EACCES,  ELOOP, ENAMETOOLONG,
					  EINVAL, ENODATA, EBADMSG, E2BIG};

	for (size_t i = 0; i < ARRAY_SIZE(wrong_input); i++)
		if (err == -wrong_input[i])
			return STATUS_USAGE;
	return err ? STATUS_FAILED : STATUS_OK;
}

int run_prepare(const struct plan *p, const struct run_opts *o, struct result *r, struct diag *d)
{
	AB_CLEANUP(result_free) struct result begun = {0};
	struct dataset ds = {0};
	struct store st;
	int err = describe(p, o, r, d);

	if (err)
		return err;
	if (o->prepared)
		return runner_adopt_prepared(o, r, d);
	/* Before anything is built for it. */
	if (o->resume)
		err = runner_find_interrupted(o->resume, r, &begun, d);
	if (!err)
		err = store_open(&st, o->cache_dir, o->tools_root, d);
	if (!err)
		err = dataset_prepare(&st, &p->scenario->dataset, &ds, d);
	if (err)
		return err;
	r->dataset = ds.facts;
	snprintf(r->dataset.file, sizeof(r->dataset.file), "%s", ds.file);
	snprintf(r->dataset.sha256, sizeof(r->dataset.sha256), "%s", ds.file_sha256);
	r->dataset.size_bytes = ds.file_bytes;
	log_info("dataset: %s", r->dataset.description);
	err = prepare_images(p, &st, &ds, r, d);
	return err || !o->resume ? err : runner_adopt_interrupted(o->resume, r, &begun, d);
}
