// SPDX-License-Identifier: GPL-2.0-only
/* The terminal report: what it consists of, and names that its parts share. */
#include "report/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "report/parts.h"

#define DEFAULT_COLUMNS 100
#define MIN_COLUMNS	40

const char *report_cluster(char buf[TEXT_NUMBER_SIZE], uint64_t bytes)
{
	return bytes ? units_bytes(buf, TEXT_NUMBER_SIZE, bytes) : memcpy(buf, "-", 2);
}

const char *report_status(const struct result_cell *cell)
{
	if (cell->status == CELL_PENDING)
		return cell->sample_count ? "unfinished" : "not run";
	return cell_status_names[cell->status];
}

void report_cell_name(struct strbuf *sb, const struct result_cell *cell)
{
	char cluster[TEXT_NUMBER_SIZE];

	strbuf_printf(sb, "%s %s %s", cell->workload, report_cluster(cluster, cell->cluster_bytes),
		      cell->engine);
}

bool report_has_trace(const struct result *r)
{
	for (size_t i = 0; i < r->cell_count; i++)
		if (r->cells[i].trace.present)
			return true;
	return false;
}

static void set_mark(struct report *rep)
{
	const struct result_host *host = &rep->r->host;

	snprintf(rep->mark, sizeof(rep->mark), "%s%s%s", rep->r->reference ? ", as published" : "",
		 host->emulated ? ", emulated" : "",
		 strcmp(host->accelerator_kind, "simulated") ? "" : ", simulated accelerator");
}

int report_text(const struct result *r, const struct report_opts *opts, struct strbuf *out,
		struct diag *d)
{
	struct report rep = {.r = r, .beside = opts->beside};
	int err;

	rep.to = (struct text_out){.sb = out,
				   .color = opts->color,
				   .raw = opts->raw,
				   .columns = opts->columns};
	if (!rep.to.columns)
		rep.to.columns = DEFAULT_COLUMNS;
	if (rep.to.columns < MIN_COLUMNS)
		rep.to.columns = MIN_COLUMNS;
	err = axes_find(r, &rep.axes, d);
	if (err)
		return diag_prefix(d, err, "result %s", r->id);
	set_mark(&rep);
	report_head(&rep);
	report_problems(&rep);
	report_speed(&rep);
	report_crossovers(&rep);
	if (rep.beside)
		report_beside(&rep);
	err = report_phases(&rep);
	report_requests(&rep);
	report_cost(&rep);
	report_images(&rep);
	report_notes(&rep);
	if (err || out->failed)
		return diag_set(d, -ENOMEM, "no memory for the report of %s", r->id);
	return 0;
}
