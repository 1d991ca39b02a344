/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of kernel structures that the programs read. User space finds their offsets in the running kernel's BTF
 * (src/probe/btf_index.c) and passes them as constants. This is what CO-RE relocations do, without libbpf's search of every
 * module's BTF for every type: 0.1 s instead of 3 s in an emulated guest (docs/adr/0002-field-offsets.md).
 */
#ifndef AB_FIELDS_H
#define AB_FIELDS_H

/* X(name, structure, field, alternative field of other kernels or NULL) */
#define AB_FIELD_LIST(X)                                                  \
	X(SB_DEV, "super_block", "s_dev", NULL)                           \
	X(RQ_SB, "z_erofs_decompress_req", "sb", NULL)                    \
	X(RQ_IN, "z_erofs_decompress_req", "inputsize", NULL)             \
	X(RQ_OUT, "z_erofs_decompress_req", "outputsize", NULL)           \
	X(RQ_INPLACE, "z_erofs_decompress_req", "inplace_io", NULL)       \
	X(RQ_PARTIAL, "z_erofs_decompress_req", "partial_decoding", NULL) \
	X(ACOMP_BASE, "acomp_req", "base", NULL)                          \
	X(ASYNC_DATA, "crypto_async_request", "data", NULL)               \
	X(ASYNC_TFM, "crypto_async_request", "tfm", NULL)                 \
	X(TFM_ALG, "crypto_tfm", "__crt_alg", NULL)                       \
	X(ALG_DRIVER, "crypto_alg", "cra_driver_name", NULL)              \
	X(TASK_PID, "task_struct", "pid", NULL)                           \
	X(TASK_FLAGS, "task_struct", "flags", NULL)                       \
	/* Named `state` before 5.14 (commit 2f064a59a11f). */            \
	X(TASK_STATE, "task_struct", "__state", "state")

#define AB_FIELD_ENUM(name, structure, field, alternative) AB_FIELD_##name,
enum ab_field { AB_FIELD_LIST(AB_FIELD_ENUM) AB_FIELDS };

#endif
