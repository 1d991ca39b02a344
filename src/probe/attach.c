// SPDX-License-Identifier: GPL-2.0-only
#include "probe/attach.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>
#include "base/cleanup.h"
#include "base/log.h"

const char *const mechanism_names[MECHANISMS] = {
	[BY_FENTRY] = "fentry", [BY_FPROBE] = "fprobe", [BY_KPROBE] = "kprobe"};

static int libbpf_print(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	/* libbpf's words are for people who debug the tracer; what users must know comes back as a diag. */
	if (log_get_level() < LOG_DEBUG)
		return 0;
	return vfprintf(stderr, fmt, ap);
}

void attach_quiet_libbpf(void)
{
	libbpf_set_print(libbpf_print);
}

/* Program names of each role: <prefix><slot>_{fe,fx} and <prefix>_{kp,kr}; see bpf/request.bpf.c. */
static const struct role_programs {
	const char *prefix;
	unsigned int slots;
	bool entry, exit;
} role_programs[HOOK_ROLES] = {
	[HOOK_REQUEST] = {"req", 6, true, true}, [HOOK_DECODE] = {"dec", 6, true, true},
	[HOOK_COPY] = {"cpy", 3, true, true},	 [HOOK_SUBMIT] = {"sub", 2, true, true},
	[HOOK_DONE] = {"don", 1, true, false},	 [HOOK_RESUME] = {"res", 1, false, true},
};

/* Has this hook programs of the tracing type, with a target of their own, or kprobe programs? */
static bool by_trampoline(enum hook_role role, enum mechanism mechanism)
{
	return role == HOOK_SCHED || mechanism == BY_FENTRY ||
	       (mechanism == BY_FPROBE && role == HOOK_DONE);
}

/* Both ladders need BTF: field offsets come from it. A function that it does not know was inlined or is not there. */
static int choose_function(struct bound_hook *b, const struct btf_index *index)
{
	const struct hook_info *h = b->info;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(h->functions) && h->functions[i]; i++) {
		const struct btf_function *fn = btf_index_find(index, h->functions[i]);

		if (!fn)
			continue;
		if (fn->args != h->args) {
			snprintf(b->reason, sizeof(b->reason),
				 "%s has %u arguments here, %u expected", fn->name, fn->args,
				 h->args);
			continue;
		}
		b->function = fn->name;
		b->btf = fn;
		return 0;
	}
	if (!b->reason[0])
		snprintf(b->reason, sizeof(b->reason),
			 "this kernel has no function %s%s%s (absent or inlined)", h->functions[0],
			 h->module ? " in module " : "", h->module ? h->module : "");
	return -ENOENT;
}

static int prepare(struct bound_hook *b, struct bpf_object *obj, enum mechanism mechanism,
		   bool is_return, struct bpf_program **out)
{
	const char *prefix = role_programs[b->info->role].prefix;
	bool trampoline = by_trampoline(b->info->role, mechanism);
	struct bpf_program *prog;
	char name[16];
	int err = 0;

	if (trampoline)
		snprintf(name, sizeof(name), "%s%u_%s", prefix, b->slot, is_return ? "fx" : "fe");
	else
		snprintf(name, sizeof(name), "%s_%s", prefix, is_return ? "kr" : "kp");
	prog = bpf_object__find_program_by_name(obj, name);
	if (!prog) {
		snprintf(b->reason, sizeof(b->reason), "no program %s in the object", name);
		return -ENOSPC;
	}
	*out = prog;
	if (!trampoline && mechanism == BY_FPROBE)
		err = bpf_program__set_expected_attach_type(prog, BPF_TRACE_KPROBE_MULTI);
	return err ? err : bpf_program__set_autoload(prog, true);
}

int hook_bind(struct bound_hook *b, const struct hook_info *hook, struct bpf_object *obj,
	      const struct btf_index *index, enum mechanism mechanism, unsigned int slot)
{
	const struct role_programs *role = &role_programs[hook->role];
	int err = 0;

	*b = (struct bound_hook){.info = hook, .slot = slot};
	if (hook->role == HOOK_SCHED) {
		b->btf = btf_index_find(index, hook->functions[0]);
		b->entry = bpf_object__find_program_by_name(obj, "sched_switch");
		if (!b->btf || !b->entry) {
			snprintf(b->reason, sizeof(b->reason),
				 "this kernel has no BTF tracepoint %s", hook->functions[0]);
			return -ENOENT;
		}
		b->function = hook->functions[0];
		return bpf_program__set_autoload(b->entry, true);
	}
	if (slot >= role->slots) {
		snprintf(b->reason, sizeof(b->reason), "no program left for role %s",
			 hook_role_names[hook->role]);
		return -ENOSPC;
	}
	err = choose_function(b, index);
	if (!err && role->entry)
		err = prepare(b, obj, mechanism, false, &b->entry);
	if (!err && role->exit)
		err = prepare(b, obj, mechanism, true, &b->exit);
	if (err)
		b->function = NULL;
	return err;
}

/* libbpf's callback just before BPF_PROG_LOAD: the target is what the program's hook was bound to. */
static int set_target(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	const struct attach_context *ctx = (const struct attach_context *)cookie;
	size_t i;

	for (i = 0; i < ctx->hook_count; i++) {
		const struct bound_hook *b = &ctx->hooks[i];

		if (!b->btf || (b->entry != prog && b->exit != prog))
			continue;
		opts->attach_btf_id = b->btf->type_id;
		opts->attach_btf_obj_fd = (uint32_t)b->btf->btf_fd;
		return 0;
	}
	return -ENOENT;
}

int attach_register(struct attach_context *ctx, struct diag *d)
{
	static const struct {
		const char *section;
		enum bpf_attach_type type;
	} sections[] = {
		{"ab_fentry", BPF_TRACE_FENTRY},
		{"ab_fexit", BPF_TRACE_FEXIT},
		{"ab_tp_btf", BPF_TRACE_RAW_TP},
	};
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)ctx,
		    .prog_prepare_load_fn = set_target);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		ctx->handlers[i] =
			libbpf_register_prog_handler(sections[i].section, BPF_PROG_TYPE_TRACING,
						     sections[i].type, &opts);
		if (ctx->handlers[i] < 0)
			return diag_errno(d, ctx->handlers[i], "registering section %s with libbpf",
					  sections[i].section);
	}
	return 0;
}

void attach_unregister(struct attach_context *ctx)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ctx->handlers); i++)
		if (ctx->handlers[i] > 0)
			libbpf_unregister_prog_handler(ctx->handlers[i]);
	memset(ctx->handlers, 0, sizeof(ctx->handlers));
}

const char *hook_mechanism(const struct bound_hook *b, enum mechanism mechanism)
{
	if (b->info->role == HOOK_SCHED)
		return "tp_btf";
	return mechanism_names[by_trampoline(b->info->role, mechanism) ? BY_FENTRY : mechanism];
}

void hooks_locate(struct bound_hook *hooks, size_t count, const struct bpf_program *find_symbol)
{
	for (size_t i = 0; i < count; i++) {
		struct ab_symbol symbol = {0};
		LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = &symbol,
			    .ctx_size_in = sizeof(symbol));

		if (!hooks[i].function)
			continue;
		snprintf(symbol.name, sizeof(symbol.name), "%s", hooks[i].function);
		if (!bpf_prog_test_run_opts(bpf_program__fd(find_symbol), &run))
			hooks[i].address = symbol.address;
	}
}

/* Hooks that are attached together, by the programs of the first. */
struct hook_set {
	struct bound_hook *hooks[8];
	size_t count;
};

static struct bpf_link *attach_multi(const struct hook_set *set, struct bpf_program *prog,
				     bool is_return)
{
	const char *functions[ARRAY_SIZE(set->hooks)];
	unsigned long addresses[ARRAY_SIZE(set->hooks)];
	__u64 slots[ARRAY_SIZE(set->hooks)];
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts, .addrs = addresses, .cookies = slots,
		    .cnt = set->count, .retprobe = is_return);

	for (size_t i = 0; i < set->count; i++) {
		functions[i] = set->hooks[i]->function;
		addresses[i] = set->hooks[i]->address;
		slots[i] = set->hooks[i]->slot;
		if (addresses[i])
			continue;
		opts.syms = functions;
		opts.addrs = NULL;
	}
	return bpf_program__attach_kprobe_multi_opts(prog, NULL, &opts);
}

static struct bpf_link *attach_program(const struct hook_set *set, struct bpf_program *prog,
				       bool is_return, enum mechanism mechanism)
{
	const struct bound_hook *b = set->hooks[0];
	LIBBPF_OPTS(bpf_kprobe_opts, opts, .bpf_cookie = b->slot, .retprobe = is_return);

	if (by_trampoline(b->info->role, mechanism))
		return bpf_program__attach_trace(prog);
	if (mechanism == BY_FPROBE)
		return attach_multi(set, prog, is_return);
	return bpf_program__attach_kprobe_opts(prog, b->function, &opts);
}

static void drop_links(struct bound_hook *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(b->links); i++) {
		bpf_link__destroy(b->links[i]);
		b->links[i] = NULL;
	}
}

static int attach_set(const struct hook_set *set, enum mechanism mechanism)
{
	struct bound_hook *first = set->hooks[0];
	struct bpf_program *const programs[] = {first->entry, first->exit};
	int err = 0;

	/* The exit first: a request that begins in between is an orphan exit, not an entry without end. */
	for (int which = 1; !err && which >= 0; which--) {
		struct bpf_link *link;

		if (!programs[which])
			continue;
		link = attach_program(set, programs[which], which == 1, mechanism);
		err = libbpf_get_error(link);
		if (!err)
			first->links[which] = link;
		else
			snprintf(first->reason, sizeof(first->reason), "%s at %s%s: %s",
				 hook_mechanism(first, mechanism), first->function,
				 which ? " (return)" : "", strerror(-err));
	}
	if (err)
		drop_links(first);
	for (size_t i = 0; i < set->count; i++) {
		set->hooks[i]->attached = !err;
		set->hooks[i]->error = err;
		if (!err)
			set->hooks[i]->reason[0] = '\0';
	}
	return err;
}

/* @b, and, where one link can be for many functions, all others of its role: the kernel's code is patched once, not for each. */
static struct hook_set set_of(struct bound_hook *b, struct bound_hook *end,
			      enum mechanism mechanism)
{
	struct hook_set set = {.hooks = {b}, .count = 1};

	if (mechanism != BY_FPROBE || by_trampoline(b->info->role, mechanism))
		return set;
	for (struct bound_hook *other = b + 1; other < end; other++)
		if (other->info->role == b->info->role && other->function &&
		    set.count < ARRAY_SIZE(set.hooks))
			set.hooks[set.count++] = other;
	return set;
}

void hooks_attach(struct bound_hook *hooks, size_t count, enum mechanism mechanism)
{
	for (size_t i = 0; i < count; i++)
		hooks[i].error = hooks[i].function ? 0 : -ENOENT;
	for (struct bound_hook *b = hooks; b < hooks + count; b++) {
		struct hook_set set;

		if (b->error || b->attached)
			continue;
		set = set_of(b, hooks + count, mechanism);
		/* One function that refuses must not cost the others. */
		if (attach_set(&set, mechanism) && set.count > 1)
			for (size_t i = 0; i < set.count; i++)
				attach_set(&(struct hook_set){.hooks = {set.hooks[i]}, .count = 1},
					   mechanism);
	}
}

/* In reverse order, entries before exits: no request is left without an end. */
void hooks_detach(struct bound_hook *hooks, size_t count)
{
	for (size_t i = count; i-- > 0;) {
		drop_links(&hooks[i]);
		hooks[i].attached = false;
	}
}
