/* SPDX-License-Identifier: GPL-2.0-only */
/* What happened between two readings of a tracer that goes on: one row per engine that served requests. */
#ifndef AB_MODEL_LIVE_H
#define AB_MODEL_LIVE_H

#include "model/derive.h"
#include "model/result.h"

struct live_row {
	char engine[RESULT_NAME_SIZE]; /* observed */
	char direction[16];
	uint64_t requests; /* that ended; 0: no request had this engine */
	/*
	 * Bytes are counted by who served a request, not by engine: known when one accelerator or one decoder of the file system accounts
	 * for all of them.
	 */
	struct figure in_bytes, out_bytes;
	struct result_hist hists[AB_PHASES]; /* min and max: bounds of buckets */
};

struct live {
	struct live_row *rows; /* the busiest first */
	size_t row_count;
	struct derive_coverage coverage;
	uint64_t requests, in_bytes, out_bytes; /* all engines, stored clusters included */
	uint64_t in_flight;			/* begun and not ended, as of now */
	uint64_t lost;				/* sum of the counters that are losses */
};

/* @before: an earlier reading of the same window, or an empty trace. -ENOMEM. */
int live_between(const struct result_trace *before, const struct result_trace *now,
		 struct live *out);
void live_free(struct live *l);

#endif
