/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A declared experiment, as read from YAML. Everything here was validated: no later stage finds a
 * bad value.
 */
#ifndef AB_MODEL_SCENARIO_H
#define AB_MODEL_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "base/strbuf.h"
#include "model/targets.h"

#define SCENARIO_NAME_SIZE    64
#define SCENARIO_MAX_AXIS     16
#define SCENARIO_MAX_WORKLOAD 16
#define SCENARIO_MAX_RULES    64

enum dataset_kind { DATASET_GENERATE, DATASET_PATH };

struct dataset_spec {
	enum dataset_kind kind; /* DATASET_GENERATE for a substitute too */
	char generator[16];	/* "text" */
	uint64_t size_bytes;	/* of generated data */
	uint64_t seed;
	char path[4096]; /* file or folder */
	char sha256[65]; /* demanded hash of the path, or ""; a substitute is not held to it */
	bool substitute; /* generated data stands in for a corpus whose path was not given */
	char corpus[64]; /* name of that corpus, "" if none: "enwik9" */
};

enum backing_kind { BACKING_LOOP_DIRECT, BACKING_LOOP, BACKING_FILE, BACKING_DEVICE, BACKINGS };
extern const char *const backing_names[BACKINGS];
enum order_kind { ORDER_INTERLEAVED, ORDER_SEQUENTIAL, ORDERS };
extern const char *const order_names[ORDERS + 1]; /* NULL-terminated, as cache_names */
enum cache_kind { CACHE_COLD, CACHE_WARM, CACHES };
extern const char *const cache_names[CACHES + 1];

/* fio options, from an allow-list (model/fio_options.h); strings were checked against it. */
struct workload_spec {
	char name[SCENARIO_NAME_SIZE];
	char rw[16]; /* "read", "randread" */
	uint64_t bs_bytes;
	uint64_t io_size_bytes; /* 0: the whole file */
	char ioengine[16];	/* "psync" */
	unsigned int iodepth;
	unsigned int numjobs;
	bool direct;
	uint64_t runtime_ns; /* 0: by size */
	uint64_t randseed;
};

struct level_spec {
	const struct engine_info *engine; /* NULL: every engine that has levels */
	int level;
};

struct trace_spec {
	bool enabled;
	bool control;		      /* interleave untraced repetitions */
	bool phases[AB_PHASES];	      /* which are wanted */
	uint64_t record_every;	      /* sample every n-th request; 0: none */
	unsigned int stacks_oncpu_hz; /* 0: none */
	bool stacks_offcpu;
};

enum rule_bound { RULE_MIN, RULE_MAX };
struct expect_rule {
	char metric[32];
	char engine[32]; /* "" : all */
	char workload[SCENARIO_NAME_SIZE];
	uint64_t cluster_bytes; /* 0: all */
	bool has_min, has_max;
	double min, max;
};

struct gate_rule {
	char metric[32];
	char engine[32];
	char workload[SCENARIO_NAME_SIZE];
	uint64_t cluster_bytes;
	bool has_max_drop, has_max_rise;
	double max_drop_ratio, max_rise_ratio;
};

struct scenario {
	char name[SCENARIO_NAME_SIZE];
	char description[512];
	char file[4096]; /* as given on the command line */
	char sha256[65]; /* of the YAML text */
	bool quick;	 /* the quick profile was applied */
	struct dataset_spec dataset;
	char filesystem[16]; /* "erofs" */
	const struct engine_info *engines[SCENARIO_MAX_AXIS];
	size_t engine_count;
	uint64_t clusters_bytes[SCENARIO_MAX_AXIS];
	size_t cluster_count;
	struct level_spec levels[SCENARIO_MAX_AXIS];
	size_t level_count;
	uint64_t image_timeout_ns; /* to build one */
	enum backing_kind backing;
	struct workload_spec workloads[SCENARIO_MAX_WORKLOAD];
	size_t workload_count;
	unsigned int repeat;
	enum order_kind order;
	enum cache_kind cache;
	uint64_t timeout_ns; /* of one repetition */
	struct trace_spec trace;
	struct expect_rule expects[SCENARIO_MAX_RULES];
	size_t expect_count;
	struct gate_rule gates[SCENARIO_MAX_RULES];
	size_t gate_count;
};

struct scenario_opts {
	const char *const *sets; /* "path=value" strings of --set, in order */
	size_t set_count;
	bool quick;
};

/*
 * Reads and validates. "-" is standard input. -ENOENT/-EACCES..: cannot be read; -EINVAL: not a
 * valid scenario, @d says "file:line:column: what, expected what" and the nearest known name.
 */
int scenario_load(const char *path, const struct scenario_opts *opts, struct scenario *s,
		  struct diag *d);
/* The same from memory; @name stands for the file in messages. */
int scenario_parse(const char *name, const char *text, size_t len, const struct scenario_opts *opts,
		   struct scenario *s, struct diag *d);

/*
 * One rule of a gate by itself: "metric=..." is not YAML, "metric: bandwidth, max_drop: 5%" is, with or without braces. -EINVAL says
 * what is wrong.
 */
int scenario_gate_rule(const char *text, struct gate_rule *g, struct diag *d);

/* Level that @engine's images are built with, or -1: the tool's default. */
int scenario_level(const struct scenario *s, const struct engine_info *engine);

/*
 * The effective scenario as YAML, every default spelled out; reads back to the same struct but for
 * file, sha256 and quick.
 */
void scenario_print(const struct scenario *s, struct strbuf *out);

/* JSON Schema of the format, for editors; generated from the parser's own tables. */
void scenario_schema(struct strbuf *out);

#endif
