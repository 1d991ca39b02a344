// SPDX-License-Identifier: GPL-2.0-only
/* Each kind of misbehaviour, classified as the provider meant it. */
#include "truth.h"

static bool is_early(const struct ab_record *rec)
{
	return rec->flags & AB_REC_EARLY;
}

static bool was_early(const struct row *row)
{
	return row->final_ns && row->final_ns < row->return_ns;
}

static bool is_backlogged(const struct ab_record *rec)
{
	return rec->flags & AB_REC_BACKLOG;
}

static bool was_backlogged(const struct row *row)
{
	return row->ret == -EBUSY;
}

static bool is_notified(const struct ab_record *rec)
{
	return rec->notify_ns != 0;
}

static bool was_notified(const struct row *row)
{
	return row->notify_ns && !row_is(row, "late");
}

static uint64_t rows_of_kind(const struct window *w, const char *kind)
{
	uint64_t n = 0;

	for (size_t i = 0; i < w->log.count; i++)
		n += row_is(&w->log.rows[i], kind);
	return n;
}

/* A fault, and the counter that must say as often as the log that it was met. */
struct fault {
	const char *name, *settings, *kind;
	enum ab_counter counter;
	struct reading reading;
};

/* What every window with faults has to satisfy. */
static void check_faults(struct window *w, const char *name)
{
	join(w, name);
	check_ledger(w, name);
	check_equal(counter(w, AB_CNT_SUBMIT_BUSY), rows_of_kind(w, "backlog"),
		    "%s: submits answered -EBUSY", name);
	check_equal(counter(w, AB_CNT_LATE_NOTIFICATIONS), rows_of_kind(w, "late"),
		    "%s: late notifications", name);
	check_equal(counter(w, AB_CNT_DUPLICATES), rows_of_kind(w, "dup"),
		    "%s: duplicated completions", name);
}

static void meet(struct truth *t, const struct fault *f)
{
	struct window w;
	uint64_t met;

	window_read(t, shared_session(t), f->settings, &f->reading, &w);
	check_faults(&w, f->name);
	met = rows_of_kind(&w, f->kind);
	check(counter(&w, f->counter) == met && met,
	      "%s: met %" PRIu64 " times, the log says %" PRIu64 " of %zu", f->name,
	      counter(&w, f->counter), met, w.log.count);
	window_free(&w);
}

static const struct reading small = {.image = "deflate4", .files = 48, .threads = 2};
static const struct reading failing = {.image = "deflate4",
				       .files = 48,
				       .threads = 2,
				       .expect_errors = true};

void case_sync(struct truth *t)
{
	meet(t, &(struct fault){"every 3rd synchronous", "sync_every=3 service_ns=200000", "sync",
				AB_CNT_SUBMIT_SYNC, small});
}

void case_fallback(struct truth *t)
{
	meet(t, &(struct fault){"every 2nd passed on to the fallback",
				"fallback_every=2 service_ns=200000", "fallback",
				AB_CNT_NESTED_SUBMITS, small});
}

/* The others take so long that none of them is early by chance. */
void case_early(struct truth *t)
{
	static const char *const settings[] = {"early_every=2 early_cpu=same service_ns=5000000",
					       "early_every=2 early_cpu=other service_ns=5000000"};
	static const char *const names[] = {"every 2nd early, same CPU",
					    "every 2nd early, other CPU"};

	for (int other = 0; other < 2; other++) {
		struct window w;
		uint64_t rows;

		window_read(t, shared_session(t), settings[other], &small, &w);
		check_faults(&w, names[other]);
		rows = check_same(&w, is_early, was_early, names[other]);
		check(counter(&w, AB_CNT_EARLY) == rows && rows >= rows_of_kind(&w, "early"),
		      "%s: counted %" PRIu64 ", planned %" PRIu64, names[other],
		      counter(&w, AB_CNT_EARLY), rows_of_kind(&w, "early"));
		window_free(&w);
	}
}

void case_errors(struct truth *t)
{
	meet(t, &(struct fault){"every 4th fails in the callback",
				"error_every=4 error_status=EBADMSG", "error",
				AB_CNT_COMPLETION_ERRORS, failing});
	meet(t, &(struct fault){"every 5th fails at once", "sync_error_every=5 error_status=E2BIG",
				"sync_error", AB_CNT_SUBMIT_ERRORS, failing});
}

/* The span from submit to notification, where both sides have it. One may be interrupted between the clocks: the middle one is judged. */
static void check_notified(const struct window *w, const char *name)
{
	uint64_t errors[64], middle;
	size_t n = 0;

	for (size_t i = 0; i < w->count && n < ARRAY_SIZE(errors); i++) {
		const struct ab_record *rec = &w->records[i];
		const struct row *row = &w->log.rows[w->row_of[i]];

		if (w->row_of[i] == SIZE_MAX || !rec->notify_ns || !row->notify_ns)
			continue;
		errors[n++] = rec->ns[AB_BACKLOG] - (row->notify_ns - row->submit_ns);
	}
	if (!check(n > 0, "%s: some were in the backlog", name))
		return;
	sort_numbers(errors, n);
	middle = percentile(errors, n, 500);
	/* Held for milliseconds: 2 % are far above what a call costs. */
	check(middle < 200000, "%s: %zu times in the backlog, off by %" PRIu64 " ns at p50", name,
	      n, middle);
}

void case_backlog(struct truth *t)
{
	static const struct reading held = {.image = "deflate4",
					    .files = 10,
					    .threads = ONE_EACH,
					    .backlog = 8};
	/* Places on the readers' stacks are used again before the last notification has come. */
	static const struct reading busy = {.image = "deflate4", .files = 48, .threads = 6};
	static const struct {
		const char *name, *settings;
		const struct reading *reading;
	} tries[] = {
		{"backlog", "ring_depth=2", &held},
		{"backlog, every 2nd notified late",
		 "ring_depth=2 late_every=2 late_delay_ns=200000", &held},
		{"backlog, places used again",
		 "ring_depth=1 engines=1 service_ns=3000000 late_every=2 late_delay_ns=5000000",
		 &busy},
	};

	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		struct window w;

		window_read(t, shared_session(t), tries[i].settings, tries[i].reading, &w);
		check_faults(&w, tries[i].name);
		check(check_same(&w, is_backlogged, was_backlogged, tries[i].name) > 0,
		      "%s: there were some", tries[i].name);
		if (tries[i].reading == &held) {
			check_same(&w, is_notified, was_notified, tries[i].name);
			check_notified(&w, tries[i].name);
		}
		window_free(&w);
	}
}

void case_duplicates(struct truth *t)
{
	meet(t, &(struct fault){"every 2nd completed twice, worker", "dup_every=2", "dup",
				AB_CNT_DUPLICATES, small});
	meet(t, &(struct fault){"every 2nd completed twice, softirq",
				"dup_every=2 completion=softirq", "dup", AB_CNT_DUPLICATES, small});
}

/* Everything at once, on all CPUs. */
void case_mixture(struct truth *t)
{
	static const struct reading many = {
		.image = "deflate4", .files = 48, .threads = 8, .rounds = 3, .expect_errors = true};
	struct window w;

	window_read(
		t, shared_session(t),
		"sync_every=11 fallback_every=13 early_every=7 early_cpu=other dup_every=5 late_every=2 "
		"late_delay_ns=100000 error_every=17 sync_error_every=19 ring_depth=2 engines=3 completion=softirq "
		"service_ns=300000 spread_pct=80 spread_kind=lognormal",
		&many, &w);
	check_faults(&w, "mixture");
	check_same(&w, is_backlogged, was_backlogged, "mixture, backlogged");
	check_accuracy(t, &w, "mixture");
	window_free(&w);
}

/* Four requests find a place in the in-flight table, the others are counted, and nothing is put in another's place. */
void case_overflow(struct truth *t)
{
	static const struct reading held = {.image = "deflate4",
					    .files = 10,
					    .threads = ONE_EACH,
					    .backlog = 8};
	struct session *s = open_session(t, 1u << AB_ALG_DEFLATE, 4);
	uint64_t found = 0, wrong = 0;
	struct window w;

	window_read(t, s, "ring_depth=2", &held, &w);
	join(&w, "ten requests, four places");
	for (size_t i = 0; i < w.count; i++) {
		const struct row *row = &w.log.rows[w.row_of[i]];

		if (w.row_of[i] == SIZE_MAX || !w.records[i].done_ns)
			continue;
		found++;
		wrong += w.records[i].done_ns < row->final_ns;
	}
	check_equal(found, 4, "ten requests, four places: four completions seen");
	check_equal(wrong, 0, "ten requests, four places: each at its own time");
	check_equal(counter(&w, AB_CNT_COMPLETIONS), 4, "ten requests, four places: four counted");
	check_equal(counter(&w, AB_CNT_INFLIGHT_FULL), 6,
		    "ten requests, four places: six found it full");
	check_equal(counter(&w, AB_CNT_INFLIGHT_STALE), 0,
		    "ten requests, four places: nothing overwritten");
	window_free(&w);
	session_close(s);
}
