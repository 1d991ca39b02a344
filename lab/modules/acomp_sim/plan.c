// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is to happen to a request, decided by its number alone: the same numbers meet the same
 * faults and the same service times in every run, whatever the order in which engines work.
 */
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "acomp_sim.h"

/* Set once, after the self-test. */
static bool sim_is_armed;

void sim_arm(void)
{
	WRITE_ONCE(sim_is_armed, true);
}

bool sim_armed(void)
{
	return READ_ONCE(sim_is_armed);
}

static bool sim_hits(u64 seq, const unsigned int *every)
{
	unsigned int n = READ_ONCE(*every);
	u32 rest;

	if (!n)
		return false;
	div_u64_rem(seq, n, &rest);
	return !rest;
}

/* The finaliser of splitmix64: every bit of the input reaches every bit of the output. */
static u64 sim_mix(u64 x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static u64 sim_random(u64 seq)
{
	return sim_mix((u64)READ_ONCE(sim_params.seed) << 32 ^ (seq + 1) * 0x9e3779b97f4a7c15ULL);
}

struct sim_plan sim_plan_make(u64 seq)
{
	const struct sim_params *p = &sim_params;
	struct sim_plan plan = {.path = SIM_PATH_ENGINE, .random = sim_random(seq)};

	if (!sim_armed())
		return plan;

	/* One path per request; where two are due, the first of these wins. */
	if (sim_hits(seq, &p->sync_error_every))
		plan.path = SIM_PATH_SYNC_ERROR;
	else if (sim_hits(seq, &p->sync_every))
		plan.path = SIM_PATH_SYNC;
	else if (sim_hits(seq, &p->fallback_every))
		plan.path = SIM_PATH_FALLBACK;
	else if (sim_hits(seq, &p->early_every))
		plan.path = SIM_PATH_EARLY;

	switch (plan.path) {
	case SIM_PATH_SYNC_ERROR:
		plan.error = sim_error_status();
		break;
	case SIM_PATH_ENGINE:
		plan.lost = sim_hits(seq, &p->lost_every);
		/* A lost one is completed on demand, once. */
		plan.dup = !plan.lost && sim_hits(seq, &p->dup_every);
		fallthrough;
	case SIM_PATH_EARLY:
		if (sim_hits(seq, &p->error_every))
			plan.error = sim_error_status();
		break;
	default:
		break;
	}
	return plan;
}

bool sim_plan_late(u64 n)
{
	return sim_armed() && sim_hits(n, &sim_params.late_every);
}

/* base +- pct %, evenly. */
static u64 sim_spread_uniform(u64 base, unsigned int pct, u64 random)
{
	u64 width = div_u64(base * 2 * pct, 100);

	return base - width / 2 + mul_u64_u32_shr(width, (u32)random, 32);
}

/*
 * base * 2^(z * pct / 100), z nearly normal: the sum of eight 8-bit numbers. Skewed as real service
 * times are: base is the median, most are near, a few are long. 2^x between whole x is drawn
 * as a straight line, at most 6 % high.
 */
static u64 sim_spread_lognormal(u64 base, unsigned int pct, u64 random)
{
	s64 z = -4 * 255; /* 8 * (0..255), mean 1020, standard deviation 209 */
	s64 x;
	int i;

	for (i = 0; i < 8; i++)
		z += (random >> (8 * i)) & 0xff;
	x = div_s64(z * pct * 1024, 209 * 100); /* exponent, 10 bits of it behind the point */
	base = base * (1024 + (x & 1023)) >> 10;
	x >>= 10;
	return x < 0 ? base >> -x : base << x;
}

u64 sim_plan_service_ns(const struct sim_plan *plan, unsigned int bytes)
{
	const struct sim_params *p = &sim_params;
	u64 base = READ_ONCE(p->service_ns) + ((u64)READ_ONCE(p->ns_per_kib) * bytes >> 10);
	unsigned int pct = READ_ONCE(p->spread_pct);

	if (!pct)
		return base;
	if (READ_ONCE(p->spread_kind) == SIM_SPREAD_LOGNORMAL)
		return sim_spread_lognormal(base, pct, plan->random);
	return sim_spread_uniform(base, pct, plan->random);
}

void sim_sleep_until(u64 deadline_ns)
{
	/* A stray wake-up is no reason to be early. */
	while (sim_now() < deadline_ns) {
		ktime_t until = ns_to_ktime(deadline_ns);

		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_hrtimeout(&until, HRTIMER_MODE_ABS);
	}
}

void sim_delay(u64 ns, bool sleep)
{
	u64 until_ns = sim_now() + ns;

	if (!ns)
		return;
	if (sleep && preemptible()) {
		sim_sleep_until(until_ns);
		return;
	}
	until_ns = min(until_ns, sim_now() + SIM_MAX_BUSY_NS);
	while (sim_now() < until_ns)
		cpu_relax();
}
