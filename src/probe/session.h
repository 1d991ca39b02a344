/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracer's life: open, attach, one window per repetition, collect, detach, close. */
#ifndef AB_PROBE_SESSION_H
#define AB_PROBE_SESSION_H

#include "base/diag.h"
#include "model/result.h"

struct session;

enum session_mechanism { MECHANISM_AUTO, MECHANISM_FENTRY, MECHANISM_FPROBE, MECHANISM_KPROBE };
/* "auto", "fentry"...: what --mechanism takes, by the enum; NULL-terminated. */
extern const char *const session_mechanism_names[];

struct session_opts {
	const char *filesystem; /* "erofs" */
	uint32_t
		algorithms; /* bit per enum ab_algorithm that will occur; 0: all. Fewer hooks attach faster */
	const bool *
		phases; /* [AB_PHASES]: those that are asked for, NULL: all. The hooks of others are left out */
	enum session_mechanism mechanism;
	uint64_t record_every;	   /* sample every n-th request; 0: none */
	unsigned int inflight_max; /* entries of the in-flight table; 0: 16384 */
};

/*
 * Loads the programs for every hook that this kernel has; nothing is attached yet. -EPERM, -EOPNOTSUPP, -ENOENT (no BTF)...:
 * this kernel cannot be traced, @d says why and what to do.
 */
int session_open(struct session **out, const struct session_opts *opts, struct diag *d);
/* Attaches all; with attach and detach in turn, untraced control repetitions are really untraced. */
int session_attach(struct session *s, struct diag *d);
void session_detach(struct session *s);
/* A window: only requests on @kernel_dev (major << 20 | minor) that begin after this call count. */
int session_begin(struct session *s, uint32_t kernel_dev, struct diag *d);
/* Ends the window and adds what was seen to @trace; kernel threads' CPU time of the window to @cpu. */
int session_end(struct session *s, struct result_trace *trace, struct result_cpu *cpu,
		struct diag *d);
/*
 * What the window has seen so far, added to an empty @trace, while it goes on: for live displays. Requests that are open count when
 * they end.
 */
int session_read(struct session *s, struct result_trace *trace, struct result_cpu *cpu,
		 struct diag *d);
/* Sampled records of windows so far, drained; freed by the caller. */
int session_records(struct session *s, struct ab_record **records, size_t *count, struct diag *d);
/* Name of an observed driver (a record's `driver`), or "?". */
const char *session_driver_name(const struct session *s, uint64_t driver);
/* Mechanism, hooks, times. */
int session_describe(const struct session *s, struct result_tracer *tracer);
void session_close(struct session *s);

#endif
