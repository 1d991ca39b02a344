// SPDX-License-Identifier: GPL-2.0-only
#include "truth.h"

#include "model/phase.h"

/* What a record says of @phase, by the phase's definition alone; false: a request of this kind has no such phase. */
static bool value_of(const struct ab_record *r, enum ab_phase phase, uint64_t *value)
{
	bool submitted = r->submit_ns != 0, asynchronous = r->done_ns != 0;
	uint64_t wait_from = r->submit_ns + r->ns[AB_SUBMIT];
	bool answered = submitted && !asynchronous && r->served != AB_SERVED_FAILED;

	if (phase < AB_PARTITION)
		*value = r->ns[phase];
	switch (phase) {
	case AB_SUBMIT:
		return asynchronous;
	case AB_WAIT:
		return !answered;
	case AB_DECODE:
		return (submitted && !asynchronous) || *value;
	case AB_COPY:
		return asynchronous || answered || *value;
	case AB_TOTAL:
		*value = r->end_ns - r->start_ns;
		return true;
	case AB_SERVICE:
		*value = r->done_ns - r->submit_ns;
		return asynchronous;
	case AB_BACKLOG:
		*value = r->notify_ns - r->submit_ns;
		return r->notify_ns != 0;
	case AB_WAKEUP:
		*value = r->ns[AB_WAIT] - (r->done_ns > wait_from ? r->done_ns - wait_from : 0);
		return asynchronous;
	case AB_ON_CPU:
		*value = r->ns[AB_ON_CPU];
		return true;
	case AB_OFF_CPU:
		*value = r->ns[AB_OFF_CPU];
		return true;
	default:
		return true;
	}
}

struct findings {
	char text[400];
	unsigned int count;
};

static AB_PRINTF(2, 3) void find(struct findings *f, const char *format, ...)
{
	size_t used = strlen(f->text);
	va_list ap;

	f->count++;
	if (used + 2 >= sizeof(f->text))
		return;
	if (used)
		used += (size_t)snprintf(f->text + used, sizeof(f->text) - used, "; ");
	va_start(ap, format);
	vsnprintf(f->text + used, sizeof(f->text) - used, format, ap);
	va_end(ap);
}

static void report(const struct findings *f, const char *name, const char *what)
{
	check(!f->count, "%s: %s", name, what);
	if (f->count)
		note("%u: %s", f->count, f->text);
}

static void check_records(const struct window *w, const char *name)
{
	struct findings f = {0};
	char what[100];

	for (size_t i = 0; i < w->count; i++) {
		const struct ab_record *r = &w->records[i];
		uint64_t sum = 0;

		for (int p = 0; p < AB_PARTITION; p++)
			sum += r->ns[p];
		if (r->end_ns < r->start_ns || sum != r->end_ns - r->start_ns)
			find(&f, "record %zu: phases %" PRIu64 " ns, wall %llu ns", i, sum,
			     r->end_ns - r->start_ns);
		if (r->submit_ns && (r->submit_ns < r->start_ns || r->submit_ns > r->end_ns))
			find(&f, "record %zu: submitted outside of it", i);
		if (r->done_ns && (r->done_ns < r->submit_ns || r->done_ns > r->end_ns))
			find(&f, "record %zu: completed outside of it", i);
		if (r->ns[AB_ON_CPU] + r->ns[AB_OFF_CPU] != r->end_ns - r->start_ns)
			find(&f, "record %zu: on and off CPU do not add up", i);
	}
	snprintf(what, sizeof(what), "phases of each of %zu requests add up to its wall time",
		 w->count);
	report(&f, name, what);
}

/* The histogram of one phase over all sets, and what the records make of it, in sparse form with an array of our own. */
static void compare_phase(const struct window *w, enum ab_phase phase, struct findings *f)
{
	static uint64_t want[AB_HIST_BUCKETS], got[AB_HIST_BUCKETS];
	uint64_t count = 0, sum = 0, min = UINT64_MAX, max = 0, value = 0;
	struct result_hist all = {0};
	const char *title = phase_table[phase].name;

	memset(want, 0, sizeof(want));
	memset(got, 0, sizeof(got));
	for (size_t i = 0; i < w->count; i++) {
		if (!value_of(&w->records[i], phase, &value))
			continue;
		want[ab_hist_index(value)]++;
		count++;
		sum += value;
		min = value < min ? value : min;
		max = value > max ? value : max;
	}
	for (size_t i = 0; i < w->trace.set_count; i++)
		if (result_hist_merge(&all, &w->trace.sets[i].hists[phase]))
			give_up("no memory for a histogram");
	for (size_t i = 0; i < all.buckets; i++)
		got[all.index[i]] += all.counts[i];
	if (all.count != count)
		find(f, "%s: %" PRIu64 " values, the records have %" PRIu64, title, all.count,
		     count);
	else if (memcmp(want, got, sizeof(want)) != 0)
		find(f, "%s: buckets differ from the records'", title);
	else if (count && (all.sum != sum || all.min != min || all.max != max))
		find(f,
		     "%s: sum %" PRIu64 " min %" PRIu64 " max %" PRIu64
		     ", the records have %" PRIu64 " %" PRIu64 " %" PRIu64,
		     title, all.sum, all.min, all.max, sum, min, max);
	result_hist_free(&all);
}

static void check_histograms(const struct window *w, const char *name)
{
	struct findings f = {0};
	uint64_t parts = 0;

	for (int p = 0; p < AB_PHASES; p++)
		compare_phase(w, (enum ab_phase)p, &f);
	for (int p = 0; p < AB_PARTITION; p++)
		parts += window_sum(w, (enum ab_phase)p);
	if (parts != window_sum(w, AB_TOTAL))
		find(&f, "sums of the phases %" PRIu64 ", of the totals %" PRIu64, parts,
		     window_sum(w, AB_TOTAL));
	report(&f, name,
	       "histograms are those of the records, bucket by bucket; their sums add up");
}

static void expect(struct findings *f, const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		find(f, "%s: %" PRIu64 " and %" PRIu64, what, got, want);
}

static void check_counters(const struct window *w, const char *name)
{
	const uint64_t *n = w->trace.counters;
	struct findings f = {0};
	uint64_t requests = 0;

	for (int i = 0; i < AB_SERVED; i++)
		requests += w->trace.served[i].requests;
	expect(&f, "entries, exits", n[AB_CNT_ENTRIES], n[AB_CNT_EXITS]);
	expect(&f, "served, exits", requests, n[AB_CNT_EXITS]);
	expect(&f, "records, exits", w->count, n[AB_CNT_EXITS]);
	expect(&f, "submits, their outcomes", n[AB_CNT_SUBMITS],
	       n[AB_CNT_SUBMIT_SYNC] + n[AB_CNT_SUBMIT_ASYNC] + n[AB_CNT_SUBMIT_BUSY] +
		       n[AB_CNT_SUBMIT_ERRORS]);
	expect(&f, "asynchronous submits, completions",
	       n[AB_CNT_SUBMIT_ASYNC] + n[AB_CNT_SUBMIT_BUSY], n[AB_CNT_COMPLETIONS]);
	expect(&f, "completions, resumes", n[AB_CNT_COMPLETIONS], n[AB_CNT_RESUMES]);
	expect(&f, "backlogged, notifications", n[AB_CNT_SUBMIT_BUSY],
	       n[AB_CNT_NOTIFICATIONS] + n[AB_CNT_LATE_NOTIFICATIONS]);
	expect(&f, "in flight", w->trace.inflight_at_end, 0);
	expect(&f, "time in flight, times", n[AB_CNT_EXIT_NS] - n[AB_CNT_ENTRY_NS],
	       window_sum(w, AB_TOTAL));
	report(&f, name, "counters agree with one another");
	f = (struct findings){0};
	for (int i = 0; i < AB_COUNTERS; i++)
		if (counter_table[i].kind == COUNTER_LOSS)
			expect(&f, counter_table[i].name, n[i], 0);
	expect(&f, "records lost", n[AB_CNT_RECORDS_LOST], 0);
	expect(&f, "negative differences", n[AB_CNT_NEGATIVE], 0);
	expect(&f, "orphans", n[AB_CNT_ORPHAN_EXITS], 0);
	expect(&f, "programs skipped", w->trace.recursion_misses, 0);
	report(&f, name, "nothing lost, missed or clamped");
}

void check_ledger(const struct window *w, const char *name)
{
	check_records(w, name);
	check_histograms(w, name);
	check_counters(w, name);
}
