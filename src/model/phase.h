/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and meanings of what the tracer measures: one row each, in report order. */
#ifndef AB_MODEL_PHASE_H
#define AB_MODEL_PHASE_H

#include "accelbench.h"

enum phase_kind {
	PHASE_PARTITION, /* adds up to the total */
	PHASE_TOTAL,
	PHASE_SPAN, /* beside the partition */
};

struct phase_info {
	const char *name;  /* JSON and command line: "setup" */
	const char *title; /* table head: "wake-up" */
	enum phase_kind kind;
	const char *meaning; /* one line for help and docs */
};

extern const struct phase_info phase_table[AB_PHASES];
extern const char *const algorithm_names[AB_ALGORITHMS]; /* "deflate" */
extern const char *const direction_names[2];		 /* "decompress" */

struct served_info {
	const char *name;    /* JSON: "partial_decode" */
	const char *meaning; /* for people */
};
extern const struct served_info served_table[AB_SERVED];

struct counter_info {
	const char *name; /* JSON */
	const char *meaning;
	enum {
		COUNTER_FACT,	 /* says what happened */
		COUNTER_ANOMALY, /* strange; shown when not 0 */
		COUNTER_LOSS,	 /* a number could be wrong: too many invalidate the cell */
	} kind;
};
extern const struct counter_info counter_table[AB_COUNTERS];

/* Index in phase_table, or -1. */
int phase_find(const char *name);

#endif
