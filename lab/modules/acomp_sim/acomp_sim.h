/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * acomp_sim: an asynchronous acomp provider with a log, for tests of a tracer.
 *
 * A request's way through the module:
 *
 *	main.c    the crypto API calls sim_submit()
 *	plan.c    decides by the request's number what is to happen to it
 *	submit.c  answers at once, or hands it to the ring
 *	engine.c  ring, backlog, engines, service time
 *	codec.c   inflates or deflates
 *	complete.c calls the completion callback
 *	log.c     notes when each of these happened
 *
 * Once the final callback has been called the request belongs to nobody: EROFS frees and
 * reuses it at once. What is needed later is copied out before (struct sim_call).
 */
#ifndef ACOMP_SIM_H
#define ACOMP_SIM_H

#include <crypto/internal/acompress.h>
#include <linux/list.h>
#include <linux/timekeeping.h>
#include <linux/types.h>

#define SIM_NAME	"acomp_sim"
#define SIM_MAX_ENGINES 16
/* The largest source one request may have. EROFS' physical clusters end at 1 MiB too. */
#define SIM_MAX_SRC_BYTES (1U << 20)
#define SIM_MAX_DELAY_NS  (1000U * 1000 * 1000)
#define SIM_MAX_BUSY_NS	  (10U * 1000 * 1000)

/* What happened to a request: bits of sim_row.kinds, names in log.c, counters in "stats". */
enum sim_kind {
	SIM_KIND_SYNC,	     /* completed by the return value 0 */
	SIM_KIND_SYNC_ERROR, /* failed at once, by choice */
	SIM_KIND_FALLBACK,   /* completed by a nested request to the synchronous transform */
	SIM_KIND_EARLY,	     /* final callback called before the submit returned, by choice */
	SIM_KIND_BACKLOG,    /* ring full: -EBUSY, a notification, later the final callback */
	SIM_KIND_LATE,	     /* that notification was called after the final callback */
	SIM_KIND_ERROR,	     /* final callback with an error, by choice */
	SIM_KIND_BAD_DATA,   /* final callback with an error that the codec found */
	SIM_KIND_DUP,	     /* final callback called twice */
	SIM_KIND_LOST,	     /* final callback withheld */
	SIM_KIND_RELEASED,   /* lost, then completed on demand */
	SIM_KIND_RING_FULL,  /* ring full and no backlog allowed: -ENOSPC */
	SIM_KIND_REJECTED,   /* impossible request: -EINVAL, or no memory: -ENOMEM */
	SIM_KIND_SKIPPED,    /* a fault was due but would have been unsafe for this caller */
	SIM_KIND_SOFTIRQ,    /* final callback called from a softirq */
	SIM_KIND_COUNT,
};

/* Where a request is completed. One per request, see sim_plan_make() for the precedence. */
enum sim_path {
	SIM_PATH_ENGINE,
	SIM_PATH_SYNC,
	SIM_PATH_SYNC_ERROR,
	SIM_PATH_FALLBACK,
	SIM_PATH_EARLY,
};

enum sim_completion { SIM_COMPLETE_WORKQUEUE, SIM_COMPLETE_SOFTIRQ };
enum sim_spread { SIM_SPREAD_UNIFORM, SIM_SPREAD_LOGNORMAL };
enum sim_early_cpu { SIM_EARLY_SAME, SIM_EARLY_OTHER };
enum sim_delay_mode { SIM_DELAY_BUSY, SIM_DELAY_SLEEP };
enum sim_delay_where { SIM_DELAY_BEFORE, SIM_DELAY_AFTER };

/*
 * The module parameters, validated, in the units of their names; README.md explains each.
 * They change while requests run: read a field once, with READ_ONCE().
 */
struct sim_params {
	unsigned int seed;
	unsigned int service_ns;
	unsigned int ns_per_kib;
	unsigned int spread_pct;
	unsigned int spread_kind;
	unsigned int engines;
	unsigned int completion;
	unsigned int ring_depth;
	unsigned int hold;
	unsigned int submit_delay_ns;
	unsigned int submit_delay_mode;
	unsigned int submit_delay_where;
	unsigned int sync_every;
	unsigned int sync_error_every;
	unsigned int fallback_every;
	unsigned int early_every;
	unsigned int early_cpu;
	unsigned int error_every;
	unsigned int error_status;
	unsigned int dup_every;
	unsigned int late_every;
	unsigned int late_delay_ns;
	unsigned int lost_every;
	unsigned int log_entries;
};

extern struct sim_params sim_params;

/* The errno (negative) that the parameter error_status stands for. */
int sim_error_status(void);

/* One line of the log. A time of 0 and a CPU of -1 are "did not happen", printed empty. */
struct sim_row {
	u64 seq;
	unsigned long req;
	unsigned long data;
	u64 submit_ns;
	u64 return_ns;
	u64 ring_ns;
	u64 start_ns;
	u64 service_ns; /* planned; valid once start_ns is set */
	u64 notify_ns;
	u64 final_ns;
	u64 dup_ns;
	u32 src_bytes;
	u32 dst_bytes;
	u32 out_bytes;
	s32 ret;
	s32 status;
	u32 kinds;
	pid_t tid;
	s16 submit_cpu;
	s16 notify_cpu;
	s16 final_cpu;
	bool compress;
};

/* What is to happen to one request. */
struct sim_plan {
	enum sim_path path;
	int error; /* 0, or the status to end with instead of running the codec */
	bool dup;
	bool lost;
	u64 random; /* for its service time; depends on seed and number alone */
};

/* Our part of a request: the crypto API allocates it behind struct acomp_req. */
struct sim_req {
	struct list_head node; /* ring, backlog, or lost list */
	struct acomp_req *req;
	struct sim_row *row; /* NULL: the log is full, or the request is a self-test's */
	struct sim_plan plan;
	bool compress;
	bool late;
	int submit_cpu;
	int status;
	u64 lost_ns;
};

/* A completion callback with all that it needs: valid when the request no longer is. */
struct sim_call {
	crypto_completion_t fn;
	void *data;
	struct sim_row *row;
	int status;
};

/* The tracer's clock: bpf_ktime_get_ns() reads the same one. */
static inline u64 sim_now(void)
{
	return ktime_get_mono_fast_ns();
}

/* submit.c */

/* The algorithm's compress and decompress. Returns what acomp_alg's operations return. */
int sim_submit(struct acomp_req *req, bool compress);

/* plan.c */

/* False while the self-test manager tests the algorithm: then no fault is planned, no hold. */
void sim_arm(void);
bool sim_armed(void);
struct sim_plan sim_plan_make(u64 seq);
/* Is the next request to enter the backlog (the n-th) one whose notification comes late? */
bool sim_plan_late(u64 n);
/* Service time for that many uncompressed bytes, spread applied. */
u64 sim_plan_service_ns(const struct sim_plan *plan, unsigned int bytes);

/* Pass @ns; sleeps where asked to and allowed, else spins (at most SIM_MAX_BUSY_NS). */
void sim_delay(u64 ns, bool sleep);
/* Sleep until the tracer's clock shows @deadline_ns. */
void sim_sleep_until(u64 deadline_ns);

/* engine.c */

int sim_engine_init(void);
void sim_engine_exit(void);
/* Returns -EINPROGRESS, -EBUSY or -ENOSPC; after the first two the request may be gone. */
int sim_engine_submit(struct sim_req *sr);
/* A parameter changed: let engines and backlog have another look. */
void sim_engine_kick(void);
/* Complete the lost requests; returns how many there were. */
unsigned int sim_engine_release_lost(void);

struct sim_engine_stats {
	unsigned int in_ring; /* in the ring or with an engine */
	unsigned int in_ring_peak;
	unsigned int in_backlog;
	unsigned int lost;
	u64 lost_oldest_ns; /* age of the oldest lost request */
};
void sim_engine_stats(struct sim_engine_stats *st);
/* Forget the peak, and count backlogged requests from 1 again. */
void sim_engine_stats_reset(void);

/* complete.c */

struct sim_call sim_call_of(const struct sim_req *sr);
/* Call @call's callback with -EINPROGRESS. */
void sim_notify(const struct sim_call *call);
/*
 * Call the final callback once, or twice, and the late notification, as planned. The request is
 * gone afterwards. Process or softirq context; a duplicated one process context only.
 */
void sim_complete(struct sim_req *sr);
/* The same on the way of the submit, before it has returned, here or on another CPU. */
void sim_complete_early(struct sim_req *sr);

/* codec.c */

struct sim_codec;

int sim_codec_init(void);
void sim_codec_exit(void);
struct sim_codec *sim_codec_alloc(void);
void sim_codec_free(struct sim_codec *codec);
/*
 * Inflate or deflate @req with @codec. Sets @req->dlen. Returns 0, -EINVAL for bad data,
 * -ENOSPC when the output does not fit. May run in any context that has the codec for itself.
 */
int sim_codec_run(struct sim_codec *codec, struct acomp_req *req, bool compress);
/* The same, here and now, with this CPU's own codec. */
int sim_codec_run_here(struct acomp_req *req, bool compress);
/* The same through the transform's synchronous fallback: a nested acomp request. May sleep. */
int sim_codec_run_fallback(struct acomp_req *req, bool compress);

/* log.c */

int sim_log_init(void);
void sim_log_exit(void);
/*
 * A request arrived. Returns its row, or NULL when the log is full (counted). @seq gets its number,
 * from 1. Until sim_log_put() was called twice, by the submitter and by who completes it,
 * it is in flight and the log cannot be reset.
 */
struct sim_row *sim_log_open(struct acomp_req *req, bool compress, u64 now_ns, u64 *seq);
void sim_log_put(unsigned int refs);
/* Count one kind, and set it in @row unless that is NULL. */
void sim_log_kind(struct sim_row *row, enum sim_kind kind);
/* Forget all rows and counters. Waits up to a second for requests in flight, then -EBUSY. */
int sim_log_reset(void);

struct seq_file;
void sim_log_show_stats(struct seq_file *m);
extern const struct file_operations sim_log_fops;

/* debugfs.c */

void sim_debugfs_init(void);
void sim_debugfs_exit(void);

#endif
