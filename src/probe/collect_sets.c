// SPDX-License-Identifier: GPL-2.0-only
/* Histograms, set by set: which engine a set is of, which of its phases mean something. */
#include "probe/session_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include "base/cleanup.h"
#include "model/phase.h"

/* One phase of one set: all CPUs' buckets added up, in sparse form. */
static int read_hist(const struct session *s, uint32_t index, struct ab_hist *per_cpu,
		     struct result_hist *out)
{
	uint64_t buckets[AB_HIST_BUCKETS] = {0};
	uint64_t inverted_min = 0;
	size_t used = 0;
	unsigned int cpu, b;

	if (bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.hists), &index, per_cpu))
		return -errno;
	out->present = true;
	for (cpu = 0; cpu < s->cpus; cpu++) {
		const struct ab_hist *h = &per_cpu[cpu];

		out->sum += h->sum;
		out->saturated += h->saturated;
		if (h->max > out->max)
			out->max = h->max;
		if (h->inverted_min > inverted_min)
			inverted_min = h->inverted_min;
		for (b = 0; b < AB_HIST_BUCKETS; b++) {
			if (!buckets[b] && h->buckets[b])
				used++;
			buckets[b] += h->buckets[b];
		}
	}
	out->min = ~inverted_min;
	out->index = calloc(used ? used : 1, sizeof(*out->index));
	out->counts = calloc(used ? used : 1, sizeof(*out->counts));
	if (!out->index || !out->counts)
		return -ENOMEM;
	for (b = 0; b < AB_HIST_BUCKETS; b++) {
		if (!buckets[b])
			continue;
		out->index[out->buckets] = b;
		out->counts[out->buckets++] = buckets[b];
		out->count += buckets[b];
	}
	return 0;
}

bool collect_role_attached(const struct session *s, enum hook_role role, int algorithm)
{
	size_t i;

	for (i = 0; i < s->hook_count; i++) {
		const struct bound_hook *b = &s->hooks[i];

		if (b->info->role == role && (algorithm < 0 || b->info->algorithm == algorithm) &&
		    b->attached)
			return true;
	}
	return false;
}

static const char *role_reason(const struct session *s, enum hook_role role, int algorithm)
{
	size_t i;

	for (i = 0; i < s->hook_count; i++)
		if (s->hooks[i].info->role == role &&
		    (algorithm < 0 || s->hooks[i].info->algorithm == algorithm) &&
		    s->hooks[i].reason[0])
			return s->hooks[i].reason;
	return "its hook is not attached";
}

/* The hook without which @phase says nothing about requests of the set; HOOK_ROLES: the request's and the submit's are enough. */
static enum hook_role role_of(const struct ab_set_key *key, enum ab_phase phase)
{
	switch (phase) {
	case AB_DECODE:
		return key->driver ? HOOK_ROLES : HOOK_DECODE;
	case AB_COPY:
		return key->driver ? HOOK_ROLES : HOOK_COPY;
	case AB_WAIT:
		return key->driver ? HOOK_RESUME : HOOK_SCHED;
	case AB_ON_CPU:
	case AB_OFF_CPU:
		return HOOK_SCHED;
	case AB_SERVICE:
	case AB_BACKLOG:
	case AB_WAKEUP:
		return key->driver ? HOOK_DONE : HOOK_ROLES;
	default:
		return HOOK_ROLES;
	}
}

/* Why a set has no histogram of @phase, in words; NULL: it may have one, and has none where no request had that phase. */
static const char *hidden(const struct session *s, const struct ab_set_key *key,
			  enum ab_phase phase)
{
	enum hook_role role = role_of(key, phase);
	int algorithm = role == HOOK_DECODE ? key->algorithm : -1;

	if (!s->all_phases && !s->phases[phase])
		return "not requested";
	if (role == HOOK_ROLES || collect_role_attached(s, role, algorithm) ||
	    (role == HOOK_DECODE && key->algorithm == AB_ALG_STORED))
		return NULL;
	return role_reason(s, role, algorithm);
}

static void name_set(struct session *s, const struct ab_set_key *key, struct result_set *set)
{
	if (key->algorithm == AB_ALG_STORED)
		snprintf(set->engine, sizeof(set->engine), "stored");
	else if (!key->driver)
		snprintf(set->engine, sizeof(set->engine), "sw:%s",
			 algorithm_names[key->algorithm]);
	else
		snprintf(set->engine, sizeof(set->engine), "%s",
			 session_driver_name(s, key->driver));
	snprintf(set->direction, sizeof(set->direction), "%s", direction_names[key->direction]);
	set->size_class_bytes =
		key->size_class == AB_SIZE_CLASSES - 1 ? 0 : 1024ull << key->size_class;
}

static void learn_drivers(struct session *s)
{
	int fd = bpf_map__fd(s->skel->maps.drivers);
	uint64_t key = 0, next;
	void *previous = NULL;

	s->driver_count = 0;
	while (s->driver_count < ARRAY_SIZE(s->drivers) &&
	       !bpf_map_get_next_key(fd, previous, &next)) {
		struct driver_name *d = &s->drivers[s->driver_count];
		struct ab_driver value;

		key = next;
		previous = &key;
		if (bpf_map_lookup_elem(fd, &key, &value))
			continue;
		d->address = key;
		snprintf(d->name, sizeof(d->name), "%s", value.name);
		s->driver_count++;
	}
}

static int collect_phase(const struct session *s, const struct ab_set_key *key, enum ab_phase phase,
			 uint32_t index, struct ab_hist *per_cpu, struct result_hist *out)
{
	const char *why = hidden(s, key, phase);
	struct result_hist h = {0};
	int err = 0;

	if (!why)
		err = read_hist(s, index * AB_PHASES + (uint32_t)phase, per_cpu, &h);
	if (!err && h.count)
		err = result_hist_merge(out, &h);
	else if (!err && !out->present && !why)
		snprintf(out->absent, sizeof(out->absent), RESULT_NOT_APPLICABLE);
	else if (!err && !out->present)
		snprintf(out->absent, sizeof(out->absent), "%s%.200s",
			 strcmp(why, "not requested") ? "unobservable: " : "", why);
	result_hist_free(&h);
	return err;
}

static int collect_set(struct session *s, const struct ab_set_key *key, uint32_t index,
		       struct ab_hist *per_cpu, struct result_trace *trace)
{
	struct result_set like = {0};
	struct result_set *set;
	int err = 0, phase;

	name_set(s, key, &like);
	set = result_trace_set(trace, &like);
	if (!set)
		return -ENOMEM;
	for (phase = 0; !err && phase < AB_PHASES; phase++)
		err = collect_phase(s, key, (enum ab_phase)phase, index, per_cpu,
				    &set->hists[phase]);
	return err;
}

int collect_sets(struct session *s, struct result_trace *trace)
{
	AB_FREE struct ab_hist *per_cpu = calloc(s->cpus, sizeof(*per_cpu));
	int fd = bpf_map__fd(s->skel->maps.sets);
	struct ab_set_key key, next;
	void *previous = NULL;
	uint32_t index;
	int err = 0;

	if (!per_cpu)
		return -ENOMEM;
	learn_drivers(s);
	while (!err && !bpf_map_get_next_key(fd, previous, &next)) {
		key = next;
		previous = &key;
		if (!bpf_map_lookup_elem(fd, &key, &index) && index < AB_MAX_SETS)
			err = collect_set(s, &key, index, per_cpu, trace);
	}
	return err;
}
