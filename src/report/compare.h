/* SPDX-License-Identifier: GPL-2.0-only */
/* Comparisons and verdicts as text, for terminals, pull requests and programs. */
#ifndef AB_REPORT_COMPARE_H
#define AB_REPORT_COMPARE_H

#include "model/compare_filter.h"
#include "model/gate.h"
#include "report/text.h"

struct compare_view {
	struct compare_order order;
	int column; /* enum compare_axis that is laid across, -1: none; the first two sides only */
	struct text_out to;
};

/* Tables to read: one per metric. */
void report_compare_text(const struct comparison *c, const struct compare_view *view);
/* RFC 4180, one line per cell, metric and side. */
void report_compare_csv(const struct comparison *c, struct strbuf *out);
void report_compare_json(const struct comparison *c, struct strbuf *out);
/* For a pull request: GitHub takes at most 65,536 characters; what does not fit is left out, and said so. */
#define REPORT_MARKDOWN_MAX 65000
void report_compare_markdown(const struct comparison *c, const struct compare_view *view,
			     struct strbuf *out);

/* Text that benchstat reads, a line per repetition: `benchstat -col side FILE`. */
void report_compare_benchstat(const struct comparison *c, struct strbuf *out);
/* JSON of github-action-benchmark's custom tools: medians of the last side. -EINVAL: metrics of both directions, or of none. */
int report_compare_action(const struct comparison *c, struct strbuf *out, struct diag *d);

void report_gate_text(const struct gate *g, const struct text_out *to);
void report_gate_csv(const struct gate *g, struct strbuf *out);
void report_gate_json(const struct gate *g, struct strbuf *out);
void report_gate_markdown(const struct gate *g, const struct text_out *to, struct strbuf *out);
/* A test case per test: worse is a failure, too noisy, incomparable and invalid are errors, a cell that could not run here is skipped. */
void report_gate_junit(const struct gate *g, struct strbuf *out);
/* OpenMetrics text, for a file that Prometheus' node_exporter picks up. */
void report_gate_openmetrics(const struct gate *g, struct strbuf *out);
void report_self_test(const struct gate_self_test *t, bool passed, double alpha,
		      const struct text_out *to);

/* For both kinds: */

/* The sides, what they differ in, what was accepted, what a reader must know about their hosts. */
void report_sides(const struct comparison *c, const struct text_out *to);
struct json_out;
/* The same as members of a JSON object, and as a block of Markdown. */
void report_sides_json(const struct comparison *c, struct json_out *j);
void report_sides_markdown(const struct comparison *c, const struct text_out *to,
			   struct strbuf *out);
/* " text |", with what is markup escaped. */
void report_markdown_cell(struct strbuf *out, const char *text);
/* A value of the metric with its unit: "88.1 MiB/s". */
const char *report_value(const struct text_out *to, char buf[TEXT_NUMBER_SIZE],
			 const struct metric *m, double value);
/* "-3.1 %", or with the metric's unit where the change is no ratio. */
const char *report_change(const struct text_out *to, char buf[TEXT_NUMBER_SIZE],
			  const struct metric *m, const struct compare_change *change,
			  double value);
/* "-3.1 .. +0.2 %"; "too few" where there is no interval. */
#define REPORT_INTERVAL_SIZE (2 * TEXT_NUMBER_SIZE + 8)
const char *report_interval(const struct text_out *to, char buf[REPORT_INTERVAL_SIZE],
			    const struct metric *m, const struct compare_change *change);
/* "0.008"; "<0.001" below. */
const char *report_p(char buf[TEXT_NUMBER_SIZE], double p);
/* One field of CSV, quoted where RFC 4180 wants it, with what spreadsheets would run disarmed. */
void report_csv_field(struct strbuf *out, const char *text, bool first);
/* A number, or nothing between its commas; with @kind a field before it says what it is. */
void report_csv_optional(struct strbuf *out, bool known, const char *kind, double value);

#endif
