// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module parameters: a table of ranges and of names, and one pair of operations for all.
 * /sys/module/acomp_sim/parameters/NAME refuses what is out of range; a change holds from the
 * next request on.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "acomp_sim.h"

struct sim_params sim_params = {
	.seed = 1,
	.engines = 2,
	.ring_depth = 256,
	.log_entries = 262144,
};

/* A number from @min to @max, or, where @names is set, one of @max names: its index is kept. */
struct sim_param {
	unsigned int *value;
	unsigned int min;
	unsigned int max;
	const char *const *names;
};

static int sim_param_set(const char *text, const struct kernel_param *kp)
{
	const struct sim_param *p = kp->arg;
	unsigned int value;
	int ret;

	if (p->names) {
		ret = __sysfs_match_string(p->names, p->max, text);
		if (ret < 0)
			return ret;
		value = ret;
	} else {
		ret = kstrtouint(text, 0, &value);
		if (ret)
			return ret;
		if (value < p->min || value > p->max)
			return -ERANGE;
	}
	WRITE_ONCE(*p->value, value);
	sim_engine_kick();
	return 0;
}

static int sim_param_get(char *buf, const struct kernel_param *kp)
{
	const struct sim_param *p = kp->arg;
	unsigned int value = READ_ONCE(*p->value);

	return p->names ? sysfs_emit(buf, "%s\n", p->names[value]) : sysfs_emit(buf, "%u\n", value);
}

static const struct kernel_param_ops sim_param_ops = {
	.set = sim_param_set,
	.get = sim_param_get,
};

#define SIM_PARAM(name, mode, desc)                                     \
	module_param_cb(name, &sim_param_ops, &sim_param_##name, mode); \
	MODULE_PARM_DESC(name, desc)

#define SIM_NUMBER(name, lo, hi, mode, desc)                                   \
	static struct sim_param sim_param_##name = {.value = &sim_params.name, \
						    .min = lo,                 \
						    .max = hi};                \
	SIM_PARAM(name, mode, desc)

#define SIM_CHOICE(name, list, desc)                                           \
	static struct sim_param sim_param_##name = {.value = &sim_params.name, \
						    .max = ARRAY_SIZE(list),   \
						    .names = list};            \
	SIM_PARAM(name, 0644, desc)

#define SIM_EVERY(name, desc) SIM_NUMBER(name, 0, UINT_MAX, 0644, "every n-th request " desc)

/* In the order of their enums. */
static const char *const sim_completions[] = {"workqueue", "softirq"};
static const char *const sim_spreads[] = {"uniform", "lognormal"};
static const char *const sim_early_cpus[] = {"same", "other"};
static const char *const sim_delay_modes[] = {"busy", "sleep"};
static const char *const sim_delay_wheres[] = {"before", "after"};

static const char *const sim_errors[] = {"EIO",	   "EBADMSG", "E2BIG",	   "EINVAL",
					 "ENOSPC", "ENOMEM",  "ETIMEDOUT", "EOVERFLOW"};
static const int sim_error_codes[] = {-EIO,    -EBADMSG, -E2BIG,     -EINVAL,
				      -ENOSPC, -ENOMEM,	 -ETIMEDOUT, -EOVERFLOW};
static_assert(ARRAY_SIZE(sim_errors) == ARRAY_SIZE(sim_error_codes));

int sim_error_status(void)
{
	return sim_error_codes[READ_ONCE(sim_params.error_status)];
}

SIM_NUMBER(log_entries, 1, 1U << 24, 0444, "rows of the log, fixed at load (default 262144)");
SIM_NUMBER(seed, 0, UINT_MAX, 0644, "seed of the service times' spread (default 1)");

SIM_NUMBER(service_ns, 0, SIM_MAX_DELAY_NS, 0644, "service time, whatever the size (ns)");
SIM_NUMBER(ns_per_kib, 0, 1000000, 0644, "service time per KiB of uncompressed data (ns)");
SIM_NUMBER(spread_pct, 0, 100, 0644, "spread of the service time in % (0: none)");
SIM_CHOICE(spread_kind, sim_spreads, "uniform: +- spread_pct; lognormal: sigma of the exponent");
SIM_NUMBER(engines, 1, SIM_MAX_ENGINES, 0644, "requests served in parallel, 1..16 (default 2)");
SIM_CHOICE(completion, sim_completions, "context of the callbacks: workqueue or softirq");
SIM_NUMBER(ring_depth, 1, 65536, 0644, "requests in ring and engines (default 256)");
SIM_NUMBER(hold, 0, 1, 0644, "1: engines take no new request");

SIM_NUMBER(submit_delay_ns, 0, SIM_MAX_DELAY_NS, 0644, "delay inside the driver's submit (ns)");
SIM_CHOICE(submit_delay_mode, sim_delay_modes, "busy (10 ms at most) or sleep");
SIM_CHOICE(submit_delay_where, sim_delay_wheres, "before or after the request enters the ring");

SIM_EVERY(sync_every, "completes at once: return value 0");
SIM_EVERY(sync_error_every, "fails at once with error_status");
SIM_EVERY(fallback_every, "is passed on, nested, to the synchronous transform");
SIM_EVERY(early_every, "has its final callback called before the submit returns");
SIM_CHOICE(early_cpu, sim_early_cpus, "same: in the submitter; other: on another CPU");
SIM_EVERY(error_every, "ends with error_status in its final callback");
SIM_CHOICE(error_status, sim_errors,
	   "EIO EBADMSG E2BIG EINVAL ENOSPC ENOMEM ETIMEDOUT EOVERFLOW (default EIO)");
SIM_EVERY(dup_every, "has its final callback called twice");
SIM_NUMBER(late_every, 0, UINT_MAX, 0644,
	   "every n-th backlogged request is notified after its final callback");
SIM_NUMBER(late_delay_ns, 0, SIM_MAX_BUSY_NS, 0644, "time between the two (ns)");
SIM_EVERY(lost_every, "is never completed, until control is told release_lost");
