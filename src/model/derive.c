// SPDX-License-Identifier: GPL-2.0-only
#include "model/derive.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

#define GIB	   1073741824.0
#define NS_PER_SEC 1e9

static struct figure known(double value)
{
	return (struct figure){.known = true, .value = value};
}

static struct figure unknown(const char *why)
{
	return (struct figure){.why = why};
}

static struct figure ratio(double numerator, double denominator, const char *why)
{
	return denominator > 0 ? known(numerator / denominator) : unknown(why);
}

static bool has_speed(const struct result_sample *s, enum derive_source source)
{
	return s->ok && s->traced == (source == DERIVE_TRACED) && s->bandwidth_bytes_per_s > 0;
}

static enum derive_source speed_source(const struct result_cell *cell)
{
	for (size_t i = 0; i < cell->sample_count; i++)
		if (has_speed(&cell->samples[i], DERIVE_UNTRACED))
			return DERIVE_UNTRACED;
	return DERIVE_TRACED;
}

bool derive_sample_speaks(const struct result_cell *cell, const struct result_sample *s)
{
	return has_speed(s, speed_source(cell));
}

struct derive_speed derive_speed(const struct result_cell *cell)
{
	struct derive_speed speed = {.source = speed_source(cell)};
	AB_FREE double *values = calloc(cell->sample_count + 1, sizeof(*values));
	size_t n = 0;

	if (!values)
		return speed;
	for (size_t i = 0; i < cell->sample_count; i++)
		if (has_speed(&cell->samples[i], speed.source))
			values[n++] = cell->samples[i].bandwidth_bytes_per_s;
	speed.bandwidth = stats_summarize(values, n, DERIVE_CONFIDENCE);
	return speed;
}

static const char *why_no_trace(const struct result_trace *trace)
{
	return trace->absent[0] ? trace->absent : "not traced";
}

struct derive_coverage derive_coverage(const struct result_trace *trace)
{
	const struct result_served *offloaded = &trace->served[AB_SERVED_OFFLOADED];
	struct derive_coverage coverage = {0};

	if (!trace->present) {
		coverage.by_requests = unknown(why_no_trace(trace));
		coverage.by_bytes = coverage.by_requests;
		return coverage;
	}
	for (int i = 0; i < AB_SERVED; i++) {
		if (i == AB_SERVED_STORED)
			continue;
		coverage.requests += trace->served[i].requests;
		coverage.out_bytes += trace->served[i].out_bytes;
	}
	coverage.by_requests =
		ratio((double)offloaded->requests, (double)coverage.requests, "no requests");
	coverage.by_bytes = ratio((double)offloaded->out_bytes, (double)coverage.out_bytes,
				  "no bytes decompressed");
	return coverage;
}

static int merge_set(struct derive_group *group, const struct result_set *set)
{
	for (int p = 0; p < AB_PHASES; p++) {
		struct result_hist *h = &group->hists[p];
		int err = result_hist_merge(h, &set->hists[p]);

		if (err)
			return err;
		if (!h->present && !h->absent[0])
			memcpy(h->absent, set->hists[p].absent, sizeof(h->absent));
	}
	group->requests = group->hists[AB_TOTAL].count;
	return 0;
}

static int larger_first(const void *a, const void *b)
{
	uint64_t x = ((const struct derive_group *)a)->requests;
	uint64_t y = ((const struct derive_group *)b)->requests;

	if (x != y)
		return x < y ? 1 : -1;
	return strcmp(((const struct derive_group *)a)->engine,
		      ((const struct derive_group *)b)->engine);
}

int derive_groups(const struct result_trace *trace, struct derive_group **groups, size_t *count)
{
	struct derive_group *list = calloc(trace->set_count + 1, sizeof(*list));
	size_t n = 0;

	*groups = NULL;
	*count = 0;
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; trace->present && i < trace->set_count; i++) {
		const struct result_set *set = &trace->sets[i];
		size_t g = 0;

		while (g < n && (strcmp(list[g].engine, set->engine) ||
				 strcmp(list[g].direction, set->direction)))
			g++;
		if (g == n) {
			list[n].engine = set->engine;
			list[n++].direction = set->direction;
		}
		if (merge_set(&list[g], set)) {
			derive_groups_free(list, n);
			return -ENOMEM;
		}
	}
	qsort(list, n, sizeof(*list), larger_first);
	*groups = list;
	*count = n;
	return 0;
}

void derive_groups_free(struct derive_group *groups, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (int p = 0; p < AB_PHASES; p++)
			result_hist_free(&groups[i].hists[p]);
	free(groups);
}

struct figure derive_share(const struct derive_group *group, enum ab_phase phase)
{
	const struct result_hist *h = &group->hists[phase], *total = &group->hists[AB_TOTAL];

	if (!h->present)
		return unknown(h->absent);
	if (!total->present)
		return unknown(total->absent);
	return ratio((double)h->sum, (double)total->sum, "no requests");
}

/* Sums over the repetitions that have what is added up. */
struct sums {
	double bytes;
	double ns;
};

static void add(struct sums *s, const struct result_sample *sample, double ns)
{
	s->bytes += (double)sample->io_bytes;
	s->ns += ns;
}

static struct figure per_gib(const struct sums *s, const char *why)
{
	return ratio(s->ns / NS_PER_SEC, s->bytes / GIB, why);
}

static double workload_ns(const struct result_sample *s)
{
	return (double)s->cpu.workload_user_ns + (double)s->cpu.workload_system_ns;
}

static bool kthread_known(const struct result_cell *cell)
{
	for (size_t i = 0; i < cell->sample_count; i++)
		if (cell->samples[i].ok && cell->samples[i].cpu.has_kthread)
			return true;
	return false;
}

struct figure derive_sample_work(const struct result_cell *cell, const struct result_sample *s)
{
	bool with_kthread = kthread_known(cell);
	bool speaks = with_kthread ? s->ok && s->cpu.has_kthread : derive_sample_speaks(cell, s);

	if (!speaks || !s->cpu.has_workload)
		return unknown("CPU time is not known");
	return ratio((workload_ns(s) + (with_kthread ? (double)s->cpu.kthread_ns : 0)) / NS_PER_SEC,
		     (double)s->io_bytes / GIB, "nothing was read");
}

/* The core-seconds per GiB of single repetitions. */
static void summarize_work(const struct result_cell *cell, struct derive_cpu *cpu)
{
	AB_FREE double *values = calloc(cell->sample_count + 1, sizeof(*values));
	size_t n = 0;

	if (!values)
		return;
	for (size_t i = 0; i < cell->sample_count; i++) {
		struct figure work = derive_sample_work(cell, &cell->samples[i]);

		if (work.known)
			values[n++] = work.value;
	}
	cpu->work = stats_summarize(values, n, DERIVE_CONFIDENCE);
	cpu->work_is_fio_only = !kthread_known(cell);
}

struct derive_cpu derive_cpu(const struct result_cell *cell)
{
	struct sums fio = {0}, kthread = {0}, irq = {0}, machine = {0};
	enum derive_source source = speed_source(cell);
	struct derive_cpu cpu = {0};

	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct result_sample *s = &cell->samples[i];

		if (s->ok && s->cpu.has_kthread)
			add(&kthread, s, (double)s->cpu.kthread_ns);
		if (!has_speed(s, source))
			continue;
		if (s->cpu.has_workload)
			add(&fio, s, workload_ns(s));
		if (s->cpu.has_machine) {
			add(&irq, s, (double)s->cpu.machine_irq_ns);
			add(&machine, s, (double)s->cpu.machine_busy_ns);
		}
	}
	cpu.fio = per_gib(&fio, "CPU time of fio not measured");
	cpu.kthread = per_gib(&kthread, "kernel threads are known from traced repetitions only");
	/* Often they have all of it between two ticks. */
	cpu.irq = irq.bytes > 0 && irq.ns <= 0 ? unknown("less than a clock tick")
					       : per_gib(&irq, "/proc/stat not read");
	cpu.machine = per_gib(&machine, "/proc/stat not read");
	summarize_work(cell, &cpu);
	return cpu;
}

/*
 * Sum of one phase's times over all sets; a set to which it does not apply adds nothing. -1: one
 * could not observe it.
 */
static double phase_sum(const struct result_trace *trace, enum ab_phase phase)
{
	double sum = 0;

	for (size_t i = 0; i < trace->set_count; i++) {
		const struct result_hist *h = &trace->sets[i].hists[phase];

		if (h->present)
			sum += (double)h->sum;
		else if (result_hist_unobservable(h))
			return -1;
	}
	return sum;
}

/* CPU and run time of the traced repetitions of a cell. */
struct traced_sums {
	double run, fio, kthread; /* run: times the number of jobs */
	bool fio_known, kthread_known;
};

static struct traced_sums sum_traced(const struct result_cell *cell)
{
	unsigned int jobs = cell->numjobs ? cell->numjobs : 1;
	struct traced_sums sums = {.fio_known = true, .kthread_known = true};

	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct result_sample *s = &cell->samples[i];

		if (!s->ok || !s->traced)
			continue;
		sums.run += (double)s->runtime_ns * jobs;
		sums.fio += workload_ns(s);
		sums.kthread += (double)s->cpu.kthread_ns;
		sums.fio_known = sums.fio_known && s->cpu.has_workload;
		sums.kthread_known = sums.kthread_known && s->cpu.has_kthread;
	}
	return sums;
}

struct derive_time derive_time(const struct result_cell *cell)
{
	static const char *const no_run = "no traced repetition";
	double total = phase_sum(&cell->trace, AB_TOTAL);
	double on_cpu = phase_sum(&cell->trace, AB_ON_CPU);
	double off_cpu = phase_sum(&cell->trace, AB_OFF_CPU);
	struct traced_sums sums = sum_traced(cell);
	struct derive_time time;
	double rest;

	if (!cell->trace.present) {
		struct figure none = unknown(why_no_trace(&cell->trace));

		return (struct derive_time){none, none, none};
	}
	time.requests = total < 0 ? unknown("requests not timed") : ratio(total, sums.run, no_run);
	time.fio_cpu = sums.fio_known ? ratio(sums.fio, sums.run, no_run)
				      : unknown("CPU time of fio not measured");
	if (!sums.fio_known || !sums.kthread_known || on_cpu < 0 || off_cpu < 0) {
		time.elsewhere = unknown("CPU time not measured");
		return time;
	}
	rest = sums.run - sums.fio - off_cpu - fmin(sums.kthread, on_cpu);
	time.elsewhere = ratio(rest > 0 ? rest : 0, sums.run, no_run);
	return time;
}

struct derive_bytes derive_bytes(const struct result_cell *cell)
{
	const struct result_trace *trace = &cell->trace;
	double user = 0, disk = 0, disk_user = 0, out = 0, requests = 0;
	struct derive_bytes bytes;

	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct result_sample *s = &cell->samples[i];

		if (!s->ok || s->traced != trace->present)
			continue;
		user += (double)s->io_bytes;
		if (s->has_disk) {
			disk += (double)s->disk_read_bytes;
			disk_user += (double)s->io_bytes;
		}
	}
	bytes.disk_per_user = ratio(disk, disk_user, "disk reads not measured");
	if (!trace->present) {
		bytes.disk_per_request = unknown(why_no_trace(trace));
		bytes.out_per_user = bytes.disk_per_request;
		return bytes;
	}
	for (int i = 0; i < AB_SERVED; i++) {
		requests += (double)trace->served[i].requests;
		out += (double)trace->served[i].out_bytes;
	}
	bytes.out_per_user = ratio(out, user, "fio read nothing");
	bytes.disk_per_request = disk_user < user ? unknown("disk reads not measured")
						  : ratio(disk, requests, "no requests");
	return bytes;
}
