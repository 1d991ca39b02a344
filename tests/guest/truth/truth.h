/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares what the tracer says with what the simulated accelerator (lab/modules/acomp_sim) wrote down itself, on the same clock.
 *
 *	truth.c     the table of cases, the results printed
 *	provider.c  parameters and log of the accelerator
 *	reader.c    reading files, cold, with several threads
 *	window.c    one window of the tracer with the log beside it
 *	ledger.c    what must be true of every window, whatever happened in it
 *	join.c      records and rows of the log, one to one
 *	case_*.c    the cases
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diag.h"
#include "probe/session.h"

/* truth.c */

struct truth {
	char dir[256]; /* images mounted below, made by tests/guest/test_truth.sh */
	enum session_mechanism mechanism;
	bool one_cpu;
	struct session
		*session; /* shared by cases that need no other options; see shared_session() */
};

/* One result: prints it, remembers a failure. Returns @ok. */
bool check(bool ok, const char *format, ...) AB_PRINTF(2, 3);
/* The same for two numbers that must be equal. */
bool check_equal(uint64_t got, uint64_t want, const char *format, ...) AB_PRINTF(3, 4);
/* Further lines to the result that comes next or came last. */
void note(const char *format, ...) AB_PRINTF(1, 2);
/* Ends the program: the test itself could not be carried out. */
_Noreturn void give_up(const char *format, ...) AB_PRINTF(1, 2);

/* provider.c */

/* A row of the log; times of 0 and CPUs of -1: did not happen. */
struct row {
	uint64_t seq, data, tid, src_bytes, dst_bytes;
	uint64_t submit_ns, return_ns, ring_ns, start_ns, service_ns, notify_ns, final_ns, dup_ns;
	int ret, status, submit_cpu, final_cpu;
	char kinds[80];
};

struct log {
	struct row *rows;
	size_t count;
};

bool provider_there(void);
/* @settings: "name=value ..." */
void provider_set(const char *settings);
/* Everything as after loading, log empty. */
void provider_reset(void);
void provider_command(const char *command);
/* A line of its statistics. */
uint64_t provider_stat(const char *name);
/* Until @name is @value, ten seconds at most. */
void provider_await(const char *name, uint64_t value);
struct log provider_log(void);
bool row_is(const struct row *row, const char *kind);
/* Writes to a small file, e.g. of sysfs. */
void write_file(const char *path, const char *text);
/* Switches the accelerator on or off. */
void accel_set(bool on);

/* reader.c */

/* Reads files of an image; each is compared with the original. */
struct reading {
	const char *image;  /* mounted at <dir>/<image> */
	unsigned int files; /* of small/<n>: one cluster each; 0: the large file */
	unsigned int
		threads; /* the files are shared out among them; 0: one; ONE_EACH: a thread for each file */
	unsigned int rounds; /* times to read all; 0: once */
	int cpu;	     /* to run on, counted from 1; 0: any */
	bool expect_errors;  /* else a file that cannot be read ends the test */
	unsigned int
		backlog; /* the accelerator is held until that many requests are backlogged; 0: it is not */
};
#define ONE_EACH UINT_MAX
struct readers;
struct readers *reading_start(const struct truth *t, const struct reading *r);
/* Returns the number of files that could not be read. */
unsigned int reading_join(struct readers *readers);
unsigned int reading_run(const struct truth *t, const struct reading *r);
/* Drops what is cached of an image, its compressed data included if @compressed. */
void drop_caches(const struct truth *t, const char *image, bool compressed);
uint32_t image_device(const struct truth *t, const char *image);

/* window.c */

struct window {
	uint64_t begin_ns; /* not before */
	struct result_trace trace;
	struct result_cpu cpu;
	struct ab_record *records;
	size_t count;
	struct log log;	     /* rows of requests submitted in the window */
	size_t *row_of;	     /* for each record its row; SIZE_MAX: none. See join() */
	unsigned int failed; /* files that could not be read */
};

/* Every request is recorded. @algorithms: bit per enum ab_algorithm, 0: all. */
struct session *open_session(const struct truth *t, uint64_t algorithms, unsigned int inflight_max);
/* That of most cases: deflate. */
struct session *shared_session(struct truth *t);
void window_begin(const struct truth *t, struct session *s, const char *image, struct window *w);
void window_end(struct session *s, struct window *w);
void window_free(struct window *w);
/*
 * A tracer's program is skipped when another task was preempted inside of it on the same CPU; the kernel counts that, and so
 * does the tracer. Such a window is no test of exactness: true if it is to be tried again (it has been freed then).
 */
bool window_missed(struct window *w, unsigned int *tries);
/* All of it: provider reset and set (NULL: there is none), caches cold, window, reading, tried again where that is needed. */
void window_read(struct truth *t, struct session *s, const char *settings, const struct reading *r,
		 struct window *w);

/* A sum over the window's histogram sets. */
uint64_t window_sum(const struct window *w, enum ab_phase phase);
uint64_t served(const struct window *w, enum ab_served how);
uint64_t counter(const struct window *w, enum ab_counter which);

/* ledger.c */

/*
 * Identity of every record and of the sums, histograms rebuilt from the records bucket by bucket, counters that must agree,
 * losses that must be 0. For windows in which every request was recorded.
 */
void check_ledger(const struct window *w, const char *name);

/* join.c */

/* Finds the row of every record and checks that both sides have the same requests. */
void join(struct window *w, const char *name);
typedef bool (*row_test)(const struct row *row);
typedef bool (*record_test)(const struct ab_record *rec);
/* Those records for which @record holds are exactly those whose rows meet @row. Returns how many rows do. */
uint64_t check_same(const struct window *w, record_test record, row_test row, const char *name);
/* The span from submit to completion, which both know. */
void check_service(const struct truth *t, const struct window *w, const char *name);
/* The same, and the submit call itself. */
void check_accuracy(const struct truth *t, const struct window *w, const char *name);

/* Numbers sorted; the smallest with at least @thousandths / 1000 of all at or below it. */
void sort_numbers(uint64_t *values, size_t n);
uint64_t percentile(const uint64_t *sorted, size_t n, unsigned int thousandths);

/* case_*.c */

void case_plain(struct truth *t);
void case_accuracy(struct truth *t);
void case_sync(struct truth *t);
void case_fallback(struct truth *t);
void case_early(struct truth *t);
void case_errors(struct truth *t);
void case_backlog(struct truth *t);
void case_duplicates(struct truth *t);
void case_lost(struct truth *t);
void case_mixture(struct truth *t);
void case_overflow(struct truth *t);
void case_submit_delay(struct truth *t);
void case_setup_delay(struct truth *t);
void case_wakeup_delay(struct truth *t);
void case_software(struct truth *t);
void case_streams(struct truth *t);
void case_other_device(struct truth *t);
void case_before_window(struct truth *t);
void case_attach(struct truth *t);
void case_mechanisms(struct truth *t);

#endif
