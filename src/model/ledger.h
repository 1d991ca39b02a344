/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger checks: what a cell's numbers must say of each other. validity.c runs them. */
#ifndef AB_MODEL_LEDGER_H
#define AB_MODEL_LEDGER_H

#include "model/result.h"
#include "model/targets.h"

/* Everything a check looks at. */
struct ledger {
	const struct result *result;
	const struct result_cell *cell;
	const struct engine_info *engine;
	uint64_t fio_bytes;  /* of traced repetitions */
	uint64_t disk_bytes; /* of traced repetitions */
	bool has_disk;
	uint64_t in_bytes, out_bytes; /* of all requests */
	uint64_t requests;
};

enum outcome { CHECK_OK, CHECK_BAD, CHECK_NOT_APPLICABLE };

struct ledger_check {
	const char *name;
	bool traced; /* needs what the tracer saw */
	enum outcome (*judge)(const struct ledger *l, struct result_check *c);
};

/* Integrity first: wrong data makes every other number pointless. */
extern const struct ledger_check ledger_checks[];
extern const size_t ledger_check_count;

/* Tells what a check found: @outcome, with the numbers in c->detail. */
enum outcome ledger_say(struct result_check *c, enum outcome outcome, const char *fmt, ...)
	AB_PRINTF(3, 4);

#endif
