/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the functions of the hook table and the fields of bpf/fields.h are, from the running kernel's BTF in one pass. */
#ifndef AB_PROBE_BTF_INDEX_H
#define AB_PROBE_BTF_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "fields.h"

struct btf_function {
	const char *name; /* points into the hook table */
	char module[64];  /* "vmlinux" or the module's name */
	uint32_t type_id; /* 0: not in any BTF */
	int btf_fd;	  /* of the module's BTF; 0 for vmlinux */
	bool tracepoint;
	unsigned int args;
	bool returns_pointer;
};

struct btf_index {
	struct btf_function *functions;
	size_t count;
	uint32_t field_offset[AB_FIELDS]; /* bytes */
	bool field_known[AB_FIELDS];
	bool graph_fprobes; /* fprobes are built on the function graph tracer (6.14) */
	int *fds;	    /* module BTF descriptors kept open for loading programs */
	size_t fd_count;
};

/* -ENOENT: the kernel has no BTF; -EPERM. A module that is not loaded has no BTF: load it first. */
int btf_index_build(struct btf_index *index, struct diag *d);
const struct btf_function *btf_index_find(const struct btf_index *index, const char *name);
/* 0, or -ENOENT with the name of the first field that this kernel's BTF lacks. */
int btf_index_check_fields(const struct btf_index *index, struct diag *d);
void btf_index_free(struct btf_index *index);

#endif
