// SPDX-License-Identifier: GPL-2.0-only
/* Whether a mechanism works on a function is found out by attaching an empty program to it. */
#include "probe/attach.h"

#include <errno.h>
#include <linux/bpf.h>
#include <bpf/bpf.h>
#include "base/cleanup.h"
#include "try.skel.h"

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

static int try_fprobe(const struct btf_function *fn, struct diag *d)
{
	AB_CLOSE int prog = -1;
	AB_CLOSE int link = -1;
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	LIBBPF_OPTS(bpf_link_create_opts, create, .kprobe_multi.cnt = 1);

	create.kprobe_multi.syms = (const char *[]){fn->name};
	prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "ab_try", "GPL", empty_program,
			     ARRAY_SIZE(empty_program), &load);
	if (prog < 0)
		return diag_errno(d, prog, "loading an empty kprobe program");
	link = bpf_link_create(prog, 0, BPF_TRACE_KPROBE_MULTI, &create);
	if (link < 0)
		return diag_errno(d, link, "attaching an fprobe to %s", fn->name);
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
	if (mechanism == BY_FPROBE)
		return try_fprobe(fn, d);
	return mechanism == BY_FENTRY ? try_fentry(fn, d) : try_kprobe(fn, d);
}
