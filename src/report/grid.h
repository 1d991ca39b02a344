/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of text: columns as wide as their widest cell, cut into several tables where a line
 * cannot hold all columns.
 */
#ifndef AB_REPORT_GRID_H
#define AB_REPORT_GRID_H

#include <stddef.h>
#include "report/text.h"

enum grid_align { GRID_LEFT, GRID_RIGHT, GRID_CENTER };

struct grid_cell {
	char *text; /* NULL: empty */
	enum grid_align align;
	enum text_style style;
	size_t span; /* columns that it covers; 0: none, an empty cell */
};

struct grid_column {
	unsigned int gap; /* blanks before it; 1: belongs to the column before, never cut apart */
	bool group;	  /* a group of columns begins here, kept on one line if possible */
};

struct grid {
	size_t cols;
	size_t keys; /* leading columns, repeated in every part */
	size_t rows;
	struct grid_column *columns;
	struct grid_cell *cells; /* rows * cols */
	bool failed;		 /* no memory; printing does nothing */
};

#define GRID_GAP       2
#define GRID_GROUP_GAP 3

/* @cols columns of which the first @keys name the row. Freed by grid_free(), on failure too. */
void grid_init(struct grid *g, size_t cols, size_t keys);
void grid_free(struct grid *g);
#define AB_GRID AB_CLEANUP(grid_free)

/* Begins a group of columns at @col. */
void grid_group(struct grid *g, size_t col);
/* Puts @col close behind the one before it, as part of the same value. */
void grid_join(struct grid *g, size_t col);

/* Begins the next row. */
void grid_row(struct grid *g);
/* Fills a cell of the last row; the text is cleaned. Nothing happens beyond the last column. */
void grid_put(struct grid *g, size_t col, enum grid_align align, enum text_style style,
	      const char *fmt, ...) AB_PRINTF(5, 6);
/* A heading over @span columns. */
void grid_head(struct grid *g, size_t col, size_t span, enum grid_align align, const char *fmt, ...)
	AB_PRINTF(5, 6);

void grid_print(const struct grid *g, const struct text_out *to);

#endif
