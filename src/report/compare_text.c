// SPDX-License-Identifier: GPL-2.0-only
/* The comparison on a terminal: a table per metric, sides across; or one axis across, changes in it. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/compare.h"
#include "report/parts.h"

#define MIB 1048576.0

/* Columns of a side but the first: value, change, interval, p, n. The last is left out where n is the same everywhere. */
#define PER_SIDE 5

static enum text_style style_of(const struct compare_row *row, const struct compare_change *change,
				double confidence)
{
	static const enum text_style styles[] = {STYLE_BAD, STYLE_PLAIN, STYLE_GOOD};

	return styles[1 + compare_sense(change, &row->metric, confidence)];
}

static void put_key(struct grid *g, size_t col, const struct compare_row *row,
		    enum compare_axis axis)
{
	char cluster[TEXT_NUMBER_SIZE];

	if (axis == AXIS_WORKLOAD)
		grid_put(g, col, GRID_LEFT, STYLE_PLAIN, "%s", row->key.workload);
	else if (axis == AXIS_ENGINE)
		grid_put(g, col, GRID_LEFT, STYLE_PLAIN, "%s", row->key.engine);
	else
		grid_put(g, col, GRID_RIGHT, STYLE_PLAIN, "%s",
			 report_cluster(cluster, row->key.cluster_bytes));
}

/* A unit that is the same in every row need not stand in each. */
static bool unit_in_title(const struct metric *m, const struct text_out *to)
{
	return m->unit == METRIC_BYTES_PER_S && !to->raw;
}

static void put_value(struct grid *g, size_t col, const struct compare_row *row,
		      const struct compare_values *v, const struct text_out *to)
{
	char number[TEXT_NUMBER_SIZE];

	if (!v->of.n)
		grid_put(g, col, GRID_RIGHT, STYLE_FAINT, "-");
	else if (unit_in_title(&row->metric, to))
		grid_put(g, col, GRID_RIGHT, STYLE_PLAIN, "%s",
			 text_number(number, v->summary.median / MIB));
	else
		grid_put(g, col, GRID_RIGHT, STYLE_PLAIN, "%s",
			 report_value(to, number, &row->metric, v->summary.median));
}

static void put_interval(struct grid *g, size_t col, const struct compare_row *row,
			 const struct compare_change *change, const struct text_out *to)
{
	char interval[REPORT_INTERVAL_SIZE];

	if (!change->constant)
		grid_put(g, col, GRID_RIGHT, STYLE_FAINT, "%s",
			 report_interval(to, interval, &row->metric, change));
}

static void put_change(struct grid *g, size_t col, const struct compare_row *row,
		       const struct compare_change *change, double confidence,
		       const struct text_out *to)
{
	char number[TEXT_NUMBER_SIZE];

	if (change->state != COMPARE_DONE)
		grid_put(g, col, GRID_RIGHT, STYLE_WARN, "%s", compare_state_names[change->state]);
	else if (compare_changed(change, confidence))
		grid_put(g, col, GRID_RIGHT, style_of(row, change, confidence), "%s",
			 report_change(to, number, &row->metric, change, change->change));
	else
		grid_put(g, col, GRID_RIGHT, STYLE_PLAIN, "~");
}

static void put_side(struct grid *g, size_t col, const struct comparison *c,
		     const struct compare_row *row, size_t side, bool with_n,
		     const struct text_out *to)
{
	const struct compare_change *change = &row->changes[side];
	char number[TEXT_NUMBER_SIZE];

	put_value(g, col, row, &row->values[side], to);
	put_change(g, col + 1, row, change, c->opts.confidence, to);
	if (change->state != COMPARE_DONE)
		return;
	put_interval(g, col + 2, row, change, to);
	if (!change->constant)
		grid_put(g, col + 3, GRID_RIGHT, STYLE_FAINT, "%s", report_p(number, change->p));
	if (with_n)
		grid_put(g, col + 4, GRID_RIGHT, STYLE_FAINT, "%zu+%zu", row->values[0].of.n,
			 row->values[side].of.n);
}

static void put_heads(struct grid *g, const struct comparison *c, const struct compare_view *view,
		      size_t per_side)
{
	static const char *const heads[PER_SIDE] = {NULL, "change", "interval", "p", "n"};
	size_t col = 0;

	grid_row(g);
	for (size_t i = 0; i < COMPARE_AXES; i++, col++)
		grid_put(g, col, view->order.axes[i] == AXIS_CLUSTER ? GRID_RIGHT : GRID_LEFT,
			 STYLE_HEAD, "%s", compare_axis_names[view->order.axes[i]]);
	grid_put(g, col++, GRID_RIGHT, STYLE_HEAD, "A");
	for (size_t side = 1; side < c->side_count; side++) {
		if (side > 1)
			grid_group(g, col);
		for (size_t i = 0; i < per_side; i++, col++)
			grid_put(g, col, GRID_RIGHT, STYLE_HEAD, "%.*s", heads[i] ? 12 : 1,
				 heads[i] ? heads[i] : (char[]){(char)('A' + side % 26), '\0'});
	}
}

/* The geometric mean of all ratios: one number for a whole table, of cells that were compared. */
static void put_mean(struct grid *g, const struct comparison *c, size_t first, size_t end,
		     size_t per_side, const struct text_out *to)
{
	char number[TEXT_NUMBER_SIZE];

	grid_row(g);
	grid_head(g, 0, COMPARE_AXES, GRID_LEFT, "geometric mean");
	for (size_t side = 1; side < c->side_count; side++) {
		struct compare_change mean = {.relative = true};
		double sum = 0;
		size_t n = 0;

		for (size_t i = first; i < end; i++) {
			const struct compare_change *change = &c->rows[i].changes[side];

			if (change->state == COMPARE_DONE && change->relative) {
				sum += log1p(change->change);
				n++;
			}
		}
		if (n)
			grid_put(g, COMPARE_AXES + 1 + (side - 1) * per_side + 1, GRID_RIGHT,
				 STYLE_FAINT, "%s",
				 report_change(to, number, &c->rows[first].metric, &mean,
					       expm1(sum / (double)n)));
	}
}

static size_t metric_end(const struct comparison *c, size_t first)
{
	size_t end = first;

	while (end < c->row_count && !strcmp(c->rows[end].metric_name, c->rows[first].metric_name))
		end++;
	return end;
}

static const char *better(const struct metric *m)
{
	return m->sense == METRIC_HIGHER_IS_BETTER  ? ", higher is better"
	       : m->sense == METRIC_LOWER_IS_BETTER ? ", lower is better"
						    : "";
}

/* Values of each side in every row of a metric that has any, 0: not the same everywhere. */
static size_t common_n(const struct comparison *c, size_t first, size_t end)
{
	size_t n = 0;

	for (size_t i = first; i < end; i++) {
		for (size_t side = 0; side < c->side_count; side++) {
			size_t here = c->rows[i].values[side].of.n;

			if (here && n && here != n)
				return 0;
			n = here ? here : n;
		}
	}
	return n;
}

/* @n: see common_n(). */
static void print_title(const struct comparison *c, size_t first, size_t n,
			const struct text_out *to)
{
	const struct compare_row *row = &c->rows[first];
	char each[32] = "";

	strbuf_putc(to->sb, '\n');
	if (row->metric.info && row->metric.info->constant) {
		text_line(to, STYLE_HEAD, 2, "%s%s: of the images, the same in every repetition",
			  row->metric_name, better(&row->metric));
		return;
	}
	if (n)
		snprintf(each, sizeof(each), " of %zu", n);
	text_line(to, STYLE_HEAD, 2, "%s%s%s: medians%s, and the change with its %.3g %% interval",
		  row->metric_name, unit_in_title(&row->metric, to) ? ", MiB/s" : "",
		  better(&row->metric), each, 100 * c->opts.confidence);
}

static void print_metric(const struct comparison *c, const struct compare_view *view, size_t first,
			 size_t end)
{
	size_t n = common_n(c, first, end), per_side = n ? PER_SIDE - 1 : PER_SIDE;
	size_t cols = COMPARE_AXES + 1 + (c->side_count - 1) * per_side;
	AB_GRID struct grid g = {0};

	print_title(c, first, n, &view->to);
	grid_init(&g, cols, COMPARE_AXES);
	put_heads(&g, c, view, per_side);
	for (size_t i = first; i < end; i++) {
		grid_row(&g);
		for (size_t k = 0; k < COMPARE_AXES; k++)
			put_key(&g, k, &c->rows[i], view->order.axes[k]);
		put_value(&g, COMPARE_AXES, &c->rows[i], &c->rows[i].values[0], &view->to);
		for (size_t side = 1; side < c->side_count; side++)
			put_side(&g, COMPARE_AXES + 1 + (side - 1) * per_side, c, &c->rows[i], side,
				 !n, &view->to);
	}
	if (end - first > 1)
		put_mean(&g, c, first, end, per_side, &view->to);
	grid_print(&g, &view->to);
}

/* One axis across */

/* The first row with the same place on the axis: it stands for its column. */
static size_t column_of(const struct comparison *c, size_t first, size_t row,
			enum compare_axis axis)
{
	size_t i = first;

	while (!compare_same(&c->rows[i], &c->rows[row], axis))
		i++;
	return i;
}

static size_t columns_before(const struct comparison *c, size_t first, size_t row,
			     enum compare_axis axis)
{
	size_t n = 0;

	for (size_t i = first; i < row; i++)
		n += column_of(c, first, i, axis) == i;
	return n;
}

static bool same_line(const struct compare_row *a, const struct compare_row *b,
		      enum compare_axis across)
{
	for (int axis = 0; axis < COMPARE_AXES; axis++)
		if (axis != (int)across && !compare_same(a, b, (enum compare_axis)axis))
			return false;
	return true;
}

static void print_across(const struct comparison *c, const struct compare_view *view, size_t first,
			 size_t end)
{
	enum compare_axis across = (enum compare_axis)view->column;
	size_t cols = COMPARE_AXES - 1 + columns_before(c, first, end, across), col = 0;
	AB_GRID struct grid g = {0};

	print_title(c, first, common_n(c, first, end), &view->to);
	grid_init(&g, cols, COMPARE_AXES - 1);
	grid_row(&g);
	for (size_t i = 0; i < COMPARE_AXES; i++)
		if (view->order.axes[i] != across)
			grid_put(&g, col++, GRID_LEFT, STYLE_HEAD, "%s",
				 compare_axis_names[view->order.axes[i]]);
	for (size_t i = first; i < end; i++)
		if (column_of(c, first, i, across) == i)
			put_key(&g, col++, &c->rows[i], across);
	for (size_t i = first; i < end; i++) {
		size_t line = first;

		while (!same_line(&c->rows[line], &c->rows[i], across))
			line++;
		if (line < i)
			continue;
		grid_row(&g);
		col = 0;
		for (size_t k = 0; k < COMPARE_AXES; k++)
			if (view->order.axes[k] != across)
				put_key(&g, col++, &c->rows[i], view->order.axes[k]);
		for (size_t k = i; k < end; k++)
			if (same_line(&c->rows[i], &c->rows[k], across))
				put_change(&g,
					   COMPARE_AXES - 1 +
						   columns_before(c, first,
								  column_of(c, first, k, across),
								  across),
					   &c->rows[k], &c->rows[k].changes[1], c->opts.confidence,
					   &view->to);
	}
	grid_print(&g, &view->to);
}

/* Why cells were not compared, each reason once. */
static void print_reasons(const struct comparison *c, const struct text_out *to)
{
	const char *last = "";

	for (size_t i = 0; i < c->row_count; i++) {
		for (size_t side = 1; side < c->side_count; side++) {
			const struct compare_change *change = &c->rows[i].changes[side];
			char cluster[TEXT_NUMBER_SIZE];

			if (change->state == COMPARE_DONE || !strcmp(change->why, last))
				continue;
			last = change->why;
			text_line(to, STYLE_WARN, 2, "%s %s %s: %s: %s", c->rows[i].key.workload,
				  report_cluster(cluster, c->rows[i].key.cluster_bytes),
				  c->rows[i].key.engine, compare_state_names[change->state],
				  change->why);
		}
	}
}

void report_compare_text(const struct comparison *c, const struct compare_view *view)
{
	size_t first, end;

	report_sides(c, &view->to);
	for (first = 0; first < c->row_count; first = end) {
		end = metric_end(c, first);
		if (view->column >= 0)
			print_across(c, view, first, end);
		else
			print_metric(c, view, first, end);
	}
	strbuf_putc(view->to.sb, '\n');
	print_reasons(c, &view->to);
	text_line(&view->to, STYLE_FAINT, 2,
		  "~: no change that could be told from noise (Mann-Whitney, p > %.3g); change: "
		  "Hodges-Lehmann, B against A",
		  1 - c->opts.confidence);
}
