// SPDX-License-Identifier: GPL-2.0-only
/* From text to struct scenario: the walk over the tables, the quick profile, --set. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/fsutil.h"
#include "base/utf8.h"
#include "model/scenario_keys.h"

static int unknown_key(const struct reading *r, const struct key_table *table, const char *prefix,
		       const char *path, const struct doc_node *member)
{
	AB_STRBUF struct strbuf known = {0};
	struct nearest nearest;

	nearest_begin(&nearest, member->key);
	for (size_t i = 0; i < table->count; i++) {
		const char *name = key_below(&table->keys[i], prefix);

		if (!name)
			continue;
		nearest_offer(&nearest, name);
		strbuf_printf(&known, "%s%s", known.len ? ", " : "", name);
	}
	return key_unknown(r, &member->key_where, path, "key", &nearest, &known);
}

static const struct key_info *find_row(const struct key_table *table, const char *prefix,
				       const char *key)
{
	for (size_t i = 0; i < table->count; i++) {
		const char *name = key_below(&table->keys[i], prefix);

		if (name && !strcmp(name, key))
			return &table->keys[i];
	}
	return NULL;
}

static int missing(const struct reading *r, const char *path, const struct doc_node *n,
		   const char *name)
{
	if (!path[0])
		return doc_error(&n->where, r->d, "key '%s' is missing", name);
	return key_error(r, n, path, "key '%s' is missing", name);
}

static int check_one_of(const struct reading *r, const struct key_info *k, const char *path,
			const struct doc_node *n)
{
	AB_STRBUF struct strbuf names = {0};

	for (const char *const *name = k->one_of; *name; name++) {
		if (doc_member(n, *name, strlen(*name)))
			return 0;
		strbuf_printf(&names, "%s%s", names.len ? ", " : "", *name);
	}
	return key_error(r, n, path, "one of these keys is missing: %s", strbuf_str(&names));
}

int key_read_map(const struct reading *r, const struct key_table *table, const char *prefix,
		 const char *path, const struct doc_node *n, void *base)
{
	char full[KEY_PATH_SIZE];
	int err = 0;

	if (n->kind != DOC_MAP)
		return key_error(r, n, path[0] ? path : "scenario",
				 "expected a map of keys to values");
	for (const struct doc_node *m = n->first; m; m = m->next)
		if (!find_row(table, prefix, m->key))
			return unknown_key(r, table, prefix, path, m);
	for (size_t i = 0; !err && i < table->count; i++) {
		const struct key_info *k = &table->keys[i];
		const char *name = key_below(k, prefix);
		const struct doc_node *m = name ? doc_member(n, name, strlen(name)) : NULL;

		if (!m) {
			if (name && k->required)
				return missing(r, path, n, name);
			continue;
		}
		snprintf(full, sizeof(full), "%s%s%s", path, path[0] ? "." : "", name);
		if (k->type != &key_map) {
			err = k->type->read(r, k, full, m, base);
			continue;
		}
		err = key_read_map(r, table, k->path, full, m, base);
		if (!err && k->one_of)
			err = check_one_of(r, k, full, m);
	}
	return err;
}

static bool map_absent(const struct key_info *k, const void *base)
{
	return false; /* its members decide: key_print_map() */
}

/* Has no functions of its own: the walkers know it. */
const struct key_type key_map = {.absent = map_absent};

/* The variants that one text can be read as. */
enum variant { VARIANT_FILE, VARIANT_QUICK, VARIANT_ASKED };

struct source {
	const char *name;
	const char *text;
	size_t len;
	const struct scenario_opts *opts;
};

static int apply_quick(struct doc *doc, struct doc_node *root, struct diag *d)
{
	const struct doc_node *quick = doc_find(root, "quick");
	int err = 0;

	if (!quick)
		return doc_error(&root->where, d, "there is no quick profile in this scenario");
	for (const struct doc_node *m = quick->first; !err && m; m = m->next)
		err = doc_put(doc, root, m->key, m->key_where, m, d);
	return err;
}

static int apply_set(struct doc *doc, struct doc_node *root, const char *set, struct diag *d)
{
	AB_STRBUF struct strbuf label = {0};
	char path[KEY_PATH_SIZE];
	const char *equals = strchr(set, '=');
	struct doc_where where = {0};
	struct doc_node *value;
	int err;

	strbuf_puts(&label, "--set ");
	utf8_add_clean(&label, set);
	where.source = doc_strdup(doc, strbuf_str(&label));
	if (label.failed || !where.source)
		return diag_set(d, -ENOMEM, "out of memory");
	if (!equals || equals == set || (size_t)(equals - set) >= sizeof(path))
		return doc_error(&where, d, "expected PATH=VALUE, such as repeat=3");
	snprintf(path, sizeof(path), "%.*s", (int)(equals - set), set);
	if (!strncmp(path, "quick", 5) && (!path[5] || path[5] == '.'))
		return doc_error(&where, d, "the quick profile cannot be changed");
	if (!equals[1])
		return doc_error(&where, d, "the value is missing");
	err = doc_parse(doc, where.source, true, equals + 1, strlen(equals + 1), &value, d);
	return err ? err : doc_put(doc, root, path, where, value, d);
}

static int read_variant(const struct source *src, enum variant variant, struct scenario *s,
			bool *has_quick, struct diag *d)
{
	AB_CLEANUP(doc_free) struct doc doc = {0};
	struct reading r = {.s = s, .d = d};
	struct doc_node *root;
	bool quick = variant == VARIANT_QUICK || (variant == VARIANT_ASKED && src->opts->quick);
	int err = doc_parse(&doc, src->name, false, src->text, src->len, &root, d);

	if (!err && root->kind == DOC_MAP && quick)
		err = apply_quick(&doc, root, d);
	for (size_t i = 0; !err && variant == VARIANT_ASKED && i < src->opts->set_count; i++)
		err = apply_set(&doc, root, src->opts->sets[i], d);
	if (err)
		return err;
	r.adapted = variant == VARIANT_ASKED && src->opts->set_count;
	scenario_defaults(s);
	r.root = root;
	err = key_read_map(&r, &scenario_table, "", "", root, s);
	if (!err)
		err = scenario_check(&r);
	*has_quick = !err && doc_find(root, "quick");
	return err;
}

static void add_note(struct diag *d, const char *note)
{
	size_t len = d ? strlen(d->text) : 0;

	if (d)
		snprintf(d->text + len, sizeof(d->text) - len, "%s", note);
}

/*
 * A scenario must be right as it stands in its file, with its quick profile, and as it was asked
 * for: otherwise a file could hide a mistake behind an option until somebody leaves it out. All
 * three are read from the text; it is small.
 */
int scenario_parse(const char *name, const char *text, size_t len, const struct scenario_opts *opts,
		   struct scenario *s, struct diag *d)
{
	static const struct scenario_opts none;
	const struct source src = {name, text, len, opts ? opts : &none};
	bool has_quick;
	int err = read_variant(&src, VARIANT_FILE, s, &has_quick, d);

	if (!err && has_quick) {
		err = read_variant(&src, VARIANT_QUICK, s, &has_quick, d);
		if (err == -EINVAL)
			add_note(d, " (with the quick profile)");
	}
	if (!err)
		err = read_variant(&src, VARIANT_ASKED, s, &has_quick, d);
	if (err)
		return err;
	s->quick = src.opts->quick;
	snprintf(s->file, sizeof(s->file), "%s", name);
	return fs_sha256_bytes(text, len, s->sha256);
}

int scenario_load(const char *path, const struct scenario_opts *opts, struct scenario *s,
		  struct diag *d)
{
	bool is_stdin = !strcmp(path, "-");
	AB_STRBUF struct strbuf text = {0};
	int err = fs_read_file(is_stdin ? "/dev/stdin" : path, DOC_MAX_BYTES, &text, d);

	if (err)
		return err;
	return scenario_parse(is_stdin ? "<stdin>" : path, strbuf_str(&text), text.len, opts, s, d);
}

int scenario_level(const struct scenario *s, const struct engine_info *engine)
{
	if (!engine->level_ranges)
		return -1;
	for (size_t i = 0; i < s->level_count; i++)
		if (s->levels[i].engine == engine || !s->levels[i].engine)
			return s->levels[i].level;
	return -1;
}
