// SPDX-License-Identifier: GPL-2.0-only
/* The comparison for programs (CSV, JSON) and for pull requests (Markdown). */
#include <string.h>
#include "base/json_out.h"
#include "report/compare.h"
#include "report/parts.h"

/* CSV */

static void csv_row(const struct comparison *c, const struct compare_row *row, size_t side,
		    struct strbuf *out)
{
	const struct compare_change *change = &row->changes[side];
	bool done = change->state == COMPARE_DONE;
	bool interval = done && change->interval.confidence > 0;

	report_csv_field(out, row->key.workload, true);
	strbuf_printf(out, ",%ju", (uintmax_t)row->key.cluster_bytes);
	report_csv_field(out, row->key.engine, false);
	report_csv_field(out, row->metric_name, false);
	report_csv_field(out, c->sides[0].name, false);
	report_csv_field(out, c->sides[side].name, false);
	report_csv_field(out, compare_state_names[change->state], false);
	for (size_t i = 0; i <= side; i += side) {
		const struct compare_values *v = &row->values[i];

		report_csv_optional(out, v->of.n, NULL, v->summary.median);
		strbuf_printf(out, ",%zu", v->of.n);
	}
	report_csv_optional(out, done, change->relative ? "ratio" : "difference", change->change);
	report_csv_optional(out, interval, NULL, change->interval.low);
	report_csv_optional(out, interval, NULL, change->interval.high);
	report_csv_optional(out, interval, NULL, change->interval.confidence);
	report_csv_optional(out, done && !change->constant, NULL, change->p);
	report_csv_field(out, change->why, false);
	strbuf_puts(out, "\r\n");
}

void report_compare_csv(const struct comparison *c, struct strbuf *out)
{
	strbuf_puts(out,
		    "workload,cluster_bytes,engine,metric,base,other,state,base_median,base_n,"
		    "other_median,other_n,change_kind,change,low,high,confidence,p,reason\r\n");
	for (size_t i = 0; i < c->row_count; i++)
		for (size_t side = 1; side < c->side_count; side++)
			csv_row(c, &c->rows[i], side, out);
}

/* JSON */

static void json_values(struct json_out *j, const struct compare_values *v)
{
	json_object_begin(j, NULL);
	json_u64(j, "n", v->of.n);
	json_boolean(j, "one_value_per_result", v->by_run);
	if (v->of.n) {
		json_double(j, "median", v->summary.median);
		json_double(j, "min", v->summary.min);
		json_double(j, "max", v->summary.max);
	}
	json_flat_array_begin(j, "values");
	for (size_t i = 0; i < v->of.n; i++)
		json_double(j, NULL, v->of.values[i]);
	json_array_end(j);
	json_object_end(j);
}

static void json_change(struct json_out *j, const struct compare_row *row,
			const struct compare_change *change, double confidence)
{
	json_object_begin(j, NULL);
	json_string(j, "state", compare_state_names[change->state]);
	if (change->state != COMPARE_DONE) {
		json_string(j, "reason", change->why);
		json_object_end(j);
		return;
	}
	json_boolean(j, "changed", compare_changed(change, confidence));
	json_i64(j, "better", compare_sense(change, &row->metric, confidence));
	json_double(j, change->relative ? "change_ratio" : "change", change->change);
	if (change->interval.confidence > 0) {
		json_double(j, "low", change->interval.low);
		json_double(j, "high", change->interval.high);
		json_double(j, "confidence", change->interval.confidence);
	}
	if (!change->constant) {
		json_double(j, "p", change->p);
		json_boolean(j, "exact", change->exact);
	}
	json_object_end(j);
}

static void json_row(struct json_out *j, const struct comparison *c, const struct compare_row *row)
{
	json_object_begin(j, NULL);
	json_string(j, "workload", row->key.workload);
	json_u64(j, "cluster_bytes", row->key.cluster_bytes);
	json_string(j, "engine", row->key.engine);
	json_string(j, "metric", row->metric_name);
	json_array_begin(j, "sides");
	for (size_t i = 0; i < c->side_count; i++)
		json_values(j, &row->values[i]);
	json_array_end(j);
	json_array_begin(j, "changes");
	for (size_t i = 1; i < c->side_count; i++)
		json_change(j, row, &row->changes[i], c->opts.confidence);
	json_array_end(j);
	json_object_end(j);
}

static void json_keys(struct json_out *j, const char *key, comparable_set set)
{
	json_array_begin(j, key);
	for (size_t i = 0; i < COMPARABLE_KEYS; i++)
		if (set & 1u << i)
			json_string(j, NULL, comparable_keys[i].name);
	json_array_end(j);
}

void report_sides_json(const struct comparison *c, struct json_out *j)
{
	json_array_begin(j, "sides");
	for (size_t i = 0; i < c->side_count; i++) {
		json_object_begin(j, NULL);
		json_string(j, "name", c->sides[i].name);
		json_array_begin(j, "results");
		for (size_t k = 0; k < c->sides[i].count; k++)
			json_string(j, NULL, c->sides[i].results[k].id);
		json_array_end(j);
		json_object_end(j);
	}
	json_array_end(j);
	json_keys(j, "differences", c->differences);
	json_keys(j, "allowed", c->opts.allowed);
}

void report_compare_json(const struct comparison *c, struct strbuf *out)
{
	struct json_out j = {.sb = out};

	json_object_begin(&j, NULL);
	json_string(&j, "schema", "accelbench/comparison");
	json_string(&j, "schema_version", "1.0");
	report_sides_json(c, &j);
	json_double(&j, "confidence", c->opts.confidence);
	json_array_begin(&j, "rows");
	for (size_t i = 0; i < c->row_count; i++)
		json_row(&j, c, &c->rows[i]);
	json_array_end(&j);
	json_object_end(&j);
	strbuf_putc(out, '\n');
}

/* Markdown */

void report_markdown_cell(struct strbuf *out, const char *text)
{
	strbuf_puts(out, " ");
	for (; *text; text++) {
		/* What would end the cell, or be markup. */
		if (strchr("|\\`*_<>[]&#", *text))
			strbuf_putc(out, '\\');
		strbuf_putc(out, *text == '\n' ? ' ' : *text);
	}
	strbuf_puts(out, " |");
}

static void markdown_side(const struct comparison *c, const struct compare_row *row, size_t side,
			  const struct text_out *to, struct strbuf *out)
{
	const struct compare_change *change = &row->changes[side];
	char number[TEXT_NUMBER_SIZE], p[TEXT_NUMBER_SIZE];
	AB_STRBUF struct strbuf text = {0};

	report_markdown_cell(out, row->values[side].of.n
					  ? report_value(to, number, &row->metric,
							 row->values[side].summary.median)
					  : "-");
	if (change->state != COMPARE_DONE)
		strbuf_puts(&text, compare_state_names[change->state]);
	else if (compare_changed(change, c->opts.confidence))
		strbuf_puts(&text, report_change(to, number, &row->metric, change, change->change));
	else
		strbuf_putc(&text, '~');
	if (change->state == COMPARE_DONE && !change->constant)
		strbuf_printf(&text, " (p=%s, n=%zu+%zu)", report_p(p, change->p),
			      row->values[0].of.n, row->values[side].of.n);
	report_markdown_cell(out, strbuf_str(&text));
}

static void markdown_head(const struct comparison *c, const struct compare_row *row,
			  struct strbuf *out)
{
	strbuf_printf(out, "\n**%s**\n\n| workload | cluster | engine | A |", row->metric_name);
	for (size_t side = 1; side < c->side_count; side++)
		strbuf_printf(out, " %c | change |", (int)('A' + side % 26));
	strbuf_puts(out, "\n| :-- | --: | :-- | --: |");
	for (size_t side = 1; side < c->side_count; side++)
		strbuf_puts(out, " --: | --: |");
	strbuf_putc(out, '\n');
}

static void markdown_row(const struct comparison *c, const struct compare_row *row,
			 const struct text_out *to, struct strbuf *out)
{
	char number[TEXT_NUMBER_SIZE];

	strbuf_puts(out, "|");
	report_markdown_cell(out, row->key.workload);
	report_markdown_cell(out, report_cluster(number, row->key.cluster_bytes));
	report_markdown_cell(out, row->key.engine);
	report_markdown_cell(out, row->values[0].of.n ? report_value(to, number, &row->metric,
								     row->values[0].summary.median)
						      : "-");
	for (size_t side = 1; side < c->side_count; side++)
		markdown_side(c, row, side, to, out);
	strbuf_putc(out, '\n');
}

void report_sides_markdown(const struct comparison *c, const struct text_out *to,
			   struct strbuf *out)
{
	AB_STRBUF struct strbuf sides = {0};
	struct text_out plain = *to;

	plain.sb = &sides;
	plain.color = false;
	plain.columns = 10000;
	report_sides(c, &plain);
	strbuf_puts(out, "```\n");
	/* A fence inside a name would end the block. */
	for (const char *at = strbuf_str(&sides); *at; at++)
		strbuf_putc(out, *at == '`' ? '\'' : *at);
	strbuf_puts(out, "```\n");
}

void report_compare_markdown(const struct comparison *c, const struct compare_view *view,
			     struct strbuf *out)
{
	report_sides_markdown(c, &view->to, out);
	for (size_t i = 0; i < c->row_count; i++) {
		AB_STRBUF struct strbuf line = {0};

		if (!i || strcmp(c->rows[i].metric_name, c->rows[i - 1].metric_name) != 0)
			markdown_head(c, &c->rows[i], &line);
		markdown_row(c, &c->rows[i], &view->to, &line);
		if (out->len + line.len > REPORT_MARKDOWN_MAX - 100) {
			strbuf_printf(out, "\n%zu more rows: too many for one comment.\n",
				      c->row_count - i);
			return;
		}
		strbuf_add(out, strbuf_str(&line), line.len);
	}
}
