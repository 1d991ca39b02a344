// SPDX-License-Identifier: GPL-2.0-only
#include "model/fio_options.h"

#include <stdio.h>
#include <string.h>

static const char *const rw_names[] = {"read", "randread", NULL};
static const char *const rw_writing[] = {"write", "randwrite", "rw",	    "readwrite", "randrw",
					 "trim",  "randtrim",  "trimwrite", NULL};

/* Synchronous ones first; fio_ioengine_is_async() counts on it. */
static const char *const ioengine_names[] = {"psync",  "sync",	   "pvsync",   "mmap",
					     "libaio", "io_uring", "posixaio", NULL};
#define FIRST_ASYNC 4

bool fio_ioengine_is_async(const char *ioengine)
{
	for (size_t i = FIRST_ASYNC; ioengine_names[i]; i++)
		if (!strcmp(ioengine_names[i], ioengine))
			return true;
	return false;
}

#define KIB (1ull << 10)
#define MIB (1ull << 20)
#define TIB (1ull << 40)
#define S   1000000000ull

static const struct key_info keys[] = {
	{.path = "rw",
	 .type = &key_word,
	 KEY_FIELD(struct workload_spec, rw),
	 .choices = rw_names,
	 .refused = rw_writing,
	 .why = "writes, and workloads only read",
	 .required = true,
	 .help = "access pattern: in file order, or at random places"},
	{.path = "bs",
	 .type = &key_size,
	 KEY_FIELD(struct workload_spec, bs_bytes),
	 .min = 512,
	 .max = 64 * MIB,
	 .required = true,
	 .help = "bytes per read"},
	{.path = "io_size",
	 .type = &key_size,
	 KEY_FIELD(struct workload_spec, io_size_bytes),
	 .min = 512,
	 .max = TIB,
	 .help = "bytes to read in all; not given: as many as the file has"},
	{.path = "ioengine",
	 .type = &key_word,
	 KEY_FIELD(struct workload_spec, ioengine),
	 .choices = ioengine_names,
	 .help = "how fio issues a read"},
	{.path = "iodepth",
	 .type = &key_uint,
	 KEY_FIELD(struct workload_spec, iodepth),
	 .min = 1,
	 .max = 1024,
	 .help = "reads in flight, for asynchronous I/O engines"},
	{.path = "numjobs",
	 .type = &key_uint,
	 KEY_FIELD(struct workload_spec, numjobs),
	 .min = 1,
	 .max = 256,
	 .help = "threads that do this at the same time"},
	{.path = "direct",
	 .type = &key_bool,
	 KEY_FIELD(struct workload_spec, direct),
	 .help = "O_DIRECT, which EROFS has for uncompressed files only"},
	{.path = "runtime",
	 .type = &key_time,
	 KEY_FIELD(struct workload_spec, runtime_ns),
	 .min = S,
	 .max = 24 * 3600 * S,
	 .help = "read again and again for so long; not given: until io_size was read"},
	{.path = "randseed",
	 .type = &key_u64,
	 KEY_FIELD(struct workload_spec, randseed),
	 .max = UINT32_MAX,
	 .help = "seed of random places: the same seed, the same places"},
};

const struct key_table workload_table = {keys, ARRAY_SIZE(keys)};

void workload_defaults(struct workload_spec *w)
{
	memset(w, 0, sizeof(*w));
	snprintf(w->ioengine, sizeof(w->ioengine), "psync");
	w->iodepth = 1;
	w->numjobs = 1;
	w->randseed = 1;
}
