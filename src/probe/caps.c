// SPDX-License-Identifier: GPL-2.0-only
#include "probe/caps.h"

#include <errno.h>
#include <linux/bpf.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "base/cleanup.h"
#include "caps.skel.h"

static const struct bpf_insn empty_program[] = {
	{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
	{.code = BPF_JMP | BPF_EXIT},
};

int caps_try_program(struct diag *d)
{
	AB_CLOSE int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "ab_try", "GPL", empty_program,
					ARRAY_SIZE(empty_program), NULL);

	return fd < 0 ? diag_errno(d, fd, "loading a BPF program") : 0;
}

static const char *const map_names[CAPS_MAPS] = {
	[CAPS_TASK_STORAGE] = "task_storage",
	[CAPS_RING_BUFFER] = "ring_buffer",
};

int caps_try_map(enum caps_map kind, struct diag *d)
{
	struct caps_bpf *skel = caps_bpf__open();
	struct bpf_map *map;
	int err = 0;

	if (!skel)
		return diag_errno(d, -errno, "opening the BPF object");
	bpf_object__for_each_map(map, skel->obj)
		if (!err)
			err = bpf_map__set_autocreate(map, false);
	map = bpf_object__find_map_by_name(skel->obj, map_names[kind]);
	if (!err)
		err = bpf_map__set_autocreate(map, true);
	if (!err)
		err = caps_bpf__load(skel);
	caps_bpf__destroy(skel);
	return err ? diag_errno(d, err, "creating a BPF map") : 0;
}
