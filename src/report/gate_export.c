// SPDX-License-Identifier: GPL-2.0-only
/* Verdicts for programs: CSV, JSON, JUnit XML. */
#include <string.h>
#include "base/json_out.h"
#include "base/utf8.h"
#include "report/compare.h"
#include "report/parts.h"

/* CSV */

void report_gate_csv(const struct gate *g, struct strbuf *out)
{
	strbuf_puts(out, "workload,cluster_bytes,engine,metric,verdict,change_kind,change,low,high,"
			 "max_drop,max_rise,detectable_ratio,p_adjusted,base_n,other_n,reason\r\n");
	for (size_t i = 0; i < g->item_count; i++) {
		const struct gate_item *item = &g->items[i];
		const struct gate_test *t = &item->test;
		bool judged = t->change.state == COMPARE_DONE;

		report_csv_field(out, item->row->key.workload, true);
		strbuf_printf(out, ",%ju", (uintmax_t)item->row->key.cluster_bytes);
		report_csv_field(out, item->row->key.engine, false);
		report_csv_field(out, item->row->metric_name, false);
		report_csv_field(out, gate_verdict_names[t->verdict], false);
		report_csv_optional(out, judged, t->change.relative ? "ratio" : "difference",
				    t->change.change);
		report_csv_optional(out, judged && t->change.interval.confidence > 0, NULL,
				    t->change.interval.low);
		report_csv_optional(out, judged && t->change.interval.confidence > 0, NULL,
				    t->change.interval.high);
		report_csv_optional(out, t->rule->has_max_drop, NULL, t->rule->max_drop_ratio);
		report_csv_optional(out, t->rule->has_max_rise, NULL, t->rule->max_rise_ratio);
		report_csv_optional(out, judged && t->detectable_ratio >= 0, NULL,
				    t->detectable_ratio);
		report_csv_optional(out, judged && !t->change.constant, NULL, t->p_adjusted);
		strbuf_printf(out, ",%zu,%zu", t->n_a, t->n_b);
		report_csv_field(out, item->why, false);
		strbuf_puts(out, "\r\n");
	}
}

/* JSON */

static void json_item(struct json_out *j, const struct gate_item *item)
{
	const struct gate_test *t = &item->test;

	json_object_begin(j, NULL);
	json_string(j, "workload", item->row->key.workload);
	json_u64(j, "cluster_bytes", item->row->key.cluster_bytes);
	json_string(j, "engine", item->row->key.engine);
	json_string(j, "metric", item->row->metric_name);
	json_string(j, "verdict", gate_verdict_names[t->verdict]);
	if (item->why[0])
		json_string(j, "reason", item->why);
	if (t->rule->has_max_drop)
		json_double(j, "max_drop_ratio", t->rule->max_drop_ratio);
	if (t->rule->has_max_rise)
		json_double(j, "max_rise_ratio", t->rule->max_rise_ratio);
	json_u64(j, "base_n", t->n_a);
	json_u64(j, "other_n", t->n_b);
	if (t->change.state == COMPARE_DONE) {
		json_double(j, t->change.relative ? "change_ratio" : "change", t->change.change);
		if (t->change.interval.confidence > 0) {
			json_double(j, "low", t->change.interval.low);
			json_double(j, "high", t->change.interval.high);
		}
		if (!t->change.constant)
			json_double(j, "p_adjusted", t->p_adjusted);
		if (t->detectable_ratio >= 0)
			json_double(j, "detectable_ratio", t->detectable_ratio);
	}
	json_object_end(j);
}

void report_gate_json(const struct gate *g, struct strbuf *out)
{
	struct json_out j = {.sb = out};

	json_object_begin(&j, NULL);
	json_string(&j, "schema", "accelbench/gate");
	json_string(&j, "schema_version", "1.0");
	report_sides_json(&g->comparison, &j);
	json_double(&j, "alpha", g->alpha);
	json_string(&j, "correction", "holm");
	json_object_begin(&j, "verdicts");
	for (int v = 0; v < GATE_VERDICTS; v++)
		json_u64(&j, gate_verdict_names[v], g->counts[v]);
	json_object_end(&j);
	json_array_begin(&j, "tests");
	for (size_t i = 0; i < g->item_count; i++)
		json_item(&j, &g->items[i]);
	json_array_end(&j);
	json_object_end(&j);
	strbuf_putc(out, '\n');
}

/* JUnit XML */

static void xml(struct strbuf *out, const char *text)
{
	AB_STRBUF struct strbuf clean = {0};

	/* XML 1.0 has no way to write most control characters. */
	utf8_add_clean(&clean, text);
	for (const char *at = strbuf_str(&clean); *at; at++) {
		const char *escape = *at == '&'	  ? "&amp;"
				     : *at == '<' ? "&lt;"
				     : *at == '>' ? "&gt;"
				     : *at == '"' ? "&quot;"
						  : NULL;

		if (escape)
			strbuf_puts(out, escape);
		else
			strbuf_putc(out, *at);
	}
}

/* What each verdict is to a CI server; NULL: a pass. */
static const char *element_of(const struct gate_item *item)
{
	static const char *const elements[GATE_VERDICTS] = {
		[GATE_WORSE] = "failure",
		[GATE_INVALID] = "error",
		[GATE_INCOMPARABLE] = "error",
		[GATE_NOISY] = "error",
	};

	return item->skipped ? "skipped" : elements[item->test.verdict];
}

static void junit_case(struct strbuf *out, const struct gate_item *item)
{
	const struct compare_key *key = &item->row->key;
	struct text_out plain = {.sb = out};
	const char *element = element_of(item);
	char number[TEXT_NUMBER_SIZE];

	strbuf_puts(out, "    <testcase classname=\"");
	xml(out, key->workload);
	strbuf_puts(out, ".");
	xml(out, report_cluster(number, key->cluster_bytes));
	strbuf_puts(out, ".");
	xml(out, key->engine);
	strbuf_puts(out, "\" name=\"");
	xml(out, item->row->metric_name);
	strbuf_puts(out, "\"");
	if (!element) {
		strbuf_puts(out, "/>\n");
		return;
	}
	strbuf_printf(out, ">\n      <%s message=\"", element);
	if (item->test.verdict == GATE_WORSE)
		strbuf_printf(out, "%s against the base line, p=%.3g",
			      report_change(&plain, number, &item->test.metric, &item->test.change,
					    item->test.change.change),
			      item->test.p_adjusted);
	else
		xml(out, item->why);
	strbuf_puts(out, "\"");
	if (!item->skipped)
		strbuf_printf(out, " type=\"%s\"", gate_verdict_names[item->test.verdict]);
	strbuf_puts(out, "/>\n    </testcase>\n");
}

void report_gate_junit(const struct gate *g, struct strbuf *out)
{
	size_t failures = g->counts[GATE_WORSE];
	size_t errors = g->counts[GATE_INVALID] + g->counts[GATE_INCOMPARABLE] +
			g->counts[GATE_NOISY] - g->skipped;

	strbuf_printf(out,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		      "  <testsuite name=\"accelbench gate\" tests=\"%zu\" failures=\"%zu\" "
		      "errors=\"%zu\" skipped=\"%zu\">\n",
		      g->item_count, failures, errors, g->skipped);
	for (size_t i = 0; i < g->item_count; i++)
		junit_case(out, &g->items[i]);
	strbuf_puts(out, "  </testsuite>\n</testsuites>\n");
}
