/* SPDX-License-Identifier: GPL-2.0-only */
/* What BPF programs and user space both see. The only such header besides hist.h; sizes are asserted. */
#ifndef AB_SHARED_H
#define AB_SHARED_H

#include "hist.h"

typedef unsigned char ab_u8;
typedef unsigned short ab_u16;
typedef unsigned int ab_u32;
typedef unsigned long long ab_u64;

/*
 * Phases and spans of one request, in the order of reports. SETUP..OTHER partition the wall time TOTAL exactly; the rest are
 * spans beside it. Names, titles and meanings: src/model/phase.c.
 */
enum ab_phase {
	AB_SETUP,
	AB_SUBMIT,
	AB_WAIT,
	AB_DECODE,
	AB_COPY,
	AB_OTHER,
	AB_PARTITION,		 /* number of phases that add up to the total */
	AB_TOTAL = AB_PARTITION, /* end - start */
	AB_SERVICE,		 /* submit entry -> final crypto_req_done */
	AB_BACKLOG, /* submit entry -> notification that a backlogged request entered the ring */
	AB_WAKEUP,  /* later of crypto_req_done and submit's return -> the task runs again */
	AB_ON_CPU,
	AB_OFF_CPU,
	AB_PHASES,
};

/* On-disk algorithm of a request, known from the decompressor that was entered. */
enum ab_algorithm {
	AB_ALG_STORED, /* an uncompressed cluster: not a decompression request, counted apart */
	AB_ALG_LZ4,
	AB_ALG_LZMA,
	AB_ALG_DEFLATE,
	AB_ALG_ZSTD,
	AB_ALG_LZO,
	AB_ALGORITHMS,
};

/* Who served a request, and if no accelerator did, why not. Exactly one per request. */
enum ab_served {
	AB_SERVED_OFFLOADED, /* an asynchronous driver completed it through its callback */
	AB_SERVED_SYNC, /* a transform was called and finished before returning: no accelerator */
	AB_SERVED_NO_ENGINE, /* never submitted: no accelerator set for this algorithm, or the file system declined */
	AB_SERVED_PARTIAL,  /* never submitted: the file system wanted a part of the cluster only */
	AB_SERVED_FALLBACK, /* submitted, and a nested synchronous request served it */
	AB_SERVED_REJECTED, /* submit failed at once, software took over */
	AB_SERVED_FAILED,   /* the request ended with an error */
	AB_SERVED_STORED,   /* uncompressed cluster: nothing to decompress */
	AB_SERVED,
};

/* Counters of the tracer, per window. Everything that could make a number wrong is one of these. */
enum ab_counter {
	AB_CNT_ENTRIES,	     /* requests begun inside the window */
	AB_CNT_EXITS,	     /* requests ended */
	AB_CNT_ORPHAN_EXITS, /* ended without a beginning: in flight when the hooks were attached */
	AB_CNT_OVERWRITTEN,  /* begun while one of the same task was still open */
	AB_CNT_OTHER_DEVICE, /* requests of other file systems, left alone */
	AB_CNT_SUBMITS,	     /* outermost crypto_acomp_(de)compress calls inside a request */
	AB_CNT_NESTED_SUBMITS,	   /* calls inside such a call: fallbacks */
	AB_CNT_SUBMIT_SYNC,	   /* returned 0 */
	AB_CNT_SUBMIT_ASYNC,	   /* returned -EINPROGRESS */
	AB_CNT_SUBMIT_BUSY,	   /* returned -EBUSY: backlogged */
	AB_CNT_SUBMIT_ERRORS,	   /* returned another error */
	AB_CNT_COMPLETIONS,	   /* first final completion of a request in flight */
	AB_CNT_COMPLETION_ERRORS,  /* of those, with a status other than 0 */
	AB_CNT_EARLY,		   /* of those, before submit returned */
	AB_CNT_NOTIFICATIONS,	   /* -EINPROGRESS callbacks of requests in flight */
	AB_CNT_LATE_NOTIFICATIONS, /* -EINPROGRESS callbacks after the final completion */
	AB_CNT_DUPLICATES,	   /* further final completions of the same request */
	AB_CNT_RESUMES,		   /* waits that ended */
	AB_CNT_INFLIGHT_FULL,	   /* could not be entered into the in-flight table */
	AB_CNT_INFLIGHT_STALE,	   /* in-flight key met while still live */
	AB_CNT_STATE_FAILED,	   /* no memory for a task's state */
	AB_CNT_NEGATIVE,	   /* differences below zero, clamped to zero */
	AB_CNT_SETS_FULL,	   /* requests without a histogram set left */
	AB_CNT_ENTRY_NS, /* sum of begin times since the window opened: with the next, Little's law */
	AB_CNT_EXIT_NS,	     /* sum of end times since the window opened */
	AB_CNT_RECORDS,	     /* sampled records written */
	AB_CNT_RECORDS_LOST, /* sampled records dropped: ring buffer full */
	AB_COUNTERS,
};

#define AB_MAX_SETS	16 /* histogram sets per window: (engine observed, direction, size class) */
#define AB_DRIVER_NAME	64
#define AB_SIZE_CLASSES 12 /* compressed bytes: up to 1, 2, 4 ... KiB; the last is open */

enum ab_direction { AB_DECOMPRESS, AB_COMPRESS };

/* One histogram, as kept per CPU. The count is the sum of the buckets: one atomic addition less per request and phase. */
struct ab_hist {
	ab_u64 sum;
	ab_u64 max;
	ab_u64 inverted_min; /* ~min, so that a zeroed histogram needs no other initial value */
	ab_u64 saturated;
	ab_u64 buckets[AB_HIST_BUCKETS];
};

/* What a histogram set is about. @driver: kernel address of the crypto_alg that was called, 0 for the file system's own code. */
struct ab_set_key {
	ab_u64 driver;
	ab_u8 algorithm;
	ab_u8 direction;
	ab_u8 size_class;
	ab_u8 pad[5];
};

struct ab_driver {
	char name[AB_DRIVER_NAME];
};

/* Requests and bytes by who served them. */
struct ab_served_count {
	ab_u64 requests;
	ab_u64 in_bytes;
	ab_u64 out_bytes;
};

/* What is collected per CPU beside the histograms. */
struct ab_counts {
	ab_u64 n[AB_COUNTERS];
	struct ab_served_count served[AB_SERVED];
};

/* CPU time between context switches, per CPU. */
struct ab_cpu_time {
	ab_u64 since_ns;
	ab_u64 kthread_ns;
};

/* The time in which requests count; written by user space. */
struct ab_window {
	ab_u32 active; /* requests that begin now count; those that have begun are followed to their end */
	ab_u32 kernel_dev;
	ab_u64 begin_ns; /* 0: nothing is collected */
};

/* A question to the kernel: where is this function? */
struct ab_symbol {
	char name[64];
	ab_u64 address; /* 0: not found */
};

/*
 * A request handed to a driver, by the address of its waiter's struct crypto_wait (a place on the waiter's stack). It stays
 * when the waiter goes on, so that late callbacks are recognised, until the next request of the same place.
 */
#define AB_CLOSED 1 /* in place of a time: did not happen, and would be too late now */
struct ab_inflight {
	ab_u64 submit_ns;
	ab_u64 done_ns;	  /* first final completion, 0: still out */
	ab_u64 notify_ns; /* -EINPROGRESS callback, 0: none yet */
	ab_u32 done_cpu;
	int status;
	int owed; /* notifications of earlier requests of this place that are still to come */
	ab_u32 pad;
};

/* A request, whole, as it is kept while it runs and as samples are. Times on CLOCK_MONOTONIC; 0: did not happen. */
struct ab_record {
	ab_u64 start_ns;
	ab_u64 end_ns; /* while it runs: the last boundary between phases */
	ab_u64 ns[AB_PHASES];
	ab_u64 submit_ns; /* entry of crypto_acomp_(de)compress */
	ab_u64 done_ns;	  /* final crypto_req_done */
	ab_u64 notify_ns; /* -EINPROGRESS callback */
	ab_u64 driver; /* kernel address of the crypto_alg called; 0: the file system's own code */
	ab_u64 wait_key; /* address of the waiter's struct crypto_wait */
	ab_u32 tid;
	ab_u32 in_bytes;
	ab_u32 out_bytes;
	int status; /* what submit returned or the completion said; 0: neither */
	ab_u32 submit_cpu;
	ab_u32 done_cpu;
	ab_u8 algorithm;
	ab_u8 direction;
	ab_u8 served;
	ab_u8 flags; /* enum ab_record_flag */
	ab_u32 pad;
};

enum ab_record_flag {
	AB_REC_PARTIAL = 1 << 0,
	AB_REC_INPLACE = 1 << 1,
	AB_REC_EARLY = 1 << 2, /* completed before submit returned */
	AB_REC_BACKLOG = 1 << 3,
	AB_REC_FAILED = 1 << 4,
	AB_REC_KTHREAD = 1 << 5, /* ran in a kernel worker, not in the reader */
};

_Static_assert(sizeof(struct ab_hist) == 32 + 8 * AB_HIST_BUCKETS, "ab_hist layout");
_Static_assert(sizeof(struct ab_set_key) == 16, "ab_set_key layout");
_Static_assert(sizeof(struct ab_inflight) == 40, "ab_inflight layout");
_Static_assert(sizeof(struct ab_record) == 184, "ab_record layout");

#endif
