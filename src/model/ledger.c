// SPDX-License-Identifier: GPL-2.0-only
#include "model/ledger.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "base/cleanup.h"
#include "model/phase.h"
#include "model/validity.h"

enum outcome ledger_say(struct result_check *c, enum outcome outcome, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->detail, sizeof(c->detail), fmt, ap);
	va_end(ap);
	return outcome;
}

static bool within(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

/*
 * The kernel skips a program that is already running on the CPU (another task was preempted inside it) and counts that. Such a
 * miss may leave two counts apart; how many are tolerable is the business of check_losses().
 */
static bool equal_but_for_misses(const struct ledger *l, uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) <= l->cell->trace.recursion_misses;
}

static enum outcome check_entries(const struct ledger *l, struct result_check *c)
{
	const uint64_t *n = l->cell->trace.counters;

	return ledger_say(c,
			  equal_but_for_misses(l, n[AB_CNT_ENTRIES], n[AB_CNT_EXITS]) ? CHECK_OK
										      : CHECK_BAD,
			  "%" PRIu64 " requests begun, %" PRIu64 " ended", n[AB_CNT_ENTRIES],
			  n[AB_CNT_EXITS]);
}

static enum outcome check_submits(const struct ledger *l, struct result_check *c)
{
	const struct result_trace *t = &l->cell->trace;
	uint64_t out = t->counters[AB_CNT_SUBMIT_ASYNC] + t->counters[AB_CNT_SUBMIT_BUSY];
	uint64_t in = t->counters[AB_CNT_COMPLETIONS];

	if (!t->counters[AB_CNT_SUBMITS])
		return ledger_say(c, CHECK_NOT_APPLICABLE, "nothing was submitted");
	return ledger_say(c,
			  equal_but_for_misses(l, out, in + t->inflight_at_end) ? CHECK_OK
										: CHECK_BAD,
			  "%" PRIu64 " submitted asynchronously, %" PRIu64 " completed, %" PRIu64
			  " in flight at the end",
			  out, in, t->inflight_at_end);
}

static enum outcome check_inflight(const struct ledger *l, struct result_check *c)
{
	uint64_t lost = l->cell->trace.inflight_at_end;

	return ledger_say(c, lost ? CHECK_BAD : CHECK_OK, "%" PRIu64 " requests never completed",
			  lost);
}

static enum outcome check_partition(const struct ledger *l, struct result_check *c)
{
	uint64_t parts = 0, total = 0;

	for (size_t i = 0; i < l->cell->trace.set_count; i++) {
		const struct result_hist *h = l->cell->trace.sets[i].hists;

		for (int p = 0; p < AB_PARTITION; p++)
			parts += h[p].sum;
		total += h[AB_TOTAL].sum;
	}
	return ledger_say(c, parts == total ? CHECK_OK : CHECK_BAD,
			  "phases add up to %" PRIu64 " ns, requests to %" PRIu64 " ns", parts,
			  total);
}

static enum outcome check_little(const struct ledger *l, struct result_check *c)
{
	const uint64_t *n = l->cell->trace.counters;
	double occupancy = (double)n[AB_CNT_EXIT_NS] - (double)n[AB_CNT_ENTRY_NS];
	double latency = 0;

	for (size_t i = 0; i < l->cell->trace.set_count; i++)
		latency += (double)l->cell->trace.sets[i].hists[AB_TOTAL].sum;
	if (n[AB_CNT_ENTRIES] != n[AB_CNT_EXITS])
		return ledger_say(c, CHECK_NOT_APPLICABLE, "begins and ends do not pair up");
	return ledger_say(c, within(occupancy, latency, 0.05) ? CHECK_OK : CHECK_BAD,
			  "time in flight %.6f s from begin and end times, %.6f s from latencies",
			  occupancy / 1e9, latency / 1e9);
}

static enum outcome check_bytes_out(const struct ledger *l, struct result_check *c)
{
	double ratio = l->fio_bytes ? (double)l->out_bytes / (double)l->fio_bytes : 0;

	if (l->cell->numjobs > 1)
		return ledger_say(c, CHECK_NOT_APPLICABLE, "several jobs share the page cache");
	if (!l->fio_bytes || (l->engine && !l->engine->mkfs_algorithm))
		return ledger_say(c, CHECK_NOT_APPLICABLE, "nothing compressed was read");
	return ledger_say(c, ratio >= 0.98 ? CHECK_OK : CHECK_BAD,
			  "%" PRIu64 " bytes decompressed for %" PRIu64 " read by fio (x %.3f)",
			  l->out_bytes, l->fio_bytes, ratio);
}

/*
 * Sequential reads take every cluster from the device once. At the edges of readahead a cluster is first decoded in part and
 * later whole, from one read: those inputs may or may not be reads of their own.
 */
static enum outcome check_bytes_in(const struct ledger *l, struct result_check *c)
{
	const struct result_trace *t = &l->cell->trace;
	double most = (double)l->in_bytes * 1.1;
	double least = (double)(l->in_bytes - t->served[AB_SERVED_PARTIAL].in_bytes) * 0.9;
	bool sequential = !strcmp(l->cell->rw, "read") && l->cell->numjobs <= 1;
	double disk = (double)l->disk_bytes;

	if (!l->has_disk)
		return ledger_say(c, CHECK_NOT_APPLICABLE, "no block device to count at");
	if (!l->requests)
		return ledger_say(c, CHECK_NOT_APPLICABLE, "no requests");
	/* Random reads decompress a cluster several times from one read, or read ahead what nobody asks for. */
	return ledger_say(c,
			  l->disk_bytes && (!sequential || (disk >= least && disk <= most))
				  ? CHECK_OK
				  : CHECK_BAD,
			  "%" PRIu64 " compressed bytes in (%" PRIu64 " of them partial), %" PRIu64
			  " read from the device",
			  l->in_bytes, t->served[AB_SERVED_PARTIAL].in_bytes, l->disk_bytes);
}

static enum outcome check_losses(const struct ledger *l, struct result_check *c)
{
	const struct result_trace *t = &l->cell->trace;
	uint64_t lost = t->recursion_misses;
	int worst = -1;

	for (int i = 0; i < AB_COUNTERS; i++) {
		uint64_t n = t->counters[i];

		if (counter_table[i].kind != COUNTER_LOSS || i == AB_CNT_RECORDS_LOST)
			continue;
		if (i == AB_CNT_OVERWRITTEN) /* a missed end shows again */
			n -= n < t->recursion_misses ? n : t->recursion_misses;
		lost += n;
		if (n && (worst < 0 || t->counters[i] > t->counters[worst]))
			worst = i;
	}
	return ledger_say(c,
			  (double)lost > VALIDITY_LOSS_TOLERANCE * (double)l->requests ? CHECK_BAD
										       : CHECK_OK,
			  "%" PRIu64 " events lost or missed, %" PRIu64
			  " of them programs skipped by the kernel%s%s",
			  lost, t->recursion_misses, worst >= 0 ? ", most others " : "",
			  worst >= 0 ? counter_table[worst].name : "");
}

/* Clamped clock differences are some nanoseconds each: only a flood of them says that the clocks cannot be trusted. */
#define NEGATIVE_TOLERANCE 0.01

/* A missed program shows as a strange event too: a missed begin as an orphan end. */
static enum outcome check_anomalies(const struct ledger *l, struct result_check *c)
{
	const struct result_trace *t = &l->cell->trace;
	uint64_t strange = 0, explained = t->recursion_misses;
	double requests = (double)l->requests;
	char text[160] = "";
	size_t len = 0;

	for (int i = 0; i < AB_COUNTERS; i++) {
		uint64_t n = t->counters[i];

		if (counter_table[i].kind != COUNTER_ANOMALY || !n)
			continue;
		if (i != AB_CNT_NEGATIVE)
			strange += n;
		if (len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len, " %s=%" PRIu64,
						counter_table[i].name, n);
	}
	strange -= strange < explained ? strange : explained;
	return ledger_say(c,
			  (double)strange > VALIDITY_LOSS_TOLERANCE * requests ||
					  (double)t->counters[AB_CNT_NEGATIVE] >
						  NEGATIVE_TOLERANCE * requests
				  ? CHECK_BAD
				  : CHECK_OK,
			  "%" PRIu64 " strange events that skipped programs do not explain;%s",
			  strange, text[0] ? text : " none");
}

static enum outcome check_errors(const struct ledger *l, struct result_check *c)
{
	uint64_t failed = l->cell->trace.served[AB_SERVED_FAILED].requests;

	return ledger_say(c, failed ? CHECK_BAD : CHECK_OK,
			  "%" PRIu64 " of %" PRIu64 " requests ended with an error", failed,
			  l->requests);
}

/* Did the algorithm and engine that were asked for serve the requests, and nobody else? */
static enum outcome check_engine(const struct ledger *l, struct result_check *c)
{
	const struct engine_info *e = l->engine;
	uint64_t offloaded = l->cell->trace.served[AB_SERVED_OFFLOADED].requests;
	char software[RESULT_NAME_SIZE];

	if (!e || !l->requests)
		return ledger_say(c, CHECK_NOT_APPLICABLE, "no requests");
	if (e->accel_driver && !offloaded)
		return ledger_say(c, CHECK_BAD, "%s served none of %" PRIu64 " requests",
				  e->accel_driver, l->requests);
	snprintf(software, sizeof(software), "sw:%s", algorithm_names[e->algorithm]);
	for (size_t i = 0; i < l->cell->trace.set_count; i++) {
		const char *observed = l->cell->trace.sets[i].engine;

		if (!strcmp(observed, "stored") || !strcmp(observed, software) ||
		    (e->accel_driver && !strcmp(observed, e->accel_driver)))
			continue;
		return ledger_say(c, CHECK_BAD, "%s was asked for, %s served requests", e->name,
				  observed);
	}
	return ledger_say(c, CHECK_OK, "%" PRIu64 " of %" PRIu64 " requests offloaded", offloaded,
			  l->requests);
}

/*
 * The largest cluster that a request may be for. mkfs' encoder of DEFLATE may need one block more
 * than was asked for; whether that is all is the business of run/image_check.c, which has seen the
 * image.
 */
static uint64_t largest_cluster(const struct ledger *l)
{
	uint64_t asked = l->cell->cluster_bytes, found = 0;

	if (l->cell->image < l->result->image_count)
		found = l->result->images[l->cell->image].observed_cluster_bytes;
	return found > asked ? found : asked;
}

static enum outcome check_cluster(const struct ledger *l, struct result_check *c)
{
	uint64_t cluster = largest_cluster(l), largest = 0;

	if (!l->cell->trace.set_count)
		return ledger_say(c, CHECK_NOT_APPLICABLE, "no requests");
	for (size_t i = 0; i < l->cell->trace.set_count; i++) {
		uint64_t bound = l->cell->trace.sets[i].size_class_bytes;

		/* The last class is open: larger than any cluster. */
		if (!bound)
			return ledger_say(
				c, CHECK_BAD,
				"compressed input beyond the largest class, clusters of at most %" PRIu64,
				cluster);
		largest = bound > largest ? bound : largest;
	}
	/* A class reaches from half its bound up. */
	return ledger_say(c, largest / 2 < cluster ? CHECK_OK : CHECK_BAD,
			  "largest compressed input in the class up to %" PRIu64
			  " bytes, clusters of at most %" PRIu64,
			  largest, cluster);
}

static enum outcome check_integrity(const struct ledger *l, struct result_check *c)
{
	const struct result_image *image;

	if (l->cell->image >= l->result->image_count)
		return ledger_say(c, CHECK_NOT_APPLICABLE, "no image");
	image = &l->result->images[l->cell->image];
	for (size_t i = 0; i < image->verify_count; i++) {
		const struct result_verify *v = &image->verifies[i];

		if (strcmp(v->engine, l->cell->engine) != 0)
			continue;
		return v->ok ? ledger_say(c, CHECK_OK,
					  "data read through %s has the dataset's hash", v->engine)
			     : ledger_say(c, CHECK_BAD, "data read through %s: %.180s", v->engine,
					  v->reason);
	}
	return ledger_say(c, CHECK_BAD, "data was not read back through %s", l->cell->engine);
}

static enum outcome check_image(const struct ledger *l, struct result_check *c)
{
	const struct result_image *image;

	if (l->cell->image >= l->result->image_count)
		return ledger_say(c, CHECK_NOT_APPLICABLE, "no image");
	image = &l->result->images[l->cell->image];
	return image->ok ? ledger_say(c, CHECK_OK, "on disk as asked for")
			 : ledger_say(c, CHECK_BAD, "%.220s", image->reason);
}

static enum outcome check_samples(const struct ledger *l, struct result_check *c)
{
	size_t good = 0;

	for (size_t i = 0; i < l->cell->sample_count; i++)
		good += l->cell->samples[i].ok;
	return ledger_say(c, good == l->cell->sample_count && good ? CHECK_OK : CHECK_BAD,
			  "%zu of %zu repetitions succeeded", good, l->cell->sample_count);
}

const struct ledger_check ledger_checks[] = {
	{"integrity", false, check_integrity},
	{"image_as_asked", false, check_image},
	{"repetitions_succeeded", false, check_samples},
	{"requests_without_error", true, check_errors},
	{"engine_as_asked", true, check_engine},
	{"cluster_as_asked", true, check_cluster},
	{"entries_equal_exits", true, check_entries},
	{"submits_equal_completions", true, check_submits},
	{"none_in_flight", true, check_inflight},
	{"phases_add_up", true, check_partition},
	{"littles_law", true, check_little},
	{"bytes_out_cover_fio", true, check_bytes_out},
	{"bytes_in_match_device", true, check_bytes_in},
	{"nothing_lost", true, check_losses},
	{"no_anomalies", true, check_anomalies},
};
const size_t ledger_check_count = ARRAY_SIZE(ledger_checks);
