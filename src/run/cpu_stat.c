// SPDX-License-Identifier: GPL-2.0-only
#include "run/cpu_stat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/fsutil.h"

int cpu_stat_parse(const char *text, long ticks_per_s, struct cpu_stat *out)
{
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal = 0, tick_ns;
	int n;

	if (ticks_per_s <= 0)
		return -EINVAL;
	/* guest and guest_nice, which may follow, are counted in user and nice already. */
	n = sscanf(text,
		   "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal);
	if (n < 7)
		return -EINVAL;
	tick_ns = 1000000000u / (uint64_t)ticks_per_s;
	out->busy_ns = (user + nice + system + irq + softirq) * tick_ns;
	out->irq_ns = (irq + softirq) * tick_ns;
	out->steal_ns = steal * tick_ns;
	out->idle_ns = (idle + iowait) * tick_ns;
	return 0;
}

int cpu_stat_read(struct cpu_stat *now)
{
	char line[512];
	int err = fs_read_line("/proc/stat", line, sizeof(line));

	return err ? err : cpu_stat_parse(line, sysconf(_SC_CLK_TCK), now);
}

static uint64_t difference(uint64_t after, uint64_t before)
{
	/* iowait may go backwards (proc(5)). */
	return after > before ? after - before : 0;
}

void cpu_stat_between(const struct cpu_stat *before, const struct cpu_stat *after,
		      struct result_cpu *cpu)
{
	cpu->has_machine = true;
	cpu->machine_busy_ns = difference(after->busy_ns, before->busy_ns);
	cpu->machine_irq_ns = difference(after->irq_ns, before->irq_ns);
	cpu->machine_steal_ns = difference(after->steal_ns, before->steal_ns);
	cpu->machine_idle_ns = difference(after->idle_ns, before->idle_ns);
}
