// SPDX-License-Identifier: GPL-2.0-only
/* Ordinary requests: all found, measured as the provider measured them. */
#include "truth.h"

static bool is_offloaded(const struct ab_record *rec)
{
	return rec->served == AB_SERVED_OFFLOADED;
}

static bool was_asynchronous(const struct row *row)
{
	return row->ret == -EINPROGRESS || row->ret == -EBUSY;
}

/* Software serves what the driver was never asked for: parts of a cluster. */
static bool engines_right(const struct window *w)
{
	bool offloaded = false;

	for (size_t i = 0; i < w->trace.set_count; i++) {
		const char *engine = w->trace.sets[i].engine;

		offloaded |= !strcmp(engine, "qat_deflate");
		if (strcmp(engine, "qat_deflate") != 0 && strcmp(engine, "stored") != 0 &&
		    (strcmp(engine, "sw:deflate") != 0 || !served(w, AB_SERVED_PARTIAL)))
			return false;
	}
	return offloaded;
}

static void read_plain(struct truth *t, const struct reading *r, const char *name)
{
	struct window w;
	uint64_t others;

	window_read(t, shared_session(t), "", r, &w);
	join(&w, name);
	check_same(&w, is_offloaded, was_asynchronous, name);
	others = served(&w, AB_SERVED_PARTIAL) + served(&w, AB_SERVED_STORED);
	check_equal(served(&w, AB_SERVED_OFFLOADED) + others, counter(&w, AB_CNT_EXITS),
		    "%s: offloaded, but for %" PRIu64 " stored or partial", name, others);
	check(engines_right(&w), "%s: engine observed qat_deflate", name);
	check_ledger(&w, name);
	window_free(&w);
}

void case_plain(struct truth *t)
{
	read_plain(t, &(struct reading){.image = "deflate4"}, "4 KiB clusters, one reader");
	read_plain(t, &(struct reading){.image = "deflate4", .threads = 6, .files = 48},
		   "4 KiB, six readers");
	read_plain(t, &(struct reading){.image = "deflate64"}, "64 KiB clusters");
}

/* As often as it takes to have a thousand requests, so that p99 is not one of the few that were interrupted. */
static void measure(struct truth *t, const char *image, const char *settings, const char *name)
{
	const struct reading r = {.image = image, .rounds = strcmp(image, "deflate4") ? 48 : 4};
	struct window w;

	window_read(t, shared_session(t), settings, &r, &w);
	join(&w, name);
	check_accuracy(t, &w, name);
	check_ledger(&w, name);
	window_free(&w);
}

void case_accuracy(struct truth *t)
{
	measure(t, "deflate4", "service_ns=0", "no service time");
	measure(t, "deflate4", "service_ns=300000 spread_pct=60", "300 us, uniform");
	measure(t, "deflate4", "service_ns=300000 completion=softirq", "300 us, softirq");
	measure(t, "deflate64", "service_ns=2000000 spread_pct=60 spread_kind=lognormal",
		"2 ms, lognormal");
}
