// SPDX-License-Identifier: GPL-2.0-only
/* Rows of the result format: host, dataset, images, cells, the whole. */
#include "model/result_rows.h"

/*
 * Bounds on what a file may hold: far above what a run produces, far below what would hurt the
 * reader.
 */
#define MAX_STRINGS  1024
#define MAX_IMAGES   1024
#define MAX_VERIFIES 64
#define MAX_CELLS    8192
#define MAX_SAMPLES  4096
#define MAX_CHECKS   64
#define MAX_YAML     (1 << 20)

#define STR(x)	#x
#define XSTR(x) STR(x)

const char result_schema_version[] = XSTR(RESULT_SCHEMA_MAJOR) "." XSTR(RESULT_SCHEMA_MINOR);

static const struct field host_rows[] = {
	STRING(result_host, kernel_release, "kernel_release", "uname -r"),
	STRING(result_host, kernel_version, "kernel_version", "uname -v"),
	STRING(result_host, machine, "machine", "uname -m"),
	STRING(result_host, cpu_model, "cpu_model", "name of the processor"),
	ROW(UINT, result_host, cpus_online, "cpus_online", "processors online", ZERO_NULL),
	ROW(U64, result_host, memory_bytes, "memory_bytes", "main memory", ZERO_NULL),
	STRING(result_host, clocksource, "clocksource", "current_clocksource"),
	STRING(result_host, governor, "governor", "cpufreq governor"),
	STRING(result_host, lockdown, "lockdown", "kernel lockdown mode"),
	ROW(BOOL, result_host, emulated, "emulated",
	    "the processor is emulated: times compare within this run only", REQUIRED),
	STRING(result_host, virtualization, "virtualization", "qemu-tcg, kvm, ..."),
	STRING(result_host, accelerator_kind, "accelerator_kind",
	       "simulated: a test provider; qat: hardware; null: none"),
	ROW(STRINGS, result_host, accelerator_parameters, "accelerator_parameters",
	    "name=value, every parameter of a simulated accelerator's module", .max = MAX_STRINGS),
	STRING(result_host, fio_version, "fio_version", "version of fio"),
	STRING(result_host, mkfs_version, "mkfs_version",
	       "version of the tool that built the images"),
	STRING(result_host, libbpf_version, "libbpf_version", "version of libbpf"),
	ROW(STRINGS, result_host, kernel_options, "kernel_options",
	    "kernel options that matter here", .max = MAX_STRINGS),
	ROW(STRINGS, result_host, crypto_drivers, "crypto_drivers",
	    "name, driver, module, priority and self-test from /proc/crypto", .max = MAX_STRINGS),
};

const struct table host_table = {
	.name = "host",
	TABLE(result_host, host_rows, "where and with what it ran"),
};

static const struct field dataset_rows[] = {
	STRING(result_dataset, kind, "kind", "generate or path"),
	STRING(result_dataset, file, "file", "name of the measured file in the image"),
	STRING(result_dataset, description, "description", "for people"),
	STRING(result_dataset, sha256, "sha256", "of the measured file"),
	ROW(U64, result_dataset, size_bytes, "size_bytes", "of the measured file", ZERO_NULL),
	ROW(BOOL, result_dataset, substitute, "substitute",
	    "generated data stands in for the corpus"),
	STRING(result_dataset, corpus, "corpus", "the corpus that the scenario names"),
	ROW(U64, result_dataset, build_ns, "build_ns", "time to generate or to hash it", ZERO_NULL),
};

static const struct table dataset_table = {
	.name = "dataset",
	TABLE(result_dataset, dataset_rows, "the data that images hold"),
};

static const struct field verify_rows[] = {
	STRING(result_verify, engine, "engine_requested", "engine that was switched on", REQUIRED),
	STRING(result_verify, observed, "engine_observed",
	       "what served the reads; null: not traced"),
	STRING(result_verify, sha256, "sha256", "of what was read; null: it could not be read"),
	ROW(BOOL, result_verify, ok, "ok", "it is the dataset's hash", REQUIRED),
	STRING(result_verify, reason, "reason", "why not"),
};

static const struct table verify_table = {
	.name = "verify",
	TABLE(result_verify, verify_rows, "the data read back through one engine and hashed"),
};

static const struct field image_rows[] = {
	STRING(result_image, algorithm, "algorithm", "asked for, as mkfs names it", REQUIRED),
	ROW(U64, result_image, cluster_bytes, "cluster_bytes", "physical cluster size asked for",
	    REQUIRED),
	ROW(INT, result_image, level, "level", "compression level; null: the tool's default",
	    HAS(result_image, has_level)),
	STRING(result_image, key, "key", "in the image store"),
	STRING(result_image, mkfs, "mkfs", "name and version of the tool that built it"),
	ROW(U64, result_image, image_bytes, "image_bytes", "size of the image file", ZERO_NULL),
	ROW(DOUBLE, result_image, ratio, "compression_ratio", "dataset bytes / image bytes",
	    ZERO_NULL),
	ROW(U64, result_image, build_ns, "build_ns", "of the build that made it, perhaps earlier",
	    ZERO_NULL),
	ROW(BOOL, result_image, reused, "reused", "it came from the store"),
	STRING(result_image, observed_algorithms, "observed_algorithms",
	       "read from the superblock"),
	ROW(U64, result_image, observed_cluster_bytes, "observed_cluster_bytes",
	    "largest compressed extent found", ZERO_NULL),
	ROW(BOOL, result_image, ok, "ok", "built, and as asked for", REQUIRED),
	STRING(result_image, reason, "reason", "why not"),
	ARRAY(result_image, verifies, verify_count, verify_table, MAX_VERIFIES, "verified",
	      "read back through every engine that a cell uses"),
};

static const struct table image_table = {
	.name = "image",
	TABLE(result_image, image_rows, "a file-system image"),
};

static const struct field cpu_workload_rows[] = {
	ROW(U64, result_cpu, workload_user_ns, "user_ns", "in user mode", REQUIRED),
	ROW(U64, result_cpu, workload_system_ns, "system_ns", "in the kernel", REQUIRED),
};

static const struct table cpu_workload_table = {
	.name = "cpu_workload",
	TABLE(result_cpu, cpu_workload_rows, "CPU time of fio's jobs, from their rusage"),
};

static const struct field cpu_machine_rows[] = {
	ROW(U64, result_cpu, machine_busy_ns, "busy_ns", "user, nice, system, irq, softirq",
	    REQUIRED),
	ROW(U64, result_cpu, machine_irq_ns, "irq_ns", "irq and softirq out of busy_ns", REQUIRED),
	ROW(U64, result_cpu, machine_steal_ns, "steal_ns", "taken by the hypervisor", REQUIRED),
	ROW(U64, result_cpu, machine_idle_ns, "idle_ns", "idle and iowait", REQUIRED),
};

static const struct table cpu_machine_table = {
	.name = "cpu_machine",
	TABLE(result_cpu, cpu_machine_rows,
	      "CPU time over all processors, from /proc/stat, in clock ticks"),
};

static const struct field cpu_rows[] = {
	GROUP(cpu_workload_table, "workload", "null: not measured", HAS(result_cpu, has_workload)),
	GROUP(cpu_machine_table, "machine", "null: not measured", HAS(result_cpu, has_machine)),
	ROW(U64, result_cpu, kthread_ns, "kthread_ns",
	    "of kernel threads, from the scheduler; null: not traced",
	    HAS(result_cpu, has_kthread)),
};

static const struct table cpu_table = {
	.name = "cpu",
	TABLE(result_cpu, cpu_rows, "CPU time during one repetition"),
};

static const struct field latency_rows[] = {
	ROW(DOUBLE, result_sample, latency_mean_ns, "mean_ns", "mean", REQUIRED),
	ROW(U64, result_sample, latency_p50_ns, "p50_ns", "median", REQUIRED),
	ROW(U64, result_sample, latency_p99_ns, "p99_ns", "99th percentile", REQUIRED),
	ROW(U64, result_sample, latency_p999_ns, "p999_ns", "99.9th percentile", REQUIRED),
	ROW(U64, result_sample, latency_max_ns, "max_ns", "largest", REQUIRED),
};

static const struct table latency_table = {
	.name = "latency",
	TABLE(result_sample, latency_rows, "completion latency of one I/O as fio saw it"),
};

static const struct field sample_rows[] = {
	ROW(UINT, result_sample, repetition, "repetition", "number, from 0", REQUIRED),
	ROW(BOOL, result_sample, traced, "traced", "false: a control repetition without the tracer",
	    REQUIRED),
	ROW(BOOL, result_sample, ok, "ok", "fio succeeded and did what was asked", REQUIRED),
	STRING(result_sample, reason, "reason", "why not, in fio's own words"),
	ROW(U64, result_sample, start_ns, "start_ns", "CLOCK_MONOTONIC", ZERO_NULL),
	ROW(U64, result_sample, runtime_ns, "runtime_ns", "as fio measured it", ZERO_NULL),
	ROW(U64, result_sample, io_bytes, "io_bytes", "bytes that fio read", ZERO_NULL),
	ROW(DOUBLE, result_sample, bandwidth_bytes_per_s, "bandwidth_bytes_per_s",
	    "all jobs together", ZERO_NULL),
	ROW(DOUBLE, result_sample, iops, "io_per_s", "I/O operations per second", ZERO_NULL),
	GROUP(latency_table, "latency", "null: fio reported none", HAS(result_sample, has_latency)),
	ROW(U64, result_sample, disk_read_bytes, "disk_read_bytes",
	    "read from the image's block device meanwhile", HAS(result_sample, has_disk)),
	STRING(result_sample, cache, "cache", "state of the caches that was in force"),
	STRING(result_sample, backing, "backing", "backing of the mount that was in force"),
	ROW(OBJECT, result_sample, cpu, "cpu", "CPU time", .sub = &cpu_table),
	ROW(OBJECT, result_sample, requests, "requests", "null: not traced", .sub = &requests_table,
	    HAS(result_sample, has_requests)),
	ARRAY(result_sample, times, time_count, times_table, AB_PHASES, "times",
	      "phases of its requests, all engines observed together"),
};

static const struct table sample_table = {
	.name = "sample",
	TABLE(result_sample, sample_rows, "one repetition"),
};

static const struct field check_rows[] = {
	STRING(result_check, name, "name", "which check", REQUIRED),
	ROW(BOOL, result_check, ok, "ok", "null: not applicable", HAS(result_check, applicable)),
	STRING(result_check, detail, "detail", "the numbers compared, or why it does not apply"),
};

static const struct table check_table = {
	.name = "check",
	TABLE(result_check, check_rows, "a self-check of the measurement"),
};

static const char *const verdict_names[] = {"invalid", "valid"};

static const struct field validity_rows[] = {
	ROW(NAMED_BOOL, result_cell, valid, "verdict",
	    "valid: done, and nothing speaks against it; only such cells can be compared",
	    .names = verdict_names, .name_count = ARRAY_SIZE(verdict_names), REQUIRED),
	ROW(STRINGS, result_cell, invalid_reasons, "reasons", "what speaks against it",
	    .max = MAX_STRINGS),
};

static const struct table validity_table = {
	.name = "validity",
	TABLE(result_cell, validity_rows, "whether the cell's numbers can be used"),
};

static const struct field cell_rows[] = {
	STRING(result_cell, engine, "engine_requested", "what the scenario asked for", REQUIRED),
	ROW(U64, result_cell, cluster_bytes, "cluster_bytes", "physical cluster size", REQUIRED),
	STRING(result_cell, workload, "workload", "name in the scenario", REQUIRED),
	STRING(result_cell, rw, "rw", "fio's rw"),
	ROW(U64, result_cell, bs_bytes, "bs_bytes", "bytes per I/O", ZERO_NULL),
	ROW(U64, result_cell, io_size_bytes, "io_size_bytes", "bytes per job; null: the whole file",
	    ZERO_NULL),
	ROW(UINT, result_cell, numjobs, "numjobs", "fio's numjobs", ZERO_NULL),
	ROW(UINT, result_cell, iodepth, "iodepth", "fio's iodepth", ZERO_NULL),
	ROW(SIZE, result_cell, image, "image", "index into images"),
	ROW(ENUM, result_cell, status, "status", "how it ended", .names = cell_status_names,
	    .name_count = CELL_STATUSES, REQUIRED),
	STRING(result_cell, reason, "reason", "why it failed or was skipped"),
	GROUP(validity_table, "validity", "validity", REQUIRED),
	ARRAY(result_cell, samples, sample_count, sample_table, MAX_SAMPLES, "samples",
	      "every repetition, in the order in which they ran", REQUIRED),
	ROW(OBJECT, result_cell, trace, "trace", "what the tracer saw", .sub = &trace_table,
	    REQUIRED),
	ARRAY(result_cell, checks, check_count, check_table, MAX_CHECKS, "checks",
	      "self-checks of the measurement"),
};

static const struct table cell_table = {
	.name = "cell",
	TABLE(result_cell, cell_rows, "one combination of engine, cluster size and workload"),
};

static const struct field scenario_rows[] = {
	STRING(result, scenario_name, "name", "name of the scenario", REQUIRED),
	STRING(result, scenario_description, "description", "what it is about"),
	STRING(result, scenario_sha256, "sha256", "of the scenario file"),
	ROW(BOOL, result, quick, "quick", "the reduced profile was used", REQUIRED),
	STRING(result, filesystem, "filesystem", "file system under test"),
	STRING(result, backing, "backing", "backing asked for"),
	ROW(TEXT, result, scenario_yaml, "yaml",
	    "the effective scenario, every default spelled out", .max = MAX_YAML),
};

static const struct table scenario_table = {
	.name = "scenario",
	TABLE(result, scenario_rows, "what was asked for"),
};

static const struct field cost_rows[] = {
	ROW(U64, result, fio_ns, "fio_ns", "time inside fio", ZERO_NULL),
	ROW(U64, result, mkfs_ns, "mkfs_ns", "time inside mkfs", ZERO_NULL),
	ROW(U64, result, harness_ns, "harness_ns", "the rest of the run's time", ZERO_NULL),
};

static const struct table cost_table = {
	.name = "cost",
	TABLE(result, cost_rows, "where the time of the run itself went"),
};

static const struct field result_rows[] = {
	STRING(result, id, "id", "name of the result's folder"),
	STRING(result, tool_version, "tool_version", "version of accelbench"),
	STRING(result, started, "started", "UTC, ISO 8601"),
	STRING(result, finished, "finished", "UTC, ISO 8601; null: it did not finish"),
	ROW(BOOL, result, complete, "complete", "every cell was run or has a reason why not",
	    REQUIRED),
	ROW(BOOL, result, reference, "reference", "published figures, not measured by this program",
	    REQUIRED),
	STRING(result, source, "source", "where published figures come from"),
	GROUP(scenario_table, "scenario", "what was asked for", REQUIRED),
	STRING(result, target, "target", "host or lab"),
	ROW(BOOL, result, deterministic, "deterministic",
	    "lab: the guest's time was a count of instructions"),
	ROW(OBJECT, result, host, "host", "where it ran", .sub = &host_table, REQUIRED),
	ROW(OBJECT, result, dataset, "dataset", "what was read", .sub = &dataset_table, REQUIRED),
	ARRAY(result, images, image_count, image_table, MAX_IMAGES, "images",
	      "one per algorithm, level and cluster size", REQUIRED),
	ROW(OBJECT, result, tracer, "tracer", "the tracer", .sub = &tracer_table, REQUIRED),
	GROUP(cost_table, "cost", "where the time of the run went"),
	ROW(STRINGS, result, warnings, "warnings", "what a reader of the numbers should know",
	    .max = MAX_STRINGS),
	ARRAY(result, cells, cell_count, cell_table, MAX_CELLS, "cells",
	      "one per engine, cluster size and workload", REQUIRED),
};

static bool check_result(const void *object, struct diag *why)
{
	const struct result *r = object;

	for (size_t i = 0; i < r->cell_count; i++) {
		if (!r->image_count || r->cells[i].image < r->image_count)
			continue;
		diag_set(why, 0, "cells[%zu].image is %zu, but there are %zu images", i,
			 r->cells[i].image, r->image_count);
		return false;
	}
	return true;
}

const struct table result_table = {
	.name = "result",
	TABLE(result, result_rows, "result of an accelbench run"),
	.check = check_result,
};
