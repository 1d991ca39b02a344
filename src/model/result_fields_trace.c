// SPDX-License-Identifier: GPL-2.0-only
/* Rows of the result format: what the tracer saw, and what it is. */
#include "model/phase.h"
#include "model/result_rows.h"

/*
 * Bounds on what a file may hold: far above what a run produces, far below what would hurt the
 * reader.
 */
#define MAX_SETS  (4 * AB_MAX_SETS)
#define MAX_HOOKS 256

static const char *phase_name_of(size_t i)
{
	return phase_table[i].name;
}

static const char *served_name_of(size_t i)
{
	return served_table[i].name;
}

static const char *counter_name_of(size_t i)
{
	return counter_table[i].name;
}

static const char *const hist_scheme[] = {"log-linear"};
static const char *const hist_unit[] = {"ns"};

static const struct field hist_rows[] = {
	{.type = FIELD_CONST_STRING,
	 .name = "scheme",
	 .names = hist_scheme,
	 .doc = "below 2 * sub_buckets a bucket per value; above, every power of two is cut into "
		"sub_buckets equal buckets",
	 REQUIRED},
	{.type = FIELD_CONST_NUMBER,
	 .name = "sub_buckets",
	 .max = AB_HIST_SUB,
	 .doc = "buckets per power of two",
	 REQUIRED},
	{.type = FIELD_CONST_STRING,
	 .name = "unit",
	 .names = hist_unit,
	 .doc = "unit of sum, min, max and of the buckets",
	 REQUIRED},
	ROW(U64, result_hist, count, "count", "values recorded", REQUIRED),
	ROW(U64, result_hist, sum, "sum", "exact sum of the values", REQUIRED),
	ROW(U64, result_hist, min, "min", "exact smallest value", IF_ANY(result_hist, count)),
	ROW(U64, result_hist, max, "max", "exact largest value", IF_ANY(result_hist, count)),
	ROW(U64, result_hist, saturated, "saturated",
	    "values too large for the last bucket, counted in it", REQUIRED),
	ROW(U32_LIST, result_hist, index, "index", "buckets that are not empty, ascending",
	    .count = offsetof(struct result_hist, buckets), .max = AB_HIST_BUCKETS, REQUIRED),
	ROW(U64_LIST, result_hist, counts, "counts", "values in each of these buckets",
	    .count = offsetof(struct result_hist, buckets), .max = AB_HIST_BUCKETS, REQUIRED),
};

static bool check_hist(const void *object, struct diag *why)
{
	const struct result_hist *h = object;
	uint64_t total = 0;

	for (size_t i = 0; i < h->buckets; i++) {
		if (h->index[i] >= AB_HIST_BUCKETS || (i && h->index[i] <= h->index[i - 1])) {
			diag_set(why, 0,
				 "index must ascend and stay below %u, but element %zu is %u",
				 AB_HIST_BUCKETS, i, h->index[i]);
			return false;
		}
		if (__builtin_add_overflow(total, h->counts[i], &total)) {
			diag_set(why, 0, "the sum of counts exceeds 64 bits");
			return false;
		}
	}
	if (h->count && h->min > h->max) {
		diag_set(why, 0, "min is larger than max");
		return false;
	}
	return true;
}

static const struct table hist_table = {
	.name = "histogram",
	TABLE(result_hist, hist_rows, "distribution of one time over requests"),
	ABSENT(result_hist),
	.check = check_hist,
};

static const struct field set_rows[] = {
	STRING(result_set, engine, "engine_observed",
	       "what served these requests: sw:<algorithm>, a driver's name, or stored", REQUIRED),
	STRING(result_set, direction, "direction", "decompress or compress", REQUIRED),
	ROW(U64, result_set, size_class_bytes, "size_class_bytes",
	    "upper bound of these requests' compressed size; null: open", ZERO_NULL),
	ROW(KEYED, result_set, hists, "phases", "a histogram per phase and span", .max = AB_PHASES,
	    .names_of = phase_name_of, .sub = &hist_table, REQUIRED),
};

static const struct table set_table = {
	.name = "set",
	TABLE(result_set, set_rows, "requests served alike"),
};

static const struct field served_rows[] = {
	ROW(U64, result_served, requests, "requests", "number of requests", REQUIRED),
	ROW(U64, result_served, in_bytes, "in_bytes", "their compressed bytes", REQUIRED),
	ROW(U64, result_served, out_bytes, "out_bytes", "their uncompressed bytes", REQUIRED),
};

static const struct table served_rows_table = {
	.name = "served",
	TABLE(result_served, served_rows, "requests and bytes"),
};

static const struct field trace_rows[] = {
	ROW(KEYED, result_trace, served, "served",
	    "requests by who served them, or by why the accelerator did not", .max = AB_SERVED,
	    .names_of = served_name_of, .sub = &served_rows_table, REQUIRED),
	ROW(KEYED, result_trace, counters, "counters",
	    "the tracer's counters: facts, anomalies, losses", .max = AB_COUNTERS,
	    .names_of = counter_name_of, REQUIRED),
	ROW(U64, result_trace, inflight_at_end, "inflight_at_end",
	    "requests still open as windows closed", REQUIRED),
	ROW(U64, result_trace, recursion_misses, "recursion_misses",
	    "programs that the kernel skipped because they were running already", REQUIRED),
	ARRAY(result_trace, sets, set_count, set_table, MAX_SETS, "sets",
	      "one per engine observed, direction and size class", REQUIRED),
};

const struct table trace_table = {
	.name = "trace",
	TABLE(result_trace, trace_rows, "what the tracer saw over a cell's traced repetitions"),
	ABSENT(result_trace),
};

static const struct field requests_rows[] = {
	ROW(U64, result_requests, requests, "requests", "with something to decompress", REQUIRED),
	ROW(U64, result_requests, out_bytes, "out_bytes", "their uncompressed bytes", REQUIRED),
	ROW(U64, result_requests, offloaded, "offloaded", "served by an accelerator", REQUIRED),
	ROW(U64, result_requests, offloaded_out_bytes, "offloaded_out_bytes",
	    "their uncompressed bytes", REQUIRED),
	ROW(U64, result_requests, partial, "partial",
	    "for a part of a cluster only, which is never offloaded", REQUIRED),
};

const struct table requests_table = {
	.name = "requests",
	TABLE(result_requests, requests_rows, "requests of one repetition"),
};

static const struct field times_rows[] = {
	ROW(ENUM, result_times, phase, "phase", "phase or span", .names_of = phase_name_of,
	    .name_count = AB_PHASES, REQUIRED),
	ROW(U64, result_times, count, "count", "requests", REQUIRED),
	ROW(DOUBLE, result_times, mean_ns, "mean_ns", "mean", REQUIRED),
	ROW(U64, result_times, p50_ns, "p50_ns", "median", REQUIRED),
	ROW(U64, result_times, p90_ns, "p90_ns", "90th percentile", REQUIRED),
	ROW(U64, result_times, p99_ns, "p99_ns", "99th percentile", REQUIRED),
	ROW(U64, result_times, p999_ns, "p999_ns", "99.9th percentile", REQUIRED),
	ROW(U64, result_times, max_ns, "max_ns", "largest", REQUIRED),
};

const struct table times_table = {
	.name = "times",
	TABLE(result_times, times_rows, "one phase over the requests of one repetition"),
};

static const struct field hook_rows[] = {
	STRING(result_hook, name, "name", "the hook as `accelbench doctor` lists it", REQUIRED),
	STRING(result_hook, function, "function",
	       "kernel function or tracepoint that was attached"),
	STRING(result_hook, mechanism, "mechanism",
	       "fentry, fprobe, kprobe, tp_btf; null: not attached"),
	STRING(result_hook, reason, "reason", "why it was not attached"),
};

static const struct table hook_table_rows = {
	.name = "hook",
	TABLE(result_hook, hook_rows, "one place in the kernel"),
};

static const struct field overhead_rows[] = {
	ROW(DOUBLE, result_tracer, overhead_ratio, "slowdown_ratio",
	    "estimate: 0.01 says that traced repetitions were 1 % slower",
	    .flags = FIELD_REQUIRED | FIELD_SIGNED),
	ROW(DOUBLE, result_tracer, overhead_low_ratio, "low_ratio", "lower end of its interval",
	    .flags = FIELD_SIGNED | FIELD_IF_POSITIVE,
	    .has = offsetof(struct result_tracer, overhead_confidence)),
	ROW(DOUBLE, result_tracer, overhead_high_ratio, "high_ratio", "upper end of its interval",
	    .flags = FIELD_SIGNED | FIELD_IF_POSITIVE,
	    .has = offsetof(struct result_tracer, overhead_confidence)),
	ROW(DOUBLE, result_tracer, overhead_confidence, "confidence",
	    "of that interval; null: too few pairs for one", ZERO_NULL),
	ROW(U64, result_tracer, overhead_pairs, "pairs",
	    "traced and untraced repetitions compared"),
};

static const struct table overhead_table = {
	.name = "overhead",
	TABLE(result_tracer, overhead_rows,
	      "what tracing cost, from interleaved control repetitions"),
};

static const struct field tracer_rows[] = {
	STRING(result_tracer, mechanism, "mechanism",
	       "how functions are hooked: fentry, fprobe or kprobe"),
	ARRAY(result_tracer, hooks, hook_count, hook_table_rows, MAX_HOOKS, "hooks",
	      "every hook that was tried", REQUIRED),
	ROW(U64, result_tracer, open_ns, "open_ns", "time to open the programs", ZERO_NULL),
	ROW(U64, result_tracer, load_ns, "load_ns", "time to load them", ZERO_NULL),
	ROW(U64, result_tracer, attach_ns, "attach_ns", "time to attach them once", ZERO_NULL),
	GROUP(overhead_table, "overhead", "null: no control repetitions",
	      HAS(result_tracer, has_overhead)),
	ROW(U64, result_tracer, max_rss_bytes, "max_rss_bytes",
	    "most memory that accelbench itself held", ZERO_NULL),
};

const struct table tracer_table = {
	.name = "tracer",
	TABLE(result_tracer, tracer_rows, "the tracer itself"),
	ABSENT(result_tracer),
};
