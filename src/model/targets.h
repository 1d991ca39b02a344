/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * THE TABLE: file systems, on-disk algorithms, engines and kernel hooks. Help, validation, JSON
 * names, doctor and reports derive from it. A new engine or hook is a row.
 */
#ifndef AB_MODEL_TARGETS_H
#define AB_MODEL_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "accelbench.h"

/* What a scenario's `engine` may be. */
struct engine_info {
	const char *name;	     /* "qat_deflate" */
	const char *mkfs_algorithm;  /* "deflate": goes to mkfs.erofs -z; NULL: uncompressed */
	enum ab_algorithm algorithm; /* what decompressor serves it */
	const char *accel_driver;    /* acomp driver name to switch on, NULL: software */
	struct level_range {
		int min, max;
	} levels[2];		    /* that mkfs accepts */
	size_t level_ranges;	    /* of levels[]; 0: the algorithm has none */
	uint64_t cluster_max_bytes; /* 0: it has no clusters */
	const char *meaning;
};
extern const struct engine_info engine_table[];
extern const size_t engine_count;
const struct engine_info *engine_find(const char *name); /* NULL: none */
bool engine_takes_level(const struct engine_info *engine, int level);

enum hook_role {
	HOOK_REQUEST, /* entry and exit bound a request */
	HOOK_DECODE,  /* a decoder call */
	HOOK_COPY,    /* a copy function */
	HOOK_SUBMIT,  /* crypto_acomp_(de)compress */
	HOOK_DONE,    /* the waiter's completion callback */
	HOOK_RESUME,  /* return: the waiter runs again */
	HOOK_SCHED,   /* scheduler tracepoint */
	HOOK_ROLES,
};
extern const char *const hook_role_names[HOOK_ROLES];

/* One place in the kernel. Names in order of preference: the first that can be attached is used. */
struct hook_info {
	const char *name; /* our name: "erofs.deflate", "crypto.submit" */
	enum hook_role role;
	const char *functions[4]; /* kernel functions (or the tracepoint), NULL-terminated */
	const char *module;	  /* that may have to be loaded first; NULL: none in particular */
	int algorithm;		  /* enum ab_algorithm of HOOK_REQUEST and HOOK_DECODE, else -1 */
	unsigned int args;	  /* number of arguments all listed functions have */
	bool required;		  /* without it nothing about this algorithm or path can be said */
	const char *loses;	  /* what is unobservable without it */
};
extern const struct hook_info hook_table[];
extern const size_t hook_count;

#endif
