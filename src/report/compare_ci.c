// SPDX-License-Identifier: GPL-2.0-only
/* Values and verdicts for other people's tools: benchstat, github-action-benchmark, Prometheus. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include "base/json_out.h"
#include "base/utf8.h"
#include "report/compare.h"
#include "report/parts.h"

/* Units as each of these tools knows them; of ratios and plain numbers the metric's name. */
static const char *unit_of(const struct compare_row *row)
{
	switch (row->metric.unit) {
	case METRIC_BYTES_PER_S:
		return "B/s";
	case METRIC_BYTES:
		return "B";
	case METRIC_PER_S:
		return "op/s";
	case METRIC_NS:
		return "ns";
	default:
		return row->metric_name;
	}
}

/* benchstat */

/* One word: what the format of Go's benchmarks would take for more than a part of a name becomes '_'. */
static void bench_word(struct strbuf *out, const char *text)
{
	for (; *text; text++)
		strbuf_putc(out, isspace((unsigned char)*text) || *text == '/' || *text == '=' ||
						 !isprint((unsigned char)*text)
					 ? '_'
					 : *text);
}

static void bench_side(const struct comparison *c, size_t side, struct strbuf *out)
{
	AB_STRBUF struct strbuf name = {0};

	utf8_add_clean(&name, c->sides[side].name);
	strbuf_printf(out, "%sside: %s\n", side ? "\n" : "", strbuf_str(&name));
	for (size_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];

		if (side && row->changes[side].state == COMPARE_INCOMPARABLE)
			continue;
		for (size_t k = 0; k < row->values[side].of.n; k++) {
			/* Names have to begin with a capital letter. */
			strbuf_puts(out, "BenchmarkCell/workload=");
			bench_word(out, row->key.workload);
			strbuf_printf(out,
				      "/cluster=%ju/engine=", (uintmax_t)row->key.cluster_bytes);
			bench_word(out, row->key.engine);
			strbuf_printf(out, "/metric=%s 1 %.17g %s\n", row->metric_name,
				      row->values[side].of.values[k], unit_of(row));
		}
	}
}

/* Which way is better, said once for each metric. */
static void bench_units(const struct comparison *c, struct strbuf *out)
{
	for (size_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];

		if (row->metric.sense == METRIC_NEITHER ||
		    (i && !strcmp(unit_of(row), unit_of(&c->rows[i - 1]))))
			continue;
		strbuf_printf(out, "Unit %s better=%s\n", unit_of(row),
			      row->metric.sense == METRIC_HIGHER_IS_BETTER ? "higher" : "lower");
	}
}

void report_compare_benchstat(const struct comparison *c, struct strbuf *out)
{
	bench_units(c, out);
	for (size_t side = 0; side < c->side_count; side++)
		bench_side(c, side, out);
}

/* github-action-benchmark */

static void action_entry(struct json_out *j, const struct compare_row *row, size_t side)
{
	const struct compare_values *v = &row->values[side];
	AB_STRBUF struct strbuf name = {0}, range = {0}, extra = {0};
	char cluster[TEXT_NUMBER_SIZE];

	strbuf_printf(&name, "%s %s %s %s", row->key.workload,
		      report_cluster(cluster, row->key.cluster_bytes), row->key.engine,
		      row->metric_name);
	/* Its charts show this text and never compute with it. */
	if (v->summary.median_interval.confidence > 0)
		strbuf_printf(&range, "%.6g .. %.6g", v->summary.median_interval.low,
			      v->summary.median_interval.high);
	strbuf_printf(&extra, "median of %zu, interval of %.3g %%", v->of.n,
		      100 * v->summary.median_interval.confidence);
	json_object_begin(j, NULL);
	json_string(j, "name", strbuf_str(&name));
	json_string(j, "unit", unit_of(row));
	json_double(j, "value", v->summary.median);
	if (range.len) {
		json_string(j, "range", strbuf_str(&range));
		json_string(j, "extra", strbuf_str(&extra));
	}
	json_object_end(j);
}

int report_compare_action(const struct comparison *c, struct strbuf *out, struct diag *d)
{
	struct json_out j = {.sb = out};
	size_t last = c->side_count - 1;

	for (size_t i = 0; i < c->row_count; i++)
		if (c->rows[i].metric.sense != c->rows[0].metric.sense ||
		    c->rows[i].metric.sense == METRIC_NEITHER)
			return diag_set(
				d, -EINVAL,
				"github-action-benchmark takes metrics of one direction in a file, customBiggerIsBetter or customSmallerIsBetter: choose with --metric");
	json_array_begin(&j, NULL);
	for (size_t i = 0; i < c->row_count; i++)
		if (c->rows[i].values[last].of.n &&
		    c->rows[i].changes[last].state != COMPARE_INVALID)
			action_entry(&j, &c->rows[i], last);
	json_array_end(&j);
	strbuf_putc(out, '\n');
	return 0;
}

/* OpenMetrics 1.0, for the textfile collector of Prometheus' node_exporter too */

static void label(struct strbuf *out, const char *name, const char *value)
{
	AB_STRBUF struct strbuf clean = {0};

	utf8_add_clean(&clean, value);
	strbuf_printf(out, "%s=\"", name);
	for (const char *at = strbuf_str(&clean); *at; at++) {
		if (*at == '"' || *at == '\\')
			strbuf_putc(out, '\\');
		strbuf_putc(out, *at);
	}
	strbuf_putc(out, '"');
}

/* What tells the samples of a family apart; the brace stays open. */
static void labels(struct strbuf *out, const char *name, const struct gate_item *item)
{
	strbuf_printf(out, "%s{", name);
	label(out, "workload", item->row->key.workload);
	strbuf_printf(out, ",cluster_bytes=\"%ju\",", (uintmax_t)item->row->key.cluster_bytes);
	label(out, "engine", item->row->key.engine);
	strbuf_printf(out, ",metric=\"%s\"", item->row->metric_name);
	/* Two rules may look at the same metric. */
	if (item->test.rule->has_max_drop)
		strbuf_printf(out, ",max_drop=\"%.17g\"", item->test.rule->max_drop_ratio);
	if (item->test.rule->has_max_rise)
		strbuf_printf(out, ",max_rise=\"%.17g\"", item->test.rule->max_rise_ratio);
}

static void family(struct strbuf *out, const char *name, const char *type, const char *help)
{
	strbuf_printf(out, "# TYPE %s %s\n# HELP %s %s\n", name, type, name, help);
}

static void verdicts(const struct gate *g, const char *name, struct strbuf *out)
{
	family(out, name, "stateset", "1 for the verdict of a cell and metric, 0 for the others.");
	for (size_t i = 0; i < g->item_count; i++) {
		for (int v = 0; v < GATE_VERDICTS; v++) {
			labels(out, name, &g->items[i]);
			strbuf_printf(out, ",%s=\"%s\"} %d\n", name, gate_verdict_names[v],
				      g->items[i].test.verdict == (enum gate_verdict)v);
		}
	}
}

static void gauge(struct strbuf *out, const char *name, const struct gate_item *item, bool known,
		  double value)
{
	if (!known)
		return;
	labels(out, name, item);
	strbuf_printf(out, "} %.17g\n", value);
}

void report_gate_openmetrics(const struct gate *g, struct strbuf *out)
{
	static const char change[] = "accelbench_gate_change_ratio";
	static const char detectable[] = "accelbench_gate_detectable_ratio";

	verdicts(g, "accelbench_gate_verdict", out);
	family(out, change, "gauge", "Change against the base line, Hodges-Lehmann.");
	for (size_t i = 0; i < g->item_count; i++) {
		const struct compare_change *c = &g->items[i].test.change;

		gauge(out, change, &g->items[i], c->state == COMPARE_DONE && c->relative,
		      c->change);
	}
	family(out, detectable, "gauge", "Loss beyond the margin that would have been found.");
	for (size_t i = 0; i < g->item_count; i++)
		gauge(out, detectable, &g->items[i], g->items[i].test.detectable_ratio >= 0,
		      g->items[i].test.detectable_ratio);
	strbuf_puts(out, "# EOF\n");
}
