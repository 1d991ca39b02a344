/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Figures that follow from a result: pure functions of the numbers stored, never stored themselves.
 */
#ifndef AB_MODEL_DERIVE_H
#define AB_MODEL_DERIVE_H

#include "base/stats.h"
#include "model/result.h"

#define DERIVE_CONFIDENCE \
	0.95 /* asked of every interval; what few samples reach is stated with it */

/* A number, or the reason why there is none. */
struct figure {
	bool known;
	double value;
	const char *why; /* when not known; lives as long as the result */
};

/*
 * Which repetitions speak for a cell's speed: untraced control repetitions where there are any,
 * traced ones else.
 */
enum derive_source { DERIVE_UNTRACED, DERIVE_TRACED };

struct derive_speed {
	struct stats_summary bandwidth; /* bytes per second; n = 0: no repetition succeeded */
	enum derive_source source;
};
struct derive_speed derive_speed(const struct result_cell *cell);
/* Whether @s, one of the cell's repetitions, is one of those. */
bool derive_sample_speaks(const struct result_cell *cell, const struct result_sample *s);

/*
 * Offload coverage: of the requests that had something to decompress (stored clusters do not), the
 * share that an asynchronous driver completed through its callback; by bytes: of their uncompressed
 * bytes. Failed requests count as not offloaded.
 */
struct derive_coverage {
	uint64_t requests; /* that had something to decompress */
	uint64_t out_bytes;
	struct figure by_requests; /* 0..1 */
	struct figure by_bytes;
};
struct derive_coverage derive_coverage(const struct result_trace *trace);

/* Requests of one observed engine and direction, all size classes together. */
struct derive_group {
	const char *engine;
	const char *direction;
	uint64_t requests; /* count of the total's histogram */
	struct result_hist hists[AB_PHASES];
};
/* Groups of a cell, the largest first. -ENOMEM. */
int derive_groups(const struct result_trace *trace, struct derive_group **groups, size_t *count);
void derive_groups_free(struct derive_group *groups, size_t count);

/* Share of the group's wall time that a phase took: sum of the phase / sum of the total. */
struct figure derive_share(const struct derive_group *group, enum ab_phase phase);

/*
 * CPU time in core-seconds per GiB that fio read. `fio` is its jobs' own, of the repetitions that
 * speak for the speed; `kthread` the scheduler's account of kernel threads, of traced repetitions;
 * `irq` and `machine` are /proc/stat's, in clock ticks, everything else on the machine included.
 * `work` adds fio and kernel threads per repetition: traced ones where kernel threads are known (the
 * tracer's own cost is in it), else fio's time alone and @work_is_fio_only.
 */
struct derive_cpu {
	struct figure fio;
	struct figure kthread;
	struct figure irq;
	struct figure machine;
	struct stats_summary work;
	bool work_is_fio_only;
};
struct derive_cpu derive_cpu(const struct result_cell *cell);
/* `work` of a single repetition. */
struct figure derive_sample_work(const struct result_cell *cell, const struct result_sample *s);

/*
 * Where the run's time went, over traced repetitions, as shares of their run time times the number
 * of jobs. `requests`: inside requests of the file system; above 1 when workers serve several at
 * once. `fio_cpu`: fio on a processor, system calls and requests that it serves itself included.
 * `elsewhere`: at least so much of fio's time was spent waiting for something else, the disk in
 * the first place: what remains without fio's CPU time, without the time that requests waited, and
 * without the CPU time that kernel threads can have spent on requests.
 */
struct derive_time {
	struct figure requests;
	struct figure fio_cpu;
	struct figure elsewhere;
};
struct derive_time derive_time(const struct result_cell *cell);

/*
 * Bytes, over traced repetitions: read from disk per request; decompressed, and read from disk, per
 * byte that fio read.
 */
struct derive_bytes {
	struct figure disk_per_request;
	struct figure out_per_user;
	struct figure disk_per_user;
};
struct derive_bytes derive_bytes(const struct result_cell *cell);

#endif
