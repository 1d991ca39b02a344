/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine's CPU time, from /proc/stat (resolution: one clock tick per CPU). */
#ifndef AB_RUN_CPU_STAT_H
#define AB_RUN_CPU_STAT_H

#include <stdint.h>
#include "model/result.h"

struct cpu_stat {
	uint64_t busy_ns, irq_ns, steal_ns, idle_ns;
};

/* -errno when /proc/stat cannot be read or understood. */
int cpu_stat_read(struct cpu_stat *now);
/* Parses the text of /proc/stat. */
int cpu_stat_parse(const char *text, long ticks_per_s, struct cpu_stat *out);
/* Fills the machine_* fields of @cpu with what passed between the two readings. */
void cpu_stat_between(const struct cpu_stat *before, const struct cpu_stat *after,
		      struct result_cpu *cpu);

#endif
