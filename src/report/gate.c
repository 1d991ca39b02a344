// SPDX-License-Identifier: GPL-2.0-only
/* Verdicts on a terminal and in a pull request. */
#include <math.h>
#include <string.h>
#include "report/compare.h"
#include "report/parts.h"

static const enum text_style styles[GATE_VERDICTS] = {
	[GATE_WORSE] = STYLE_BAD,  [GATE_INVALID] = STYLE_BAD, [GATE_INCOMPARABLE] = STYLE_BAD,
	[GATE_NOISY] = STYLE_WARN, [GATE_SAME] = STYLE_PLAIN,  [GATE_BETTER] = STYLE_GOOD,
};

/* "-5 %", "+10 %" or both. */
static void add_margin(struct strbuf *sb, const struct gate_rule *rule)
{
	if (rule->has_max_drop)
		strbuf_printf(sb, "-%.3g %%", 100 * rule->max_drop_ratio);
	if (rule->has_max_rise)
		strbuf_printf(sb, "%s+%.3g %%", rule->has_max_drop ? " " : "",
			      100 * rule->max_rise_ratio);
}

static bool is_judged(const struct gate_item *item)
{
	return item->test.change.state == COMPARE_DONE;
}

static void add_change(struct strbuf *sb, const struct gate_item *item, const struct text_out *to)
{
	const struct compare_change *change = &item->test.change;
	char number[TEXT_NUMBER_SIZE];

	if (is_judged(item))
		strbuf_puts(sb,
			    report_change(to, number, &item->test.metric, change, change->change));
}

static void add_interval(struct strbuf *sb, const struct gate_item *item, const struct text_out *to)
{
	const struct compare_change *change = &item->test.change;
	char interval[REPORT_INTERVAL_SIZE];

	if (is_judged(item) && !change->constant)
		strbuf_puts(sb, report_interval(to, interval, &item->test.metric, change));
}

static void add_detectable(struct strbuf *sb, const struct gate_item *item)
{
	if (!is_judged(item))
		return;
	if (item->test.detectable_ratio < 0)
		strbuf_puts(sb, "none");
	else
		strbuf_printf(sb, "%.*f %%", item->test.detectable_ratio < 0.1 ? 1 : 0,
			      100 * item->test.detectable_ratio);
}

static void add_p(struct strbuf *sb, const struct gate_item *item)
{
	char p[TEXT_NUMBER_SIZE];

	if (is_judged(item) && !item->test.change.constant)
		strbuf_puts(sb, report_p(p, item->test.p_adjusted));
}

/* Columns behind the cell's names, as text. */
enum column {
	COLUMN_METRIC,
	COLUMN_VERDICT,
	COLUMN_CHANGE,
	COLUMN_INTERVAL,
	COLUMN_MARGIN,
	COLUMN_DETECTS,
	COLUMN_P,
	COLUMN_N,
	COLUMNS,
};
static const char *const heads[COLUMNS] = {"metric", "verdict", "change", "interval",
					   "margin", "detects", "p",	  "n"};

static void add_column(struct strbuf *sb, const struct gate_item *item, enum column column,
		       const struct text_out *to)
{
	strbuf_reset(sb);
	switch (column) {
	case COLUMN_METRIC:
		strbuf_puts(sb, item->row->metric_name);
		break;
	case COLUMN_VERDICT:
		strbuf_puts(sb, gate_verdict_names[item->test.verdict]);
		break;
	case COLUMN_CHANGE:
		add_change(sb, item, to);
		break;
	case COLUMN_INTERVAL:
		add_interval(sb, item, to);
		break;
	case COLUMN_MARGIN:
		add_margin(sb, item->test.rule);
		break;
	case COLUMN_DETECTS:
		add_detectable(sb, item);
		break;
	case COLUMN_P:
		add_p(sb, item);
		break;
	default:
		strbuf_printf(sb, "%zu+%zu", item->test.n_a, item->test.n_b);
	}
}

/* What is the same in every row is said once, above the table: its metric, margin, number of repetitions. */
static bool is_common(const struct gate *g, enum column column, const struct text_out *to)
{
	AB_STRBUF struct strbuf first = {0}, other = {0};

	if (column != COLUMN_METRIC && column != COLUMN_MARGIN && column != COLUMN_N)
		return false;
	for (size_t i = 0; i < g->item_count; i++) {
		add_column(i ? &other : &first, &g->items[i], column, to);
		if (i && strcmp(strbuf_str(&first), strbuf_str(&other)) != 0)
			return false;
	}
	return g->item_count;
}

/* Fills @shown with the columns of the table, their number returned; prints the others. */
static size_t print_common(const struct gate *g, enum column shown[COLUMNS],
			   const struct text_out *to)
{
	AB_STRBUF struct strbuf line = {0}, value = {0};
	size_t count = 0;

	for (int k = 0; k < COLUMNS; k++) {
		if (!is_common(g, (enum column)k, to)) {
			shown[count++] = (enum column)k;
			continue;
		}
		add_column(&value, &g->items[0], (enum column)k, to);
		strbuf_printf(&line, "%s%s %s", line.len ? ", " : "", heads[k], strbuf_str(&value));
	}
	if (line.len)
		text_line(to, STYLE_HEAD, 2, "%s", strbuf_str(&line));
	return count;
}

static void put_row(struct grid *grid, const struct gate_item *item, const enum column *shown,
		    size_t count, const struct text_out *to)
{
	const struct compare_key *key = &item->row->key;
	AB_STRBUF struct strbuf sb = {0};
	char cluster[TEXT_NUMBER_SIZE];

	grid_row(grid);
	grid_put(grid, 0, GRID_LEFT, STYLE_PLAIN, "%s", key->workload);
	grid_put(grid, 1, GRID_RIGHT, STYLE_PLAIN, "%s",
		 report_cluster(cluster, key->cluster_bytes));
	grid_put(grid, 2, GRID_LEFT, STYLE_PLAIN, "%s", key->engine);
	for (size_t k = 0; k < count; k++) {
		add_column(&sb, item, shown[k], to);
		grid_put(grid, 3 + k, shown[k] <= COLUMN_VERDICT ? GRID_LEFT : GRID_RIGHT,
			 shown[k] == COLUMN_VERDICT ? styles[item->test.verdict] : STYLE_PLAIN,
			 "%s", strbuf_str(&sb));
	}
}

static void print_table(const struct gate *g, const struct text_out *to)
{
	enum column shown[COLUMNS];
	size_t count = print_common(g, shown, to);
	AB_GRID struct grid grid = {0};

	grid_init(&grid, 3 + count, 3);
	grid_row(&grid);
	grid_put(&grid, 0, GRID_LEFT, STYLE_HEAD, "workload");
	grid_put(&grid, 1, GRID_RIGHT, STYLE_HEAD, "cluster");
	grid_put(&grid, 2, GRID_LEFT, STYLE_HEAD, "engine");
	for (size_t k = 0; k < count; k++)
		grid_put(&grid, 3 + k, shown[k] <= COLUMN_VERDICT ? GRID_LEFT : GRID_RIGHT,
			 STYLE_HEAD, "%s", heads[shown[k]]);
	for (size_t i = 0; i < g->item_count; i++)
		put_row(&grid, &g->items[i], shown, count, to);
	grid_print(&grid, to);
}

static void add_counts(const struct gate *g, struct strbuf *sb)
{
	strbuf_printf(sb, "%zu test%s", g->item_count, g->item_count == 1 ? "" : "s");
	for (int v = 0; v < GATE_VERDICTS; v++)
		if (g->counts[v])
			strbuf_printf(sb, ", %zu %s", g->counts[v], gate_verdict_names[v]);
}

static void print_reasons(const struct gate *g, const struct text_out *to)
{
	const char *last = "";

	for (size_t i = 0; i < g->item_count; i++) {
		const struct gate_item *item = &g->items[i];
		char cluster[TEXT_NUMBER_SIZE];

		if (!item->why[0] || !strcmp(item->why, last))
			continue;
		last = item->why;
		text_line(to, STYLE_WARN, 2, "%s %s %s %s: %s: %s", item->row->key.workload,
			  report_cluster(cluster, item->row->key.cluster_bytes),
			  item->row->key.engine, item->row->metric_name,
			  gate_verdict_names[item->test.verdict], item->why);
	}
	if (g->both_skipped)
		text_line(to, STYLE_WARN, 2,
			  "%zu tests left out: their cells could not run on either side's host",
			  g->both_skipped);
}

void report_gate_text(const struct gate *g, const struct text_out *to)
{
	AB_STRBUF struct strbuf counts = {0};

	report_sides(&g->comparison, to);
	strbuf_putc(to->sb, '\n');
	print_table(g, to);
	strbuf_putc(to->sb, '\n');
	print_reasons(g, to);
	add_counts(g, &counts);
	text_line(to, g->counts[GATE_WORSE] ? STYLE_BAD : STYLE_HEAD, 2, "%s", strbuf_str(&counts));
	text_line(
		to, STYLE_FAINT, 2,
		"change: Hodges-Lehmann with its one-sided %.3g %% interval at each end; p: of a "
		"change within the margin, Mann-Whitney, by Holm over %zu tests, worse up to %.3g; "
		"detects: the loss beyond the margin that %.0f of 100 such runs would find",
		100 * (1 - g->alpha), g->judged, g->alpha, 100 * GATE_POWER);
}

void report_gate_markdown(const struct gate *g, const struct text_out *to, struct strbuf *out)
{
	AB_STRBUF struct strbuf counts = {0};

	add_counts(g, &counts);
	strbuf_printf(out, "**%s**\n\n", strbuf_str(&counts));
	report_sides_markdown(&g->comparison, to, out);
	strbuf_puts(out, "\n| workload | cluster | engine |");
	for (size_t i = 0; i < COLUMNS; i++)
		strbuf_printf(out, " %s |", heads[i]);
	strbuf_puts(out, "\n| :-- | --: | :-- | :-- | :-- | --: | --: | --: | --: | --: | --: |\n");
	for (size_t i = 0; i < g->item_count; i++) {
		const struct compare_key *key = &g->items[i].row->key;
		AB_STRBUF struct strbuf line = {0}, cell = {0};
		char cluster[TEXT_NUMBER_SIZE];

		strbuf_putc(&line, '|');
		report_markdown_cell(&line, key->workload);
		report_markdown_cell(&line, report_cluster(cluster, key->cluster_bytes));
		report_markdown_cell(&line, key->engine);
		for (size_t k = 0; k < COLUMNS; k++) {
			add_column(&cell, &g->items[i], (enum column)k, to);
			report_markdown_cell(&line, strbuf_str(&cell));
		}
		if (out->len + line.len > REPORT_MARKDOWN_MAX - 100) {
			strbuf_printf(out, "\n%zu more rows: too many for one comment.\n",
				      g->item_count - i);
			return;
		}
		strbuf_puts(out, strbuf_str(&line));
		strbuf_putc(out, '\n');
	}
}

void report_self_test(const struct gate_self_test *t, bool passed, double alpha,
		      const struct text_out *to)
{
	text_line(to, STYLE_PLAIN, 2,
		  "nothing planted: the gate failed in %zu of %zu rounds (at most %.3g %% are "
		  "expected)",
		  t->quiet_failures, t->quiet_rounds, 100 * alpha);
	if (t->planted)
		text_line(to, STYLE_PLAIN, 2,
			  "a loss of the margin and the detectable change on top, planted in one "
			  "test at a time: %zu of %zu found (%.0f %% are expected)",
			  t->found, t->planted, 100 * GATE_POWER);
	if (t->blind)
		text_line(to, STYLE_BAD, 2,
			  "in %zu of %zu tests no loss could be found, whatever its size: %zu "
			  "repetitions are needed for a gate of so many tests",
			  t->blind, t->tests, gate_repetitions_needed(t->tests, alpha));
	if (!t->tests)
		text_line(to, STYLE_BAD, 2, "the base line has no cell on which it could be tried");
	text_line(to, passed ? STYLE_GOOD : STYLE_BAD, 2, "self-test %s",
		  passed ? "passed: this gate can fail, and does not cry wolf" : "failed");
}
