// SPDX-License-Identifier: GPL-2.0-only
/* fio's JSON to a sample. */
#include <errno.h>
#include <json-c/json.h>
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
 * parses and has jobs; @words receives what stands before it.
 */
static struct json_object *find_document(const char *text, size_t len, struct strbuf *words)
{
	const char *at = text, *end = text + len;
	struct json_object *json = NULL;

	for (int tries = 0; tries < MAX_TRIES && !json; tries++) {
		const char *brace = memchr(at, '{', (size_t)(end - at));
		struct json_tokener *tok;

		if (!brace)
			break;
		tok = json_tokener_new_ex(MAX_DEPTH);
		if (!tok)
			break;
		json = json_tokener_parse_ex(tok, brace, (int)(end - brace));
		json_tokener_free(tok);
		if (json_object_is_type(json_object_object_get(json, "jobs"), json_type_array)) {
			end = brace;
			break;
		}
		json_object_put(json);
		json = NULL;
		at = brace + 1;
	}
	strbuf_add(words, text,
		   (size_t)(end - text) < WORDS_BYTES ? (size_t)(end - text) : WORDS_BYTES);
	while (words->len && strchr(" \n\r\t", words->data[words->len - 1]))
		words->data[--words->len] = '\0';
	return json;
}

/* A time of more than nothing and less than MAX_LATENCY_NS, else not known. */
static bool read_time(struct json_object *value, double unit_ns, uint64_t *ns)
{
	double time = json_object_get_double(value) * unit_ns;

	if (!(time > 0 && time < MAX_LATENCY_NS))
		return false;
	*ns = (uint64_t)time;
	return true;
}

/* Percentile @wanted (0..100) of {"50.000000": 123, ...}. False: not there. */
static bool find_percentile(struct json_object *list, double wanted, double unit_ns, uint64_t *ns)
{
	if (!json_object_is_type(list, json_type_object))
		return false;
	json_object_object_foreach(list, key, value) {
		if (fabs(strtod(key, NULL) - wanted) < 1e-6)
			return read_time(value, unit_ns, ns);
	}
	return false;
}

/*
 * Completion latency: `clat_ns` since fio 3.0, `clat` in microseconds before. False: fio reported
 * none, or not all of it.
 */
static bool read_latency(struct json_object *read, struct result_sample *sample)
{
	struct json_object *clat = json_object_object_get(read, "clat_ns");
	struct json_object *list;
	double unit_ns = 1, mean;

	if (!clat) {
		clat = json_object_object_get(read, "clat");
		unit_ns = 1000;
	}
	if (!json_object_is_type(clat, json_type_object))
		return false;
	list = json_object_object_get(clat, "percentile");
	mean = json_object_get_double(json_object_object_get(clat, "mean")) * unit_ns;
	sample->latency_mean_ns = mean;
	return mean > 0 && mean < MAX_LATENCY_NS &&
	       read_time(json_object_object_get(clat, "max"), unit_ns, &sample->latency_max_ns) &&
	       find_percentile(list, 50, unit_ns, &sample->latency_p50_ns) &&
	       find_percentile(list, 99, unit_ns, &sample->latency_p99_ns) &&
	       find_percentile(list, 99.9, unit_ns, &sample->latency_p999_ns);
}

static int read_number(const struct json_in *in, const struct json_place *up,
		       struct json_object *read, const char *key, double *value)
{
	const struct json_place at = {.up = up, .key = key};

	return json_in_double(in, &at, json_object_object_get(read, key), false, value);
}

/*
 * CPU time of the job itself, without fio's own start and end: percentages of the job's run time,
 * from its tasks' rusage. A fio that does not say leaves has_workload false.
 */
static void add_cpu(struct json_object *job, struct result_sample *sample)
{
	struct json_object *runtime, *user, *system;
	double ms;

	if (!json_object_object_get_ex(job, "job_runtime", &runtime) ||
	    !json_object_object_get_ex(job, "usr_cpu", &user) ||
	    !json_object_object_get_ex(job, "sys_cpu", &system))
		return;
	ms = json_object_get_double(runtime);
	if (!(ms > 0 && ms < MAX_RUNTIME_MS && json_object_get_double(user) >= 0 &&
	      json_object_get_double(system) >= 0 &&
	      json_object_get_double(user) < MAX_CPU_PERCENT &&
	      json_object_get_double(system) < MAX_CPU_PERCENT))
		return;
	sample->cpu.has_workload = true;
	sample->cpu.workload_user_ns += (uint64_t)(ms * json_object_get_double(user) * 1e4);
	sample->cpu.workload_system_ns += (uint64_t)(ms * json_object_get_double(system) * 1e4);
}

/* Adds one entry of "jobs" to @sample. */
static int add_job(const struct json_in *in, const struct json_place *at, struct json_object *job,
		   struct result_sample *sample)
{
	const struct json_place read_at = {.up = at, .key = "read"};
	struct json_object *read = json_object_object_get(job, "read");
	double bytes, bandwidth, iops, runtime_ms;
	int error, err;

	error = json_object_get_int(json_object_object_get(job, "error"));
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
	add_cpu(job, sample);
	return 0;
}

static int read_jobs(const struct json_in *in, struct json_object *json,
		     struct result_sample *sample)
{
	const struct json_place at = {.key = "jobs"};
	struct json_object *jobs = json_object_object_get(json, "jobs");
	size_t count;
	int err;

	err = json_in_array(in, &at, jobs, MAX_JOBS, &count);
	if (!err && !count)
		err = json_in_bad(in, &at, "no job was run");
	for (size_t i = 0; i < count && !err; i++) {
		const struct json_place element = {.up = &at, .index = i};

		err = add_job(in, &element, json_object_array_get_idx(jobs, i), sample);
	}
	/*
	 * Percentiles of several jobs cannot be added up; with group_reporting fio has done it
	 * itself.
	 */
	if (!err && count == 1)
		sample->has_latency = read_latency(
			json_object_object_get(json_object_array_get_idx(jobs, 0), "read"), sample);
	return err;
}

int fio_parse(const char *text, size_t len, struct result_sample *sample, struct diag *d)
{
	AB_STRBUF struct strbuf words = {0};
	struct diag why = {""};
	const struct json_in in = {.file = "fio's result", .d = &why};
	struct result_sample read = {0};
	struct json_object *json;
	int err;

	json = find_document(text, len, &words);
	err = json ? read_jobs(&in, json, &read)
		   : diag_set(&why, -EBADMSG, "fio printed no result");
	json_object_put(json);
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
