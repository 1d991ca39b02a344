// SPDX-License-Identifier: GPL-2.0-only
#include "probe/attach.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>
#include "base/cleanup.h"
#include "base/log.h"
#include "try.skel.h"

const char *const mechanism_names[MECHANISMS] = {[BY_FENTRY] = "fentry", [BY_KPROBE] = "kprobe"};

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

/* Program names of each role: <prefix><slot>_{fe,fx,kp,kr}; see bpf/request.bpf.c. */
static const struct role_programs {
	const char *prefix;
	unsigned int slots;
	bool entry, exit;
} role_programs[HOOK_ROLES] = {
	[HOOK_REQUEST] = {"req", 6, true, true}, [HOOK_DECODE] = {"dec", 6, true, true},
	[HOOK_COPY] = {"cpy", 3, true, true},	 [HOOK_SUBMIT] = {"sub", 2, true, true},
	[HOOK_DONE] = {"don", 1, true, false},	 [HOOK_RESUME] = {"res", 1, false, true},
};

static const char *const suffixes[MECHANISMS][2] = {
	[BY_FENTRY] = {"fe", "fx"},
	[BY_KPROBE] = {"kp", "kr"},
};

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
		   int which, struct bpf_program **out)
{
	char name[16];
	struct bpf_program *prog;

	snprintf(name, sizeof(name), "%s%u_%s", role_programs[b->info->role].prefix, b->slot,
		 suffixes[mechanism][which]);
	prog = bpf_object__find_program_by_name(obj, name);
	if (!prog) {
		snprintf(b->reason, sizeof(b->reason), "no program %s in the object", name);
		return -ENOSPC;
	}
	*out = prog;
	return bpf_program__set_autoload(prog, true);
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
		err = prepare(b, obj, mechanism, 0, &b->entry);
	if (!err && role->exit)
		err = prepare(b, obj, mechanism, 1, &b->exit);
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

static int attach_one(struct bound_hook *b, enum mechanism mechanism, struct bpf_program *prog,
		      bool is_return, struct bpf_link **link)
{
	int err;

	if (b->info->role == HOOK_SCHED || mechanism == BY_FENTRY)
		*link = bpf_program__attach_trace(prog);
	else
		*link = bpf_program__attach_kprobe(prog, is_return, b->function);
	err = libbpf_get_error(*link);
	if (!err)
		return 0;
	*link = NULL;
	snprintf(b->reason, sizeof(b->reason), "%s at %s%s: %s",
		 b->info->role == HOOK_SCHED ? "tracepoint" : mechanism_names[mechanism],
		 b->function, is_return ? " (return)" : "", strerror(-err));
	return err;
}

int hook_attach(struct bound_hook *b, enum mechanism mechanism)
{
	int err = 0;

	if (!b->function)
		return -ENOENT;
	/* The exit first: a request that begins in between is an orphan exit, not an entry without end. */
	if (b->exit)
		err = attach_one(b, mechanism, b->exit, true, &b->links[1]);
	if (!err && b->entry)
		err = attach_one(b, mechanism, b->entry, false, &b->links[0]);
	if (err)
		hook_detach(b);
	return err;
}

void hook_detach(struct bound_hook *b)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(b->links); i++) {
		bpf_link__destroy(b->links[i]);
		b->links[i] = NULL;
	}
}

static const struct bpf_insn empty_program[] = {
	{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
	{.code = BPF_JMP | BPF_EXIT},
};

static int try_fentry(const struct btf_function *fn, struct diag *d)
{
	const char *kind = fn->tracepoint ? "BTF tracepoint" : "fentry";
	AB_CLOSE int prog = -1;
	AB_CLOSE int link = -1;
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = fn->tracepoint ? BPF_TRACE_RAW_TP : BPF_TRACE_FENTRY,
		    .attach_btf_id = fn->type_id);

	if (fn->btf_fd > 0)
		opts.attach_btf_obj_fd = (uint32_t)fn->btf_fd;
	prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "ab_try", "GPL", empty_program,
			     ARRAY_SIZE(empty_program), &opts);
	if (prog < 0)
		return diag_errno(d, prog, "loading an empty %s program for %s", kind, fn->name);
	link = bpf_raw_tracepoint_open(NULL, prog);
	if (link < 0)
		return diag_errno(d, link, "attaching an empty %s program to %s", kind, fn->name);
	return 0;
}

static int try_kprobe(const struct btf_function *fn, struct diag *d)
{
	struct try_bpf *skel = try_bpf__open_and_load();
	struct bpf_link *link;
	int err;

	if (!skel)
		return diag_errno(d, -errno, "loading an empty kprobe program");
	link = bpf_program__attach_kprobe(skel->progs.try_kprobe, false, fn->name);
	err = libbpf_get_error(link);
	if (err)
		diag_errno(d, err, "attaching a kprobe to %s", fn->name);
	else
		bpf_link__destroy(link);
	try_bpf__destroy(skel);
	return err;
}

int hook_try(const char *function, const struct btf_index *index, enum mechanism mechanism,
	     struct diag *d)
{
	const struct btf_function *fn = btf_index_find(index, function);

	if (!fn)
		return diag_set(d, -ENOENT, "this kernel has no function %s (absent or inlined)",
				function);
	if (fn->tracepoint && mechanism != BY_FENTRY)
		return diag_set(d, -EINVAL, "%s is a tracepoint", function);
	return mechanism == BY_FENTRY ? try_fentry(fn, d) : try_kprobe(fn, d);
}
