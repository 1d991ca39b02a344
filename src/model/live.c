// SPDX-License-Identifier: GPL-2.0-only
#include "model/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "model/phase.h"

/* @now without what @before had: buckets only grow. */
static int hist_between(const struct result_hist *before, const struct result_hist *now,
			struct result_hist *out)
{
	size_t k = 0;

	*out = (struct result_hist){.present = now->present};
	memcpy(out->absent, now->absent, sizeof(out->absent));
	out->index = calloc(now->buckets + 1, sizeof(*out->index));
	out->counts = calloc(now->buckets + 1, sizeof(*out->counts));
	if (!out->index || !out->counts)
		return -ENOMEM;
	for (size_t i = 0; i < now->buckets; i++) {
		uint64_t earlier = 0;

		while (k < before->buckets && before->index[k] < now->index[i])
			k++;
		if (k < before->buckets && before->index[k] == now->index[i])
			earlier = before->counts[k];
		if (now->counts[i] <= earlier)
			continue;
		out->index[out->buckets] = now->index[i];
		out->counts[out->buckets++] = now->counts[i] - earlier;
		out->count += now->counts[i] - earlier;
	}
	out->sum = now->sum > before->sum ? now->sum - before->sum : 0;
	if (out->buckets) {
		uint32_t last = out->index[out->buckets - 1];

		out->min = ab_hist_low(out->index[0]);
		out->max = ab_hist_low(last) + ab_hist_width(last) - 1;
	}
	return 0;
}

static const struct result_set *find_set(const struct result_trace *t,
					 const struct result_set *like)
{
	for (size_t i = 0; i < t->set_count; i++)
		if (!strcmp(t->sets[i].engine, like->engine) &&
		    !strcmp(t->sets[i].direction, like->direction) &&
		    t->sets[i].size_class_bytes == like->size_class_bytes)
			return &t->sets[i];
	return NULL;
}

static int add_set(const struct result_set *before, const struct result_set *now,
		   struct live_row *row)
{
	static const struct result_hist nothing;

	for (int p = 0; p < AB_PHASES; p++) {
		AB_CLEANUP(result_hist_free) struct result_hist h = {0};
		int err = hist_between(before ? &before->hists[p] : &nothing, &now->hists[p], &h);

		if (!err)
			err = result_hist_merge(&row->hists[p], &h);
		if (err)
			return err;
		if (!row->hists[p].present)
			memcpy(row->hists[p].absent, h.absent, sizeof(h.absent));
	}
	row->requests = row->hists[AB_TOTAL].count;
	return 0;
}

/* The row of the set's engine, all size classes together. NULL: no memory. */
static struct live_row *row_of(struct live *l, const struct result_set *set)
{
	struct live_row *grown;

	for (size_t i = 0; i < l->row_count; i++)
		if (!strcmp(l->rows[i].engine, set->engine) &&
		    !strcmp(l->rows[i].direction, set->direction))
			return &l->rows[i];
	grown = reallocarray(l->rows, l->row_count + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	l->rows = grown;
	l->rows[l->row_count] = (struct live_row){0};
	memcpy(l->rows[l->row_count].engine, set->engine, sizeof(set->engine));
	memcpy(l->rows[l->row_count].direction, set->direction, sizeof(set->direction));
	return &l->rows[l->row_count++];
}

enum kind { KIND_DRIVER, KIND_SOFTWARE, KIND_STORED, KINDS };

static enum kind kind_of(const char *engine)
{
	if (!strcmp(engine, "stored"))
		return KIND_STORED;
	return strncmp(engine, "sw:", 3) ? KIND_DRIVER : KIND_SOFTWARE;
}

static const enum kind kind_served[AB_SERVED] = {
	[AB_SERVED_OFFLOADED] = KIND_DRIVER, [AB_SERVED_SYNC] = KIND_DRIVER,
	[AB_SERVED_FALLBACK] = KIND_DRIVER,  [AB_SERVED_NO_ENGINE] = KIND_SOFTWARE,
	[AB_SERVED_PARTIAL] = KIND_SOFTWARE, [AB_SERVED_REJECTED] = KIND_SOFTWARE,
	[AB_SERVED_STORED] = KIND_STORED,    [AB_SERVED_FAILED] = KINDS,
};

static struct result_served served_between(const struct result_trace *before,
					   const struct result_trace *now, int how)
{
	const struct result_served *a = &before->served[how], *b = &now->served[how];

	return (struct result_served){b->requests - a->requests, b->in_bytes - a->in_bytes,
				      b->out_bytes - a->out_bytes};
}

/* Bytes of rows that are the only one of their kind. */
static void tell_bytes(struct live *l, const struct result_served *sums)
{
	size_t of_kind[KINDS] = {0};

	for (size_t i = 0; i < l->row_count; i++)
		of_kind[kind_of(l->rows[i].engine)] += l->rows[i].requests > 0;
	for (size_t i = 0; i < l->row_count; i++) {
		enum kind kind = kind_of(l->rows[i].engine);
		struct figure none = {.why = "several engines of a kind served requests"};

		l->rows[i].in_bytes = l->rows[i].out_bytes = none;
		if (of_kind[kind] != 1)
			continue;
		l->rows[i].in_bytes =
			(struct figure){.known = true, .value = (double)sums[kind].in_bytes};
		l->rows[i].out_bytes =
			(struct figure){.known = true, .value = (double)sums[kind].out_bytes};
	}
}

static void count(const struct result_trace *before, const struct result_trace *now, struct live *l)
{
	struct result_served sums[KINDS + 1] = {0};
	struct result_trace between = {.present = true};

	for (int i = 0; i < AB_SERVED; i++) {
		struct result_served served = served_between(before, now, i);
		struct result_served *sum = &sums[kind_served[i]];

		between.served[i] = served;
		sum->in_bytes += served.in_bytes;
		sum->out_bytes += served.out_bytes;
		l->requests += served.requests;
		l->in_bytes += served.in_bytes;
		l->out_bytes += served.out_bytes;
	}
	tell_bytes(l, sums);
	l->coverage = derive_coverage(&between);
	for (int i = 0; i < AB_COUNTERS; i++)
		if (counter_table[i].kind == COUNTER_LOSS)
			l->lost += now->counters[i] - before->counters[i];
	l->lost += now->recursion_misses - before->recursion_misses;
	/* Read CPU by CPU while they count: an exit may be seen before its entry. */
	if (now->counters[AB_CNT_ENTRIES] > now->counters[AB_CNT_EXITS])
		l->in_flight = now->counters[AB_CNT_ENTRIES] - now->counters[AB_CNT_EXITS];
}

static int busiest_first(const void *a, const void *b)
{
	uint64_t x = ((const struct live_row *)a)->requests;
	uint64_t y = ((const struct live_row *)b)->requests;

	return x < y ? 1 : x > y ? -1 : 0;
}

int live_between(const struct result_trace *before, const struct result_trace *now,
		 struct live *out)
{
	int err = 0;

	*out = (struct live){0};
	for (size_t i = 0; !err && i < now->set_count; i++) {
		struct live_row *row = row_of(out, &now->sets[i]);

		err = row ? add_set(find_set(before, &now->sets[i]), &now->sets[i], row) : -ENOMEM;
	}
	if (err)
		return err;
	count(before, now, out);
	if (out->row_count)
		qsort(out->rows, out->row_count, sizeof(*out->rows), busiest_first);
	return 0;
}

void live_free(struct live *l)
{
	for (size_t i = 0; i < l->row_count; i++)
		for (int p = 0; p < AB_PHASES; p++)
			result_hist_free(&l->rows[i].hists[p]);
	free(l->rows);
	*l = (struct live){0};
}
