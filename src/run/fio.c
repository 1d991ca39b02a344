// SPDX-License-Identifier: GPL-2.0-only
/* fio: the job file, running it, believing it only as far as it makes sense. */
#include "run/fio.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "base/spawn.h"

#define NS_PER_MS	   1000000u
#define VERSION_MAJOR	   3 /* nanoseconds in the JSON, bw_bytes */
#define VERSION_TIMEOUT_NS (UINT64_C(10) * 1000000000)
#define MAX_OUTPUT_BYTES   (16u << 20)

/*
 * fio cuts a line of a job file at ';' and '#', expands ${NAME} and $keyword, has given '`' and
 * '\\' meanings of their own, and takes ':' for the end of a file name unless a backslash stands
 * before it.
 */
static int add_filename(struct strbuf *job, const char *filename, struct diag *d)
{
	size_t len = strlen(filename);

	strbuf_puts(job, "filename=");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)filename[i];

		if (c < 0x20 || c == 0x7f || strchr(";#$`\\", c) || (c == ' ' && i + 1 == len))
			return diag_set(
				d, -EINVAL,
				"a fio job file cannot hold the file name %s: character 0x%02x; rename the file",
				filename, c);
		if (c == ':')
			strbuf_putc(job, '\\');
		strbuf_putc(job, (char)c);
	}
	strbuf_putc(job, '\n');
	return 0;
}

int fio_job(const struct workload_spec *w, const char *filename, uint64_t file_bytes,
	    struct strbuf *job, struct diag *d)
{
	int err;

	if (file_bytes < w->bs_bytes)
		return diag_set(d, -EINVAL,
				"workload %s: %s has %" PRIu64
				" bytes, less than one read of bs = %" PRIu64
				" bytes; take a larger file or a smaller bs",
				w->name, filename, file_bytes, w->bs_bytes);
	strbuf_puts(job, "[job]\n");
	err = add_filename(job, filename, d);
	if (err)
		return err;
	strbuf_printf(job, "allow_file_create=0\nrw=%s\nbs=%" PRIu64 "\nsize=%" PRIu64 "\n", w->rw,
		      w->bs_bytes, file_bytes);
	if (w->io_size_bytes)
		strbuf_printf(job, "io_size=%" PRIu64 "\n", w->io_size_bytes);
	strbuf_printf(job, "ioengine=%s\niodepth=%u\nnumjobs=%u\ndirect=%d\n", w->ioengine,
		      w->iodepth, w->numjobs, w->direct);
	if (w->runtime_ns)
		strbuf_printf(job, "time_based=1\nruntime=%" PRIu64 "ms\n",
			      (w->runtime_ns + NS_PER_MS - 1) / NS_PER_MS);
	/*
	 * invalidate=0: fio would drop the file's cached pages inside the time that it measures;
	 * the cache is made cold before. thread=1: one process to wait for, whose rusage is the
	 * workload's CPU time.
	 */
	strbuf_printf(job,
		      "randseed=%" PRIu64
		      "\ninvalidate=0\nthread=1\ngroup_reporting=1\ndisk_util=0\n"
		      "percentile_list=50:99:99.9\n",
		      w->randseed);
	return job->failed ? diag_set(d, -ENOMEM, "no memory for a fio job") : 0;
}

int fio_version(char *buf, size_t size, struct diag *d)
{
	static const char *const argv[] = {"fio", "--version", NULL};
	struct spawn_opts opts = {.timeout_ns = VERSION_TIMEOUT_NS};
	AB_SPAWN_RESULT struct spawn_result res = {0};
	unsigned int major;
	const char *text;
	int err;

	buf[0] = '\0';
	err = spawn_run(argv, &opts, &res, d);
	if (err == -ENOENT)
		return diag_set(d, -EOPNOTSUPP, "fio is not installed: install package fio");
	if (!err)
		err = spawn_check("fio --version", &res, d);
	if (err)
		return err;
	text = strbuf_str(&res.out);
	snprintf(buf, size, "%.*s", (int)strcspn(text, "\r\n"), text);
	if (sscanf(buf, "fio-%4u", &major) != 1)
		return diag_set(d, -EOPNOTSUPP, "fio --version says \"%s\", not fio-<number>", buf);
	if (major < VERSION_MAJOR)
		return diag_set(d, -EOPNOTSUPP, "%s is too old: install version %d.0 or later", buf,
				VERSION_MAJOR);
	return 0;
}

/* A file that lives in memory only, read from its beginning. */
static int job_file(const struct strbuf *job, struct diag *d)
{
	int fd = memfd_create("accelbench.fio", MFD_CLOEXEC);

	if (fd < 0)
		return diag_errno(d, -errno, "fio job file");
	if (write(fd, job->data, job->len) != (ssize_t)job->len || lseek(fd, 0, SEEK_SET) < 0) {
		close(fd);
		return diag_set(d, -EIO, "fio job file: cannot be written");
	}
	return fd;
}

/*
 * fio ended, but not well. It prints its errors on both streams, and JSON on one of them even then.
 */
static int explain_failure(const struct spawn_result *res, struct diag *d)
{
	AB_STRBUF struct strbuf words = {0};
	const char *text = strbuf_str(&res->out);
	const char *json = strstr(text, "\n{");
	struct spawn_result without_json = *res;

	if (text[0] != '{')
		strbuf_add(&words, text, json ? (size_t)(json + 1 - text) : res->out.len);
	strbuf_add(&words, strbuf_str(&res->err), res->err.len);
	without_json.out = (struct strbuf){0};
	without_json.err = words;
	return spawn_check("fio", &without_json, d);
}

/* What fio did against what it was asked to do. */
static int check_bytes(const struct workload_spec *w, uint64_t file_bytes,
		       const struct result_sample *sample, struct diag *d)
{
	uint64_t per_job = w->io_size_bytes ? w->io_size_bytes : file_bytes;
	uint64_t most = per_job * w->numjobs,
		 least = (per_job - per_job % w->bs_bytes) * w->numjobs;

	if (w->runtime_ns || (sample->io_bytes >= least && sample->io_bytes <= most))
		return 0;
	return diag_set(d, -EBADMSG, "fio read %" PRIu64 " bytes instead of %" PRIu64,
			sample->io_bytes, most);
}

static int run(const struct workload_spec *w, const char *filename, uint64_t file_bytes,
	       uint64_t timeout_ns, struct result_sample *sample, struct strbuf *json,
	       struct diag *d)
{
	static const char *const argv[] = {"fio",	 "--output-format=json",
					   "--readonly", "--eta=never",
					   "-",		 NULL};
	struct spawn_opts opts = {.timeout_ns = timeout_ns, .max_output_bytes = MAX_OUTPUT_BYTES};
	AB_SPAWN_RESULT struct spawn_result res = {0};
	AB_STRBUF struct strbuf job = {0};
	AB_CLOSE int fd = -1;
	int err;

	err = fio_job(w, filename, file_bytes, &job, d);
	if (err)
		return err;
	fd = job_file(&job, d);
	if (fd < 0)
		return fd;
	opts.stdin_fd = fd;
	err = spawn_run(argv, &opts, &res, d);
	if (err)
		return err == -ENOENT
			       ? diag_set(d, err, "fio is not installed: install package fio")
			       : err;
	strbuf_add(json, strbuf_str(&res.out), res.out.len);
	sample->cpu.has_workload = !res.unkillable;
	sample->cpu.workload_user_ns = res.user_ns;
	sample->cpu.workload_system_ns = res.system_ns;
	if (res.timed_out || res.interrupted || res.unkillable || res.signalled || res.exit_status)
		return explain_failure(&res, d);
	err = fio_parse(strbuf_str(&res.out), res.out.len, sample, d);
	return err ? err : check_bytes(w, file_bytes, sample, d);
}

int fio_run(const struct workload_spec *w, const char *filename, uint64_t file_bytes,
	    uint64_t timeout_ns, struct result_sample *sample, struct strbuf *json, struct diag *d)
{
	struct diag why = {""};
	int err = run(w, filename, file_bytes, timeout_ns, sample, json, &why);

	sample->ok = !err;
	sample->reason[0] = '\0';
	if (!err)
		return 0;
	snprintf(sample->reason, sizeof(sample->reason), "%s", why.text);
	return diag_set(d, err, "%s", why.text);
}
