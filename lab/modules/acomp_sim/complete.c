// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calling the completion callbacks: the plain one, and the faults that a tracer must survive.
 *
 * The callback of nearly everybody (EROFS, the self-test manager) is crypto_req_done() with a
 * struct crypto_wait on the waiter's stack. -EINPROGRESS makes it return without a look at that
 * structure; any other status is stored there and wakes the waiter, which then leaves the
 * function. So a late notification is harmless at any time, but a second final callback would
 * write into a stack frame that is gone.
 */
#include <linux/crypto.h>
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>

#include "acomp_sim.h"

struct sim_call sim_call_of(const struct sim_req *sr)
{
	return (struct sim_call){
		.fn = sr->req->base.complete,
		.data = sr->req->base.data,
		.row = sr->row,
		.status = sr->status,
	};
}

/* Only of this callback it is known what a second or a late call does. */
static bool sim_call_is_wait(const struct sim_call *call)
{
	return call->fn == crypto_req_done;
}

/*
 * Preemption is off from reading the clock to the callback, as it is in a driver's interrupt: a worker that were preempted
 * in between would call much later than the log says.
 */
void sim_notify(const struct sim_call *call)
{
	preempt_disable();
	if (call->row) {
		call->row->notify_cpu = raw_smp_processor_id();
		call->row->notify_ns = sim_now();
	}
	call->fn(call->data, -EINPROGRESS);
	preempt_enable();
}

static void sim_final(const struct sim_call *call)
{
	if (in_serving_softirq())
		sim_log_kind(call->row, SIM_KIND_SOFTIRQ);
	preempt_disable();
	if (call->row) {
		call->row->status = call->status;
		call->row->final_cpu = raw_smp_processor_id();
		call->row->final_ns = sim_now();
	}
	call->fn(call->data, call->status);
	preempt_enable();
}

/*
 * Run by stop_machine(): every other CPU spins with interrupts off until this returns. The first
 * call wakes the waiter but cannot let it run, so the frame that the second call writes into is
 * still there. The waiter re-arms its completion when it wakes (crypto_wait_req()), which
 * swallows the second count.
 */
static int sim_final_twice(void *arg)
{
	const struct sim_call *call = arg;

	sim_final(call);
	if (call->row)
		call->row->dup_ns = sim_now();
	call->fn(call->data, call->status);
	return 0;
}

/* What the log says of @sr's end, as long as @sr is ours. */
static void sim_log_end(struct sim_req *sr)
{
	if (sr->plan.error)
		sim_log_kind(sr->row, SIM_KIND_ERROR);
	else if (sr->status)
		sim_log_kind(sr->row, SIM_KIND_BAD_DATA);
	else if (sr->row)
		sr->row->out_bytes = sr->req->dlen;
}

/* Call the late notification; the request is gone, its waiter too, perhaps. */
static void sim_notify_late(const struct sim_call *call)
{
	if (!sim_call_is_wait(call)) {
		sim_log_kind(call->row, SIM_KIND_SKIPPED);
		return;
	}
	sim_delay(READ_ONCE(sim_params.late_delay_ns), !in_serving_softirq());
	sim_log_kind(call->row, SIM_KIND_LATE);
	sim_notify(call);
}

void sim_complete(struct sim_req *sr)
{
	struct sim_call call = sim_call_of(sr);
	bool late = sr->late;
	bool dup = sr->plan.dup;

	sim_log_end(sr);
	if (dup && sim_call_is_wait(&call)) {
		sim_log_kind(call.row, SIM_KIND_DUP);
		stop_machine(sim_final_twice, &call, NULL);
	} else {
		if (dup)
			sim_log_kind(call.row, SIM_KIND_SKIPPED);
		sim_final(&call);
	}
	/* sr is gone. */
	if (late)
		sim_notify_late(&call);
	sim_log_put(1);
}

static int sim_final_on_cpu(void *arg)
{
	sim_final(arg);
	return 0;
}

void sim_complete_early(struct sim_req *sr)
{
	struct sim_call call = sim_call_of(sr);
	unsigned int cpu = nr_cpu_ids;

	sim_log_end(sr);
	sim_log_kind(call.row, SIM_KIND_EARLY);
	if (READ_ONCE(sim_params.early_cpu) == SIM_EARLY_OTHER && preemptible())
		cpu = cpumask_any_but(cpu_online_mask, sr->submit_cpu);
	/* Waits until it has run. Fails when that CPU went away meanwhile. */
	if (cpu >= nr_cpu_ids || smp_call_on_cpu(cpu, sim_final_on_cpu, &call, false))
		sim_final(&call);
	sim_log_put(1);
}
