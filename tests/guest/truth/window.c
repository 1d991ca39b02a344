// SPDX-License-Identifier: GPL-2.0-only
#include "truth.h"

#define MAX_TRIES 10

struct session *open_session(const struct truth *t, uint64_t algorithms, unsigned int inflight_max)
{
	const struct session_opts opts = {
		.filesystem = "erofs",
		.algorithms = (uint32_t)algorithms,
		.mechanism = t->mechanism,
		.record_every = 1,
		.inflight_max = inflight_max,
	};
	struct session *s = NULL;
	struct diag d = {0};

	if (session_open(&s, &opts, &d) || session_attach(s, &d))
		give_up("opening the tracer: %s", d.text);
	return s;
}

struct session *shared_session(struct truth *t)
{
	if (!t->session)
		t->session = open_session(t, 1u << AB_ALG_DEFLATE, 0);
	return t->session;
}

void window_begin(const struct truth *t, struct session *s, const char *image, struct window *w)
{
	struct diag d = {0};

	*w = (struct window){.begin_ns = clock_mono_ns()};
	if (session_begin(s, image_device(t, image), &d))
		give_up("beginning a window: %s", d.text);
}

static void drop_earlier_rows(struct window *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->log.count; i++)
		if (w->log.rows[i].submit_ns >= w->begin_ns)
			w->log.rows[kept++] = w->log.rows[i];
	w->log.count = kept;
}

void window_end(struct session *s, struct window *w)
{
	struct diag d = {0};

	if (session_end(s, &w->trace, &w->cpu, &d) ||
	    session_records(s, &w->records, &w->count, &d))
		give_up("ending a window: %s", d.text);
	if (!provider_there())
		return;
	w->log = provider_log();
	drop_earlier_rows(w);
}

void window_free(struct window *w)
{
	result_trace_free(&w->trace);
	free(w->records);
	free(w->log.rows);
	free(w->row_of);
	*w = (struct window){0};
}

bool window_missed(struct window *w, unsigned int *tries)
{
	if (!w->trace.recursion_misses || ++*tries == MAX_TRIES)
		return false;
	note("the kernel skipped %" PRIu64 " runs of the tracer's programs, it says: once more",
	     w->trace.recursion_misses);
	window_free(w);
	return true;
}

void window_read(struct truth *t, struct session *s, const char *settings, const struct reading *r,
		 struct window *w)
{
	unsigned int tries = 0;

	do {
		unsigned int failed;

		if (settings) {
			provider_reset();
			provider_set(settings);
		}
		drop_caches(t, r->image, true);
		window_begin(t, s, r->image, w);
		failed = reading_run(t, r);
		/* A late notification comes after its reader has gone. */
		if (settings)
			provider_await("in_flight", 0);
		window_end(s, w);
		w->failed = failed;
	} while (window_missed(w, &tries));
	if (settings)
		provider_reset();
}

uint64_t window_sum(const struct window *w, enum ab_phase phase)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < w->trace.set_count; i++)
		sum += w->trace.sets[i].hists[phase].sum;
	return sum;
}

uint64_t served(const struct window *w, enum ab_served how)
{
	return w->trace.served[how].requests;
}

uint64_t counter(const struct window *w, enum ab_counter which)
{
	return w->trace.counters[which];
}
