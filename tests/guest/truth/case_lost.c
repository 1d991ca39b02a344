// SPDX-License-Identifier: GPL-2.0-only
/* Requests that cross the edges of a window: lost, begun before it, in flight when the hooks are attached. */
#include "truth.h"

/* A window is opened after others' requests were submitted and before they end. Its own requests are the only ones in it. */
static void check_clean(struct window *w, uint64_t files, const char *name)
{
	join(w, name);
	check_equal(counter(w, AB_CNT_ENTRIES), files, "%s: only requests begun inside", name);
	check_ledger(w, name);
}

void case_lost(struct truth *t)
{
	static const struct reading lost = {.image = "deflate4", .files = 3, .threads = ONE_EACH};
	static const struct reading others = {.image = "deflate4", .files = 48};
	struct session *s = shared_session(t);
	unsigned int tries = 0;
	struct window w, next;

	do {
		struct readers *readers;

		provider_reset();
		provider_set("lost_every=1");
		drop_caches(t, lost.image, true);
		window_begin(t, s, lost.image, &w);
		readers = reading_start(t, &lost);
		provider_await("lost_now", 3);
		window_end(s, &w);
		/* They come back while the next window is open. */
		window_begin(t, s, lost.image, &next);
		provider_set("lost_every=0");
		provider_command("release_lost");
		reading_join(readers);
		reading_run(t, &others);
		window_end(s, &next);
		next.trace.recursion_misses += w.trace.recursion_misses;
		if (next.trace.recursion_misses)
			window_free(&w);
	} while (window_missed(&next, &tries));
	check_equal(counter(&w, AB_CNT_ENTRIES), 3, "lost: three begun");
	check_equal(counter(&w, AB_CNT_EXITS), 0, "lost: none ended");
	check_equal(counter(&w, AB_CNT_SUBMIT_ASYNC), 3, "lost: three submitted");
	check_equal(counter(&w, AB_CNT_COMPLETIONS), 0, "lost: none completed");
	check_equal(w.trace.inflight_at_end, 3, "lost: three in flight at the end");
	/* The three files are in the page cache now. */
	check_clean(&next, 45, "lost ones come back");
	window_free(&w);
	window_free(&next);
}

static const struct reading early = {.image = "deflate4", .files = 2, .threads = ONE_EACH};

/* Two requests that the accelerator keeps. */
static struct readers *hold_early(struct truth *t)
{
	struct readers *readers;

	provider_reset();
	provider_set("hold=1");
	drop_caches(t, early.image, true);
	readers = reading_start(t, &early);
	provider_await("in_ring", 2);
	return readers;
}

/* A window in which these end, and the other 46 files are read. */
static void window_of_others(struct truth *t, struct session *s, struct readers *readers,
			     struct window *w)
{
	static const struct reading others = {.image = "deflate4", .files = 48};

	window_begin(t, s, early.image, w);
	provider_set("hold=0");
	reading_join(readers);
	reading_run(t, &others);
	window_end(s, w);
}

void case_before_window(struct truth *t)
{
	struct session *s = shared_session(t);
	unsigned int tries = 0;
	struct window w;

	do {
		window_of_others(t, s, hold_early(t), &w);
	} while (window_missed(&w, &tries));
	check_clean(&w, 46, "begun before the window");
	window_free(&w);
}

/* Requests that began before the hooks were there: not seen, and nothing of theirs is counted for another's. */
static void attach_in_flight(struct truth *t)
{
	struct session *s = open_session(t, 1u << AB_ALG_DEFLATE, 0);
	unsigned int tries = 0;
	struct readers *readers;
	struct diag d = {0};
	struct window w;

	do {
		session_detach(s);
		readers = hold_early(t);
		if (session_attach(s, &d))
			give_up("attaching: %s", d.text);
		window_of_others(t, s, readers, &w);
	} while (window_missed(&w, &tries));
	check_equal(counter(&w, AB_CNT_ENTRIES), 46, "attached in flight: the others begun inside");
	check_equal(counter(&w, AB_CNT_EXITS), 46, "attached in flight: and ended");
	check_equal(counter(&w, AB_CNT_COMPLETIONS), 46,
		    "attached in flight: only their completions");
	join(&w, "attached in flight");
	window_free(&w);
	session_close(s);
}

#define ATTACH_TIMES 50

/* Detached and attached again while requests run: every window must be consistent in itself, the last one exact. */
static void attach_often(struct truth *t)
{
	static const bool phases[AB_PHASES] = {[AB_TOTAL] = true, [AB_SUBMIT] = true};
	const struct session_opts opts = {
		.filesystem = "erofs",
		.algorithms = 1u << AB_ALG_DEFLATE,
		.phases = phases,
		.mechanism = t->mechanism,
		.record_every = 1,
	};
	const struct reading load = {.image = "deflate4", .files = 48, .threads = 2, .rounds = 1};
	uint64_t requests = 0, inconsistent = 0, missed = 0;
	struct session *s = NULL;
	struct diag d = {0};

	provider_reset();
	if (session_open(&s, &opts, &d))
		give_up("opening the tracer: %s", d.text);
	for (int i = 0; i < ATTACH_TIMES; i++) {
		struct readers *readers;
		struct window w;

		session_detach(s);
		drop_caches(t, load.image, false);
		readers = reading_start(t, &load);
		if (session_attach(s, &d))
			give_up("attaching, time %d: %s", i, d.text);
		window_begin(t, s, load.image, &w);
		reading_join(readers);
		window_end(s, &w);
		requests += counter(&w, AB_CNT_EXITS);
		missed += w.trace.recursion_misses;
		inconsistent +=
			counter(&w, AB_CNT_ENTRIES) != counter(&w, AB_CNT_EXITS) ||
			w.count != counter(&w, AB_CNT_EXITS) || counter(&w, AB_CNT_OVERWRITTEN) ||
			counter(&w, AB_CNT_INFLIGHT_STALE) || counter(&w, AB_CNT_STATE_FAILED);
		window_free(&w);
	}
	session_close(s);
	check(inconsistent <= missed,
	      "attached %d times under load: consistent, %" PRIu64 " requests seen", ATTACH_TIMES,
	      requests);
	if (inconsistent)
		note("%" PRIu64 " windows are not, %" PRIu64 " runs of programs were skipped",
		     inconsistent, missed);
}

void case_attach(struct truth *t)
{
	attach_in_flight(t);
	attach_often(t);
}

/* Two file systems, the same files of both: only one of them counts. */
void case_other_device(struct truth *t)
{
	static const struct reading ours = {.image = "deflate4", .files = 48, .threads = 2};
	static const struct reading theirs = {.image = "deflate64", .files = 48, .threads = 2};
	struct session *s = shared_session(t);
	unsigned int tries = 0;
	struct window w;

	do {
		struct readers *readers;

		provider_reset();
		drop_caches(t, ours.image, true);
		drop_caches(t, theirs.image, true);
		window_begin(t, s, ours.image, &w);
		readers = reading_start(t, &theirs);
		reading_run(t, &ours);
		reading_join(readers);
		window_end(s, &w);
	} while (window_missed(&w, &tries));
	check_equal(w.log.count, 96, "two mounts: the driver served both");
	check_equal(counter(&w, AB_CNT_EXITS), 48, "two mounts: requests of one are traced");
	check_equal(counter(&w, AB_CNT_OTHER_DEVICE), 48,
		    "two mounts: those of the other are left alone");
	check_equal(counter(&w, AB_CNT_SUBMITS), 48, "two mounts: and their submits");
	check_equal(counter(&w, AB_CNT_COMPLETIONS), 48, "two mounts: and their completions");
	check_ledger(&w, "two mounts");
	window_free(&w);
}
