/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few kernel types and fields that the programs read, by name; libbpf finds the offsets in the running kernel's BTF
 * (of vmlinux and of modules). A field that a kernel does not have is asked for with bpf_core_field_exists() first.
 */
#ifndef AB_KERNEL_BPF_H
#define AB_KERNEL_BPF_H

#include <stdbool.h>
#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	__u32 s_dev;
};

/* fs/erofs/compress.h; `alg` and the order of the fields differ between kernels. */
struct z_erofs_decompress_req {
	struct super_block *sb;
	unsigned int inputsize, outputsize;
	bool inplace_io, partial_decoding;
};

struct crypto_alg {
	char cra_driver_name[128];
};

struct crypto_tfm {
	struct crypto_alg *__crt_alg;
};

struct crypto_async_request {
	void *data;
	struct crypto_tfm *tfm;
};

struct acomp_req {
	struct crypto_async_request base;
};

struct task_struct {
	int pid;
	unsigned int flags;
	unsigned int __state;
};

/* Before 5.14 (commit 2f064a59a11f) the field was `state`. */
struct task_struct___old {
	long state;
};

#pragma clang attribute pop

#define PF_KTHREAD   0x00200000
#define TASK_RUNNING 0
#define EINPROGRESS  115
#define EBUSY	     16

#endif
