// SPDX-License-Identifier: GPL-2.0-only
/* What the tracer saw: windows added up, and one repetition's window in a few numbers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/result.h"

int result_trace_phase(const struct result_trace *t, enum ab_phase phase, struct result_hist *all)
{
	for (size_t i = 0; i < t->set_count; i++)
		if (result_hist_merge(all, &t->sets[i].hists[phase]))
			return -ENOMEM;
	return 0;
}

struct result_set *result_trace_set(struct result_trace *t, const struct result_set *like)
{
	struct result_set *sets;

	for (size_t i = 0; i < t->set_count; i++) {
		struct result_set *set = &t->sets[i];

		if (!strcmp(set->engine, like->engine) &&
		    !strcmp(set->direction, like->direction) &&
		    set->size_class_bytes == like->size_class_bytes)
			return set;
	}
	sets = realloc(t->sets, (t->set_count + 1) * sizeof(*sets));
	if (!sets)
		return NULL;
	t->sets = sets;
	sets[t->set_count] = (struct result_set){.size_class_bytes = like->size_class_bytes};
	memcpy(sets[t->set_count].engine, like->engine, sizeof(like->engine));
	memcpy(sets[t->set_count].direction, like->direction, sizeof(like->direction));
	return &sets[t->set_count++];
}

static int add_set(struct result_set *to, const struct result_set *from)
{
	for (int p = 0; p < AB_PHASES; p++) {
		struct result_hist *dst = &to->hists[p];

		if (result_hist_merge(dst, &from->hists[p]))
			return -ENOMEM;
		if (!dst->present)
			memcpy(dst->absent, from->hists[p].absent, sizeof(dst->absent));
	}
	return 0;
}

int result_trace_add(struct result_trace *dst, const struct result_trace *src)
{
	for (size_t i = 0; i < src->set_count; i++) {
		struct result_set *set = result_trace_set(dst, &src->sets[i]);

		if (!set || add_set(set, &src->sets[i]))
			return -ENOMEM;
	}
	for (int i = 0; i < AB_SERVED; i++) {
		dst->served[i].requests += src->served[i].requests;
		dst->served[i].in_bytes += src->served[i].in_bytes;
		dst->served[i].out_bytes += src->served[i].out_bytes;
	}
	for (int i = 0; i < AB_COUNTERS; i++)
		dst->counters[i] += src->counters[i];
	dst->inflight_at_end += src->inflight_at_end;
	dst->recursion_misses += src->recursion_misses;
	dst->present |= src->present;
	return 0;
}

static struct result_requests count_requests(const struct result_trace *window)
{
	const struct result_served *offloaded = &window->served[AB_SERVED_OFFLOADED];
	struct result_requests n = {
		.offloaded = offloaded->requests,
		.offloaded_out_bytes = offloaded->out_bytes,
		.partial = window->served[AB_SERVED_PARTIAL].requests,
	};

	for (int i = 0; i < AB_SERVED; i++) {
		if (i == AB_SERVED_STORED)
			continue;
		n.requests += window->served[i].requests;
		n.out_bytes += window->served[i].out_bytes;
	}
	return n;
}

static struct result_times summarize(const struct result_hist *h, unsigned int phase)
{
	return (struct result_times){
		.phase = phase,
		.count = h->count,
		.mean_ns = (double)h->sum / (double)h->count,
		.p50_ns = (uint64_t)result_hist_percentile(h, 0.5),
		.p90_ns = (uint64_t)result_hist_percentile(h, 0.9),
		.p99_ns = (uint64_t)result_hist_percentile(h, 0.99),
		.p999_ns = (uint64_t)result_hist_percentile(h, 0.999),
		.max_ns = h->max,
	};
}

int result_sample_describe(struct result_sample *s, const struct result_trace *window)
{
	int err = 0;

	if (!window->present)
		return 0;
	s->times = calloc(AB_PHASES, sizeof(*s->times));
	if (!s->times)
		return -ENOMEM;
	for (unsigned int p = 0; !err && p < AB_PHASES; p++) {
		struct result_hist all = {0};

		err = result_trace_phase(window, (enum ab_phase)p, &all);
		if (!err && all.count)
			s->times[s->time_count++] = summarize(&all, p);
		result_hist_free(&all);
	}
	s->requests = count_requests(window);
	s->has_requests = !err;
	return err;
}
