// SPDX-License-Identifier: GPL-2.0-only
/* The matrix' axes, levels, phases: kinds of values that fill more than one field. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "model/phase.h"
#include "model/scenario_keys.h"

static void name_list(struct strbuf *out, const char *name)
{
	strbuf_printf(out, "%s%s", out->len ? ", " : "", name);
}

/* Engines */

int key_read_engine(const struct reading *r, const struct doc_node *n, const char *path,
		    const struct engine_info **engine)
{
	AB_STRBUF struct strbuf known = {0};
	struct nearest nearest;
	int err = key_want_text(r, n, path, "an engine");

	if (err)
		return err;
	*engine = engine_find(n->text);
	if (*engine)
		return 0;
	nearest_begin(&nearest, n->text);
	for (size_t i = 0; i < engine_count; i++) {
		nearest_offer(&nearest, engine_table[i].name);
		name_list(&known, engine_table[i].name);
	}
	return key_unknown(r, &n->where, path, "engine", &nearest, &known);
}

static int read_engines(const struct reading *r, const struct key_info *k, const char *path,
			const struct doc_node *n, void *base)
{
	struct scenario *s = r->s;
	int err = key_want_list(r, n, path, "[deflate, qat_deflate]");

	for (const struct doc_node *e = n->first; !err && e; e = e->next) {
		const struct engine_info *engine;

		err = key_read_engine(r, e, path, &engine);
		for (size_t i = 0; !err && i < s->engine_count; i++)
			if (s->engines[i] == engine)
				err = key_error(r, e, path, "%s is there twice", engine->name);
		if (!err && s->engine_count == SCENARIO_MAX_AXIS)
			err = key_error(r, e, path, "more than %d values", SCENARIO_MAX_AXIS);
		if (!err)
			s->engines[s->engine_count++] = engine;
	}
	if (!err && !s->engine_count)
		return key_error(r, n, path, "is empty, expected at least one engine");
	return err;
}

static void print_engines(const struct key_info *k, const void *base, unsigned int indent,
			  struct strbuf *out)
{
	const struct scenario *s = base;

	for (size_t i = 0; i < s->engine_count; i++)
		strbuf_printf(out, "%s%s", i ? ", " : " [", s->engines[i]->name);
	strbuf_puts(out, "]\n");
}

static void schema_axis_begin(struct json_out *j)
{
	json_string(j, "type", "array");
	json_u64(j, "minItems", 1);
	json_u64(j, "maxItems", SCENARIO_MAX_AXIS);
	json_boolean(j, "uniqueItems", true);
	json_object_begin(j, "items");
}

static void schema_engines(const struct key_info *k, const void *base, struct json_out *j)
{
	schema_axis_begin(j);
	json_array_begin(j, "enum");
	for (size_t i = 0; i < engine_count; i++)
		json_string(j, NULL, engine_table[i].name);
	json_array_end(j);
	json_object_end(j);
}

const struct key_type key_engines = {read_engines, print_engines, NULL, schema_engines};

/* Cluster sizes */

static int read_cluster(const struct reading *r, const struct key_info *k, const char *path,
			const struct doc_node *n)
{
	struct scenario *s = r->s;
	uint64_t bytes;
	int err = key_read_size(r, k, path, n, &bytes);

	if (err)
		return err;
	if (bytes & (bytes - 1))
		return key_error(r, n, path, "%.40s is not a power of two", n->text);
	for (size_t i = 0; i < s->cluster_count; i++)
		if (s->clusters_bytes[i] == bytes)
			return key_error(r, n, path, "%.40s is there twice", n->text);
	if (s->cluster_count == SCENARIO_MAX_AXIS)
		return key_error(r, n, path, "more than %d values", SCENARIO_MAX_AXIS);
	s->clusters_bytes[s->cluster_count++] = bytes;
	return 0;
}

static int read_clusters(const struct reading *r, const struct key_info *k, const char *path,
			 const struct doc_node *n, void *base)
{
	int err = key_want_list(r, n, path, "[4KiB, 64KiB]");

	for (const struct doc_node *e = n->first; !err && e; e = e->next)
		err = read_cluster(r, k, path, e);
	if (!err && !r->s->cluster_count)
		return key_error(r, n, path, "is empty, expected at least one size");
	return err;
}

static void print_clusters(const struct key_info *k, const void *base, unsigned int indent,
			   struct strbuf *out)
{
	const struct scenario *s = base;
	char buf[32];

	for (size_t i = 0; i < s->cluster_count; i++)
		strbuf_printf(out, "%s%s", i ? ", " : " [",
			      units_bytes_compact(buf, sizeof(buf), s->clusters_bytes[i]));
	strbuf_puts(out, "]\n");
}

static void schema_clusters(const struct key_info *k, const void *base, struct json_out *j)
{
	schema_axis_begin(j);
	json_flat_array_begin(j, "type");
	json_string(j, NULL, "string");
	json_string(j, NULL, "integer");
	json_array_end(j);
	json_string(j, "pattern", KEY_SIZE_PATTERN);
	json_object_end(j);
}

const struct key_type key_clusters = {read_clusters, print_clusters, NULL, schema_clusters};

/* Levels: one for all engines, or a map from engine to level */

static int read_level(const struct reading *r, const struct key_info *k, const char *path,
		      const struct doc_node *n, const struct engine_info *engine)
{
	struct level_spec *spec = &r->s->levels[r->s->level_count];
	uint64_t level = 0;
	int err = key_read_number(r, n, path, k->min, k->max, &level);

	if (err)
		return err;
	spec->engine = engine;
	spec->level = (int)level;
	r->s->level_count++;
	return 0;
}

static int read_levels(const struct reading *r, const struct key_info *k, const char *path,
		       const struct doc_node *n, void *base)
{
	char member[KEY_PATH_SIZE];
	int err = 0;

	if (n->kind != DOC_MAP)
		return read_level(r, k, path, n, NULL);
	for (const struct doc_node *e = n->first; !err && e; e = e->next) {
		struct doc_node name = {.where = e->key_where, .text = e->key};
		const struct engine_info *engine;

		err = key_read_engine(r, &name, path, &engine);
		if (!err && r->s->level_count == SCENARIO_MAX_AXIS)
			err = key_error(r, e, path, "more than %d engines", SCENARIO_MAX_AXIS);
		snprintf(member, sizeof(member), "%s.%s", path, e->key);
		if (!err)
			err = read_level(r, k, member, e, engine);
	}
	if (!err && !r->s->level_count)
		return key_error(r, n, path,
				 "is empty, expected a level or a map such as {zstd: 3}");
	return err;
}

static void print_levels(const struct key_info *k, const void *base, unsigned int indent,
			 struct strbuf *out)
{
	const struct scenario *s = base;

	if (!s->levels[0].engine) {
		strbuf_printf(out, " %d\n", s->levels[0].level);
		return;
	}
	for (size_t i = 0; i < s->level_count; i++)
		strbuf_printf(out, "%s%s: %d", i ? ", " : " {", s->levels[i].engine->name,
			      s->levels[i].level);
	strbuf_puts(out, "}\n");
}

static bool levels_absent(const struct key_info *k, const void *base)
{
	return !((const struct scenario *)base)->level_count;
}

static void schema_levels(const struct key_info *k, const void *base, struct json_out *j)
{
	json_array_begin(j, "anyOf");
	json_object_begin(j, NULL);
	json_string(j, "type", "integer");
	json_u64(j, "minimum", k->min);
	json_u64(j, "maximum", k->max);
	json_object_end(j);
	json_object_begin(j, NULL);
	json_string(j, "type", "object");
	json_object_begin(j, "properties");
	for (size_t i = 0; i < engine_count; i++) {
		if (!engine_table[i].level_ranges)
			continue;
		json_object_begin(j, engine_table[i].name);
		json_string(j, "type", "integer");
		json_object_end(j);
	}
	json_object_end(j);
	json_boolean(j, "additionalProperties", false);
	json_object_end(j);
	json_array_end(j);
}

const struct key_type key_level = {read_levels, print_levels, levels_absent, schema_levels};

/* Phases: all, none, or a list; the total is always among them, the others are read against it */

static int read_phase(const struct reading *r, const struct doc_node *n, const char *path)
{
	AB_STRBUF struct strbuf known = {0};
	struct nearest nearest;
	int phase;
	int err = key_want_text(r, n, path, "a phase");

	if (err)
		return err;
	phase = phase_find(n->text);
	if (phase >= 0 && r->s->trace.phases[phase] && phase != AB_TOTAL)
		return key_error(r, n, path, "%s is there twice", n->text);
	if (phase >= 0) {
		r->s->trace.phases[phase] = true;
		return 0;
	}
	nearest_begin(&nearest, n->text);
	for (int i = 0; i < AB_PHASES; i++) {
		nearest_offer(&nearest, phase_table[i].name);
		name_list(&known, phase_table[i].name);
	}
	return key_unknown(r, &n->where, path, "phase", &nearest, &known);
}

static int read_phases(const struct reading *r, const struct key_info *k, const char *path,
		       const struct doc_node *n, void *base)
{
	struct trace_spec *t = &r->s->trace;
	bool all = n->kind == DOC_TEXT && !strcmp(n->text, "all");
	int err = 0;

	t->enabled = !(n->kind == DOC_TEXT && !strcmp(n->text, "none"));
	for (int i = 0; i < AB_PHASES; i++)
		t->phases[i] = all;
	if (all || !t->enabled)
		return 0;
	if (n->kind != DOC_LIST || !n->first)
		return key_error(r, n, path, "expected all, none or a list such as [setup, wait]");
	t->phases[AB_TOTAL] = true;
	for (const struct doc_node *e = n->first; !err && e; e = e->next)
		err = read_phase(r, e, path);
	return err;
}

static void print_phases(const struct key_info *k, const void *base, unsigned int indent,
			 struct strbuf *out)
{
	const struct trace_spec *t = &((const struct scenario *)base)->trace;
	AB_STRBUF struct strbuf list = {0};
	size_t count = 0;

	for (int i = 0; i < AB_PHASES; i++) {
		if (t->phases[i])
			name_list(&list, phase_table[i].name);
		count += t->phases[i];
	}
	if (!t->enabled)
		strbuf_puts(out, " none\n");
	else if (count == AB_PHASES)
		strbuf_puts(out, " all\n");
	else
		strbuf_printf(out, " [%s]\n", strbuf_str(&list));
}

static void schema_phases(const struct key_info *k, const void *base, struct json_out *j)
{
	json_array_begin(j, "anyOf");
	json_object_begin(j, NULL);
	json_flat_array_begin(j, "enum");
	json_string(j, NULL, "all");
	json_string(j, NULL, "none");
	json_array_end(j);
	json_object_end(j);
	json_object_begin(j, NULL);
	json_string(j, "type", "array");
	json_u64(j, "minItems", 1);
	json_object_begin(j, "items");
	json_array_begin(j, "enum");
	for (int i = 0; i < AB_PHASES; i++)
		json_string(j, NULL, phase_table[i].name);
	json_array_end(j);
	json_object_end(j);
	json_object_end(j);
	json_array_end(j);
	json_string(j, "default", "all");
}

const struct key_type key_phases = {read_phases, print_phases, NULL, schema_phases};
