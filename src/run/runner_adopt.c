// SPDX-License-Identifier: GPL-2.0-only
/* What was measured or prepared before: by an interrupted run, or by the process that started the guest. */
#include "run/runner_impl.h"

#include <errno.h>
#include <string.h>
#include "base/cleanup.h"

/* Strings of the host that two halves of one run have in common. */
static const struct {
	const char *what;
	size_t offset;
} lasting[] = {
	{"kernel", offsetof(struct result_host, kernel_release)},
	{"build of the kernel", offsetof(struct result_host, kernel_version)},
	{"processor", offsetof(struct result_host, cpu_model)},
	{"fio", offsetof(struct result_host, fio_version)},
};

static const char *text_at(const struct result_host *h, size_t offset)
{
	return (const char *)h + offset;
}

static bool same_lists(const struct string_list *a, const struct string_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return true;
}

int runner_same_host(const struct result_host *begun, const struct result_host *now, struct diag *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(lasting); i++) {
		const char *then = text_at(begun, lasting[i].offset);
		const char *here = text_at(now, lasting[i].offset);

		if (strcmp(then, here) != 0)
			return diag_set(d, -ESTALE,
					"the run was begun with %s \"%s\", here it is \"%s\"",
					lasting[i].what, then, here);
	}
	if (begun->cpus_online != now->cpus_online)
		return diag_set(d, -ESTALE, "the run was begun with %u CPUs, here are %u",
				begun->cpus_online, now->cpus_online);
	if (!same_lists(&begun->accelerator_parameters, &now->accelerator_parameters))
		return diag_set(
			d, -ESTALE,
			"the run was begun with other parameters of the simulated accelerator (--lab-module)");
	return 0;
}

int runner_same_tracer(const struct result_tracer *begun, const struct result_tracer *now,
		       struct diag *d)
{
	if (!strcmp(begun->mechanism, now->mechanism))
		return 0;
	return diag_set(d, -ESTALE, "the run was begun with tracing by %s, here it is %s",
			begun->mechanism[0] ? begun->mechanism : "nothing",
			now->mechanism[0] ? now->mechanism : "nothing");
}

/* Facts about where it was measured; what built the images is known better here. */
static void adopt_place(struct result *r, struct result *from)
{
	struct result_host *host = &from->host;

	memcpy(host->mkfs_version, r->host.mkfs_version, sizeof(host->mkfs_version));
	result_host_free(&r->host);
	r->host = *host;
	*host = (struct result_host){0};
	r->tracer = from->tracer;
	from->tracer = (struct result_tracer){0};
}

/* Repetitions that were measured before. A failed cell is tried again. */
static void adopt_cells(struct result *r, struct result *from)
{
	for (size_t i = 0; i < r->cell_count; i++) {
		struct result_cell *cell = &r->cells[i], *old = &from->cells[i];

		if (old->status == CELL_FAILED || old->status == CELL_SKIPPED)
			continue;
		cell->samples = old->samples;
		cell->sample_count = old->sample_count;
		cell->trace = old->trace;
		old->samples = NULL;
		old->sample_count = 0;
		old->trace = (struct result_trace){0};
	}
}

static bool same_cells(const struct result *a, const struct result *b)
{
	if (a->cell_count != b->cell_count || a->image_count != b->image_count)
		return false;
	for (size_t i = 0; i < a->cell_count; i++)
		if (strcmp(a->cells[i].engine, b->cells[i].engine) != 0 ||
		    strcmp(a->cells[i].workload, b->cells[i].workload) != 0 ||
		    a->cells[i].cluster_bytes != b->cells[i].cluster_bytes ||
		    a->cells[i].image != b->cells[i].image)
			return false;
	return true;
}

int runner_adopt_prepared(const struct run_opts *o, struct result *r, struct diag *d)
{
	struct result from = {0};
	int err = result_load(o->prepared, &from, d);

	if (err)
		return err;
	if (!same_cells(r, &from)) {
		result_free(&from);
		return diag_set(d, -EINVAL, "%s: prepared for another scenario", o->prepared);
	}
	r->dataset = from.dataset;
	r->mkfs_ns = from.mkfs_ns;
	r->deterministic = from.deterministic;
	memcpy(r->host.mkfs_version, from.host.mkfs_version, sizeof(r->host.mkfs_version));
	adopt_place(r, &from);
	for (size_t i = 0; i < r->image_count; i++) {
		r->images[i] = from.images[i];
		from.images[i] = (struct result_image){0};
	}
	for (size_t i = 0; i < r->cell_count; i++) {
		r->cells[i].status = from.cells[i].status;
		memcpy(r->cells[i].reason, from.cells[i].reason, sizeof(r->cells[i].reason));
	}
	adopt_cells(r, &from);
	result_free(&from);
	return 0;
}

/* The first line in which two texts differ: into @line, cut where it is too long. */
static const char *line_of(const char *text, size_t at, char *line, size_t size)
{
	size_t len = strcspn(text + at, "\n");

	snprintf(line, size, "%.*s", (int)len, text + at);
	return line + strspn(line, " ");
}

static int other_scenario(const char *folder, const char *then, const char *now, struct diag *d)
{
	char a[120], b[120];
	size_t at = 0;

	for (size_t i = 0; then[i] && then[i] == now[i]; i++)
		if (then[i] == '\n')
			at = i + 1;
	return diag_set(
		d, -EINVAL,
		"%s: that run was of another scenario, or with other --set or --quick: it had \"%s\", this has \"%s\"",
		folder, line_of(then, at, a, sizeof(a)), line_of(now, at, b, sizeof(b)));
}

static int check_interrupted(const char *folder, const struct result *from, const struct result *r,
			     struct diag *d)
{
	if (from->reference || !from->scenario_yaml)
		return diag_set(d, -EINVAL, "%s: not a run of this program", folder);
	if (from->complete)
		return diag_set(d, -EINVAL, "%s: that run is complete", folder);
	if (strcmp(from->tool_version, r->tool_version) != 0)
		return diag_set(d, -EINVAL, "%s: that run was begun by accelbench %s, this is %s",
				folder, from->tool_version, r->tool_version);
	if (strcmp(from->scenario_yaml, r->scenario_yaml) != 0)
		return other_scenario(folder, from->scenario_yaml, r->scenario_yaml, d);
	if (!same_cells(r, from))
		return diag_set(d, -EINVAL, "%s: that run had other cells", folder);
	if (strcmp(from->target, r->target) != 0)
		return diag_set(d, -EINVAL, "%s: that run was begun with --target %s", folder,
				from->target);
	if (from->deterministic != r->deterministic)
		return diag_set(d, -EINVAL, "%s: that run was begun with%s --deterministic", folder,
				from->deterministic ? "" : "out");
	return 0;
}

int runner_find_interrupted(const char *folder, const struct result *r, struct result *from,
			    struct diag *d)
{
	int err = result_load(folder, from, d);

	return err ? err : check_interrupted(folder, from, r, d);
}

int runner_adopt_interrupted(const char *folder, struct result *r, struct result *from,
			     struct diag *d)
{
	if (strcmp(from->dataset.sha256, r->dataset.sha256) != 0)
		return diag_set(d, -EINVAL, "%s: that run had other data", folder);
	for (size_t i = 0; i < r->image_count; i++)
		if (from->images[i].key[0] && strcmp(from->images[i].key, r->images[i].key) != 0)
			return diag_set(d, -EINVAL, "%s: that run had another image", folder);
	memcpy(r->started, from->started, sizeof(r->started));
	adopt_place(r, from);
	adopt_cells(r, from);
	return 0;
}
