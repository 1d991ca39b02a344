/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger checks of a cell and its verdict: pure functions of what was measured. docs/methodology.md explains each. */
#ifndef AB_MODEL_VALIDITY_H
#define AB_MODEL_VALIDITY_H

#include "model/derive.h"
#include "model/metrics.h"
#include "model/result.h"
#include "model/scenario.h"

/* Share of requests that may be lost, missed or out of order before a cell is invalid. */
#define VALIDITY_LOSS_TOLERANCE 0.001

/*
 * Fills checks, valid and invalid_reasons of the @index-th cell of @r; status and samples must be final. @s may be NULL (no
 * expectations). -ENOMEM.
 */
int validity_judge(struct result *r, size_t index, const struct scenario *s, struct diag *d);

/* Value of any metric that a rule can name, or why there is none. */
struct figure metric_value(const struct result *r, const struct result_cell *cell,
			   const struct metric *m);

#endif
