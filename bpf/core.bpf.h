/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps and the life of a request. A request is a state machine kept in its task's storage: at every boundary the clock is
 * read once, the time since the previous boundary goes to the current phase, and the next phase begins at the same
 * reading. So the phases add up to the request's wall time exactly.
 */
#ifndef AB_CORE_BPF_H
#define AB_CORE_BPF_H

#include "kernel.bpf.h"
#include "accelbench.h"

/* A request's `window`, when it is not one of ours. */
#define NOT_OURS 1

struct request {
	__u64 window; /* begin_ns of the window it began in; 0: no request is open; or NOT_OURS */
	struct ab_record rec;
	__u64 off_since_ns; /* 0: on a CPU */
	__u64 off_cpu_ns;
	__u64 submit_return_ns;
	__u8 phase;	   /* current one */
	__u8 copy_from;	   /* phase to go back to after a copy function */
	__u8 blocked_from; /* phase to go back to when the scheduler runs the task again */
	__u8 blocked;	   /* WAIT because the scheduler took a blocked task off its CPU */
	__u8 depth;	   /* of crypto_acomp_(de)compress calls */
	__u8 steps;	   /* enum step: what happened so far */
	__u8 pad[2];
};

enum step {
	STEP_DECODED = 1 << 0,	 /* a decoder ran */
	STEP_COPIED = 1 << 1,	 /* a copy function ran */
	STEP_SUBMITTED = 1 << 2, /* crypto_acomp_(de)compress was called */
	STEP_ASYNC = 1 << 3,	 /* and returned -EINPROGRESS or -EBUSY */
	STEP_SYNC = 1 << 4,	 /* and returned 0 */
	STEP_REJECTED = 1 << 5,	 /* and returned another error */
	STEP_RESUMED = 1 << 6,	 /* the wait ended */
	STEP_NESTED = 1 << 7,	 /* a submit inside a submit */
};

/* Written by user space while programs run. */
volatile struct ab_window window = {};
__u32 next_set = 0;

const volatile __u64 record_every = 0;

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct request);
} requests SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct ab_inflight);
} inflights SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, AB_MAX_SETS);
	__type(key, struct ab_set_key);
	__type(value, __u32);
} sets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u64);
	__type(value, struct ab_driver);
} drivers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, AB_MAX_SETS *AB_PHASES);
	__type(key, __u32);
	__type(value, struct ab_hist);
} hists SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct ab_counts);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct ab_cpu_time);
} cpu_times SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* set by user space: nothing is sampled by default */
} records SEC(".maps");

/* Per CPU, yet atomic: a program can be preempted by another one on the same CPU. */
static __always_inline void add64(__u64 *counter, __u64 n)
{
	__sync_fetch_and_add(counter, n);
}

static __always_inline struct ab_counts *counts_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&counts, &zero);
}

/* A global function: the verifier looks at it once, not at every call. */
__noinline int count(__u32 which)
{
	struct ab_counts *c = counts_here();

	if (c && which < AB_COUNTERS)
		add64(&c->n[which], 1);
	return 0;
}

static __always_inline struct request *current_request(void)
{
	return bpf_task_storage_get(&requests, bpf_get_current_task_btf(), 0, 0);
}

/* Is @r open, and did it begin in the window that counts now? One of an earlier window is followed no longer. */
static __always_inline bool is_open(const struct request *r)
{
	return r && r->window && r->window == window.begin_ns;
}

/* The request that is open in this task, or NULL. */
static __always_inline struct request *open_request(void)
{
	struct request *r = current_request();

	return is_open(r) ? r : NULL;
}

/* @later - @earlier. Clocks of two CPUs may differ by a little: clamped and counted. */
static __always_inline __u64 difference(__u64 later, __u64 earlier)
{
	if (later >= earlier)
		return later - earlier;
	count(AB_CNT_NEGATIVE);
	return 0;
}

/* Ends the current phase at @now and begins @next. */
static __always_inline void boundary(struct request *r, __u64 now, __u8 next)
{
	__u64 passed = difference(now, r->rec.end_ns);

	if (r->phase < AB_PARTITION)
		r->rec.ns[r->phase] += passed;
	r->rec.end_ns += passed;
	r->phase = next;
}

/*
 * Adds @value to the histogram @index. No atomics: a histogram belongs to one algorithm, so one program alone writes it, the exit
 * of that algorithm's requests, and the kernel never runs a program twice at a time on a CPU (it would skip, and count, the
 * second). A global function is verified once, not for each call.
 */
__noinline int hist_add(__u32 index, __u64 value)
{
	struct ab_hist *h = bpf_map_lookup_elem(&hists, &index);
	__u32 bucket = ab_hist_index(value);

	if (!h || bucket >= AB_HIST_BUCKETS)
		return 0;
	h->buckets[bucket]++;
	h->sum += value;
	if (value > h->max)
		h->max = value;
	if (~value > h->inverted_min)
		h->inverted_min = ~value;
	if (value >> AB_HIST_MAX_BITS)
		h->saturated++;
	return 0;
}

/* Index of the set for @key, allotted at first sight; AB_MAX_SETS when there is none left. */
static __always_inline __u32 set_index(const struct ab_set_key *key)
{
	__u32 *found = bpf_map_lookup_elem(&sets, key);
	__u32 fresh;

	if (found)
		return *found;
	fresh = __sync_fetch_and_add(&next_set, 1);
	if (fresh >= AB_MAX_SETS)
		return AB_MAX_SETS;
	/* Two CPUs may meet here: the loser takes the winner's index and leaves its own unused. */
	bpf_map_update_elem(&sets, key, &fresh, BPF_NOEXIST);
	found = bpf_map_lookup_elem(&sets, key);
	return found ? *found : AB_MAX_SETS;
}

/* Classes of 1, 2, 4 ... KiB of compressed input. */
static __always_inline __u8 size_class(__u32 bytes)
{
	__u32 kib = (bytes + 1023) >> 10;
	__u32 class = kib <= 1 ? 0 : ab_msb64(kib - 1) + 1;

	return class < AB_SIZE_CLASSES ? class : AB_SIZE_CLASSES - 1;
}

static __always_inline enum ab_served served_by(const struct request *r)
{
	if (r->rec.flags & AB_REC_FAILED)
		return AB_SERVED_FAILED;
	if (r->rec.algorithm == AB_ALG_STORED)
		return AB_SERVED_STORED;
	if (r->steps & STEP_REJECTED)
		return AB_SERVED_REJECTED;
	if (r->steps & STEP_SUBMITTED) {
		if (r->steps & STEP_NESTED)
			return AB_SERVED_FALLBACK;
		return r->steps & STEP_ASYNC ? AB_SERVED_OFFLOADED : AB_SERVED_SYNC;
	}
	return r->rec.flags & AB_REC_PARTIAL ? AB_SERVED_PARTIAL : AB_SERVED_NO_ENGINE;
}

/* The spans beside the partition, once the request has ended. */
static __always_inline void spans_settle(struct request *r)
{
	struct ab_record *rec = &r->rec;
	__u64 resumed_ns = r->submit_return_ns + rec->ns[AB_WAIT];

	rec->ns[AB_TOTAL] = rec->end_ns - rec->start_ns;
	rec->ns[AB_ON_CPU] = difference(rec->ns[AB_TOTAL], rec->ns[AB_OFF_CPU]);
	if (rec->done_ns) {
		rec->ns[AB_SERVICE] = difference(rec->done_ns, rec->submit_ns);
		rec->ns[AB_WAKEUP] = rec->done_ns > r->submit_return_ns
					     ? difference(resumed_ns, rec->done_ns)
					     : rec->ns[AB_WAIT];
	}
	if (rec->notify_ns)
		rec->ns[AB_BACKLOG] = difference(rec->notify_ns, rec->submit_ns);
}

#define BIT(n) (1u << (n))

/* Which phases a request of this kind has. The others are not applicable, which is not the same as 0. */
static __always_inline __u32 phases_of(const struct request *r)
{
	__u32 phases =
		BIT(AB_SETUP) | BIT(AB_OTHER) | BIT(AB_TOTAL) | BIT(AB_ON_CPU) | BIT(AB_OFF_CPU);

	if (r->steps & STEP_ASYNC)
		phases |= BIT(AB_SUBMIT) | BIT(AB_WAIT) | BIT(AB_COPY);
	else if (r->steps & STEP_SYNC)
		phases |= BIT(AB_DECODE) | BIT(AB_COPY);
	else
		phases |= BIT(AB_WAIT);
	if (r->steps & (STEP_DECODED | STEP_REJECTED))
		phases |= BIT(AB_DECODE);
	if (r->steps & STEP_COPIED)
		phases |= BIT(AB_COPY);
	if (r->rec.done_ns)
		phases |= BIT(AB_SERVICE) | BIT(AB_WAKEUP);
	if (r->rec.notify_ns)
		phases |= BIT(AB_BACKLOG);
	return phases;
}

/* Books a finished request: histograms, who served it, a sampled record. */
static __always_inline void request_book(struct request *r)
{
	struct ab_record *rec = &r->rec;
	struct ab_set_key key = {.direction = AB_DECOMPRESS};
	struct ab_counts *c = counts_here();
	__u32 set, phase, phases;
	__u64 exits;
	__u8 served;

	if (!c)
		return;
	/* Read back, the verifier takes it for any number, and need not follow each kind of request to the end. */
	rec->served = served_by(r);
	served = *(volatile __u8 *)&rec->served;
	if (served >= AB_SERVED)
		return;
	/* After a rejected submit it was the file system's own decoder that did the work. */
	if (served == AB_SERVED_REJECTED)
		rec->driver = 0;
	add64(&c->n[AB_CNT_EXIT_NS], rec->end_ns - r->window);
	exits = __sync_fetch_and_add(&c->n[AB_CNT_EXITS], 1);
	add64(&c->served[served].requests, 1);
	add64(&c->served[served].in_bytes, rec->in_bytes);
	add64(&c->served[served].out_bytes, rec->out_bytes);

	key.driver = rec->driver;
	key.algorithm = rec->algorithm;
	key.size_class = size_class(rec->in_bytes);
	set = set_index(&key);
	if (set >= AB_MAX_SETS) {
		add64(&c->n[AB_CNT_SETS_FULL], 1);
		return;
	}
	spans_settle(r);
	phases = phases_of(r);
	/* No histogram has the index ~0. A branch here would have the verifier follow every subset of phases. */
#pragma clang loop unroll(disable)
	for (phase = 0; phase < AB_PHASES; phase++)
		hist_add((set * AB_PHASES + phase) | ((phases >> phase & 1) - 1), rec->ns[phase]);
	if (record_every && exits % record_every == 0)
		count(bpf_ringbuf_output(&records, rec, sizeof(*rec), 0) ? AB_CNT_RECORDS_LOST
									 : AB_CNT_RECORDS);
}

#endif
