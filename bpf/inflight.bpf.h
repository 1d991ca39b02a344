/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests that a driver has, by the address of their waiter. Callbacks come on any CPU, in any order, early, late, twice; who
 * was first is decided by compare-and-swap on the times themselves.
 */
#ifndef AB_INFLIGHT_BPF_H
#define AB_INFLIGHT_BPF_H

#include "core.bpf.h"

/* Was this submitted in the window that counts now? */
static __always_inline bool counts_now(const struct ab_inflight *f)
{
	return window.begin_ns && f->submit_ns >= window.begin_ns;
}

/*
 * The place of the request's key in the table, cleared. It is used again, not replaced: a callback of the last request may
 * be looking at it on another CPU, and a freed element belongs to another key at once.
 */
static __always_inline struct ab_inflight *inflight_claim(__u64 key)
{
	static const struct ab_inflight fresh = {};
	struct ab_inflight *f = bpf_map_lookup_elem(&inflights, &key);

	if (!f) {
		bpf_map_update_elem(&inflights, &key, &fresh, BPF_NOEXIST);
		f = bpf_map_lookup_elem(&inflights, &key);
		if (!f)
			count(AB_CNT_INFLIGHT_FULL);
		return f;
	}
	if (!f->done_ns && counts_now(f))
		count(AB_CNT_INFLIGHT_STALE);
	f->notify_ns = 0;
	f->done_ns = 0;
	return f;
}

/*
 * -EINPROGRESS: a backlogged request entered the ring. It may come after the end of its request, while the next one of the
 * same place is under way: as many as are owed to earlier ones are theirs.
 */
static __always_inline void inflight_notified(struct ab_inflight *f, __u64 now)
{
	if (f->owed <= 0 && !__sync_val_compare_and_swap(&f->notify_ns, 0, now))
		return;
	__sync_fetch_and_add(&f->owed, -1);
	if (counts_now(f))
		count(AB_CNT_LATE_NOTIFICATIONS);
}

static __always_inline void inflight_done(struct ab_inflight *f, __u64 now, int status)
{
	bool first = !__sync_val_compare_and_swap(&f->done_ns, 0, now);

	if (first) {
		__sync_val_compare_and_swap(&f->notify_ns, 0, AB_CLOSED);
		f->done_cpu = bpf_get_smp_processor_id();
		f->status = status;
	}
	if (!counts_now(f))
		return;
	count(first ? AB_CNT_COMPLETIONS : AB_CNT_DUPLICATES);
	if (first && status)
		count(AB_CNT_COMPLETION_ERRORS);
}

/*
 * The waiter goes on, or never waited: takes from the table what the callbacks left there, and closes the place. Whoever
 * comes later finds that it is late.
 */
static __always_inline void inflight_settle(struct request *r)
{
	struct ab_inflight *f = bpf_map_lookup_elem(&inflights, &r->rec.wait_key);
	__u64 done, notified;

	if (!f)
		return;
	done = __sync_val_compare_and_swap(&f->done_ns, 0, AB_CLOSED);
	notified = __sync_val_compare_and_swap(&f->notify_ns, 0, AB_CLOSED);
	if (r->steps & STEP_ASYNC && done > AB_CLOSED) {
		r->rec.done_ns = done;
		r->rec.done_cpu = f->done_cpu;
		r->rec.status = f->status;
		if (done <= r->submit_return_ns) {
			r->rec.flags |= AB_REC_EARLY;
			count(AB_CNT_EARLY);
		}
	}
	if (notified > AB_CLOSED && r->rec.flags & AB_REC_BACKLOG) {
		r->rec.notify_ns = notified;
		count(AB_CNT_NOTIFICATIONS);
	} else if (notified > AB_CLOSED) {
		/* Not ours: nobody is notified who was not told to wait. */
		count(AB_CNT_LATE_NOTIFICATIONS);
	} else if (r->rec.flags & AB_REC_BACKLOG) {
		__sync_fetch_and_add(&f->owed, 1);
	}
}

#endif
