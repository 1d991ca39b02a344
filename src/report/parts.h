/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the terminal report, in the order in which they are printed. For report/ only. */
#ifndef AB_REPORT_PARTS_H
#define AB_REPORT_PARTS_H

#include "report/aggregate.h"
#include "report/grid.h"
#include "report/table.h"

struct report {
	const struct result *r;
	const struct result *beside; /* NULL: none */
	struct axes axes;
	struct text_out to;
	char mark[64]; /* ", emulated, simulated accelerator" or ""; in the title of every table */
};

/* One line about the run, then everything that speaks against its numbers. */
void report_head(const struct report *rep);
void report_problems(const struct report *rep);
/* Speed by cluster size, engine and workload; what one engine wins over another. */
void report_speed(const struct report *rep);
void report_crossovers(const struct report *rep);
/* Where the time of a request went; who served requests; what it cost. */
int report_phases(const struct report *rep);
void report_requests(const struct report *rep);
void report_cost(const struct report *rep);
void report_images(const struct report *rep);
/* This result and another one side by side. */
void report_beside(const struct report *rep);
/* Checks that failed, anomalies, warnings. */
void report_notes(const struct report *rep);

/* "failed", "skipped"; of a cell that is not done: "unfinished" between its repetitions, else "not run". */
const char *report_status(const struct result_cell *cell);
/* "64 KiB"; "-" for 0, which stands for data without clusters. Returns @buf. */
const char *report_cluster(char buf[TEXT_NUMBER_SIZE], uint64_t bytes);
/* "seqread 64 KiB qat_deflate". */
void report_cell_name(struct strbuf *sb, const struct result_cell *cell);
/* Whether any cell has what the tracer saw. */
bool report_has_trace(const struct result *r);

/*
 * "qat_deflate beats deflate from 16 KiB on; ..." of one workload. False: not both engines were
 * measured, nothing is said.
 */
bool crossover_sentence(const struct result *r, const struct axes *axes, const char *workload,
			const char *a, const char *b, enum aggregate_metric metric,
			struct strbuf *out);
/*
 * Pairs of engines worth a sentence: every accelerated engine against every other; without one, all
 * against the first.
 */
typedef void crossover_visit(void *ctx, const char *workload, const char *a, const char *b);
void crossover_pairs(const struct result *r, const struct axes *axes, crossover_visit *visit,
		     void *ctx);

#endif
