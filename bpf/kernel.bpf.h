/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading kernel structures by offsets that user space found in BTF (fields.h). */
#ifndef AB_KERNEL_BPF_H
#define AB_KERNEL_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "fields.h"

#define PF_KTHREAD   0x00200000
#define TASK_RUNNING 0
#define EINPROGRESS  115
#define EBUSY	     16

/* Frozen before load: the verifier sees constants. */
const volatile __u32 field_offset[AB_FIELDS] = {};

static __always_inline const void *field_at(const void *base, enum ab_field field)
{
	return (const char *)base + field_offset[field];
}

static __always_inline const void *read_pointer(const void *base, enum ab_field field)
{
	const void *value = NULL;

	bpf_probe_read_kernel(&value, sizeof(value), field_at(base, field));
	return value;
}

static __always_inline __u32 read_u32(const void *base, enum ab_field field)
{
	__u32 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), field_at(base, field));
	return value;
}

static __always_inline bool read_bool(const void *base, enum ab_field field)
{
	__u8 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), field_at(base, field));
	return value;
}

#endif
