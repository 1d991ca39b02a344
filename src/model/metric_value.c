// SPDX-License-Identifier: GPL-2.0-only
#include "model/validity.h"

#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

static struct figure known(double value)
{
	return (struct figure){.known = true, .value = value};
}

static struct figure unknown(const char *why)
{
	return (struct figure){.why = why};
}

static struct figure hist_stat(const struct result_hist *h, enum metric_stat stat)
{
	static const double percentiles[STATS] = {
		[STAT_P50] = 0.5, [STAT_P90] = 0.9, [STAT_P99] = 0.99, [STAT_P999] = 0.999};

	if (!h->count)
		return unknown("no requests");
	if (stat == STAT_MEAN)
		return known((double)h->sum / (double)h->count);
	if (stat == STAT_MAX)
		return known((double)h->max);
	return known(result_hist_percentile(h, percentiles[stat]));
}

/* All sets of a cell together: the engine that served a request is what other metrics tell. */
static struct figure phase_value(const struct result_cell *cell, int phase, enum metric_stat stat)
{
	struct result_hist all = {0};
	struct figure value;

	if (!cell->trace.present)
		return unknown("not traced");
	value = result_trace_phase(&cell->trace, (enum ab_phase)phase, &all)
			? unknown("out of memory")
			: hist_stat(&all, stat);
	result_hist_free(&all);
	return value;
}

static double sample_latency(const struct result_sample *s, enum metric_stat stat)
{
	switch (stat) {
	case STAT_MEAN:
		return s->latency_mean_ns;
	case STAT_P50:
		return (double)s->latency_p50_ns;
	case STAT_P99:
		return (double)s->latency_p99_ns;
	case STAT_P999:
		return (double)s->latency_p999_ns;
	case STAT_MAX:
		return (double)s->latency_max_ns;
	default:
		return 0;
	}
}

/* Median over the repetitions that speak for the cell's speed. */
static struct figure sample_value(const struct result_cell *cell, const struct metric *m)
{
	AB_FREE double *values = calloc(cell->sample_count + 1, sizeof(*values));
	bool traced = derive_speed(cell).source == DERIVE_TRACED;
	bool iops = !strcmp(m->info->name, "iops");
	size_t n = 0;

	if (!values)
		return unknown("out of memory");
	if (!iops && m->stat == STAT_P90)
		return unknown("fio's 90th percentile is not kept");
	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct result_sample *s = &cell->samples[i];

		if (s->ok && s->traced == traced && (iops || s->has_latency))
			values[n++] = iops ? s->iops : sample_latency(s, m->stat);
	}
	return n ? known(stats_summarize(values, n, DERIVE_CONFIDENCE).median)
		 : unknown("no repetition succeeded");
}

static struct figure bandwidth(const struct result *r, const struct result_cell *cell)
{
	struct derive_speed speed = derive_speed(cell);

	return speed.bandwidth.n ? known(speed.bandwidth.median)
				 : unknown("no repetition succeeded");
}

static struct figure coverage(const struct result *r, const struct result_cell *cell)
{
	return derive_coverage(&cell->trace).by_requests;
}

static struct figure coverage_bytes(const struct result *r, const struct result_cell *cell)
{
	return derive_coverage(&cell->trace).by_bytes;
}

static struct figure coverage_whole(const struct result *r, const struct result_cell *cell)
{
	struct derive_coverage all = derive_coverage(&cell->trace);
	uint64_t whole = all.requests - cell->trace.served[AB_SERVED_PARTIAL].requests;

	if (!all.by_requests.known)
		return all.by_requests;
	return whole ? known((double)cell->trace.served[AB_SERVED_OFFLOADED].requests /
			     (double)whole)
		     : unknown("no request was for a whole cluster");
}

static struct figure core_seconds(const struct result *r, const struct result_cell *cell)
{
	struct derive_cpu cpu = derive_cpu(cell);

	return cpu.work.n ? known(cpu.work.median) : unknown("CPU time is not known");
}

static struct figure disk_per_request(const struct result *r, const struct result_cell *cell)
{
	return derive_bytes(cell).disk_per_request;
}

static struct figure amplification(const struct result *r, const struct result_cell *cell)
{
	return derive_bytes(cell).out_per_user;
}

static struct figure requests(const struct result *r, const struct result_cell *cell)
{
	size_t repetitions = 0;

	for (size_t i = 0; i < cell->sample_count; i++)
		repetitions += cell->samples[i].traced && cell->samples[i].ok;
	return cell->trace.present && repetitions
		       ? known((double)derive_coverage(&cell->trace).requests / (double)repetitions)
		       : unknown("not traced");
}

static struct figure ratio(const struct result *r, const struct result_cell *cell)
{
	return cell->image < r->image_count && r->images[cell->image].ratio > 0
		       ? known(r->images[cell->image].ratio)
		       : unknown("no image");
}

static const struct {
	const char *name;
	struct figure (*value)(const struct result *r, const struct result_cell *cell);
} value_table[] = {
	{"bandwidth", bandwidth},
	{"core_seconds_per_gib", core_seconds},
	{"disk_bytes_per_request", disk_per_request},
	{"ratio", ratio},
	{"requests", requests},
	{"amplification", amplification},
	{"offload_coverage", coverage},
	{"offload_coverage_bytes", coverage_bytes},
	{"offload_coverage_whole", coverage_whole},
};

struct figure metric_value(const struct result *r, const struct result_cell *cell,
			   const struct metric *m)
{
	if (!m->info)
		return phase_value(cell, m->phase, m->stat);
	for (size_t i = 0; i < ARRAY_SIZE(value_table); i++)
		if (!strcmp(value_table[i].name, m->info->name))
			return value_table[i].value(r, cell);
	return sample_value(cell, m);
}
