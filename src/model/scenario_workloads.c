// SPDX-License-Identifier: GPL-2.0-only
/* Workloads and the quick profile. */
#include <stdio.h>
#include <string.h>
#include "model/fio_options.h"
#include "model/scenario_keys.h"

/* Workloads: a map from name to fio options */

static int read_workload(const struct reading *r, const struct doc_node *n, const char *path)
{
	struct scenario *s = r->s;
	struct workload_spec *w = &s->workloads[s->workload_count];
	char member[KEY_PATH_SIZE];

	if (!key_is_name(n->key, sizeof(w->name) - 1))
		return doc_error(
			&n->key_where, r->d,
			"%s: a workload's name has letters, digits, '-' and '_', at most 63", path);
	if (s->workload_count == SCENARIO_MAX_WORKLOAD)
		return key_error(r, n, path, "more than %d workloads", SCENARIO_MAX_WORKLOAD);
	workload_defaults(w);
	snprintf(w->name, sizeof(w->name), "%s", n->key);
	s->workload_count++;
	snprintf(member, sizeof(member), "%s.%s", path, n->key);
	return key_read_map(r, &workload_table, "", member, n, w);
}

static int read_workloads(const struct reading *r, const struct key_info *k, const char *path,
			  const struct doc_node *n, void *base)
{
	int err = 0;

	if (n->kind != DOC_MAP)
		return key_error(r, n, path,
				 "expected a map such as seqread: {rw: read, bs: 4KiB}");
	for (const struct doc_node *e = n->first; !err && e; e = e->next)
		err = read_workload(r, e, path);
	if (!err && !r->s->workload_count)
		return key_error(r, n, path, "is empty, expected at least one workload");
	return err;
}

static void print_workloads(const struct key_info *k, const void *base, unsigned int indent,
			    struct strbuf *out)
{
	const struct scenario *s = base;

	strbuf_putc(out, '\n');
	for (size_t i = 0; i < s->workload_count; i++) {
		strbuf_pad(out, ' ', indent + 2);
		strbuf_printf(out, "%s: ", s->workloads[i].name);
		key_print_flow(&workload_table, &s->workloads[i], out);
		strbuf_putc(out, '\n');
	}
}

static void schema_workloads(const struct key_info *k, const void *base, struct json_out *j)
{
	struct workload_spec defaults;

	workload_defaults(&defaults);
	json_string(j, "type", "object");
	json_u64(j, "minProperties", 1);
	json_u64(j, "maxProperties", SCENARIO_MAX_WORKLOAD);
	json_object_begin(j, "propertyNames");
	json_string(j, "pattern", "^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$");
	json_object_end(j);
	json_object_begin(j, "additionalProperties");
	key_schema_map(&workload_table, "", &defaults, j);
	json_object_end(j);
}

const struct key_type key_workloads = {read_workloads, print_workloads, NULL, schema_workloads};

/*
 * The quick profile: dotted paths to values. Its values are read by applying them (scenario_read.c)
 */

static int read_quick(const struct reading *r, const struct key_info *k, const char *path,
		      const struct doc_node *n, void *base)
{
	if (n->kind != DOC_MAP)
		return key_error(r, n, path, "expected a map such as {repeat: 2}");
	for (const struct doc_node *e = n->first; e; e = e->next)
		if (!strncmp(e->key, "quick", 5) && (!e->key[5] || e->key[5] == '.'))
			return doc_error(&e->key_where, r->d, "quick: a profile within a profile");
	return 0;
}

static void print_quick(const struct key_info *k, const void *base, unsigned int indent,
			struct strbuf *out)
{
}

static bool quick_absent(const struct key_info *k, const void *base)
{
	return true;
}

static void schema_quick(const struct key_info *k, const void *base, struct json_out *j)
{
	json_string(j, "type", "object");
}

const struct key_type key_quick = {read_quick, print_quick, quick_absent, schema_quick};
