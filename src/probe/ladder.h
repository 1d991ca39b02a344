/* SPDX-License-Identifier: GPL-2.0-only */
/* In which order the mechanisms are tried on this kernel (docs/adr/0004-mechanisms.md). */
#ifndef AB_PROBE_LADDER_H
#define AB_PROBE_LADDER_H

#include "probe/attach.h"
#include "probe/session.h"

/* Fills @order, best first; returns how many there are: one if a mechanism was asked for. */
size_t ladder_order(const struct btf_index *index, enum session_mechanism asked,
		    enum mechanism order[MECHANISMS]);

/* What /sys/kernel/debug/sched/preempt ("none voluntary (full) lazy") or `uname -v` says: are tasks preempted in the kernel? */
bool ladder_preempts(const char *text);

#endif
