// SPDX-License-Identifier: GPL-2.0-only
#include "probe/btf_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "base/cleanup.h"
#include "model/targets.h"

static int index_names(struct btf_index *index)
{
	size_t max = hook_count * ARRAY_SIZE(hook_table[0].functions);
	size_t h, f;

	index->functions = calloc(max, sizeof(*index->functions));
	if (!index->functions)
		return -ENOMEM;
	for (h = 0; h < hook_count; h++) {
		for (f = 0; f < ARRAY_SIZE(hook_table[h].functions) && hook_table[h].functions[f];
		     f++) {
			struct btf_function *fn = &index->functions[index->count++];

			fn->name = hook_table[h].functions[f];
			fn->tracepoint = hook_table[h].role == HOOK_SCHED;
		}
	}
	return 0;
}

static void describe(const struct btf *btf, uint32_t id, struct btf_function *fn)
{
	const struct btf_type *func = btf__type_by_id(btf, id);
	const struct btf_type *proto = btf__type_by_id(btf, func->type);
	const struct btf_type *ret = proto ? btf__type_by_id(btf, proto->type) : NULL;

	fn->type_id = id;
	fn->args = proto ? btf_vlen(proto) : 0;
	fn->returns_pointer = ret && btf_is_ptr(ret);
}

/* A BTF-typed tracepoint <name> is known as the typedef btf_trace_<name>. */
#define TRACEPOINT_PREFIX "btf_trace_"

static void note_function(struct btf_index *index, const struct btf *btf, uint32_t id,
			  const char *module, int fd)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	const char *name = btf__name_by_offset(btf, t->name_off);
	bool tracepoint = btf_is_typedef(t);
	size_t i;

	if (!name ||
	    (tracepoint && strncmp(name, TRACEPOINT_PREFIX, strlen(TRACEPOINT_PREFIX)) != 0))
		return;
	if (tracepoint)
		name += strlen(TRACEPOINT_PREFIX);
	else if (name[0] == 'f' && !strcmp(name, "fprobe_fgraph_entry"))
		index->graph_fprobes = true;
	for (i = 0; i < index->count; i++) {
		struct btf_function *fn = &index->functions[i];

		/* A name met twice keeps the first: static twins cannot be told apart by name anyway. */
		if (fn->type_id || fn->tracepoint != tracepoint || fn->name[0] != name[0] ||
		    strcmp(fn->name, name) != 0)
			continue;
		if (tracepoint)
			fn->type_id = id;
		else
			describe(btf, id, fn);
		snprintf(fn->module, sizeof(fn->module), "%s", module);
		fn->btf_fd = fd;
	}
}

static const struct {
	const char *structure;
	const char *names[2];
} wanted_fields[AB_FIELDS] = {
#define WANTED(name, structure, field, alternative) {structure, {field, alternative}},
	AB_FIELD_LIST(WANTED)
#undef WANTED
};

/* Byte offset of @name in @structure, looked for in unnamed members too. */
static bool member_offset(const struct btf *btf, const struct btf_type *structure, const char *name,
			  uint32_t *offset)
{
	const struct btf_member *m = btf_members(structure);
	unsigned int i;

	for (i = 0; i < btf_vlen(structure); i++, m++) {
		const char *member = btf__name_by_offset(btf, m->name_off);
		uint32_t here = btf_member_bit_offset(structure, i) / 8, inner;
		const struct btf_type *t;

		if (member && member[0]) {
			if (strcmp(member, name) != 0)
				continue;
			*offset = here;
			return true;
		}
		t = btf__type_by_id(btf, m->type);
		if (t && btf_is_composite(t) && member_offset(btf, t, name, &inner)) {
			*offset = here + inner;
			return true;
		}
	}
	return false;
}

static void note_structure(struct btf_index *index, const struct btf *btf, const struct btf_type *t)
{
	const char *name = btf__name_by_offset(btf, t->name_off);
	size_t f, n;

	for (f = 0; name && name[0] && f < AB_FIELDS; f++) {
		if (index->field_known[f] || strcmp(wanted_fields[f].structure, name) != 0)
			continue;
		for (n = 0; n < ARRAY_SIZE(wanted_fields[f].names) && wanted_fields[f].names[n];
		     n++) {
			if (!member_offset(btf, t, wanted_fields[f].names[n],
					   &index->field_offset[f]))
				continue;
			index->field_known[f] = true;
			break;
		}
	}
}

/* Walks types [@first, end) of @btf. */
static void scan(struct btf_index *index, const struct btf *btf, uint32_t first, const char *module,
		 int fd)
{
	uint32_t id, end = btf__type_cnt(btf);

	for (id = first; id < end; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_is_func(t) || btf_is_typedef(t))
			note_function(index, btf, id, module, fd);
		else if (btf_is_struct(t))
			note_structure(index, btf, t);
	}
}

int btf_index_check_fields(const struct btf_index *index, struct diag *d)
{
	size_t f;

	for (f = 0; f < AB_FIELDS; f++)
		if (!index->field_known[f])
			return diag_set(d, -ENOENT,
					"this kernel's BTF has no field %s of struct %s%s",
					wanted_fields[f].names[0], wanted_fields[f].structure,
					strstr(wanted_fields[f].structure, "erofs")
						? " (is module erofs loaded, with BTF?)"
						: "");
	return 0;
}

/* Is @module one that the table names? Other modules' BTF need not be read. */
static bool wanted_module(const char *module)
{
	size_t h;

	for (h = 0; h < hook_count; h++)
		if (hook_table[h].module && !strcmp(hook_table[h].module, module))
			return true;
	/* Libraries that are modules in some kernels. */
	return !strcmp(module, "zlib_inflate") || !strcmp(module, "crypto_acompress") ||
	       !strcmp(module, "cryptoapi");
}

static int scan_module(struct btf_index *index, struct btf *vmlinux, uint32_t btf_id)
{
	char name[64] = "";
	struct bpf_btf_info info = {.name = (uintptr_t)name, .name_len = sizeof(name)};
	uint32_t len = sizeof(info);
	struct btf *btf;
	int *fds;
	int fd = bpf_btf_get_fd_by_id(btf_id);

	if (fd < 0)
		return 0; /* the module was unloaded meanwhile */
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || !info.kernel_btf || !wanted_module(name))
		goto skip;
	btf = btf__load_from_kernel_by_id_split(btf_id, vmlinux);
	if (!btf)
		goto skip;
	scan(index, btf, btf__type_cnt(vmlinux), name, fd);
	btf__free(btf);
	fds = realloc(index->fds, (index->fd_count + 1) * sizeof(*fds));
	if (!fds) {
		close(fd);
		return -ENOMEM;
	}
	index->fds = fds;
	index->fds[index->fd_count++] = fd;
	return 0;
skip:
	close(fd);
	return 0;
}

int btf_index_build(struct btf_index *index, struct diag *d)
{
	struct btf *vmlinux;
	uint32_t id = 0;
	int err;

	*index = (struct btf_index){0};
	err = index_names(index);
	if (err)
		return diag_errno(d, err, "BTF index");
	vmlinux = btf__load_vmlinux_btf();
	if (!vmlinux) {
		/* libbpf says ESRCH when it finds none in any of the places where it looks. */
		err = errno == ESRCH ? -ENOENT : -errno;
		btf_index_free(index);
		return diag_errno(
			d, err,
			"the kernel's type information (BTF, /sys/kernel/btf/vmlinux) cannot be read; tracing "
			"needs a kernel with CONFIG_DEBUG_INFO_BTF=y");
	}
	scan(index, vmlinux, 1, "vmlinux", 0);
	while (!err && !bpf_btf_get_next_id(id, &id))
		err = scan_module(index, vmlinux, id);
	btf__free(vmlinux);
	if (err)
		btf_index_free(index);
	return err;
}

const struct btf_function *btf_index_find(const struct btf_index *index, const char *name)
{
	size_t i;

	for (i = 0; i < index->count; i++)
		if (!strcmp(index->functions[i].name, name))
			return index->functions[i].type_id ? &index->functions[i] : NULL;
	return NULL;
}

void btf_index_free(struct btf_index *index)
{
	size_t i;

	for (i = 0; i < index->fd_count; i++)
		close(index->fds[i]);
	free(index->fds);
	free(index->functions);
	*index = (struct btf_index){0};
}
