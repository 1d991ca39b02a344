// SPDX-License-Identifier: GPL-2.0-only
/* The top of a scenario: one row per key. */
#include <string.h>
#include "model/scenario_keys.h"

#define KIB (1ull << 10)
#define MIB (1ull << 20)
#define TIB (1ull << 40)
#define S   1000000000ull

const char *const backing_names[BACKINGS] = {
	[BACKING_LOOP_DIRECT] = "loop-direct",
	[BACKING_LOOP] = "loop",
	[BACKING_FILE] = "file",
	[BACKING_DEVICE] = "device",
};
const char *const order_names[ORDERS + 1] = {
	[ORDER_INTERLEAVED] = "interleaved",
	[ORDER_SEQUENTIAL] = "sequential",
};
const char *const cache_names[CACHES + 1] = {
	[CACHE_COLD] = "cold",
	[CACHE_WARM] = "warm",
};

/* The tables' word lists are NULL-terminated, and leave out what does not work yet. */
#define NOT_YET "is not supported yet by this version"

static const char *const filesystems[] = {"erofs", NULL};
static const char *const filesystems_refused[] = {"btrfs", "squashfs", NULL};
static const char *const generators[] = {"text", NULL};
static const char *const backings[] = {"loop-direct", "loop", "file", NULL};
static const char *const backings_refused[] = {"device", NULL};
static const char *const dataset_members[] = {"generate", "path", "substitute", NULL};

static bool is_generated(const void *base)
{
	const struct dataset_spec *ds = &((const struct scenario *)base)->dataset;

	return ds->kind == DATASET_GENERATE && !ds->substitute;
}

static bool is_substitute(const void *base)
{
	return ((const struct scenario *)base)->dataset.substitute;
}

static bool is_path(const void *base)
{
	return ((const struct scenario *)base)->dataset.kind == DATASET_PATH;
}

#define DATA(member) KEY_FIELD(struct scenario, dataset.member)

static const struct key_info keys[] = {
	{.path = "name",
	 .type = &key_name,
	 KEY_FIELD(struct scenario, name),
	 .required = true,
	 .help = "name of the scenario, part of the result's name"},
	{.path = "description",
	 .type = &key_text,
	 KEY_FIELD(struct scenario, description),
	 .help = "what it measures, for people"},

	{.path = "dataset",
	 .type = &key_map,
	 .required = true,
	 .one_of = dataset_members,
	 .help = "what the images contain"},
	{.path = "dataset.generate",
	 .type = &key_map,
	 .help = "made by the program, the same on every machine"},
	{.path = "dataset.generate.kind",
	 .type = &key_word,
	 DATA(generator),
	 .choices = generators,
	 .required = true,
	 .applies = is_generated,
	 .help = "what it resembles"},
	{.path = "dataset.generate.size",
	 .type = &key_size,
	 DATA(size_bytes),
	 .min = 4 * KIB,
	 .max = TIB,
	 .required = true,
	 .applies = is_generated,
	 .help = "how much of it"},
	{.path = "dataset.generate.seed",
	 .type = &key_u64,
	 DATA(seed),
	 .max = UINT32_MAX,
	 .applies = is_generated,
	 .help = "another seed gives other data of the same kind"},
	{.path = "dataset.path",
	 .type = &key_path,
	 DATA(path),
	 .applies = is_path,
	 .help = "a file or a folder, from the current folder"},
	{.path = "dataset.sha256",
	 .type = &key_sha256,
	 DATA(sha256),
	 .help = "hash that the file at path must have"},
	{.path = "dataset.corpus",
	 .type = &key_name,
	 DATA(corpus),
	 .help = "what the file at path is called among people"},
	{.path = "dataset.substitute",
	 .type = &key_map,
	 .help = "generated data that stands in for the corpus when no path is given"},
	{.path = "dataset.substitute.kind",
	 .type = &key_word,
	 DATA(generator),
	 .choices = generators,
	 .required = true,
	 .applies = is_substitute,
	 .help = "what it resembles"},
	{.path = "dataset.substitute.size",
	 .type = &key_size,
	 DATA(size_bytes),
	 .min = 4 * KIB,
	 .max = TIB,
	 .required = true,
	 .applies = is_substitute,
	 .help = "how much of it"},
	{.path = "dataset.substitute.seed",
	 .type = &key_u64,
	 DATA(seed),
	 .max = UINT32_MAX,
	 .applies = is_substitute,
	 .help = "another seed gives other data of the same kind"},

	{.path = "filesystem",
	 .type = &key_word,
	 KEY_FIELD(struct scenario, filesystem),
	 .choices = filesystems,
	 .refused = filesystems_refused,
	 .why = NOT_YET,
	 .required = true,
	 .help = "file system under test"},

	{.path = "matrix",
	 .type = &key_map,
	 .required = true,
	 .help = "every engine is run with every cluster size and every workload"},
	{.path = "matrix.engine",
	 .type = &key_engines,
	 .required = true,
	 .help = "who decompresses"},
	{.path = "matrix.cluster",
	 .type = &key_clusters,
	 .min = 4 * KIB,
	 .max = MIB,
	 .required = true,
	 .help = "physical cluster sizes, powers of two"},

	{.path = "image", .type = &key_map, .help = "how images are built"},
	{.path = "image.level",
	 .type = &key_level,
	 .max = 109,
	 .help = "compression level, for all engines or by engine; not given: the tool's default"},
	{.path = "image.timeout",
	 .type = &key_time,
	 KEY_FIELD(struct scenario, image_timeout_ns),
	 .min = S,
	 .max = 24 * 3600 * S,
	 .help = "longest time to build one image"},

	{.path = "backing",
	 .type = &key_enum,
	 KEY_FIELD(struct scenario, backing),
	 .choices = backings,
	 .refused = backings_refused,
	 .why = NOT_YET,
	 .help = "what is mounted: a loop device with or without direct I/O, or the file"},
	{.path = "workloads",
	 .type = &key_workloads,
	 .required = true,
	 .help = "what fio does, by name"},
	{.path = "repeat",
	 .type = &key_uint,
	 KEY_FIELD(struct scenario, repeat),
	 .min = 1,
	 .max = 1000,
	 .help = "repetitions of every cell"},
	{.path = "order",
	 .type = &key_enum,
	 KEY_FIELD(struct scenario, order),
	 .choices = order_names,
	 .help = "all cells once, then again; or each cell's repetitions in a row"},
	{.path = "cache",
	 .type = &key_enum,
	 KEY_FIELD(struct scenario, cache),
	 .choices = cache_names,
	 .help = "state of all caches before each repetition"},
	{.path = "timeout",
	 .type = &key_time,
	 KEY_FIELD(struct scenario, timeout_ns),
	 .min = S,
	 .max = 24 * 3600 * S,
	 .help = "longest time of one repetition"},

	{.path = "trace", .type = &key_map, .help = "what is measured in the kernel"},
	{.path = "trace.phases",
	 .type = &key_phases,
	 .help = "phases of a request to measure; none: fio alone"},
	{.path = "trace.control",
	 .type = &key_bool,
	 KEY_FIELD(struct scenario, trace.control),
	 .help = "an untraced repetition beside each traced one: what tracing costs"},
	{.path = "trace.records",
	 .type = &key_u64,
	 KEY_FIELD(struct scenario, trace.record_every),
	 .max = 1000000000,
	 .help = "keep every n-th request whole; 0: none"},
	{.path = "trace.stacks", .type = &key_map, .help = "sampled kernel stacks"},
	{.path = "trace.stacks.oncpu_hz",
	 .type = &key_uint,
	 KEY_FIELD(struct scenario, trace.stacks_oncpu_hz),
	 .max = 10000,
	 .help = "samples per second and CPU; 0: none"},
	{.path = "trace.stacks.offcpu",
	 .type = &key_bool,
	 KEY_FIELD(struct scenario, trace.stacks_offcpu),
	 .help = "stacks of blocked tasks"},

	{.path = "expect",
	 .type = &key_expects,
	 .help = "what makes a cell invalid when it is not so"},
	{.path = "gate",
	 .type = &key_gates,
	 .help = "what a comparison with a base line may not show"},
	{.path = "quick",
	 .type = &key_quick,
	 .help = "values that --quick sets, by dotted path: {repeat: 2}"},
};

const struct key_table scenario_table = {keys, ARRAY_SIZE(keys)};

void scenario_defaults(struct scenario *s)
{
	memset(s, 0, sizeof(*s));
	s->dataset.seed = 1;
	s->image_timeout_ns = 3600 * S;
	s->backing = BACKING_LOOP_DIRECT;
	s->repeat = 5;
	s->order = ORDER_INTERLEAVED;
	s->cache = CACHE_COLD;
	s->timeout_ns = 600 * S;
	s->trace.enabled = true;
	s->trace.control = true;
	for (int i = 0; i < AB_PHASES; i++)
		s->trace.phases[i] = true;
}

const char *key_below(const struct key_info *k, const char *prefix)
{
	size_t len = strlen(prefix);
	const char *name = k->path;

	if (len) {
		if (strncmp(name, prefix, len) || name[len] != '.')
			return NULL;
		name += len + 1;
	}
	return strchr(name, '.') ? NULL : name;
}
