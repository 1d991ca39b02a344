// SPDX-License-Identifier: GPL-2.0-only
#include "cmd_results.h"

#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "report/compare.h"

enum format {
	FORMAT_TEXT,
	FORMAT_MARKDOWN,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_BENCHSTAT,
	FORMAT_ACTION,
};
static const char *const format_names[] = {
	"text", "markdown", "csv", "json", "benchstat", "github-action-benchmark", NULL,
};

/* What most people look at first; of those, the ones that any side has. */
static const char *const default_metrics[] = {
	"bandwidth", "lat.p99",	 "core_seconds_per_gib", "total.p50",
	"total.p99", "wait.p99", "offload_coverage",
};

struct options {
	struct option_list metrics;
	struct option_list filters;
	struct option_list allow;
	const char *row;
	int column;
	double confidence;
	int format;
	struct results_output to;
};

static const char *const column_names[] = {"none", "workload", "cluster", "engine", NULL};

static const struct option_info option_table[] = {
	{"metric", 'm', OPTION_LIST, offsetof(struct options, metrics), "NAME", NULL,
	 "compare this metric; may be repeated (`accelbench schema scenario` lists them); all: every one"},
	{"filter", 0, OPTION_LIST, offsetof(struct options, filters), "KEY=VALUE", NULL,
	 "only cells of that workload, cluster or engine; may be repeated"},
	{"row", 0, OPTION_STRING, offsetof(struct options, row), "KEYS", NULL,
	 "order of the keys that rows are sorted by (default: workload,cluster,engine)"},
	{"col", 0, OPTION_ENUM, offsetof(struct options, column), NULL, column_names,
	 "lay one key across, with the changes of two sides in the table"},
	{"allow", 0, OPTION_LIST, offsetof(struct options, allow), "KEY", NULL,
	 "compare though they differ in this; may be repeated"},
	{"confidence", 0, OPTION_RATIO, offsetof(struct options, confidence), "RATIO", NULL,
	 "of intervals; a change is one when p is below the rest (default: 95%)"},
	{"format", 'f', OPTION_ENUM, offsetof(struct options, format), NULL, format_names,
	 "how to print it"},
	RESULTS_OUTPUT_OPTIONS(struct options, to),
};

struct names {
	const char *items[256];
	char all[256][METRIC_NAME_SIZE];
	size_t count;
};

static void add_metric(void *ctx, const char *name)
{
	struct names *names = ctx;

	if (names->count == ARRAY_SIZE(names->items))
		return;
	snprintf(names->all[names->count], METRIC_NAME_SIZE, "%s", name);
	names->items[names->count] = names->all[names->count];
	names->count++;
}

static enum exit_status find_metrics(const struct options *o, struct names *names, struct diag *d)
{
	if (!o->metrics.count)
		for (size_t i = 0; i < ARRAY_SIZE(default_metrics); i++)
			add_metric(names, default_metrics[i]);
	for (size_t i = 0; i < o->metrics.count; i++) {
		if (!strcmp(o->metrics.items[i], "all"))
			metric_each(add_metric, names);
		else if (results_check_metric(o->metrics.items[i], d))
			return STATUS_USAGE;
		else
			add_metric(names, o->metrics.items[i]);
	}
	return STATUS_OK;
}

static bool has_values(const struct comparison *c, const char *metric)
{
	for (size_t i = 0; i < c->row_count; i++)
		for (size_t side = 0; side < c->side_count; side++)
			if (!strcmp(c->rows[i].metric_name, metric) && c->rows[i].values[side].of.n)
				return true;
	return false;
}

/* A metric that nobody asked for by name and no side has is no news. */
static void drop_empty(struct comparison *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->row_count; i++) {
		struct compare_row row = c->rows[i];

		if (!has_values(c, row.metric_name))
			continue;
		c->rows[i] = c->rows[kept];
		c->rows[kept++] = row;
	}
	comparison_cut(c, kept);
}

static int print(const struct options *o, const struct comparison *c,
		 const struct compare_view *view, struct strbuf *out, struct diag *d)
{
	switch (o->format) {
	case FORMAT_MARKDOWN:
		report_compare_markdown(c, view, out);
		break;
	case FORMAT_CSV:
		report_compare_csv(c, out);
		break;
	case FORMAT_JSON:
		report_compare_json(c, out);
		break;
	case FORMAT_BENCHSTAT:
		report_compare_benchstat(c, out);
		break;
	case FORMAT_ACTION:
		return report_compare_action(c, out, d);
	default:
		report_compare_text(c, view);
	}
	return 0;
}

static enum exit_status compare(const struct options *o, struct compare_side *sides, size_t count,
				const struct invocation *inv, struct diag *d)
{
	AB_CLEANUP(comparison_free) struct comparison c = {0};
	struct compare_opts opts = {.confidence = o->confidence};
	AB_STRBUF struct strbuf out = {0};
	AB_FREE struct names *names = calloc(1, sizeof(*names));
	struct compare_view view = {.order = compare_default_order, .column = o->column - 1};
	enum exit_status status;
	int err;

	if (!names) {
		diag_errno(d, -ENOMEM, "metrics");
		return STATUS_FAILED;
	}
	status = results_allow(&o->allow, &opts.allowed, d);
	if (!status && o->row && compare_order_parse(o->row, &view.order, d)) {
		diag_prefix(d, -EINVAL, "--row");
		status = STATUS_USAGE;
	}
	if (!status)
		status = find_metrics(o, names, d);
	if (status)
		return status;
	err = compare_sides(sides, count, names->items, names->count, &opts, &c, d);
	if (err)
		return STATUS_FAILED;
	err = compare_filter(&c, o->filters.items, o->filters.count, d);
	if (err)
		return err == -ENOMEM ? STATUS_FAILED : STATUS_USAGE;
	if (!o->metrics.count || names->count > o->metrics.count)
		drop_empty(&c);
	compare_sort(&c, &view.order);
	view.to = results_text_out(&o->to, inv, &out);
	if (print(o, &c, &view, &out, d))
		return STATUS_USAGE;
	return results_write(&o->to, &out, d);
}

static enum exit_status run_compare(const void *options, const struct invocation *inv,
				    struct diag *d)
{
	const struct options *o = options;
	size_t count = inv->operand_count;
	AB_FREE struct compare_side *sides = calloc(count, sizeof(*sides));
	enum exit_status status = STATUS_OK;

	if (!sides) {
		diag_errno(d, -ENOMEM, "results");
		return STATUS_FAILED;
	}
	if (o->confidence <= 0 || o->confidence >= 1) {
		diag_set(d, -EINVAL, "--confidence: between 0 and 1, such as 95%%");
		return STATUS_USAGE;
	}
	for (size_t i = 0; !status && i < count; i++)
		if (compare_side_load(inv->operands[i], &sides[i], d))
			status = STATUS_USAGE;
	if (!status)
		status = compare(o, sides, count, inv, d);
	for (size_t i = 0; i < count; i++)
		compare_side_free(&sides[i]);
	return status;
}

static const struct options defaults = {.confidence = 0.95};

const struct command cmd_compare = {
	.name = "compare",
	.summary = "set results against the first one, with what can be told from noise",
	.operands = "RESULT RESULT...",
	.operands_min = 2,
	.operands_max = 26,
	.details =
		"Each RESULT is the folder that a run left, its result.json, or a folder of such folders: one side of\n"
		"several runs. The first is what the others are compared with. Needs no root and no tracing.",
	.options = option_table,
	.option_count = ARRAY_SIZE(option_table),
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.run = run_compare,
};
