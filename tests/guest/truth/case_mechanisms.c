// SPDX-License-Identifier: GPL-2.0-only
/* fentry and kprobe: the same requests, the same times, and a loss is counted. */
#include "truth.h"

static uint64_t p50(const struct window *w, enum ab_phase phase)
{
	struct result_hist all = {0};
	double value;

	for (size_t i = 0; i < w->trace.set_count; i++)
		if (result_hist_merge(&all, &w->trace.sets[i].hists[phase]))
			give_up("no memory for a histogram");
	value = result_hist_percentile(&all, 0.5);
	result_hist_free(&all);
	return (uint64_t)value;
}

static bool sched_attached(const struct session *s)
{
	struct result_tracer tracer = {0};
	bool found = false;

	if (session_describe(s, &tracer))
		give_up("no memory to describe the tracer");
	for (size_t i = 0; i < tracer.hook_count; i++)
		found |= !strcmp(tracer.hooks[i].name, "sched.switch") &&
			 tracer.hooks[i].mechanism[0];
	free(tracer.hooks);
	return found;
}

/* More requests at once than the kernel keeps return probes for: their ends are lost, and it must be told. */
static void lose_returns(struct truth *t, struct session *s)
{
	static const struct reading crowd = {.image = "deflate4",
					     .files = 40,
					     .threads = ONE_EACH,
					     .backlog = 38};
	struct window w;
	uint64_t open;

	provider_reset();
	provider_set("ring_depth=2");
	drop_caches(t, crowd.image, true);
	window_begin(t, s, crowd.image, &w);
	reading_run(t, &crowd);
	window_end(s, &w);
	open = counter(&w, AB_CNT_ENTRIES) - counter(&w, AB_CNT_EXITS);
	check(!open || w.trace.recursion_misses >= open,
	      "kprobe, 40 requests at once: %" PRIu64 " ends lost, %" PRIu64 " misses counted",
	      open, w.trace.recursion_misses);
	window_free(&w);
	provider_reset();
}

void case_mechanisms(struct truth *t)
{
	static const enum session_mechanism mechanisms[] = {MECHANISM_FENTRY, MECHANISM_KPROBE};
	static const char *const names[] = {"fentry", "kprobe"};
	static const struct reading r = {.image = "deflate4", .files = 48, .rounds = 4};
	uint64_t service[2], wait[2], total[2];
	struct truth own = *t;

	for (int i = 0; i < 2; i++) {
		struct session *s;
		struct window w;

		own.mechanism = mechanisms[i];
		s = open_session(&own, 1u << AB_ALG_DEFLATE, 0);
		check(sched_attached(s), "%s: the scheduler's tracepoint is attached", names[i]);
		window_read(t, s, "service_ns=2000000", &r, &w);
		join(&w, names[i]);
		check_ledger(&w, names[i]);
		check_equal(counter(&w, AB_CNT_EXITS), 192, "%s: 192 requests", names[i]);
		service[i] = p50(&w, AB_SERVICE);
		wait[i] = p50(&w, AB_WAIT);
		total[i] = p50(&w, AB_TOTAL);
		window_free(&w);
		if (mechanisms[i] == MECHANISM_KPROBE)
			lose_returns(t, s);
		session_close(s);
	}
	check(service[1] < service[0] * 11 / 10 && service[0] < service[1] * 11 / 10 &&
		      wait[1] < wait[0] * 11 / 10 && wait[0] < wait[1] * 11 / 10 &&
		      total[1] < total[0] * 11 / 10 && total[0] < total[1] * 11 / 10,
	      "fentry and kprobe agree at p50: service %" PRIu64 " %" PRIu64 ", wait %" PRIu64
	      " %" PRIu64 ", total %" PRIu64 " %" PRIu64 " ns",
	      service[0], service[1], wait[0], wait[1], total[0], total[1]);
}
