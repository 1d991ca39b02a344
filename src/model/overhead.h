/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracer's own cost, from control repetitions. */
#ifndef AB_MODEL_OVERHEAD_H
#define AB_MODEL_OVERHEAD_H

#include "model/result.h"

/*
 * Pairs every traced repetition with the untraced one of the same cell and number, and sets the overhead fields of @r->tracer:
 * the Hodges-Lehmann centre of the log ratios of their bandwidths, as a slowdown, with its Wilcoxon interval. Without a single
 * pair has_overhead stays false. -ENOMEM.
 */
int overhead_compute(struct result *r);

#endif
