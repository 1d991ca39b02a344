/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run's result: the only link between measuring and reporting. What is not known is marked so
 * (has_*, NULL, ""), never zero. JSON form: result.json, schema in `accelbench schema result`; both
 * generated from model/result_json.c.
 */
#ifndef AB_MODEL_RESULT_H
#define AB_MODEL_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "accelbench.h"
#include "base/diag.h"
#include "base/strbuf.h"

#define RESULT_SCHEMA	    "accelbench/result"
#define RESULT_SCHEMA_MAJOR 1
#define RESULT_SCHEMA_MINOR 1
#define RESULT_MAX_REASONS  16
#define RESULT_REASON_SIZE  256
#define RESULT_NAME_SIZE    64

/* A growing list of strings (reasons, warnings, notes). */
struct string_list {
	char **items;
	size_t count;
};
int string_list_add(struct string_list *list, const char *fmt, ...) AB_PRINTF(2, 3);
void string_list_free(struct string_list *list);

/* Where and with what it ran. Empty strings: could not be found out. */
struct result_host {
	char kernel_release[128];
	char kernel_version[256];
	char machine[32];
	char cpu_model[128];
	unsigned int cpus_online;
	uint64_t memory_bytes;
	char clocksource[32];
	char governor[32];
	char lockdown[32];
	bool emulated; /* the processor is emulated: timings compare within this run only */
	char virtualization[32];   /* "qemu-tcg", "kvm", ... */
	char accelerator_kind[32]; /* "" none, "simulated" a test provider of ours, "qat" */
	/* Of a simulated one: "service_ns=20000", every parameter that its module has. */
	struct string_list accelerator_parameters;
	char fio_version[64];
	char mkfs_version[64];
	char libbpf_version[32];
	struct string_list kernel_options; /* "CONFIG_EROFS_FS_ZIP_ACCEL=y", those that matter */
	/* "deflate qat_deflate acomp_sim priority=300 selftest=passed" */
	struct string_list crypto_drivers;
};

struct result_dataset {
	char kind[16];	/* "generate" or "path" */
	char file[256]; /* name of the measured file in the image */
	/* For people: "generated text, 285 MiB, seed 1 (stands in for enwik9)". */
	char description[256];
	char sha256[65];
	uint64_t size_bytes;
	bool substitute;
	char corpus[64];
	uint64_t build_ns; /* time to generate or to hash */
};

/* Data read back through one engine, hashed, compared with the dataset. */
struct result_verify {
	char engine[RESULT_NAME_SIZE];	 /* requested */
	char observed[RESULT_NAME_SIZE]; /* "" when not traced */
	char sha256[65];		 /* of what was read; "" when it could not be read */
	bool ok;
	char reason[RESULT_REASON_SIZE]; /* why not ok */
};

struct result_image {
	char algorithm[32]; /* asked for, as mkfs names it; "none" */
	uint64_t cluster_bytes;
	bool has_level;
	int level;
	char key[65];			 /* of the image store */
	char mkfs[64];			 /* what built it: "mkfs.erofs (erofs-utils) 1.8.6" */
	uint64_t image_bytes;		 /* size of the image file */
	double ratio;			 /* dataset bytes / image bytes */
	uint64_t build_ns;		 /* of the build that made it, perhaps in an earlier run */
	bool reused;			 /* it came from the store */
	char observed_algorithms[64];	 /* read from the superblock */
	uint64_t observed_cluster_bytes; /* largest compressed extent; 0: unknown */
	bool ok;
	char reason[RESULT_REASON_SIZE];
	struct result_verify *verifies;
	size_t verify_count;
};

/* CPU of one repetition. Sources: rusage of fio's jobs; /proc/stat; BPF on sched_switch. */
struct result_cpu {
	bool has_workload; /* as fio reports its jobs' rusage; else wait4() of fio as a whole */
	uint64_t workload_user_ns;
	uint64_t workload_system_ns;
	bool has_machine;	  /* /proc/stat, resolution of a clock tick over all CPUs */
	uint64_t machine_busy_ns; /* user, nice, system, irq, softirq */
	uint64_t machine_irq_ns;  /* irq + softirq of that */
	uint64_t machine_steal_ns;
	uint64_t machine_idle_ns; /* idle + iowait */
	bool has_kthread;	  /* traced repetitions only */
	uint64_t kthread_ns;	  /* kernel threads: EROFS' and other workers */
};

/* One phase over the requests of one repetition, all engines observed together. */
struct result_times {
	unsigned int phase; /* enum ab_phase */
	uint64_t count;	    /* requests; never 0 */
	double mean_ns;
	uint64_t p50_ns, p90_ns, p99_ns, p999_ns, max_ns; /* percentiles: of buckets, within 1/64 */
};

/* Requests of one repetition; stored clusters are none. */
struct result_requests {
	uint64_t requests, out_bytes;
	uint64_t offloaded, offloaded_out_bytes;
	uint64_t partial; /* for a part of a cluster only: never offloaded */
};

struct result_sample {
	unsigned int repetition;
	bool traced;
	bool ok;
	char reason[RESULT_REASON_SIZE]; /* why not ok: fio's own words */
	uint64_t start_ns;		 /* CLOCK_MONOTONIC */
	uint64_t runtime_ns;
	uint64_t io_bytes;
	double bandwidth_bytes_per_s;
	double iops;
	bool has_latency;
	double latency_mean_ns;
	uint64_t latency_p50_ns, latency_p99_ns, latency_p999_ns, latency_max_ns;
	bool has_disk;
	uint64_t disk_read_bytes; /* of the image's block device during the run */
	char cache[64];	  /* what was in force: "cold: fresh mount, drop_caches, loop direct I/O" */
	char backing[32]; /* what was in force: "loop-direct" */
	struct result_cpu cpu;
	bool has_requests; /* traced repetitions only, since format 1.1 */
	struct result_requests requests;
	struct result_times *times; /* phases that any request had */
	size_t time_count;
};

/* A histogram in sparse form. */
#define RESULT_NOT_APPLICABLE "not applicable"
struct result_hist {
	bool present; /* measured, even if count == 0 */
	/* When !present: RESULT_NOT_APPLICABLE, "unobservable: <reason>" or "not requested". */
	char absent[RESULT_REASON_SIZE];
	uint64_t count, sum, min, max, saturated;
	uint32_t *index; /* ascending */
	uint64_t *counts;
	size_t buckets;
};

/* Everything about requests served alike in one cell. */
struct result_set {
	char engine[RESULT_NAME_SIZE]; /* observed: "sw:deflate", "qat_deflate", "stored" */
	char direction[16];
	uint64_t size_class_bytes; /* upper bound of the compressed size, a power of two; 0: open */
	struct result_hist hists[AB_PHASES];
};

struct result_served {
	uint64_t requests, in_bytes, out_bytes;
};

struct result_check {
	char name[48]; /* "entries_equal_exits" */
	bool ok;
	bool applicable;
	char detail[RESULT_REASON_SIZE]; /* the numbers, or why not applicable */
};

/* What the tracer saw over a cell's traced repetitions. */
struct result_trace {
	bool present;
	char absent[RESULT_REASON_SIZE];
	struct result_set *sets;
	size_t set_count;
	struct result_served served[AB_SERVED];
	uint64_t counters[AB_COUNTERS];
	uint64_t inflight_at_end;
	uint64_t
		recursion_misses; /* kernel: program skipped because it was running already; return probe without room */
};

enum cell_status { CELL_PENDING, CELL_DONE, CELL_FAILED, CELL_SKIPPED, CELL_STATUSES };
extern const char *const cell_status_names[CELL_STATUSES];

struct result_cell {
	char engine[RESULT_NAME_SIZE]; /* requested */
	uint64_t cluster_bytes;
	char workload[RESULT_NAME_SIZE];
	char rw[16];
	uint64_t bs_bytes, io_size_bytes; /* io_size 0: whole file */
	unsigned int numjobs, iodepth;
	size_t image; /* index */
	enum cell_status status;
	char reason[1024]; /* of failed and skipped */
	bool valid;	   /* status done and no reason against it */
	struct string_list invalid_reasons;
	struct result_sample *samples; /* in the order they ran */
	size_t sample_count;
	struct result_trace trace;
	struct result_check *checks;
	size_t check_count;
};

struct result_hook {
	char name[48];
	char function[96];		 /* that was attached, "" if none */
	char mechanism[24];		 /* "fentry", "fprobe", "kprobe", "tp_btf"; "" if none */
	char reason[RESULT_REASON_SIZE]; /* why not, when none */
};

struct result_tracer {
	bool present;
	char absent[RESULT_REASON_SIZE];
	char mechanism[24]; /* of the function hooks */
	struct result_hook *hooks;
	size_t hook_count;
	uint64_t open_ns, load_ns, attach_ns;
	bool has_overhead;     /* control repetitions ran */
	double overhead_ratio; /* 0.003: traced runs were 0.3 % slower */
	double overhead_low_ratio, overhead_high_ratio, overhead_confidence;
	uint64_t overhead_pairs;
	uint64_t max_rss_bytes; /* of accelbench itself */
};

struct result {
	char id[160]; /* name of the folder */
	char tool_version[32];
	char started[32], finished[32]; /* UTC, ISO 8601; finished "" while incomplete */
	bool complete;
	bool reference;	  /* published figures, not measured by this program */
	char source[512]; /* of a reference */
	char scenario_name[RESULT_NAME_SIZE];
	char scenario_description[512];
	char scenario_sha256[65];
	bool quick;
	char *scenario_yaml; /* effective scenario, NULL for a reference */
	char filesystem[16];
	char target[16];    /* "host" or "lab" */
	bool deterministic; /* lab: the guest's time was a count of instructions */
	char backing[32];   /* asked for */
	struct result_host host;
	struct result_dataset dataset;
	struct result_image *images;
	size_t image_count;
	struct result_cell *cells;
	size_t cell_count;
	struct result_tracer tracer;
	struct string_list warnings;
	uint64_t harness_ns; /* time outside fio and mkfs */
	uint64_t fio_ns, mkfs_ns;
};

void result_free(struct result *r);
void result_host_free(struct result_host *h);
void result_trace_free(struct result_trace *t);
void result_samples_free(struct result_sample *samples, size_t count);
void result_hist_free(struct result_hist *h);

/* The whole as JSON text. Never emits NaN or infinities. */
int result_to_json(const struct result *r, struct strbuf *out, struct diag *d);
/* The host alone, as an object of a larger text. */
struct json_out;
void result_host_json(struct json_out *j, const char *key, const struct result_host *h);
/*
 * Reads a result.json; the text is hostile until proven otherwise. Unknown keys are ignored, a
 * higher MAJOR is refused.
 */
int result_from_json(const char *name, const char *text, size_t len, struct result *r,
		     struct diag *d);
/* @path: a result folder or a result.json. */
int result_load(const char *path, struct result *r, struct diag *d);
/* Writes <dir>/result.json atomically. */
int result_save(const char *dir, const struct result *r, struct diag *d);
/* JSON Schema of the format. */
void result_schema(struct strbuf *out);

/*
 * Percentile of a sparse histogram, 0 < p <= 1, midpoint of its bucket clamped to [min, max].
 * @h->count > 0.
 */
double result_hist_percentile(const struct result_hist *h, double p);
/* Absent, though the path may have it: anything but "not applicable". */
bool result_hist_unobservable(const struct result_hist *h);
/* Adds @src to @dst (sparse merge). -ENOMEM. */
int result_hist_merge(struct result_hist *dst, const struct result_hist *src);
/* One phase of all sets together, into an empty @all. -ENOMEM. */
int result_trace_phase(const struct result_trace *t, enum ab_phase phase, struct result_hist *all);
/* The set of @t with the engine, direction and size class of @like, made when there is none. NULL: no memory. */
struct result_set *result_trace_set(struct result_trace *t, const struct result_set *like);
/* Adds the window @src to @dst. -ENOMEM. */
int result_trace_add(struct result_trace *dst, const struct result_trace *src);
/* What one repetition's window says about it: requests and times of @s. -ENOMEM. */
int result_sample_describe(struct result_sample *s, const struct result_trace *window);

#endif
