/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by session.c (life cycle) and collect*.c (reading maps); nobody else includes it. */
#ifndef AB_PROBE_SESSION_IMPL_H
#define AB_PROBE_SESSION_IMPL_H

#include <bpf/libbpf.h>
#include "probe/attach.h"
#include "probe/btf_index.h"
#include "probe/session.h"
#include "request.skel.h"

#define SESSION_MAX_HOOKS 32

struct driver_name {
	uint64_t address;
	char name[AB_DRIVER_NAME];
};

struct session {
	struct request_bpf *skel;
	struct btf_index index;
	enum mechanism mechanism;
	bool all_phases;
	bool phases[AB_PHASES]; /* asked for, when not all */
	struct bound_hook hooks[SESSION_MAX_HOOKS];
	size_t hook_count;
	struct attach_context attach;
	bool attached;
	uint64_t index_ns, open_ns, load_ns, attach_ns; /* open includes index */
	unsigned int cpus;				/* possible, as per-CPU maps have them */
	struct driver_name drivers[64];
	size_t driver_count;
	struct ring_buffer *ring;
	struct ab_record *records;
	size_t record_count, record_cap;
	bool record_failed;
	uint64_t misses; /* at the start of the window */
};

/* Is a hook of @role needed for one of @phases (NULL: all)? */
bool session_wants_role(const bool *phases, enum hook_role role);
/* Zeroes histograms, counters and CPU times; forgets requests in flight that ended. */
int collect_reset(struct session *s, struct diag *d);
/*
 * In a long window: when the table of requests in flight is more than half full of ended ones, these are forgotten. A late callback of
 * one of them is a stranger then.
 */
void collect_tidy(struct session *s);
/* Entries minus exits, as of now. */
int64_t collect_open_requests(struct session *s);
/* Adds the window's data to @trace and @cpu. */
int collect_window(struct session *s, struct result_trace *trace, struct result_cpu *cpu,
		   struct diag *d);
/* Is a hook of @role attached, if @algorithm >= 0 that of the algorithm? */
bool collect_role_attached(const struct session *s, enum hook_role role, int algorithm);
/* Adds the histograms of all sets to @trace. -errno. */
int collect_sets(struct session *s, struct result_trace *trace);
/* Calls that no program saw, by the kernel's own counts: it was running already on that CPU, or a return probe had no room. */
uint64_t collect_misses(const struct session *s);

#endif
