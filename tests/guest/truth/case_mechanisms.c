// SPDX-License-Identifier: GPL-2.0-only
/* All mechanisms: the same requests, the same times, and a loss is counted. */
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

static bool agree(uint64_t a, uint64_t b)
{
	double ratio = (double)a / (double)b;

	return ratio < 1.03 && ratio > 1 / 1.03;
}

void case_mechanisms(struct truth *t)
{
	static const enum session_mechanism mechanisms[] = {MECHANISM_FENTRY, MECHANISM_FPROBE,
							    MECHANISM_KPROBE};
	static const char *const names[] = {"fentry", "fprobe", "kprobe"};
	static const enum ab_phase phases[] = {AB_SERVICE, AB_WAIT, AB_TOTAL};
	static const struct reading r = {.image = "deflate4", .files = 48, .rounds = 4};
	uint64_t first[ARRAY_SIZE(phases)] = {0};
	struct truth own = *t;

	/* Two tracers at the same functions would measure each other. */
	session_close(t->session);
	t->session = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(mechanisms); i++) {
		bool same = true;
		struct session *s;
		struct window w;

		own.mechanism = mechanisms[i];
		s = open_session(&own, 1u << AB_ALG_DEFLATE, 0);
		check(sched_attached(s), "%s: the scheduler's tracepoint is attached", names[i]);
		window_read(t, s, "service_ns=2000000", &r, &w);
		join(&w, names[i]);
		check_ledger(&w, names[i]);
		if (t->one_cpu)
			check_accuracy(t, &w, names[i]);
		check_equal(counter(&w, AB_CNT_EXITS), 192, "%s: 192 requests", names[i]);
		for (size_t p = 0; p < ARRAY_SIZE(phases); p++) {
			uint64_t value = p50(&w, phases[p]);

			if (!i)
				first[p] = value;
			same = same && agree(value, first[p]);
		}
		/* Under plain emulation two runs differ by much more than two mechanisms do. */
		check(same || !t->one_cpu,
		      "%s: p50 of service %" PRIu64 ", wait %" PRIu64 ", total %" PRIu64 " ns%s",
		      names[i], p50(&w, AB_SERVICE), p50(&w, AB_WAIT), p50(&w, AB_TOTAL),
		      t->one_cpu ? ", as fentry has it" : "");
		window_free(&w);
		if (mechanisms[i] == MECHANISM_KPROBE)
			lose_returns(t, s);
		session_close(s);
	}
}
