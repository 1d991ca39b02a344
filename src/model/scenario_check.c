// SPDX-License-Identifier: GPL-2.0-only
/*
 * What holds between keys. Each check points at the value that does not fit, or at where one is
 * missing.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "model/fio_options.h"
#include "model/scenario_keys.h"

/* More than anybody waits for; bounds the memory of a plan. */
#define MAX_STEPS 100000

int key_fault(const struct reading *r, const struct key_place *place, const char *key,
	      const char *fmt, ...)
{
	char message[sizeof(r->d->text)], path[2 * KEY_PATH_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s%s%s", place->path, place->path[0] && key[0] ? "." : "",
		 key);
	return key_error(r, doc_nearest(place->node, key), path, "%s", message);
}

bool key_adapted(const struct reading *r, const struct doc_node *n)
{
	return r->adapted && n && n->where.line;
}

static bool from_file(const struct reading *r, const char *path)
{
	return key_adapted(r, doc_find(r->root, path));
}

static bool given(const struct reading *r, const char *path)
{
	return doc_find(r->root, path) != NULL;
}

/* Settles which of the three ways the data comes from. */
static int check_dataset(const struct reading *r, const struct key_place *top)
{
	struct dataset_spec *ds = &r->s->dataset;
	bool path = given(r, "dataset.path");

	if (given(r, "dataset.generate")) {
		static const char *const others[] = {"path", "sha256", "corpus", "substitute"};
		char name[64];

		for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
			snprintf(name, sizeof(name), "dataset.%s", others[i]);
			if (given(r, name))
				return key_fault(r, top, name,
						 "does not go with generate; to replace all of it: "
						 "--set 'dataset={path: FILE}'");
		}
		ds->kind = DATASET_GENERATE;
		return 0;
	}
	if (given(r, "dataset.substitute") && !ds->corpus[0])
		return key_fault(r, top, "dataset.substitute",
				 "stands in for a corpus: key 'corpus' is missing");
	if (!path) {
		ds->kind = DATASET_GENERATE;
		ds->substitute = true;
		return 0;
	}
	ds->kind = DATASET_PATH;
	memset(ds->generator, 0, sizeof(ds->generator));
	ds->size_bytes = 0;
	ds->seed = 0;
	return 0;
}

static bool has_engine(const struct scenario *s, const struct engine_info *engine)
{
	for (size_t i = 0; i < s->engine_count; i++)
		if (s->engines[i] == engine)
			return true;
	return false;
}

static int check_level(const struct reading *r, const struct key_place *top,
		       const struct level_spec *l, const struct engine_info *engine)
{
	AB_STRBUF struct strbuf ranges = {0};
	char path[KEY_PATH_SIZE] = "image.level";

	if (engine_takes_level(engine, l->level))
		return 0;
	if (l->engine)
		snprintf(path, sizeof(path), "image.level.%s", engine->name);
	for (size_t i = 0; i < engine->level_ranges; i++)
		strbuf_printf(&ranges, "%s%d to %d", i ? " or " : "", engine->levels[i].min,
			      engine->levels[i].max);
	if (!engine->level_ranges)
		return key_fault(r, top, path, "%s has no levels", engine->name);
	return key_fault(r, top, path, "%d is no level of %s, expected %s", l->level, engine->name,
			 strbuf_str(&ranges));
}

/* One level for all engines is for those that have levels. */
static int check_common_level(const struct reading *r, const struct key_place *top,
			      const struct level_spec *l)
{
	const struct scenario *s = r->s;
	bool used = false;
	int err = 0;

	for (size_t e = 0; !err && e < s->engine_count; e++) {
		if (!s->engines[e]->level_ranges)
			continue;
		used = true;
		err = check_level(r, top, l, s->engines[e]);
	}
	if (!err && !used && !from_file(r, "image.level"))
		return key_fault(r, top, "image.level", "no engine of matrix.engine has levels");
	return err;
}

static int check_levels(const struct reading *r, const struct key_place *top)
{
	const struct scenario *s = r->s;
	char path[KEY_PATH_SIZE];
	int err = 0;

	for (size_t i = 0; !err && i < s->level_count; i++) {
		const struct level_spec *l = &s->levels[i];

		if (!l->engine) {
			err = check_common_level(r, top, l);
		} else if (!has_engine(s, l->engine)) {
			snprintf(path, sizeof(path), "image.level.%s", l->engine->name);
			if (from_file(r, path))
				continue;
			err = key_fault(r, top, path, "%s is not in matrix.engine",
					l->engine->name);
		} else {
			err = check_level(r, top, l, l->engine);
		}
	}
	return err;
}

static int check_matrix(const struct reading *r, const struct key_place *top)
{
	const struct scenario *s = r->s;
	char cluster[32];

	for (size_t e = 0; e < s->engine_count; e++) {
		uint64_t max = s->engines[e]->cluster_max_bytes;

		for (size_t c = 0; max && c < s->cluster_count; c++)
			if (s->clusters_bytes[c] > max)
				return key_fault(r, top, "matrix.cluster",
						 "%s has no clusters of %s", s->engines[e]->name,
						 units_bytes(cluster, sizeof(cluster),
							     s->clusters_bytes[c]));
	}
	if ((uint64_t)s->engine_count * s->cluster_count * s->workload_count * s->repeat * 2 >
	    MAX_STEPS)
		return key_fault(r, top, "matrix", "this would be more than %d runs of fio",
				 MAX_STEPS);
	return 0;
}

static int check_workload_sizes(const struct reading *r, const struct workload_spec *w,
				const struct key_place *place)
{
	uint64_t size = r->s->dataset.size_bytes; /* 0: known when the file is looked at */
	char bs[32], io_size[32], all[32];

	units_bytes(bs, sizeof(bs), w->bs_bytes);
	units_bytes(io_size, sizeof(io_size), w->io_size_bytes);
	units_bytes(all, sizeof(all), size);
	if (w->bs_bytes % 512)
		return key_fault(r, place, "bs", "%s is no multiple of 512 bytes", bs);
	if (size && w->bs_bytes > size)
		return key_fault(r, place, "bs", "%s is larger than the dataset (%s)", bs, all);
	if (w->io_size_bytes % w->bs_bytes)
		return key_fault(r, place, "io_size", "%s is no multiple of bs (%s)", io_size, bs);
	if (size && w->io_size_bytes > size)
		return key_fault(r, place, "io_size", "%s is larger than the dataset (%s)", io_size,
				 all);
	return 0;
}

static int check_workload(const struct reading *r, const struct workload_spec *w)
{
	const struct scenario *s = r->s;
	char path[KEY_PATH_SIZE];
	struct key_place place = {.path = path};
	int err;

	snprintf(path, sizeof(path), "workloads.%s", w->name);
	place.node = doc_find(r->root, path);
	err = check_workload_sizes(r, w, &place);
	if (err)
		return err;
	if (w->iodepth > 1 && !fio_ioengine_is_async(w->ioengine))
		return key_fault(
			r, &place, "iodepth",
			"%s has one read in flight; libaio, io_uring and posixaio have more",
			w->ioengine);
	if (w->direct && !strcmp(w->ioengine, "mmap"))
		return key_fault(r, &place, "direct", "mmap knows no direct I/O");
	/* EROFS gives compressed files no direct_IO operation: open(2) fails with EINVAL. */
	for (size_t i = 0; w->direct && i < s->engine_count; i++)
		if (s->engines[i]->algorithm != AB_ALG_STORED)
			return key_fault(r, &place, "direct",
					 "EROFS has no direct I/O for compressed files (%s)",
					 s->engines[i]->name);
	if (w->runtime_ns >= s->timeout_ns)
		return key_fault(r, &place, "runtime", "is not shorter than timeout");
	return 0;
}

static int check_trace(const struct reading *r, const struct key_place *top)
{
	struct trace_spec *t = &r->s->trace;

	if (t->enabled)
		return 0;
	if (t->control && given(r, "trace.control") && !from_file(r, "trace.control"))
		return key_fault(r, top, "trace.control",
				 "needs traced repetitions, and trace.phases is none");
	if (t->record_every && !from_file(r, "trace.records"))
		return key_fault(r, top, "trace.records",
				 "needs traced repetitions, and trace.phases is none");
	t->control = false;
	t->record_every = 0;
	return 0;
}

int scenario_check(const struct reading *r)
{
	const struct key_place top = {"", r->root};
	int err = check_dataset(r, &top);

	if (!err)
		err = check_levels(r, &top);
	if (!err)
		err = check_matrix(r, &top);
	for (size_t i = 0; !err && i < r->s->workload_count; i++)
		err = check_workload(r, &r->s->workloads[i]);
	if (!err)
		err = check_trace(r, &top);
	return err ? err : scenario_check_rules(r);
}
