/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Results for tests, made from a model of requests and a fixed random sequence. They resemble a run
 * in shape only: no number in them was measured.
 */
#ifndef AB_TESTS_EXAMPLE_RESULT_H
#define AB_TESTS_EXAMPLE_RESULT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/phase.h"
#include "model/result.h"

#define EXAMPLE_MIB 1048576.0

static inline uint64_t example_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* @mean with a spread of about a tenth and a tail to twice as much. */
static inline uint64_t example_time(uint64_t *seed, double mean)
{
	double u = (double)example_next(seed) / 2147483648.0;
	double factor = 0.9 + 0.2 * u + (u > 0.98 ? (u - 0.98) * 50 : 0);

	return (uint64_t)(mean * factor);
}

static inline void example_set_text(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text);
}
#define EXAMPLE_TEXT(array, text) example_set_text(array, sizeof(array), text)

/* Dense buckets to the sparse form. */
static inline void example_hist(struct result_hist *h, const uint64_t *values, size_t count)
{
	static uint64_t dense[AB_HIST_BUCKETS];

	memset(dense, 0, sizeof(dense));
	memset(h, 0, sizeof(*h));
	h->present = true;
	for (size_t i = 0; i < count; i++) {
		dense[ab_hist_index(values[i])]++;
		h->sum += values[i];
		h->min = !i || values[i] < h->min ? values[i] : h->min;
		h->max = values[i] > h->max ? values[i] : h->max;
	}
	h->count = count;
	for (unsigned int b = 0; b < AB_HIST_BUCKETS; b++)
		h->buckets += dense[b] != 0;
	h->index = calloc(h->buckets + 1, sizeof(*h->index));
	h->counts = calloc(h->buckets + 1, sizeof(*h->counts));
	for (unsigned int b = 0, n = 0; b < AB_HIST_BUCKETS; b++) {
		if (dense[b]) {
			h->index[n] = b;
			h->counts[n++] = dense[b];
		}
	}
}

/* Mean times of a request by phase; 0: the path has no such phase. */
struct example_path {
	const char *engine;
	double mean_ns[AB_PARTITION];
	double service_ns, wakeup_ns;
	const char *unobservable; /* reason for a decode time that could not be seen */
};

static inline void example_set(struct result_set *set, const struct example_path *path,
			       size_t count, uint64_t size_class, uint64_t *seed)
{
	uint64_t *values = calloc(AB_PHASES * count, sizeof(*values));

	EXAMPLE_TEXT(set->engine, path->engine);
	EXAMPLE_TEXT(set->direction, "decompress");
	set->size_class_bytes = size_class;
	for (size_t i = 0; i < count; i++) {
		uint64_t total = 0;

		for (int p = 0; p < AB_PARTITION; p++) {
			values[p * count + i] = example_time(seed, path->mean_ns[p]);
			total += values[p * count + i];
		}
		values[AB_TOTAL * count + i] = total;
		values[AB_SERVICE * count + i] = example_time(seed, path->service_ns);
		values[AB_WAKEUP * count + i] = example_time(seed, path->wakeup_ns);
		values[AB_OFF_CPU * count + i] = values[AB_WAIT * count + i];
		values[AB_ON_CPU * count + i] = total - values[AB_WAIT * count + i];
	}
	for (int p = 0; p < AB_PHASES; p++) {
		bool has = p < AB_PARTITION  ? path->mean_ns[p] > 0
			   : p == AB_SERVICE ? path->service_ns > 0
			   : p == AB_WAKEUP  ? path->wakeup_ns > 0
					     : p != AB_BACKLOG;

		if (has)
			example_hist(&set->hists[p], values + p * count, count);
		else if (p == AB_DECODE && path->unobservable)
			snprintf(set->hists[p].absent, RESULT_REASON_SIZE, "unobservable: %s",
				 path->unobservable);
		else
			EXAMPLE_TEXT(set->hists[p].absent, RESULT_NOT_APPLICABLE);
	}
	free(values);
}

/* One repetition at @mib MiB/s with @core_s core-seconds per GiB. */
static inline void example_sample(struct result_sample *s, unsigned int repetition, bool traced,
				  double mib, double core_s, uint64_t bytes, uint64_t *seed)
{
	double noise = 0.98 + 0.04 * (double)example_next(seed) / 2147483648.0;
	double cpu_ns = core_s * 1e9 * (double)bytes / (1024 * EXAMPLE_MIB);

	s->repetition = repetition;
	s->traced = traced;
	s->ok = true;
	s->start_ns = 1000000000u + (uint64_t)repetition * 2000000000u + traced * 1000000000u;
	s->io_bytes = bytes;
	s->bandwidth_bytes_per_s = mib * EXAMPLE_MIB * noise;
	s->runtime_ns = (uint64_t)((double)bytes / s->bandwidth_bytes_per_s * 1e9);
	s->iops = s->bandwidth_bytes_per_s / 4096;
	s->has_latency = true;
	s->latency_mean_ns = 1e9 / s->iops;
	s->latency_p50_ns = 900;
	s->latency_p99_ns = 400000;
	s->latency_p999_ns = 800000;
	s->latency_max_ns = 2000000;
	s->has_disk = true;
	s->disk_read_bytes = bytes / 3;
	EXAMPLE_TEXT(s->cache, "fresh mount, vm.drop_caches=3, loop direct I/O");
	EXAMPLE_TEXT(s->backing, "loop-direct");
	s->cpu.has_workload = true;
	s->cpu.workload_user_ns = (uint64_t)(cpu_ns * 0.1);
	s->cpu.workload_system_ns = (uint64_t)(cpu_ns * 0.8 * noise);
	s->cpu.has_kthread = traced;
	s->cpu.kthread_ns = traced ? (uint64_t)(cpu_ns * 0.1) : 0;
	s->cpu.has_machine = true;
	s->cpu.machine_busy_ns = (uint64_t)(cpu_ns * 1.2);
	s->cpu.machine_irq_ns = (uint64_t)(cpu_ns * 0.02);
	s->cpu.machine_idle_ns = s->runtime_ns;
}

static inline void example_head(struct result *r)
{
	memset(r, 0, sizeof(*r));
	EXAMPLE_TEXT(r->id, "20261130T204500Z-example-9f3a");
	EXAMPLE_TEXT(r->tool_version, "0.1.0");
	EXAMPLE_TEXT(r->started, "2026-11-30T20:45:00Z");
	EXAMPLE_TEXT(r->finished, "2026-11-30T20:52:10Z");
	r->complete = true;
	EXAMPLE_TEXT(r->scenario_name, "example");
	EXAMPLE_TEXT(r->scenario_description, "Made by a test; no number in it was measured.");
	r->scenario_yaml = strdup("name: example\nworkloads:\n  \"quoted\": {rw: read}\n");
	EXAMPLE_TEXT(r->filesystem, "erofs");
	EXAMPLE_TEXT(r->target, "lab");
	EXAMPLE_TEXT(r->backing, "loop-direct");
	EXAMPLE_TEXT(r->host.kernel_release, "7.3.4-amd64");
	EXAMPLE_TEXT(r->host.machine, "x86_64");
	r->host.cpus_online = 2;
	r->host.memory_bytes = 4ull << 30;
	r->host.emulated = true;
	EXAMPLE_TEXT(r->host.virtualization, "qemu-tcg");
	EXAMPLE_TEXT(r->host.accelerator_kind, "simulated");
	EXAMPLE_TEXT(r->host.fio_version, "fio-3.39");
	string_list_add(&r->host.accelerator_parameters, "service_ns=20000");
	string_list_add(&r->host.kernel_options, "CONFIG_EROFS_FS_ZIP_ACCEL=y");
	EXAMPLE_TEXT(r->dataset.kind, "generate");
	EXAMPLE_TEXT(r->dataset.file, "testfile");
	EXAMPLE_TEXT(r->dataset.description, "generated text, 32 MiB, seed 1");
	EXAMPLE_TEXT(r->dataset.sha256,
		     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
	r->dataset.size_bytes = 32u << 20;
	r->tracer.present = true;
	EXAMPLE_TEXT(r->tracer.mechanism, "fentry");
	r->tracer.hooks = calloc(2, sizeof(*r->tracer.hooks));
	r->tracer.hook_count = 2;
	EXAMPLE_TEXT(r->tracer.hooks[0].name, "erofs.deflate");
	EXAMPLE_TEXT(r->tracer.hooks[0].function, "z_erofs_deflate_decompress");
	EXAMPLE_TEXT(r->tracer.hooks[0].mechanism, "fentry");
	EXAMPLE_TEXT(r->tracer.hooks[1].name, "decode.zlib");
	EXAMPLE_TEXT(r->tracer.hooks[1].reason,
		     "this kernel has no function zlib_inflate (absent or inlined)");
	r->tracer.open_ns = 100;
	r->tracer.load_ns = 200;
	r->tracer.attach_ns = 300;
	r->tracer.has_overhead = true;
	r->tracer.overhead_ratio = 0.003;
	r->tracer.overhead_low_ratio = 0.001;
	r->tracer.overhead_high_ratio = 0.005;
	r->tracer.overhead_confidence = 0.953;
	r->tracer.overhead_pairs = 30;
	r->harness_ns = 1000;
	r->fio_ns = 2000;
	r->mkfs_ns = 3000;
}

static inline void example_image(struct result_image *image, const char *algorithm,
				 uint64_t cluster)
{
	EXAMPLE_TEXT(image->algorithm, algorithm);
	image->cluster_bytes = cluster;
	image->has_level = true;
	image->level = 9;
	EXAMPLE_TEXT(image->key, "feedface");
	image->image_bytes = 11u << 20;
	image->ratio = 32.0 / 11;
	image->build_ns = 5000000000u;
	EXAMPLE_TEXT(image->observed_algorithms, algorithm);
	image->observed_cluster_bytes = cluster;
	image->ok = true;
	image->verifies = calloc(1, sizeof(*image->verifies));
	image->verify_count = 1;
	EXAMPLE_TEXT(image->verifies[0].engine, algorithm);
	EXAMPLE_TEXT(image->verifies[0].sha256,
		     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
	image->verifies[0].ok = true;
}

/*
 * Adds a finished cell whose @repeat repetitions run near @mib MiB/s, untraced and traced in turn.
 */
static inline void example_cell(struct result_cell *cell, const char *engine, const char *workload,
				uint64_t cluster, double mib, unsigned int repeat, uint64_t *seed)
{
	EXAMPLE_TEXT(cell->engine, engine);
	EXAMPLE_TEXT(cell->workload, workload);
	EXAMPLE_TEXT(cell->rw, strstr(workload, "rand") ? "randread" : "read");
	cell->cluster_bytes = cluster;
	cell->bs_bytes = 4096;
	cell->numjobs = 1;
	cell->iodepth = 1;
	cell->status = CELL_DONE;
	cell->valid = true;
	cell->samples = calloc(2 * repeat, sizeof(*cell->samples));
	cell->sample_count = 2 * repeat;
	for (unsigned int i = 0; i < 2 * repeat; i++)
		example_sample(&cell->samples[i], i / 2, i % 2, mib, 1000 / mib, 32u << 20, seed);
	cell->checks = calloc(2, sizeof(*cell->checks));
	cell->check_count = 2;
	EXAMPLE_TEXT(cell->checks[0].name, "entries_equal_exits");
	cell->checks[0].ok = true;
	cell->checks[0].applicable = true;
	EXAMPLE_TEXT(cell->checks[0].detail, "1000 == 1000 + 0");
	EXAMPLE_TEXT(cell->checks[1].name, "little");
	EXAMPLE_TEXT(cell->checks[1].detail, "requests overlap in one task only");
}

/*
 * Gives @cell a trace: @count requests on @path, @partial more that software served because only a
 * part was wanted.
 */
static inline void example_trace(struct result_cell *cell, const struct example_path *path,
				 size_t count, const struct example_path *software, size_t partial,
				 uint64_t *seed)
{
	struct result_trace *t = &cell->trace;
	bool accelerated = strncmp(path->engine, "sw:", 3) != 0;
	enum ab_served served = accelerated ? AB_SERVED_OFFLOADED : AB_SERVED_NO_ENGINE;
	uint64_t cluster = cell->cluster_bytes;

	t->present = true;
	t->set_count = 2 + (partial > 0);
	t->sets = calloc(t->set_count, sizeof(*t->sets));
	example_set(&t->sets[0], path, count - count / 4, cluster, seed);
	example_set(&t->sets[1], path, count / 4, cluster / 2, seed);
	if (partial)
		example_set(&t->sets[2], software, partial, cluster, seed);
	t->served[served] = (struct result_served){count, count * cluster, count * cluster * 3};
	if (partial)
		t->served[AB_SERVED_PARTIAL] =
			(struct result_served){partial, partial * cluster, partial * cluster};
	t->served[AB_SERVED_STORED] = (struct result_served){3, 3 * cluster, 3 * cluster};
	t->counters[AB_CNT_ENTRIES] = count + partial;
	t->counters[AB_CNT_EXITS] = count + partial;
	if (accelerated) {
		t->counters[AB_CNT_SUBMITS] = count;
		t->counters[AB_CNT_SUBMIT_ASYNC] = count;
		t->counters[AB_CNT_COMPLETIONS] = count;
		t->counters[AB_CNT_RESUMES] = count;
	}
}

#endif
