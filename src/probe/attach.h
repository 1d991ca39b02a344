/* SPDX-License-Identifier: GPL-2.0-only */
/* The ladder for one hook: which programs of which slot go to which kernel function, by which mechanism. */
#ifndef AB_PROBE_ATTACH_H
#define AB_PROBE_ATTACH_H

#include <bpf/libbpf.h>
#include "base/diag.h"
#include "model/targets.h"
#include "probe/btf_index.h"

enum mechanism { BY_FENTRY, BY_KPROBE, MECHANISMS };
extern const char *const mechanism_names[MECHANISMS]; /* "fentry", "kprobe" */

/* One row of the hook table, bound to this kernel. */
struct bound_hook {
	const struct hook_info *info;
	const char *function;		/* chosen, NULL: none */
	const struct btf_function *btf; /* NULL for the tracepoint */
	unsigned int slot;
	struct bpf_program *entry, *exit; /* either may be NULL by role */
	struct bpf_link *links[2];
	char reason[256]; /* why it is not attached */
};

/*
 * Registers the sections of bpf/request.bpf.c with libbpf, so that programs get their target from the bound hooks while they
 * are loaded. libbpf keeps handlers per process, and the first of a section's name wins: unregister once they are loaded.
 */
struct attach_context {
	struct bound_hook *hooks;
	size_t hook_count;
	int handlers[3];
};
int attach_register(struct attach_context *ctx, struct diag *d);
void attach_unregister(struct attach_context *ctx);

/*
 * Chooses function and slot for @hook, sets the targets of its programs in @obj and has them loaded. -ENOENT: the kernel
 * has none of its functions; -ENOSPC: no slot left; @bound->reason says it.
 */
int hook_bind(struct bound_hook *bound, const struct hook_info *hook, struct bpf_object *obj,
	      const struct btf_index *index, enum mechanism mechanism, unsigned int slot);
/* 0, or -errno with the reason kept in @bound. */
int hook_attach(struct bound_hook *bound, enum mechanism mechanism);
void hook_detach(struct bound_hook *bound);

/* libbpf's own messages are shown at LOG_DEBUG only. Call before anything else of libbpf. */
void attach_quiet_libbpf(void);

/*
 * Really loads and attaches an empty program to @function (or BTF tracepoint: BY_FENTRY then), then removes it. 0 or -errno
 * with the words for people.
 */
int hook_try(const char *function, const struct btf_index *index, enum mechanism mechanism,
	     struct diag *d);

#endif
