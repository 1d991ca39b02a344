// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device: a ring of limited depth, a backlog in front of it, engines behind it.
 *
 * An engine is a work item that serves requests until the ring is empty. What it computes counts
 * into the service time; if that is longer it sleeps for the rest. Callbacks come from
 * the worker, or from a high-resolution timer's softirq, on top of whatever task runs there, as
 * a device's interrupt would.
 */
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "acomp_sim.h"

struct sim_engine {
	struct work_struct work;
	struct hrtimer timer;
	struct completion done;
	struct sim_codec *codec;
	struct sim_req *cur; /* to be completed by the timer */
	bool busy;	     /* work queued or running; under sim_ring.lock */
	bool timer_ready;
};

static struct {
	spinlock_t lock; /* for all of it; never held while a callback runs */
	struct list_head ring;
	struct list_head backlog;
	struct list_head lost;
	struct sim_engine_stats st;
	u64 backlogged; /* ever, since the last reset */
	struct workqueue_struct *wq;
	struct sim_engine engines[SIM_MAX_ENGINES];
} sim_ring = {
	.lock = __SPIN_LOCK_UNLOCKED(sim_ring.lock),
	.ring = LIST_HEAD_INIT(sim_ring.ring),
	.backlog = LIST_HEAD_INIT(sim_ring.backlog),
	.lost = LIST_HEAD_INIT(sim_ring.lost),
};

static bool sim_held(void)
{
	return READ_ONCE(sim_params.hold) && sim_armed();
}

/* Put one idle engine to work; false if there is none. Lock held. */
static bool sim_wake_engine(void)
{
	unsigned int i;

	lockdep_assert_held(&sim_ring.lock);
	if (sim_held())
		return false;
	for (i = 0; i < READ_ONCE(sim_params.engines); i++) {
		struct sim_engine *e = &sim_ring.engines[i];

		if (e->busy)
			continue;
		e->busy = true;
		queue_work(sim_ring.wq, &e->work);
		return true;
	}
	return false;
}

/* @sr, for which a place was reserved in st.in_ring, enters the ring. Lock held. */
static void sim_ring_enter(struct sim_req *sr)
{
	lockdep_assert_held(&sim_ring.lock);
	if (sr->row)
		sr->row->ring_ns = sim_now();
	list_add_tail(&sr->node, &sim_ring.ring);
	sim_wake_engine();
}

static bool sim_ring_reserve(void)
{
	struct sim_engine_stats *st = &sim_ring.st;

	lockdep_assert_held(&sim_ring.lock);
	if (st->in_ring >= READ_ONCE(sim_params.ring_depth))
		return false;
	st->in_ring++;
	st->in_ring_peak = max(st->in_ring_peak, st->in_ring);
	return true;
}

int sim_engine_submit(struct sim_req *sr)
{
	int ret = -EINPROGRESS;

	spin_lock_bh(&sim_ring.lock);
	/* Nobody overtakes the backlog. */
	if (list_empty(&sim_ring.backlog) && sim_ring_reserve()) {
		sim_ring_enter(sr);
	} else if (sr->req->base.flags & CRYPTO_TFM_REQ_MAY_BACKLOG) {
		sr->late = sim_plan_late(++sim_ring.backlogged);
		sim_log_kind(sr->row, SIM_KIND_BACKLOG);
		list_add_tail(&sr->node, &sim_ring.backlog);
		sim_ring.st.in_backlog++;
		ret = -EBUSY;
	} else {
		sim_log_kind(sr->row, SIM_KIND_RING_FULL);
		ret = -ENOSPC;
	}
	spin_unlock_bh(&sim_ring.lock);
	return ret;
}

static struct sim_req *sim_backlog_take(void)
{
	struct sim_req *sr = NULL;

	spin_lock_bh(&sim_ring.lock);
	if (!list_empty(&sim_ring.backlog) && sim_ring_reserve()) {
		sr = list_first_entry(&sim_ring.backlog, struct sim_req, node);
		list_del(&sr->node);
		sim_ring.st.in_backlog--;
	}
	spin_unlock_bh(&sim_ring.lock);
	return sr;
}

/*
 * Move requests from the backlog into the ring while there is room. The notification comes first:
 * once in the ring, another engine could complete the request before it.
 */
static void sim_backlog_run(void)
{
	struct sim_req *sr;

	while ((sr = sim_backlog_take())) {
		if (!sr->late) {
			struct sim_call call = sim_call_of(sr);

			sim_notify(&call);
		}
		spin_lock_bh(&sim_ring.lock);
		sim_ring_enter(sr);
		spin_unlock_bh(&sim_ring.lock);
	}
}

/* The engine is through with @sr: its place in the ring is free before anybody hears of it. */
static void sim_finish(struct sim_req *sr)
{
	bool lost = sr->plan.lost;

	spin_lock_bh(&sim_ring.lock);
	sim_ring.st.in_ring--;
	if (lost) {
		sim_log_kind(sr->row, SIM_KIND_LOST);
		sr->lost_ns = sim_now();
		list_add_tail(&sr->node, &sim_ring.lost);
		sim_ring.st.lost++;
	}
	spin_unlock_bh(&sim_ring.lock);
	if (!lost)
		sim_complete(sr);
	sim_backlog_run();
}

static enum hrtimer_restart sim_timer(struct hrtimer *timer)
{
	struct sim_engine *e = container_of(timer, struct sim_engine, timer);

	sim_finish(e->cur);
	complete(&e->done);
	return HRTIMER_NORESTART;
}

static void sim_serve(struct sim_engine *e, struct sim_req *sr)
{
	u64 start_ns = sim_now();
	u64 service_ns, end_ns;
	unsigned int bytes;

	sr->status = sr->plan.error ?: sim_codec_run(e->codec, sr->req, sr->compress);
	/* dlen is what came out, or, after an error, what was expected to. */
	bytes = sr->compress ? sr->req->slen : sr->req->dlen;
	service_ns = sim_plan_service_ns(&sr->plan, bytes);
	end_ns = start_ns + service_ns;
	if (sr->row) {
		sr->row->start_ns = start_ns;
		sr->row->service_ns = service_ns;
	}

	/* A duplicated completion needs a process context, see complete.c. */
	if (READ_ONCE(sim_params.completion) == SIM_COMPLETE_SOFTIRQ && !sr->plan.dup) {
		e->cur = sr;
		reinit_completion(&e->done);
		hrtimer_start(&e->timer, ns_to_ktime(end_ns), HRTIMER_MODE_ABS_SOFT);
		wait_for_completion(&e->done);
		return;
	}
	sim_sleep_until(end_ns);
	sim_finish(sr);
}

/* The next request for @e, or NULL: then @e counts as idle. */
static struct sim_req *sim_ring_take(struct sim_engine *e)
{
	struct sim_req *sr = NULL;

	spin_lock_bh(&sim_ring.lock);
	if (!list_empty(&sim_ring.ring) && !sim_held() &&
	    e - sim_ring.engines < READ_ONCE(sim_params.engines)) {
		sr = list_first_entry(&sim_ring.ring, struct sim_req, node);
		list_del(&sr->node);
	} else {
		e->busy = false;
	}
	spin_unlock_bh(&sim_ring.lock);
	return sr;
}

static void sim_engine_work(struct work_struct *work)
{
	struct sim_engine *e = container_of(work, struct sim_engine, work);
	struct sim_req *sr;

	while ((sr = sim_ring_take(e)))
		sim_serve(e, sr);
}

void sim_engine_kick(void)
{
	/* Parameters given at load are set before there is anything to wake. */
	if (!READ_ONCE(sim_ring.wq))
		return;
	sim_backlog_run();
	spin_lock_bh(&sim_ring.lock);
	if (!list_empty(&sim_ring.ring))
		while (sim_wake_engine())
			;
	spin_unlock_bh(&sim_ring.lock);
}

unsigned int sim_engine_release_lost(void)
{
	unsigned int n = 0;
	struct sim_req *sr, *next;
	LIST_HEAD(lost);

	spin_lock_bh(&sim_ring.lock);
	list_splice_init(&sim_ring.lost, &lost);
	sim_ring.st.lost = 0;
	spin_unlock_bh(&sim_ring.lock);

	list_for_each_entry_safe(sr, next, &lost, node) {
		sim_log_kind(sr->row, SIM_KIND_RELEASED);
		sim_complete(sr);
		n++;
	}
	return n;
}

void sim_engine_stats(struct sim_engine_stats *st)
{
	const struct sim_req *oldest;

	spin_lock_bh(&sim_ring.lock);
	*st = sim_ring.st;
	oldest = list_first_entry_or_null(&sim_ring.lost, struct sim_req, node);
	st->lost_oldest_ns = oldest ? sim_now() - oldest->lost_ns : 0;
	spin_unlock_bh(&sim_ring.lock);
}

void sim_engine_stats_reset(void)
{
	spin_lock_bh(&sim_ring.lock);
	sim_ring.st.in_ring_peak = sim_ring.st.in_ring;
	sim_ring.backlogged = 0;
	spin_unlock_bh(&sim_ring.lock);
}

int sim_engine_init(void)
{
	struct workqueue_struct *wq;
	struct sim_engine *e;

	for (e = sim_ring.engines; e < sim_ring.engines + SIM_MAX_ENGINES; e++) {
		INIT_WORK(&e->work, sim_engine_work);
		hrtimer_setup(&e->timer, sim_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
		init_completion(&e->done);
		e->timer_ready = true;
		e->codec = sim_codec_alloc();
		if (!e->codec)
			goto err;
	}
	wq = alloc_workqueue(SIM_NAME, WQ_UNBOUND | WQ_HIGHPRI, SIM_MAX_ENGINES);
	if (!wq)
		goto err;
	WRITE_ONCE(sim_ring.wq, wq);
	return 0;
err:
	sim_engine_exit();
	return -ENOMEM;
}

void sim_engine_exit(void)
{
	struct workqueue_struct *wq = sim_ring.wq;
	struct sim_engine *e;

	WRITE_ONCE(sim_ring.wq, NULL);
	/* Waits for workers that called a last callback and have yet to look at the ring. */
	if (wq)
		destroy_workqueue(wq);
	for (e = sim_ring.engines; e < sim_ring.engines + SIM_MAX_ENGINES; e++) {
		if (e->timer_ready)
			hrtimer_cancel(&e->timer);
		sim_codec_free(e->codec);
	}
}
