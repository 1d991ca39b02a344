/* SPDX-License-Identifier: GPL-2.0-only */
/* One fio run: job file from the allow-list, run, JSON read. */
#ifndef AB_RUN_FIO_H
#define AB_RUN_FIO_H

#include "base/strbuf.h"
#include "model/result.h"
#include "model/scenario.h"

/*
 * The job file for @w on @filename; goes to fio on standard input or as a file in a private folder.
 */
int fio_job(const struct workload_spec *w, const char *filename, uint64_t file_bytes,
	    struct strbuf *job, struct diag *d);

/*
 * Version of the fio in PATH ("fio-3.33"). -EOPNOTSUPP: there is none, or it is too old (before 3.0,
 * no nanosecond JSON).
 */
int fio_version(char *buf, size_t size, struct diag *d);

/*
 * Reads fio's output: leading and trailing text is skipped, both `clat_ns` and `clat` shapes are
 * known, several jobs are added up. -EBADMSG: no JSON, or nonsense (no bytes, runtime 0, error
 * set); @d has fio's own words.
 */
int fio_parse(const char *text, size_t len, struct result_sample *sample, struct diag *d);

/*
 * Runs it and fills bandwidth, latency and the workload's CPU time. @json receives fio's own JSON
 * document. -EIO: fio failed; -ETIME; -EINTR; -EBADMSG. @sample->reason gets the words.
 */
int fio_run(const struct workload_spec *w, const char *filename, uint64_t file_bytes,
	    uint64_t timeout_ns, struct result_sample *sample, struct strbuf *json, struct diag *d);

#endif
