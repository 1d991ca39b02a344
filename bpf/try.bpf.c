// SPDX-License-Identifier: GPL-2.0-only
/* Empty programs: whether a mechanism works is found out by attaching one. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC("kprobe") int try_kprobe(void *ctx)
{
	return 0;
}
