// SPDX-License-Identifier: GPL-2.0-only
/* fio's JSON to a sample. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/json_in.h"
#include "run/fio.h"

#define MAX_DEPTH   32
#define MAX_JOBS    1024
#define MAX_TRIES   256 /* '{' in the text around the document */
#define WORDS_BYTES 400 /* of fio's text in a message */

/* Beyond these, sums and conversions to integers would overflow. */
#define MAX_BYTES	1e15
#define MAX_RUNTIME_MS	1e10
#define MAX_LATENCY_NS	1e18
#define MAX_CPU_PERCENT 1e5

/*
 * fio prints warnings and errors before its JSON. The document is the first text from a '{' on that
 * parses and has jobs; @words receives what stands before it. False: there is none.
 */
static bool find_document(const char *text, size_t len, struct json_doc *doc, struct strbuf *words)
{
	const char *at = text, *end = text + len;
	bool found = false;

	for (int tries = 0; tries < MAX_TRIES && !found; tries++) {
		const char *brace = memchr(at, '{', (size_t)(end - at));
		struct json_error error;

		if (!brace)
			break;
		found = !json_doc_parse(doc, brace, (size_t)(end - brace), JSON_LAX, MAX_DEPTH,
					&error) &&
			json_is(json_member(doc, doc->tokens, "jobs", NULL), JSON_ARRAY);
		if (found)
			end = brace;
		else
			json_doc_free(doc);
		at = brace + 1;
	}
	strbuf_add(words, text,
		   (size_t)(end - text) < WORDS_BYTES ? (size_t)(end - text) : WORDS_BYTES);
	while (words->len && strchr(" \n\r\t", words->data[words->len - 1]))
		words->data[--words->len] = '\0';
	return found;
}

/* A number of @object; 0 where there is none. */
static double number(const struct json_in *in, const struct json_token *object, const char *key)
{
	const struct json_token *value = json_member(&in->doc, object, key, NULL);

	return json_is(value, JSON_INT) || json_is(value, JSON_DOUBLE)
		       ? json_to_double(&in->doc, value)
		       : 0;
}

/* A time of more than nothing and less than MAX_LATENCY_NS, else not known. */
static bool take_time(double ns, uint64_t *to)
{
	if (!(ns > 0 && ns < MAX_LATENCY_NS))
		return false;
	*to = (uint64_t)ns;
	return true;
}

/* Percentile @wanted (0..100) of {"50.000000": 123, ...}. False: not there. */
static bool find_percentile(const struct json_in *in, const struct json_token *list, double wanted,
			    double unit_ns, uint64_t *ns)
{
	if (!json_is(list, JSON_OBJECT))
		return false;
	for (const struct json_token *key = json_first(list); key < json_end(list);
	     key = json_next(key + 1)) {
		char name[32];

		json_unescape(&in->doc, key, name, sizeof(name));
		if (fabs(strtod(name, NULL) - wanted) < 1e-6)
			return take_time(number(in, list, name) * unit_ns, ns);
	}
	return false;
}

/*
 * Completion latency: `clat_ns` since fio 3.0, `clat` in microseconds before. False: fio reported
 * none, or not all of it.
 */
static bool read_latency(const struct json_in *in, const struct json_token *read,
			 struct result_sample *sample)
{
	const struct json_token *clat = json_member(&in->doc, read, "clat_ns", NULL);
	const struct json_token *list;
	double unit_ns = 1, mean;

	if (!clat) {
		clat = json_member(&in->doc, read, "clat", NULL);
		unit_ns = 1000;
	}
	list = json_member(&in->doc, clat, "percentile", NULL);
	mean = number(in, clat, "mean") * unit_ns;
	sample->latency_mean_ns = mean;
	return mean > 0 && mean < MAX_LATENCY_NS &&
	       take_time(number(in, clat, "max") * unit_ns, &sample->latency_max_ns) &&
	       find_percentile(in, list, 50, unit_ns, &sample->latency_p50_ns) &&
	       find_percentile(in, list, 99, unit_ns, &sample->latency_p99_ns) &&
	       find_percentile(in, list, 99.9, unit_ns, &sample->latency_p999_ns);
}

static int read_number(const struct json_in *in, const struct json_place *up,
		       const struct json_token *read, const char *key, double *value)
{
	const struct json_place at = {.up = up, .key = key};

	return json_in_double(in, &at, json_member(&in->doc, read, key, NULL), false, value);
}

/*
 * CPU time of the job itself, without fio's own start and end: percentages of the job's run time,
 * from its tasks' rusage. A fio that does not say leaves has_workload false.
 */
static void add_cpu(const struct json_in *in, const struct json_token *job,
		    struct result_sample *sample)
{
	double ms = number(in, job, "job_runtime");
	double user = number(in, job, "usr_cpu"), system = number(in, job, "sys_cpu");

	if (!json_member(&in->doc, job, "usr_cpu", NULL) ||
	    !json_member(&in->doc, job, "sys_cpu", NULL))
		return;
	if (!(ms > 0 && ms < MAX_RUNTIME_MS && user >= 0 && system >= 0 && user < MAX_CPU_PERCENT &&
	      system < MAX_CPU_PERCENT))
		return;
	sample->cpu.has_workload = true;
	sample->cpu.workload_user_ns += (uint64_t)(ms * user * 1e4);
	sample->cpu.workload_system_ns += (uint64_t)(ms * system * 1e4);
}

/* Adds one entry of "jobs" to @sample. */
static int add_job(const struct json_in *in, const struct json_place *at,
		   const struct json_token *job, struct result_sample *sample)
{
	const struct json_place read_at = {.up = at, .key = "read"};
	const struct json_token *read = json_member(&in->doc, job, "read", NULL);
	double bytes, bandwidth, iops, runtime_ms;
	int error = 0, err;

	/* Whatever it is, it is not none. */
	if (json_member(&in->doc, job, "error", NULL) &&
	    json_in_int(in, at, json_member(&in->doc, job, "error", NULL), &error))
		error = -1;
	if (error)
		return json_in_bad(in, at, "the job ended with error %d (%s)", error,
				   strerror(error));
	err = read_number(in, &read_at, read, "io_bytes", &bytes);
	if (!err)
		err = read_number(in, &read_at, read, "bw_bytes", &bandwidth);
	if (!err)
		err = read_number(in, &read_at, read, "iops", &iops);
	if (!err)
		err = read_number(in, &read_at, read, "runtime", &runtime_ms);
	if (err)
		return err;
	if (bytes <= 0)
		return json_in_bad(in, &read_at, "fio read nothing");
	if (bandwidth <= 0 || runtime_ms <= 0)
		return json_in_bad(in, &read_at, "%.0f bytes in no time", bytes);
	if (bytes > MAX_BYTES || bandwidth > MAX_BYTES || runtime_ms > MAX_RUNTIME_MS)
		return json_in_bad(in, &read_at, "impossible numbers");
	sample->io_bytes += (uint64_t)bytes;
	sample->bandwidth_bytes_per_s += bandwidth;
	sample->iops += iops;
	if ((uint64_t)runtime_ms * 1000000 > sample->runtime_ns)
		sample->runtime_ns = (uint64_t)runtime_ms * 1000000;
	add_cpu(in, job, sample);
	return 0;
}

static int read_jobs(const struct json_in *in, struct result_sample *sample)
{
	const struct json_place at = {.key = "jobs"};
	const struct json_token *jobs = json_member(&in->doc, in->doc.tokens, at.key, NULL), *job;
	size_t count;
	int err;

	err = json_in_array(in, &at, jobs, MAX_JOBS, &count);
	if (err)
		return err;
	if (!count)
		return json_in_bad(in, &at, "no job was run");
	job = json_first(jobs);
	for (size_t i = 0; i < count && !err; i++, job = json_next(job)) {
		const struct json_place element = {.up = &at, .index = i};

		err = add_job(in, &element, job, sample);
	}
	/*
	 * Percentiles of several jobs cannot be added up; with group_reporting fio has done it
	 * itself.
	 */
	if (!err && count == 1)
		sample->has_latency =
			read_latency(in, json_member(&in->doc, json_first(jobs), "read", NULL),
				     sample);
	return err;
}

int fio_parse(const char *text, size_t len, struct result_sample *sample, struct diag *d)
{
	AB_STRBUF struct strbuf words = {0};
	struct diag why = {""};
	struct json_in in = {.file = "fio's result", .d = &why};
	struct result_sample read = {0};
	int err;

	err = find_document(text, len, &in.doc, &words)
		      ? read_jobs(&in, &read)
		      : diag_set(&why, -EBADMSG, "fio printed no result");
	json_doc_free(&in.doc);
	if (err)
		return diag_set(d, -EBADMSG, "%s%s%s", why.text, words.len ? "; it said: " : "",
				strbuf_str(&words));
	sample->io_bytes = read.io_bytes;
	sample->runtime_ns = read.runtime_ns;
	sample->bandwidth_bytes_per_s = read.bandwidth_bytes_per_s;
	sample->iops = read.iops;
	sample->has_latency = read.has_latency;
	sample->latency_mean_ns = read.latency_mean_ns;
	sample->latency_p50_ns = read.latency_p50_ns;
	sample->latency_p99_ns = read.latency_p99_ns;
	sample->latency_p999_ns = read.latency_p999_ns;
	sample->latency_max_ns = read.latency_max_ns;
	if (read.cpu.has_workload) {
		/* fio counts milliseconds: none is less than one, which nobody knows. */
		sample->cpu.has_workload =
			read.cpu.workload_user_ns + read.cpu.workload_system_ns > 0;
		sample->cpu.workload_user_ns = read.cpu.workload_user_ns;
		sample->cpu.workload_system_ns = read.cpu.workload_system_ns;
	}
	return 0;
}
