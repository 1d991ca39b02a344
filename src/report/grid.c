// SPDX-License-Identifier: GPL-2.0-only
#include "report/grid.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"

void grid_init(struct grid *g, size_t cols, size_t keys)
{
	*g = (struct grid){.cols = cols, .keys = keys};
	g->columns = calloc(cols, sizeof(*g->columns));
	g->failed = !g->columns;
	for (size_t c = 0; c < cols && !g->failed; c++)
		g->columns[c].gap = c ? GRID_GAP : 0;
}

void grid_free(struct grid *g)
{
	for (size_t i = 0; i < g->rows * g->cols; i++)
		free(g->cells[i].text);
	free(g->cells);
	free(g->columns);
	*g = (struct grid){0};
}

void grid_group(struct grid *g, size_t col)
{
	if (!g->failed && col < g->cols)
		g->columns[col] = (struct grid_column){.gap = GRID_GROUP_GAP, .group = true};
}

void grid_join(struct grid *g, size_t col)
{
	if (!g->failed && col < g->cols)
		g->columns[col] = (struct grid_column){.gap = 1};
}

void grid_row(struct grid *g)
{
	struct grid_cell *cells;

	if (g->failed)
		return;
	cells = realloc(g->cells, (g->rows + 1) * g->cols * sizeof(*cells));
	if (!cells) {
		g->failed = true;
		return;
	}
	g->cells = cells;
	memset(cells + g->rows * g->cols, 0, g->cols * sizeof(*cells));
	g->rows++;
}

static void put(struct grid *g, size_t col, struct grid_cell cell, const char *fmt, va_list ap)
{
	AB_STRBUF struct strbuf raw = {0};
	struct strbuf clean = {0};
	struct grid_cell *at;

	if (g->failed || !g->rows || col + cell.span > g->cols)
		return;
	strbuf_vprintf(&raw, fmt, ap);
	utf8_add_clean(&clean, strbuf_str(&raw));
	at = &g->cells[(g->rows - 1) * g->cols + col];
	free(at->text);
	*at = cell;
	at->text = clean.data;
	g->failed = raw.failed || clean.failed;
}

void grid_put(struct grid *g, size_t col, enum grid_align align, enum text_style style,
	      const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put(g, col, (struct grid_cell){.align = align, .style = style, .span = 1}, fmt, ap);
	va_end(ap);
}

void grid_head(struct grid *g, size_t col, size_t span, enum grid_align align, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put(g, col, (struct grid_cell){.align = align, .style = STYLE_HEAD, .span = span}, fmt, ap);
	va_end(ap);
}

static size_t cell_width(const struct grid_cell *cell)
{
	return cell->text ? utf8_width(cell->text) : 0;
}

/* Blanks before a column; a joined one that is empty takes no room at all. */
static size_t gap_before(const struct grid *g, const size_t *widths, size_t col)
{
	return g->columns[col].gap == 1 && !widths[col] ? 0 : g->columns[col].gap;
}

/* Columns [from, to) side by side, without the gap before the first. */
static size_t range_width(const struct grid *g, const size_t *widths, size_t from, size_t to)
{
	size_t width = 0;

	for (size_t c = from; c < to; c++)
		width += widths[c] + (c > from ? gap_before(g, widths, c) : 0);
	return width;
}

static void measure(const struct grid *g, size_t *widths)
{
	memset(widths, 0, g->cols * sizeof(*widths));
	for (size_t i = 0; i < g->rows * g->cols; i++)
		if (g->cells[i].span == 1 && cell_width(&g->cells[i]) > widths[i % g->cols])
			widths[i % g->cols] = cell_width(&g->cells[i]);
	/* A heading wider than its columns: the last of them makes room. */
	for (size_t i = 0; i < g->rows * g->cols; i++) {
		size_t col = i % g->cols, end = col + g->cells[i].span, need, have;

		if (g->cells[i].span < 2)
			continue;
		need = cell_width(&g->cells[i]);
		have = range_width(g, widths, col, end);
		if (need > have)
			widths[end - 1] += need - have;
	}
}

/*
 * End of the part that begins at column @from: as many whole groups as fit; else as many columns;
 * at least one.
 */
static size_t part_end(const struct grid *g, const size_t *widths, size_t from,
		       unsigned int columns)
{
	size_t used = range_width(g, widths, 0, g->keys);
	size_t last_group = from, last_column = from;

	for (size_t c = from; c < g->cols; c++) {
		used += widths[c] + gap_before(g, widths, c);
		if (used > columns && last_column > from)
			return last_group > from ? last_group : last_column;
		if (c + 1 == g->cols || g->columns[c + 1].gap > 1)
			last_column = c + 1;
		if (c + 1 < g->cols && g->columns[c + 1].group)
			last_group = c + 1;
	}
	return g->cols;
}

static void print_cell(const struct grid_cell *cell, size_t width, const struct text_out *to)
{
	size_t room = width - (cell_width(cell) < width ? cell_width(cell) : width);
	size_t before = cell->align == GRID_RIGHT    ? room
			: cell->align == GRID_CENTER ? room / 2
						     : 0;

	strbuf_pad(to->sb, ' ', before);
	text_styled(to, cell->style, cell->text ? cell->text : "");
	strbuf_pad(to->sb, ' ', room - before);
}

/*
 * The cell at @col of a row, which may be a heading that began in an earlier column; @end receives
 * where it ends.
 */
static const struct grid_cell *covering(const struct grid *g, size_t row, size_t col, size_t *end)
{
	const struct grid_cell *cells = &g->cells[row * g->cols];

	for (size_t c = col + 1; c-- > 0;) {
		if (cells[c].span && c + cells[c].span > col) {
			*end = c + cells[c].span;
			return &cells[c];
		}
	}
	*end = col + 1;
	return &cells[col];
}

static void print_range(const struct grid *g, const size_t *widths, size_t row, size_t from,
			size_t to_col, const struct text_out *to)
{
	size_t end;

	for (size_t c = from; c < to_col; c = end) {
		const struct grid_cell *cell = covering(g, row, c, &end);

		if (end > to_col)
			end = to_col;
		strbuf_pad(to->sb, ' ', gap_before(g, widths, c));
		print_cell(cell, range_width(g, widths, c, end), to);
	}
}

/* Whether a row has anything to say in a further part of the table. */
static bool row_is_empty(const struct grid *g, size_t row, size_t from, size_t to_col)
{
	size_t end;

	for (size_t c = from; c < to_col; c = end)
		if (covering(g, row, c, &end)->text)
			return false;
	return true;
}

static void end_line(struct strbuf *sb)
{
	while (sb->len && sb->data[sb->len - 1] == ' ')
		sb->data[--sb->len] = '\0';
	strbuf_putc(sb, '\n');
}

void grid_print(const struct grid *g, const struct text_out *to)
{
	AB_FREE size_t *widths = calloc(g->cols + 1, sizeof(*widths));
	size_t end;

	if (!widths || g->failed) {
		to->sb->failed = true;
		return;
	}
	measure(g, widths);
	for (size_t from = g->keys; from < g->cols; from = end) {
		end = part_end(g, widths, from, to->columns);
		if (from > g->keys)
			strbuf_putc(to->sb, '\n');
		for (size_t row = 0; row < g->rows; row++) {
			if (from > g->keys && row_is_empty(g, row, from, end))
				continue;
			print_range(g, widths, row, 0, g->keys, to);
			print_range(g, widths, row, from, end, to);
			end_line(to->sb);
		}
	}
}
