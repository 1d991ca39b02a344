/* SPDX-License-Identifier: GPL-2.0-only */
/* Which programs go to which kernel function, by which mechanism. The order of mechanisms: probe/ladder.h. */
#ifndef AB_PROBE_ATTACH_H
#define AB_PROBE_ATTACH_H

#include <bpf/libbpf.h>
#include "base/diag.h"
#include "model/targets.h"
#include "probe/btf_index.h"

/*
 * BY_FPROBE: kprobe.multi, but fentry for the completion callback. It runs in interrupts, and of all kprobe programs only one
 * may run on a CPU at a time: it would be skipped whenever it interrupts another one.
 */
enum mechanism { BY_FENTRY, BY_FPROBE, BY_KPROBE, MECHANISMS };
extern const char *const mechanism_names[MECHANISMS]; /* "fentry", "fprobe", "kprobe" */

/* One row of the hook table, bound to this kernel. */
struct bound_hook {
	const struct hook_info *info;
	const char *function;		/* chosen, NULL: none */
	const struct btf_function *btf; /* NULL for the tracepoint */
	uint64_t address;		/* of the function, 0: unknown */
	unsigned int slot;
	struct bpf_program *entry,
		*exit; /* either may be NULL by role; hooks of a role may share them */
	bool attached;
	struct bpf_link *links
		[2]; /* entry, exit; NULL where the link of another hook of the role is for all */
	int error;   /* of the last try to attach it */
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
/* Fills in the addresses of functions that will be attached together, with the program find_symbol, which is loaded. */
void hooks_locate(struct bound_hook *hooks, size_t count, const struct bpf_program *find_symbol);
/* Attaches what is bound; where that fails, error and reason are kept in the hook. */
void hooks_attach(struct bound_hook *hooks, size_t count, enum mechanism mechanism);
void hooks_detach(struct bound_hook *hooks, size_t count);
/* How this hook is attached: "tp_btf" or a mechanism's name. */
const char *hook_mechanism(const struct bound_hook *bound, enum mechanism mechanism);

/* libbpf's own messages are shown at LOG_DEBUG only. Call before anything else of libbpf. */
void attach_quiet_libbpf(void);

/*
 * Really loads and attaches an empty program to @function (or BTF tracepoint: BY_FENTRY then), then removes it. 0 or -errno
 * with the words for people.
 */
int hook_try(const char *function, const struct btf_index *index, enum mechanism mechanism,
	     struct diag *d);

#endif
