// SPDX-License-Identifier: GPL-2.0-only
#include "model/repetitions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "model/phase.h"
#include "model/validity.h"

static struct figure known(double value)
{
	return (struct figure){.known = true, .value = value};
}

static struct figure unknown(const char *why)
{
	return (struct figure){.why = why};
}

static struct figure per(double numerator, double denominator, const char *why)
{
	return denominator > 0 ? known(numerator / denominator) : unknown(why);
}

static struct figure bandwidth(const struct result_cell *cell, const struct result_sample *s,
			       enum metric_stat stat)
{
	return known(s->bandwidth_bytes_per_s);
}

static struct figure iops(const struct result_cell *cell, const struct result_sample *s,
			  enum metric_stat stat)
{
	return s->iops > 0 ? known(s->iops) : unknown("fio reported no operations per second");
}

static struct figure latency(const struct result_cell *cell, const struct result_sample *s,
			     enum metric_stat stat)
{
	const double of[STATS] = {
		[STAT_MEAN] = s->latency_mean_ns,	[STAT_P50] = (double)s->latency_p50_ns,
		[STAT_P99] = (double)s->latency_p99_ns, [STAT_P999] = (double)s->latency_p999_ns,
		[STAT_MAX] = (double)s->latency_max_ns,
	};

	if (stat == STAT_P90)
		return unknown("fio's 90th percentile is not kept");
	return s->has_latency ? known(of[stat]) : unknown("fio reported no latency");
}

static struct figure disk_per_request(const struct result_cell *cell, const struct result_sample *s,
				      enum metric_stat stat)
{
	return s->has_disk ? per((double)s->disk_read_bytes, (double)s->requests.requests,
				 "no requests")
			   : unknown("disk reads not measured");
}

static struct figure requests(const struct result_cell *cell, const struct result_sample *s,
			      enum metric_stat stat)
{
	return known((double)s->requests.requests);
}

static struct figure amplification(const struct result_cell *cell, const struct result_sample *s,
				   enum metric_stat stat)
{
	return per((double)s->requests.out_bytes, (double)s->io_bytes, "nothing was read");
}

static struct figure coverage(const struct result_cell *cell, const struct result_sample *s,
			      enum metric_stat stat)
{
	return per((double)s->requests.offloaded, (double)s->requests.requests, "no requests");
}

static struct figure coverage_bytes(const struct result_cell *cell, const struct result_sample *s,
				    enum metric_stat stat)
{
	return per((double)s->requests.offloaded_out_bytes, (double)s->requests.out_bytes,
		   "no requests");
}

static struct figure coverage_whole(const struct result_cell *cell, const struct result_sample *s,
				    enum metric_stat stat)
{
	return per((double)s->requests.offloaded,
		   (double)s->requests.requests - (double)s->requests.partial,
		   "no request was for a whole cluster");
}

static struct figure work(const struct result_cell *cell, const struct result_sample *s,
			  enum metric_stat stat)
{
	return derive_sample_work(cell, s);
}

typedef struct figure value_fn(const struct result_cell *cell, const struct result_sample *s,
			       enum metric_stat stat);

static const struct {
	const char *name;
	value_fn *value;
} value_table[] = {
	{"bandwidth", bandwidth},
	{"iops", iops},
	{"lat", latency},
	{"core_seconds_per_gib", work},
	{"disk_bytes_per_request", disk_per_request},
	{"requests", requests},
	{"amplification", amplification},
	{"offload_coverage", coverage},
	{"offload_coverage_bytes", coverage_bytes},
	{"offload_coverage_whole", coverage_whole},
};

static value_fn *value_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(value_table); i++)
		if (!strcmp(value_table[i].name, name))
			return value_table[i].value;
	return NULL;
}

static struct figure phase_value(const struct result_sample *s, int phase, enum metric_stat stat)
{
	for (size_t i = 0; i < s->time_count; i++) {
		const struct result_times *t = &s->times[i];
		const double of[STATS] = {
			[STAT_MEAN] = t->mean_ns,	  [STAT_P50] = (double)t->p50_ns,
			[STAT_P90] = (double)t->p90_ns,	  [STAT_P99] = (double)t->p99_ns,
			[STAT_P999] = (double)t->p999_ns, [STAT_MAX] = (double)t->max_ns,
		};

		if (t->phase == (unsigned int)phase)
			return known(of[stat]);
	}
	return unknown("no request had this phase");
}

static struct figure sample_value(const struct result_cell *cell, const struct result_sample *s,
				  const struct metric *m)
{
	value_fn *value;

	if (m->traced && !s->traced)
		return unknown("not traced");
	if (m->traced && s->ok && !s->has_requests)
		return unknown("written before phases of single repetitions were kept");
	if (!m->info)
		return s->ok ? phase_value(s, m->phase, m->stat)
			     : unknown("no repetition succeeded");
	value = value_of(m->info->name);
	/* What kernel threads did is known from traced repetitions only: it picks its own. */
	if (!m->traced && value != work && !derive_sample_speaks(cell, s))
		return unknown("no repetition succeeded");
	if (!s->ok || !value)
		return unknown("no repetition succeeded");
	return value(cell, s, m->stat);
}

static int append(struct repetitions *rep, size_t room, const struct figure *value)
{
	double *grown;

	if (!value->known) {
		if (!rep->n)
			snprintf(rep->why, sizeof(rep->why), "%s", value->why);
		return 0;
	}
	grown = reallocarray(rep->values, room + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	rep->values = grown;
	rep->values[rep->n++] = value->value;
	return 0;
}

int repetitions_add(const struct result *r, const struct result_cell *cell, const struct metric *m,
		    struct repetitions *rep)
{
	size_t room = rep->n + cell->sample_count;
	int err = 0;

	if (m->info && m->info->constant) {
		struct figure value = metric_value(r, cell, m);

		return append(rep, rep->n, &value);
	}
	if (!cell->sample_count && !rep->n)
		snprintf(rep->why, sizeof(rep->why), "no repetitions");
	for (size_t i = 0; !err && i < cell->sample_count; i++) {
		struct figure value = sample_value(cell, &cell->samples[i], m);

		err = append(rep, room, &value);
	}
	return err;
}

void repetitions_free(struct repetitions *rep)
{
	free(rep->values);
	*rep = (struct repetitions){0};
}
