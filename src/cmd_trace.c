// SPDX-License-Identifier: GPL-2.0-only
#include "cmd_results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "probe/session.h"
#include "report/live.h"
#include "run/cpu_stat.h"
#include "run/live_mounts.h"

#define FILESYSTEM   "erofs"
#define NS_PER_S     UINT64_C(1000000000)
#define MIN_INTERVAL (NS_PER_S / 10)
#define SCREEN_LINES 20 /* the head again after so many */

struct options {
	uint64_t interval_ns;
	uint64_t duration_ns;
	int mechanism;
	bool json;
	unsigned int columns;
};

static const struct option_info option_table[] = {
	{"interval", 'i', OPTION_TIME, offsetof(struct options, interval_ns), "TIME", NULL,
	 "print every so often (default: 1s)"},
	{"duration", 'd', OPTION_TIME, offsetof(struct options, duration_ns), "TIME", NULL,
	 "end after this time (default: at a signal)"},
	{"mechanism", 0, OPTION_ENUM, offsetof(struct options, mechanism), NULL,
	 session_mechanism_names, "how kernel functions are hooked"},
	{"json", 0, OPTION_FLAG, offsetof(struct options, json), NULL, NULL,
	 "an object a line: every interval of every file system, then the summaries"},
	{"columns", 0, OPTION_UINT, offsetof(struct options, columns), "N", NULL,
	 "width of a line; the terminal's, 100 elsewhere"},
};

/* One file system: a tracer of its own, whose only window lasts as long as the command. */
struct traced {
	struct session *session;
	struct result_trace before; /* what it had seen an interval ago */
};

struct tracing {
	const struct options *o;
	struct live_mount mounts[LIVE_MOUNTS_MAX];
	struct traced traced[LIVE_MOUNTS_MAX];
	size_t count;
	struct text_out to;
	struct strbuf out;
	uint64_t begin_ns, last_ns;
	struct cpu_stat cpu_begin, cpu_last;
	bool has_cpu;
	unsigned int lines;
};

static void close_all(struct tracing *t)
{
	for (size_t i = 0; i < t->count; i++) {
		session_close(t->traced[i].session);
		result_trace_free(&t->traced[i].before);
	}
	strbuf_free(&t->out);
}

static int open_all(struct tracing *t, struct diag *d)
{
	const struct session_opts opts = {
		.filesystem = FILESYSTEM,
		.mechanism = (enum session_mechanism)t->o->mechanism,
	};
	int err = 0;

	for (size_t i = 0; !err && i < t->count; i++)
		err = session_open(&t->traced[i].session, &opts, d);
	for (size_t i = 0; !err && i < t->count; i++)
		err = session_begin(t->traced[i].session, t->mounts[i].kernel_dev, d);
	t->begin_ns = t->last_ns = clock_mono_ns();
	t->has_cpu = !cpu_stat_read(&t->cpu_begin);
	t->cpu_last = t->cpu_begin;
	return err;
}

static uint64_t unix_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static struct figure busy_share(bool known, const struct cpu_stat *before,
				const struct cpu_stat *after)
{
	struct result_cpu cpu = {0};
	double all;

	if (known)
		cpu_stat_between(before, after, &cpu);
	all = (double)cpu.machine_busy_ns + (double)cpu.machine_idle_ns +
	      (double)cpu.machine_steal_ns;
	if (!cpu.has_machine || all <= 0)
		return (struct figure){.why = "/proc/stat not read, or less than a clock tick"};
	return (struct figure){.known = true, .value = (double)cpu.machine_busy_ns / all};
}

static void print_interval(struct tracing *t, const struct live_interval *i)
{
	if (t->o->json) {
		report_live_json(&t->out, i);
		return;
	}
	if (t->lines++ % SCREEN_LINES == 0)
		report_live_head(&t->to, t->count);
	report_live_text(&t->to, t->count, i);
}

/* Everything that was printed so far, at once: who reads a pipe sees whole intervals. */
static enum exit_status flush(struct tracing *t, struct diag *d)
{
	enum exit_status status = command_print(&t->out, d);

	strbuf_reset(&t->out);
	return status;
}

/* @i: what all file systems have in common in this interval. */
static int one_interval(struct tracing *t, size_t m, struct live_interval i, struct diag *d)
{
	AB_CLEANUP(live_free) struct live live = {0};
	struct result_trace now = {0};
	struct result_cpu cpu = {0};
	int err = session_read(t->traced[m].session, &now, &cpu, d);

	if (!err && live_between(&t->traced[m].before, &now, &live))
		err = diag_errno(d, -ENOMEM, "an interval");
	if (!err) {
		i.mount = t->mounts[m].dir;
		i.filesystem = t->mounts[m].filesystem;
		i.live = &live;
		print_interval(t, &i);
	}
	result_trace_free(&t->traced[m].before);
	t->traced[m].before = now;
	return err;
}

static enum exit_status tick(struct tracing *t, struct diag *d)
{
	struct cpu_stat cpu_now = t->cpu_last;
	bool has_cpu = t->has_cpu && !cpu_stat_read(&cpu_now);
	uint64_t now = clock_mono_ns();
	struct live_interval i = {
		.ns = now - t->last_ns,
		.unix_ns = unix_now_ns(),
		.cpu = busy_share(has_cpu, &t->cpu_last, &cpu_now),
	};

	for (size_t m = 0; m < t->count; m++)
		if (one_interval(t, m, i, d))
			return STATUS_FAILED;
	t->last_ns = now;
	t->cpu_last = cpu_now;
	return flush(t, d);
}

static enum exit_status summarize(struct tracing *t, struct diag *d)
{
	static const struct result_trace nothing;
	struct cpu_stat cpu_now = {0};
	bool has_cpu = t->has_cpu && !cpu_stat_read(&cpu_now);
	struct live_interval i = {
		.ns = clock_mono_ns() - t->begin_ns,
		.unix_ns = unix_now_ns(),
		.cpu = busy_share(has_cpu, &t->cpu_begin, &cpu_now),
		.summary = true,
	};

	for (size_t m = 0; m < t->count; m++) {
		AB_CLEANUP(result_trace_free) struct result_trace all = {0};
		AB_CLEANUP(live_free) struct live live = {0};
		struct result_cpu cpu = {0};

		if (session_end(t->traced[m].session, &all, &cpu, d))
			return STATUS_FAILED;
		if (live_between(&nothing, &all, &live)) {
			diag_errno(d, -ENOMEM, "the summary");
			return STATUS_FAILED;
		}
		i.mount = t->mounts[m].dir;
		i.filesystem = t->mounts[m].filesystem;
		i.live = &live;
		if (t->o->json)
			report_live_json(&t->out, &i);
		else
			report_live_summary(&t->to, &i);
	}
	return flush(t, d);
}

/* Until @until, or a signal. */
static void sleep_until(uint64_t until_ns)
{
	const struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
				       .tv_nsec = (long)(until_ns % NS_PER_S)};

	while (!ab_interrupted() &&
	       clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

static enum exit_status trace(struct tracing *t, struct diag *d)
{
	const struct options *o = t->o;
	uint64_t end_ns = o->duration_ns ? t->begin_ns + o->duration_ns : UINT64_MAX;
	enum exit_status status = STATUS_OK;

	for (uint64_t n = 1; !status && !ab_interrupted() && t->last_ns < end_ns; n++) {
		uint64_t next = t->begin_ns + n * o->interval_ns;

		/* A reading that took longer than an interval is followed by one at the next full one. */
		if (next < clock_mono_ns())
			continue;
		sleep_until(next < end_ns ? next : end_ns);
		if (!ab_interrupted())
			status = tick(t, d);
	}
	/* Whatever ended it, what was seen is summed up. A reader that went away wants nothing more. */
	if (!status)
		status = summarize(t, d);
	/* Without a duration a signal is how it ends. */
	return !status && o->duration_ns && ab_interrupted() ? STATUS_FAILED : status;
}

static enum exit_status status_of(int err)
{
	switch (err) {
	case -ENOENT:
	case -EINVAL:
	case -E2BIG:
	case -ENOTDIR:
	case -EACCES:
		return STATUS_USAGE;
	default:
		return STATUS_SKIPPED;
	}
}

static enum exit_status run_trace(const void *options, const struct invocation *inv, struct diag *d)
{
	const struct options *o = options;
	const struct results_output to = {.columns = o->columns};
	AB_CLEANUP(close_all) struct tracing t = {.o = o};
	int n;

	if (o->interval_ns < MIN_INTERVAL) {
		diag_set(d, -EINVAL, "--interval: at least 100ms");
		return STATUS_USAGE;
	}
	if (geteuid()) {
		diag_set(d, -EPERM, "trace needs root: it loads BPF programs");
		return STATUS_SKIPPED;
	}
	n = live_mounts_find(FILESYSTEM, inv->operands, inv->operand_count, t.mounts, d);
	if (n < 0)
		return status_of(n);
	t.count = (size_t)n;
	t.to = results_text_out(&to, inv, &t.out);
	if (open_all(&t, d))
		return STATUS_SKIPPED;
	for (size_t i = 0; i < t.count; i++)
		log_info("tracing %s on %s", t.mounts[i].filesystem, t.mounts[i].dir);
	return trace(&t, d);
}

static const struct options defaults = {.interval_ns = NS_PER_S};

const struct command cmd_trace = {
	.name = "trace",
	.summary =
		"measure requests of mounted file systems as they come, without a workload of its own",
	.operands = "[PATH]...",
	.operands_min = 0,
	.operands_max = LIVE_MOUNTS_MAX,
	.details =
		"PATH is on the file system to trace; without one, all that are mounted as it starts are. A line for each\n"
		"engine and interval, times as p50/p99 in microseconds; a summary at the end, also after Ctrl-C.\n"
		"Each file system has its own tracer: their costs add up. Needs root and a kernel whose functions can be hooked.",
	.options = option_table,
	.option_count = ARRAY_SIZE(option_table),
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.run = run_trace,
};
