/* SPDX-License-Identifier: GPL-2.0-only */
/* What the scheduler does to tasks with an open request, and the CPU time of kernel threads. */
#ifndef AB_SCHED_BPF_H
#define AB_SCHED_BPF_H

#include "core.bpf.h"

/* A task that leaves its CPU: off-CPU time always; the phase changes to WAIT when software blocked of its own will. */
static __always_inline void task_off(struct task_struct *prev, bool preempted, __u64 now)
{
	struct request *r = bpf_task_storage_get(&requests, prev, 0, 0);

	if (!is_open(r))
		return;
	r->off_since_ns = now;
	if (preempted || r->depth || r->phase == AB_WAIT || r->steps & (STEP_ASYNC | STEP_SYNC) ||
	    read_u32(prev, AB_FIELD_TASK_STATE) == TASK_RUNNING)
		return;
	r->blocked_from = r->phase;
	r->blocked = 1;
	boundary(r, now, AB_WAIT);
}

static __always_inline void task_on(struct task_struct *next, __u64 now)
{
	struct request *r = bpf_task_storage_get(&requests, next, 0, 0);

	if (!is_open(r) || !r->off_since_ns)
		return;
	r->off_cpu_ns += difference(now, r->off_since_ns);
	r->off_since_ns = 0;
	if (r->blocked) {
		r->blocked = 0;
		boundary(r, now, r->blocked_from);
	}
}

static __always_inline void account_cpu(struct task_struct *prev, __u64 now)
{
	__u32 zero = 0;
	struct ab_cpu_time *t = bpf_map_lookup_elem(&cpu_times, &zero);
	__u64 since;

	if (!t)
		return;
	since = t->since_ns > window.begin_ns ? t->since_ns : window.begin_ns;
	t->since_ns = now;
	/* The idle task is a kernel thread too, by its flags. */
	if (now > since && read_u32(prev, AB_FIELD_TASK_PID) &&
	    read_u32(prev, AB_FIELD_TASK_FLAGS) & PF_KTHREAD)
		t->kthread_ns += now - since;
}

#endif
