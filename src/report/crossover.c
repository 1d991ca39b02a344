// SPDX-License-Identifier: GPL-2.0-only
/*
 * From which cluster size on does one engine win over another? Only what the intervals support is
 * said.
 */
#include <stdio.h>
#include <string.h>
#include "report/parts.h"

/* Outcomes along the cluster axis; sizes at which an engine has no valid figure are left out. */
struct outcomes {
	enum outcome at[AXIS_MAX];
	uint64_t clusters[AXIS_MAX];
	size_t count;
	size_t fewest; /* repetitions behind any of them */
};

static void find_outcomes(const struct result *r, const struct axes *axes, const char *workload,
			  const char *a, const char *b, enum aggregate_metric metric,
			  struct outcomes *out)
{
	out->count = 0;
	out->fewest = SIZE_MAX;
	for (size_t c = 0; c < axes->cluster_count; c++) {
		struct stats_summary x =
			aggregate_summary(axes_cell(r, workload, a, axes->clusters[c]), metric);
		struct stats_summary y =
			aggregate_summary(axes_cell(r, workload, b, axes->clusters[c]), metric);
		enum outcome o = aggregate_compare(&x, &y, metric, r->reference);

		if (o == OUTCOME_UNKNOWN)
			continue;
		out->fewest = x.n < out->fewest ? x.n : out->fewest;
		out->fewest = y.n < out->fewest ? y.n : out->fewest;
		out->at[out->count] = o;
		out->clusters[out->count++] = axes->clusters[c];
	}
}

static bool all_are(const struct outcomes *o, size_t from, enum outcome which)
{
	for (size_t i = from; i < o->count; i++)
		if (o->at[i] != which)
			return false;
	return true;
}

/* "4 KiB, 16 KiB: <what>" for the sizes below index @end at which the outcome is @which. */
static void add_sizes(struct strbuf *sb, const struct outcomes *o, size_t end, enum outcome which,
		      const char *what)
{
	char cluster[TEXT_NUMBER_SIZE];
	bool any = false;

	for (size_t i = 0; i < end; i++) {
		if (o->at[i] != which)
			continue;
		strbuf_printf(sb, "%s%s",
			      any	? ", "
			      : sb->len ? "; "
					: "",
			      report_cluster(cluster, o->clusters[i]));
		any = true;
	}
	if (any)
		strbuf_printf(sb, ": %s", what);
}

/* What happens at the sizes below index @end, in brackets. */
static void add_rest(struct strbuf *sb, const struct outcomes *o, size_t end, const char *a,
		     const char *b)
{
	AB_STRBUF struct strbuf rest = {0};

	add_sizes(&rest, o, end, OUTCOME_A, a);
	add_sizes(&rest, o, end, OUTCOME_B, b);
	add_sizes(&rest, o, end, OUTCOME_OPEN, "too close");
	if (rest.len)
		strbuf_printf(sb, " (%s)", strbuf_str(&rest));
}

/* The winner at the largest size, or nobody; and where that streak begins. */
static enum outcome last_streak(const struct outcomes *o, size_t *begin)
{
	enum outcome last = o->at[o->count - 1];

	*begin = o->count - 1;
	while (*begin > 0 && o->at[*begin - 1] == last)
		--*begin;
	return last;
}

bool crossover_sentence(const struct result *r, const struct axes *axes, const char *workload,
			const char *a, const char *b, enum aggregate_metric metric,
			struct strbuf *out)
{
	const char *better = metric == AGGREGATE_SPEED ? "is faster" : "uses less CPU";
	const char *winner, *loser;
	char cluster[TEXT_NUMBER_SIZE];
	struct outcomes o;
	enum outcome last;
	size_t begin;

	find_outcomes(r, axes, workload, a, b, metric, &o);
	if (!o.count)
		return false;
	if (!r->reference && o.fewest < AGGREGATE_MIN_SAMPLES && all_are(&o, 0, OUTCOME_OPEN)) {
		strbuf_printf(out, "%s against %s: %zu run%s cannot tell, it takes %d", a, b,
			      o.fewest, o.fewest == 1 ? "" : "s", AGGREGATE_MIN_SAMPLES);
		return true;
	}
	last = last_streak(&o, &begin);
	if (last == OUTCOME_OPEN) {
		strbuf_printf(out, "%s against %s, %s: no crossover that the intervals support", a,
			      b, metric == AGGREGATE_SPEED ? "speed" : "CPU");
		add_rest(out, &o, o.count, a, b);
		return true;
	}
	winner = last == OUTCOME_A ? a : b;
	loser = last == OUTCOME_A ? b : a;
	report_cluster(cluster, o.clusters[begin]);
	if (o.count == 1)
		strbuf_printf(out, "%s %s than %s at %s", winner, better, loser, cluster);
	else if (!begin)
		strbuf_printf(out, "%s %s than %s at every cluster size", winner, better, loser);
	else if (begin == o.count - 1)
		strbuf_printf(out, "%s %s than %s at %s only", winner, better, loser, cluster);
	else
		strbuf_printf(out, "%s %s than %s from %s on", winner, better, loser, cluster);
	add_rest(out, &o, begin, a, b);
	return true;
}

void crossover_pairs(const struct result *r, const struct axes *axes, crossover_visit *visit,
		     void *ctx)
{
	bool any_accelerated = false;

	for (size_t e = 0; e < axes->engine_count; e++)
		any_accelerated = any_accelerated || engine_is_accelerated(r, axes->engines[e]);
	for (size_t w = 0; w < axes->workload_count; w++) {
		for (size_t a = 0; a < axes->engine_count; a++) {
			if (any_accelerated ? !engine_is_accelerated(r, axes->engines[a]) : a > 0)
				continue;
			for (size_t b = 0; b < axes->engine_count; b++)
				if (b != a && !engine_is_accelerated(r, axes->engines[b]))
					visit(ctx, axes->workloads[w], axes->engines[a],
					      axes->engines[b]);
		}
	}
}

static void print_sentence(void *ctx, const char *workload, const char *a, const char *b)
{
	const struct report *rep = ctx;
	AB_STRBUF struct strbuf speed = {0}, work = {0};

	if (!crossover_sentence(rep->r, &rep->axes, workload, a, b, AGGREGATE_SPEED, &speed))
		return;
	text_line(&rep->to, STYLE_PLAIN, 2, "%s: %s", workload, strbuf_str(&speed));
	if (crossover_sentence(rep->r, &rep->axes, workload, a, b, AGGREGATE_WORK, &work) &&
	    strcmp(strbuf_str(&speed), strbuf_str(&work)))
		text_line(&rep->to, STYLE_PLAIN, 2, "%s: %s", workload, strbuf_str(&work));
}

void report_crossovers(const struct report *rep)
{
	crossover_pairs(rep->r, &rep->axes, print_sentence, (void *)rep);
}
