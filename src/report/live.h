/* SPDX-License-Identifier: GPL-2.0-only */
/* A live trace: a line per interval, file system and engine, and a summary. */
#ifndef AB_REPORT_LIVE_H
#define AB_REPORT_LIVE_H

#include "model/live.h"
#include "report/text.h"

/* What one interval, or with @summary all of them, had on one mount. */
struct live_interval {
	const char *mount;
	const char *filesystem;
	uint64_t ns;	   /* its length */
	uint64_t unix_ns;  /* its end, CLOCK_REALTIME */
	struct figure cpu; /* share of all processors that worked, by /proc/stat */
	const struct live *live;
	bool summary;
};

/* Heads of the columns; repeat them as often as a screen is long. @mounts: number of file systems. */
void report_live_head(const struct text_out *to, size_t mounts);
void report_live_text(const struct text_out *to, size_t mounts, const struct live_interval *i);
/* The tables of `report`'s phases need a cell; a summary is one line per engine and phase. */
void report_live_summary(const struct text_out *to, const struct live_interval *i);
/* JSON, one object a line: the interval, with its engines inside. */
void report_live_json(struct strbuf *out, const struct live_interval *i);

#endif
