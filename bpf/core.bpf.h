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

struct request {
	__u64 start_ns;
	__u64 last_ns; /* last boundary */
	__u64 phase_ns[AB_PARTITION];
	__u64 off_since_ns; /* 0: on a CPU */
	__u64 off_cpu_ns;
	__u64 submit_ns;
	__u64 submit_return_ns;
	__u64 done_ns;
	__u64 notify_ns;
	__u64 driver;
	__u64 wait_key;
	__u32 in_bytes;
	__u32 out_bytes;
	__u32 submit_cpu;
	__u32 done_cpu;
	int status; /* what submit returned or the completion said */
	__u8 phase;
	__u8 copy_from;	   /* phase to go back to after a copy function */
	__u8 blocked_from; /* phase to go back to when the scheduler runs the task again */
	__u8 depth;	   /* of crypto_acomp_(de)compress calls */
	__u8 open;
	__u8 foreign; /* entered, but not ours: its exit is no orphan */
	__u8 blocked; /* WAIT because the scheduler took a blocked task off its CPU */
	__u8 algorithm;
	__u8 flags;  /* enum ab_record_flag */
	__u8 steps;  /* enum step: what happened so far */
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
	__uint(max_entries, AB_MAX_SETS * AB_PHASES);
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

/* Per CPU, yet atomic: a program can be preempted by another task's on the same CPU. */
static __always_inline void add64(__u64 *counter, __u64 n)
{
	__sync_fetch_and_add(counter, n);
}

static __always_inline struct ab_counts *counts_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&counts, &zero);
}

static __always_inline void count(enum ab_counter which)
{
	struct ab_counts *c = counts_here();

	if (c)
		add64(&c->n[which], 1);
}

static __always_inline struct request *current_request(void)
{
	return bpf_task_storage_get(&requests, bpf_get_current_task_btf(), 0, 0);
}

/* The request that is open in this task, or NULL. */
static __always_inline struct request *open_request(void)
{
	struct request *r = current_request();

	return r && r->open ? r : NULL;
}

/* Ends the current phase at @now and begins @next. Clocks of two CPUs may differ by a little: clamped and counted. */
static __always_inline void boundary(struct request *r, __u64 now, __u8 next)
{
	__u8 phase = r->phase;

	if (now < r->last_ns) {
		count(AB_CNT_NEGATIVE);
		now = r->last_ns;
	}
	if (phase < AB_PARTITION)
		r->phase_ns[phase] += now - r->last_ns;
	r->last_ns = now;
	r->phase = next;
}

/* Raises *@max to @value; a lost race is tried again a few times. */
static __always_inline void raise_max(__u64 *max, __u64 value)
{
	__u64 old = *max, seen;
	int i;

	for (i = 0; i < 4; i++) {
		if (value <= old)
			return;
		seen = __sync_val_compare_and_swap(max, old, value);
		if (seen == old)
			return;
		old = seen;
	}
}

/* Global functions are verified once, not along every path that calls them. */
__noinline int hist_add(__u32 index, __u64 value)
{
	struct ab_hist *h = bpf_map_lookup_elem(&hists, &index);
	__u32 bucket;

	if (!h)
		return 0;
	bucket = ab_hist_index(value);
	if (bucket >= AB_HIST_BUCKETS)
		bucket = AB_HIST_BUCKETS - 1;
	add64(&h->buckets[bucket], 1);
	add64(&h->sum, value);
	if (value >> AB_HIST_MAX_BITS)
		add64(&h->saturated, 1);
	raise_max(&h->max, value);
	raise_max(&h->inverted_min, ~value);
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
	if (r->flags & AB_REC_FAILED)
		return AB_SERVED_FAILED;
	if (r->algorithm == AB_ALG_STORED)
		return AB_SERVED_STORED;
	if (r->steps & STEP_REJECTED)
		return AB_SERVED_REJECTED;
	if (r->steps & STEP_SUBMITTED) {
		if (r->steps & STEP_NESTED)
			return AB_SERVED_FALLBACK;
		return r->steps & STEP_ASYNC ? AB_SERVED_OFFLOADED : AB_SERVED_SYNC;
	}
	return r->flags & AB_REC_PARTIAL ? AB_SERVED_PARTIAL : AB_SERVED_NO_ENGINE;
}

/* Which phases a request of this kind has. The others are not applicable, which is not the same as 0. */
static __always_inline __u32 phases_of(const struct request *r)
{
	__u32 always = 1 << AB_SETUP | 1 << AB_OTHER | 1 << AB_TOTAL | 1 << AB_ON_CPU | 1 << AB_OFF_CPU;

	if (r->steps & STEP_ASYNC)
		return always | 1 << AB_SUBMIT | 1 << AB_WAIT | 1 << AB_COPY |
		       (r->steps & STEP_DECODED ? 1 << AB_DECODE : 0) |
		       (r->done_ns ? 1 << AB_SERVICE | 1 << AB_WAKEUP : 0) |
		       (r->notify_ns ? 1 << AB_BACKLOG : 0);
	if (r->steps & STEP_SYNC)
		return always | 1 << AB_DECODE | 1 << AB_COPY;
	if (r->steps & STEP_REJECTED)
		always |= 1 << AB_DECODE;
	return always | 1 << AB_WAIT | (r->steps & STEP_DECODED ? 1 << AB_DECODE : 0) |
	       (r->steps & STEP_COPIED ? 1 << AB_COPY : 0);
}

static __always_inline __u64 span_of(const struct request *r, __u32 phase)
{
	__u64 total = r->last_ns - r->start_ns;
	__u64 ready;

	switch (phase) {
	case AB_TOTAL:
		return total;
	case AB_SERVICE:
		return r->done_ns > r->submit_ns ? r->done_ns - r->submit_ns : 0;
	case AB_BACKLOG:
		return r->notify_ns > r->submit_ns ? r->notify_ns - r->submit_ns : 0;
	case AB_WAKEUP:
		ready = r->done_ns > r->submit_return_ns ? r->done_ns : r->submit_return_ns;
		/* submit_return + wait is the moment of resumption, by construction. */
		return r->submit_return_ns + r->phase_ns[AB_WAIT] > ready ?
			       r->submit_return_ns + r->phase_ns[AB_WAIT] - ready :
			       0;
	case AB_ON_CPU:
		return total > r->off_cpu_ns ? total - r->off_cpu_ns : 0;
	case AB_OFF_CPU:
		return r->off_cpu_ns;
	default:
		return 0;
	}
}

static __always_inline void record_emit(const struct request *r, enum ab_served served)
{
	struct ab_record *rec = bpf_ringbuf_reserve(&records, sizeof(*rec), 0);

	if (!rec) {
		count(AB_CNT_RECORDS_LOST);
		return;
	}
	rec->start_ns = r->start_ns;
	rec->end_ns = r->last_ns;
	__builtin_memcpy(rec->phase_ns, r->phase_ns, sizeof(rec->phase_ns));
	rec->submit_ns = r->submit_ns;
	rec->done_ns = r->done_ns;
	rec->notify_ns = r->notify_ns;
	rec->on_cpu_ns = span_of(r, AB_ON_CPU);
	rec->off_cpu_ns = r->off_cpu_ns;
	rec->driver = r->driver;
	rec->wait_key = r->wait_key;
	rec->tid = (__u32)bpf_get_current_pid_tgid();
	rec->in_bytes = r->in_bytes;
	rec->out_bytes = r->out_bytes;
	rec->status = r->status;
	rec->algorithm = r->algorithm;
	rec->direction = AB_DECOMPRESS;
	rec->served = served;
	rec->flags = r->flags;
	rec->submit_cpu = r->submit_cpu;
	rec->done_cpu = r->done_cpu;
	rec->pad = 0;
	bpf_ringbuf_submit(rec, 0);
	count(AB_CNT_RECORDS);
}

/* Books a finished request: histograms, who served it, a sampled record. */
__noinline int request_book(struct request *r)
{
	struct ab_set_key key = {};
	struct ab_counts *c;
	__u32 set, phase, phases;
	enum ab_served served;
	__u64 exits;

	if (!r)
		return 0;
	served = served_by(r);
	key.algorithm = r->algorithm;
	key.direction = AB_DECOMPRESS;
	key.size_class = size_class(r->in_bytes);
	/* After a rejected submit it was the file system's own decoder that did the work. */
	key.driver = r->steps & STEP_REJECTED ? 0 : r->driver;

	c = counts_here();
	if (!c)
		return 0;
	add64(&c->n[AB_CNT_EXIT_NS], r->last_ns - window.begin_ns);
	exits = __sync_fetch_and_add(&c->n[AB_CNT_EXITS], 1);
	add64(&c->served[served].requests, 1);
	add64(&c->served[served].in_bytes, r->in_bytes);
	add64(&c->served[served].out_bytes, r->out_bytes);

	set = set_index(&key);
	if (set >= AB_MAX_SETS) {
		add64(&c->n[AB_CNT_SETS_FULL], 1);
		return 0;
	}
	phases = phases_of(r);
	for (phase = 0; phase < AB_PHASES; phase++) {
		if (!(phases & 1 << phase))
			continue;
		hist_add(set * AB_PHASES + phase,
			 phase < AB_PARTITION ? r->phase_ns[phase] : span_of(r, phase));
	}
	if (record_every && exits % record_every == 0)
		record_emit(r, served);
	return 0;
}

#endif
