// SPDX-License-Identifier: GPL-2.0-only
/* Images, failed checks, anomalies, warnings: what stands at the end. */
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "model/phase.h"
#include "report/parts.h"

void report_images(const struct report *rep)
{
	AB_GRID struct grid g = {0};
	char number[TEXT_NUMBER_SIZE];
	size_t rows = 0;

	grid_init(&g, 7, 2);
	grid_row(&g);
	grid_put(&g, 0, GRID_RIGHT, STYLE_HEAD, "cluster");
	grid_put(&g, 1, GRID_LEFT, STYLE_HEAD, "image");
	grid_put(&g, 2, GRID_RIGHT, STYLE_HEAD, "level");
	grid_put(&g, 3, GRID_RIGHT, STYLE_HEAD, "size");
	grid_put(&g, 4, GRID_RIGHT, STYLE_HEAD, "ratio");
	grid_put(&g, 5, GRID_RIGHT, STYLE_HEAD, "build");
	grid_put(&g, 6, GRID_LEFT, STYLE_HEAD, "verified through");
	for (size_t i = 0; i < rep->r->image_count; i++) {
		const struct result_image *image = &rep->r->images[i];
		AB_STRBUF struct strbuf verified = {0};

		if (!image->image_bytes)
			continue;
		for (size_t v = 0; v < image->verify_count; v++)
			strbuf_printf(&verified, "%s%s%s", v ? ", " : "", image->verifies[v].engine,
				      image->verifies[v].ok ? "" : " FAILED");
		grid_row(&g);
		grid_put(&g, 0, GRID_RIGHT, STYLE_PLAIN, "%s",
			 report_cluster(number, image->cluster_bytes));
		grid_put(&g, 1, GRID_LEFT, STYLE_PLAIN, "%s", image->algorithm);
		if (image->has_level)
			grid_put(&g, 2, GRID_RIGHT, STYLE_PLAIN, "%d", image->level);
		else
			grid_put(&g, 2, GRID_RIGHT, STYLE_PLAIN, "-");
		grid_put(&g, 3, GRID_RIGHT, STYLE_PLAIN, "%s",
			 text_bytes(&rep->to, number, (double)image->image_bytes));
		grid_put(&g, 4, GRID_RIGHT, STYLE_PLAIN, "%s",
			 image->ratio > 0 ? text_number(number, image->ratio) : "-");
		grid_put(&g, 5, GRID_RIGHT, STYLE_PLAIN, "%s",
			 image->build_ns ? text_ns(&rep->to, number, (double)image->build_ns)
					 : "-");
		grid_put(&g, 6, GRID_LEFT, STYLE_PLAIN, "%s",
			 verified.len ? strbuf_str(&verified) : "-");
		rows++;
	}
	if (!rows)
		return;
	strbuf_putc(rep->to.sb, '\n');
	text_line(&rep->to, STYLE_HEAD, 2, "images");
	grid_print(&g, &rep->to);
}

static void note(const struct report *rep, bool *any, const char *text)
{
	if (!*any) {
		strbuf_putc(rep->to.sb, '\n');
		text_line(&rep->to, STYLE_HEAD, 2, "notes");
	}
	*any = true;
	text_line(&rep->to, STYLE_WARN, 4, "  %s", text);
}

static void note_cell(const struct report *rep, const struct result_cell *cell, bool *any)
{
	for (size_t i = 0; i < cell->check_count; i++) {
		AB_STRBUF struct strbuf sb = {0};

		if (cell->checks[i].ok || !cell->checks[i].applicable)
			continue;
		report_cell_name(&sb, cell);
		strbuf_printf(&sb, ": check %s failed: %s", cell->checks[i].name,
			      cell->checks[i].detail);
		note(rep, any, strbuf_str(&sb));
	}
	for (int i = 0; i < AB_COUNTERS && cell->trace.present; i++) {
		AB_STRBUF struct strbuf sb = {0};
		char count[TEXT_NUMBER_SIZE];

		if (!cell->trace.counters[i] || counter_table[i].kind == COUNTER_FACT)
			continue;
		report_cell_name(&sb, cell);
		strbuf_printf(&sb, ": %s %s: %s", counter_table[i].name,
			      units_count(count, sizeof(count), cell->trace.counters[i]),
			      counter_table[i].meaning);
		note(rep, any, strbuf_str(&sb));
	}
}

void report_notes(const struct report *rep)
{
	bool any = false;

	for (size_t i = 0; i < rep->r->cell_count; i++)
		note_cell(rep, &rep->r->cells[i], &any);
	for (size_t i = 0; i < rep->r->warnings.count; i++)
		note(rep, &any, rep->r->warnings.items[i]);
	if (rep->r->id[0]) {
		strbuf_putc(rep->to.sb, '\n');
		text_line(&rep->to, STYLE_FAINT, 2, "result %s", rep->r->id);
	}
}
