// SPDX-License-Identifier: GPL-2.0-only
#include "truth.h"

/* The larger of the two. */
struct tolerance {
	uint64_t ns;
	double ratio;
	bool tails; /* the high percentile is judged too */
};
/* What docs/methodology.md demands of the span from submit to completion. */
static const struct tolerance demanded = {2000, 0.02, true};
/* The call alone is so short that what a probe costs in emulation shows in it, and a preempted one is many times as long. */
static const struct tolerance call = {5000, 0.02, true}, emulated_call = {10000, 0.2, false};

/* Of fewer requests p99 is one of a handful, and one that was interrupted between the two clocks decides it: p90 is judged. */
#define MANY 1000

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void sort_numbers(uint64_t *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_number);
}

uint64_t percentile(const uint64_t *sorted, size_t n, unsigned int thousandths)
{
	return sorted[(n * thousandths + 999) / 1000 - 1];
}

static int by_key_and_time(const void *a, const void *b)
{
	const struct ab_record *x = a, *y = b;

	if (x->wait_key != y->wait_key)
		return x->wait_key < y->wait_key ? -1 : 1;
	return x->submit_ns < y->submit_ns ? -1 : x->submit_ns > y->submit_ns;
}

static int rows_by_key_and_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->data != y->data)
		return x->data < y->data ? -1 : 1;
	return x->submit_ns < y->submit_ns ? -1 : x->submit_ns > y->submit_ns;
}

/* What became of the request, by the log alone. */
static enum ab_served served_by_log(const struct row *row)
{
	bool asynchronous = row->ret == -EINPROGRESS || row->ret == -EBUSY;

	if (asynchronous ? row->status : row->ret)
		return AB_SERVED_FAILED;
	if (asynchronous)
		return AB_SERVED_OFFLOADED;
	return row_is(row, "fallback") ? AB_SERVED_FALLBACK : AB_SERVED_SYNC;
}

static void check_outcomes(const struct window *w, const char *name)
{
	uint64_t by[AB_SERVED] = {0}, wrong = 0;

	for (size_t i = 0; i < w->count; i++) {
		const struct ab_record *rec = &w->records[i];
		const struct row *row = &w->log.rows[w->row_of[i]];

		if (w->row_of[i] == SIZE_MAX)
			continue;
		by[rec->served]++;
		if (rec->served == served_by_log(row) &&
		    rec->status == (rec->done_ns ? row->status : row->ret) &&
		    (!row_is(row, "softirq") || (int)rec->done_cpu == row->final_cpu))
			continue;
		if (!wrong++)
			note("request %" PRIu64
			     " (%s): served %u status %d by CPU %u, the log says %u %d %d",
			     row->seq, row->kinds, rec->served, rec->status, rec->done_cpu,
			     served_by_log(row), rec->done_ns ? row->status : row->ret,
			     row->final_cpu);
	}
	check(!wrong,
	      "%s: outcomes as in the log: %" PRIu64 " offloaded, %" PRIu64 " synchronous, %" PRIu64
	      " fallback, %" PRIu64 " failed",
	      name, by[AB_SERVED_OFFLOADED], by[AB_SERVED_SYNC], by[AB_SERVED_FALLBACK],
	      by[AB_SERVED_FAILED]);
}

/*
 * A waiter's place on its stack serves one request at a time. So among records and rows with the same key, in the order
 * of time, the first belongs to the first; and the row's times must lie inside its record's.
 */
void join(struct window *w, const char *name)
{
	size_t row = 0, wrong = 0, submitted = 0;

	qsort(w->records, w->count, sizeof(*w->records), by_key_and_time);
	qsort(w->log.rows, w->log.count, sizeof(*w->log.rows), rows_by_key_and_time);
	free(w->row_of);
	w->row_of = malloc((w->count + 1) * sizeof(*w->row_of));
	if (!w->row_of)
		give_up("no memory for %zu records", w->count);
	for (size_t i = 0; i < w->count; i++) {
		const struct ab_record *rec = &w->records[i];
		const struct row *r = &w->log.rows[row];

		w->row_of[i] = SIZE_MAX;
		if (!rec->submit_ns)
			continue;
		submitted++;
		if (row == w->log.count || r->data != rec->wait_key || r->tid != rec->tid ||
		    r->submit_ns < rec->submit_ns || r->return_ns > rec->end_ns ||
		    r->src_bytes > rec->in_bytes) {
			wrong++;
			continue;
		}
		w->row_of[i] = row++;
	}
	check(!wrong && submitted == w->log.count && submitted,
	      "%s: all %zu requests of the log found, none invented, one to one", name,
	      w->log.count);
	if (wrong || submitted != w->log.count)
		note("%zu records with a submit, %zu rows, %zu records without a row", submitted,
		     w->log.count, wrong);
	check_outcomes(w, name);
}

uint64_t check_same(const struct window *w, record_test record, row_test row, const char *name)
{
	uint64_t rows = 0, differ = 0;

	for (size_t i = 0; i < w->log.count; i++)
		rows += row(&w->log.rows[i]);
	for (size_t i = 0; i < w->count; i++) {
		bool said = w->row_of[i] != SIZE_MAX && row(&w->log.rows[w->row_of[i]]);

		if (record(&w->records[i]) == said)
			continue;
		if (!differ++)
			note("record of tid %u, submitted at %llu: %s", w->records[i].tid,
			     w->records[i].submit_ns,
			     said ? "the log says it is one" : "the log says it is none");
	}
	check(!differ, "%s: %" PRIu64 " of %zu, the same as in the log", name, rows, w->log.count);
	return rows;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static bool within(uint64_t error, uint64_t value, const struct tolerance *tolerance)
{
	return error <= tolerance->ns || (double)error <= tolerance->ratio * (double)value;
}

/* One span, of both sides: percentiles against percentiles, and request by request. */
struct spans {
	const char *what;
	uint64_t *traced, *logged, *errors;
	size_t count;
};

static struct spans spans_alloc(const char *what, size_t n)
{
	struct spans s = {.what = what};

	s.traced = calloc(n + 1, sizeof(uint64_t));
	s.logged = calloc(n + 1, sizeof(uint64_t));
	s.errors = calloc(n + 1, sizeof(uint64_t));
	if (!s.traced || !s.logged || !s.errors)
		give_up("no memory for %zu spans", n);
	return s;
}

static void spans_add(struct spans *s, uint64_t traced, uint64_t logged)
{
	s->traced[s->count] = traced;
	s->logged[s->count] = logged;
	s->errors[s->count++] = distance(traced, logged);
}

/* Requests whose own error is beyond what is allowed. Before anything is sorted. */
static size_t spans_beyond(const struct spans *s, const struct tolerance *tolerance)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		n += !within(s->errors[i], s->logged[i], tolerance);
	return n;
}

/*
 * Whether a percentile of one side is that of the other. @slack requests may be anywhere on either side, which moves a
 * percentile by that many places at most: it must lie between the log's values there.
 */
static bool same_percentile(const struct spans *s, unsigned int thousandths, size_t slack,
			    const struct tolerance *tolerance)
{
	uint64_t value = percentile(s->traced, s->count, thousandths);
	size_t place = (s->count * thousandths + 999) / 1000 - 1;
	uint64_t low = s->logged[place > slack ? place - slack : 0];
	uint64_t high = s->logged[place + slack < s->count ? place + slack : s->count - 1];

	if (value < low)
		return within(low - value, low, tolerance);
	return value <= high || within(value - high, high, tolerance);
}

/*
 * Percentiles; then each request by itself. Under plain emulation some of these are interrupted between one clock and the
 * other, by the host too: there the middle one is judged, and the others are shown and may be out of place.
 */
static void spans_judge(const struct truth *t, struct spans *s, const struct tolerance *tolerance,
			const char *name)
{
	size_t n = s->count, slack = t->one_cpu ? 0 : spans_beyond(s, tolerance);
	unsigned int high = n >= MANY ? 990 : 900;
	uint64_t t50, l50, t_high, l_high, e50, e_high;

	sort_numbers(s->traced, n);
	sort_numbers(s->logged, n);
	sort_numbers(s->errors, n);
	t50 = percentile(s->traced, n, 500);
	l50 = percentile(s->logged, n, 500);
	t_high = percentile(s->traced, n, high);
	l_high = percentile(s->logged, n, high);
	e50 = percentile(s->errors, n, 500);
	e_high = percentile(s->errors, n, high);
	check(same_percentile(s, 500, slack, tolerance) &&
		      (!tolerance->tails || n < MANY || same_percentile(s, high, slack, tolerance)),
	      "%s: %s: p50 %" PRIu64 " ns (log %+" PRId64 "), p%u %" PRIu64 " ns (log %+" PRId64
	      "), %zu interrupted",
	      name, s->what, t50, (int64_t)(t50 - l50), high / 10, t_high,
	      (int64_t)(t_high - l_high), slack);
	check(within(e50, l50, tolerance) && (!t->one_cpu || within(e_high, l_high, tolerance)),
	      "%s: %s, request by request: differs by %" PRIu64 " ns at p50, %" PRIu64
	      " at p%u, %" PRIu64 " at most, %zu requests",
	      name, s->what, e50, e_high, high / 10, s->errors[n - 1], n);
}

static void spans_free(struct spans *s)
{
	free(s->traced);
	free(s->logged);
	free(s->errors);
}

/* The histogram adds its stated 1/64 to what the records have. @service: sorted. */
static void check_service_histogram(const struct window *w, const struct spans *service,
				    const char *name)
{
	struct result_hist all = {0};
	double p50, p99;

	for (size_t i = 0; i < w->trace.set_count; i++)
		if (result_hist_merge(&all, &w->trace.sets[i].hists[AB_SERVICE]))
			give_up("no memory for a histogram");
	p50 = result_hist_percentile(&all, 0.5) /
		      (double)percentile(service->traced, service->count, 500) -
	      1;
	p99 = result_hist_percentile(&all, 0.99) /
		      (double)percentile(service->traced, service->count, 990) -
	      1;
	check(all.count == service->count && p50 < 1. / 64 && p50 > -1. / 64 && p99 < 1. / 64 &&
		      p99 > -1. / 64,
	      "%s: the histogram's p50 is off by %+.2f %%, its p99 by %+.2f %%", name, 100 * p50,
	      100 * p99);
	result_hist_free(&all);
}

/* The request whose spans differ most: where the two clocks' readings lie. */
static void note_worst(const struct window *w)
{
	const struct ab_record *worst = NULL;
	const struct row *log = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < w->count; i++) {
		const struct ab_record *rec = &w->records[i];
		const struct row *row = &w->log.rows[w->row_of[i]];
		uint64_t error;

		if (w->row_of[i] == SIZE_MAX || !row->final_ns)
			continue;
		error = distance(rec->done_ns - rec->submit_ns, row->final_ns - row->submit_ns);
		if (error < most)
			continue;
		most = error;
		worst = rec;
		log = row;
	}
	if (worst)
		note("request %" PRIu64 " (%s) of CPU %d: submitted %" PRId64
		     " ns after the log has it, completed on CPU %d %" PRId64 " ns after",
		     log->seq, log->kinds, log->submit_cpu,
		     (int64_t)(worst->submit_ns - log->submit_ns), log->final_cpu,
		     (int64_t)(worst->done_ns - log->final_ns));
}

/* What the tracer has of a request, and what the log has. */
typedef void (*span_of)(struct spans *s, const struct ab_record *rec, const struct row *row);

static void add_service(struct spans *s, const struct ab_record *rec, const struct row *row)
{
	spans_add(s, rec->done_ns - rec->submit_ns, row->final_ns - row->submit_ns);
}

static void add_submit(struct spans *s, const struct ab_record *rec, const struct row *row)
{
	spans_add(s, rec->ns[AB_SUBMIT], row->return_ns - row->submit_ns);
}

static struct spans spans_of(const struct window *w, span_of add, const char *what)
{
	struct spans s = spans_alloc(what, w->count);

	for (size_t i = 0; i < w->count; i++)
		if (w->row_of[i] != SIZE_MAX && w->log.rows[w->row_of[i]].final_ns)
			add(&s, &w->records[i], &w->log.rows[w->row_of[i]]);
	return s;
}

void check_service(const struct truth *t, const struct window *w, const char *name)
{
	struct spans service = spans_of(w, add_service, "submit to completion");

	if (check(service.count > 0, "%s: %zu asynchronous requests", name, service.count)) {
		spans_judge(t, &service, &demanded, name);
		check_service_histogram(w, &service, name);
		note_worst(w);
	}
	spans_free(&service);
}

void check_accuracy(const struct truth *t, const struct window *w, const char *name)
{
	struct spans submit = spans_of(w, add_submit, "the submit call");

	check_service(t, w, name);
	if (submit.count)
		spans_judge(t, &submit, t->one_cpu ? &call : &emulated_call, name);
	spans_free(&submit);
}
