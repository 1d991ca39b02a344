// SPDX-License-Identifier: GPL-2.0-only
/* Kinds of values that are words: names, text, paths, choices. Numbers: scenario_numbers.c. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "model/scenario_keys.h"

int key_error(const struct reading *r, const struct doc_node *n, const char *path, const char *fmt,
	      ...)
{
	char message[sizeof(r->d->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return doc_error(&n->where, r->d, "%s: %s", path, message);
}

int key_want_text(const struct reading *r, const struct doc_node *n, const char *path,
		  const char *expected)
{
	if (n->kind != DOC_TEXT)
		return key_error(r, n, path, "expected %s, found a %s", expected,
				 n->kind == DOC_LIST ? "list" : "map");
	if (!n->text[0])
		return key_error(r, n, path, "is empty, expected %s", expected);
	return 0;
}

int key_want_list(const struct reading *r, const struct doc_node *n, const char *path,
		  const char *expected)
{
	if (n->kind != DOC_LIST)
		return key_error(r, n, path, "expected a list, such as %s", expected);
	return 0;
}

int key_unknown(const struct reading *r, const struct doc_where *where, const char *path,
		const char *what, const struct nearest *nearest, const struct strbuf *known)
{
	char quoted[DOC_QUOTE_SIZE], hint[NEAREST_HINT_SIZE];
	bool hinted = nearest_hint(nearest, hint)[0];

	return doc_error(where, r->d, "%s%sunknown %s %s%s%s", path, path[0] ? ": " : "", what,
			 doc_quote(quoted, nearest->word),
			 hinted ? hint : "; known: ", hinted ? "" : strbuf_str(known));
}

static int not_expected(const struct reading *r, const struct doc_node *n, const char *path,
			const char *expected)
{
	char quoted[DOC_QUOTE_SIZE];

	return key_error(r, n, path, "%s is not %s", doc_quote(quoted, n->text), expected);
}

static const char *string_at(const struct key_info *k, const void *base)
{
	return key_value(k, base);
}

static bool string_absent(const struct key_info *k, const void *base)
{
	return !string_at(k, base)[0];
}

static int store_string(const struct reading *r, const struct key_info *k, const char *path,
			const struct doc_node *n, void *base)
{
	size_t len = strlen(n->text);

	if (len >= k->size)
		return key_error(r, n, path, "is longer than %zu bytes", k->size - 1);
	memcpy(key_field(k, base), n->text, len + 1);
	return 0;
}

static void print_plain(const struct key_info *k, const void *base, unsigned int indent,
			struct strbuf *out)
{
	strbuf_printf(out, " %s\n", string_at(k, base));
}

static void print_quoted(const struct key_info *k, const void *base, unsigned int indent,
			 struct strbuf *out)
{
	strbuf_puts(out, " \"");
	for (const char *p = string_at(k, base); *p; p++) {
		if (*p == '"' || *p == '\\')
			strbuf_putc(out, '\\');
		strbuf_putc(out, *p);
	}
	strbuf_puts(out, "\"\n");
}

static void schema_string(struct json_out *j, const struct key_info *k, const void *base,
			  const char *pattern)
{
	json_string(j, "type", "string");
	json_u64(j, "minLength", 1);
	json_u64(j, "maxLength", k->size - 1);
	if (pattern)
		json_string(j, "pattern", pattern);
	if (base && !string_absent(k, base))
		json_string(j, "default", string_at(k, base));
}

/* Names */

bool key_is_name(const char *text, size_t max_len)
{
	size_t len =
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

	return len && len <= max_len && !text[len] && text[0] != '-' && text[0] != '_';
}

static int read_name(const struct reading *r, const struct key_info *k, const char *path,
		     const struct doc_node *n, void *base)
{
	int err = key_want_text(r, n, path, "a name");

	if (!err && !key_is_name(n->text, k->size - 1))
		err = not_expected(r, n, path,
				   "a name: letters, digits, '-' and '_', at most 63 of them");
	return err ? err : store_string(r, k, path, n, base);
}

static void schema_name(const struct key_info *k, const void *base, struct json_out *j)
{
	schema_string(j, k, base, "^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$");
}

const struct key_type key_name = {read_name, print_plain, string_absent, schema_name};

/* Text for people */

static int read_text(const struct reading *r, const struct key_info *k, const char *path,
		     const struct doc_node *n, void *base)
{
	int err = key_want_text(r, n, path, "text");

	return err ? err : store_string(r, k, path, n, base);
}

static void schema_text(const struct key_info *k, const void *base, struct json_out *j)
{
	schema_string(j, k, base, NULL);
}

const struct key_type key_text = {read_text, print_quoted, string_absent, schema_text};

/* Files */

static int read_path(const struct reading *r, const struct key_info *k, const char *path,
		     const struct doc_node *n, void *base)
{
	int err = key_want_text(r, n, path, "a path");

	if (err)
		return err;
	if (n->text[0] == '~')
		return key_error(r, n, path, "'~' has no meaning here, write the whole path");
	if (n->text[0] == '-')
		return key_error(r, n, path, "must not begin with '-', write ./%.40s", n->text);
	/*
	 * Nothing here runs a shell, but paths end up in logs and notes that people paste into one.
	 */
	if (strpbrk(n->text, "`$;|&<>*?\"'\\"))
		return key_error(r, n, path, "shell characters are not allowed in a path");
	return store_string(r, k, path, n, base);
}

static void schema_path(const struct key_info *k, const void *base, struct json_out *j)
{
	schema_string(j, k, base, "^[^~\\-`$;|&<>*?\"'\\\\][^`$;|&<>*?\"'\\\\]*$");
}

const struct key_type key_path = {read_path, print_quoted, string_absent, schema_path};

static int read_sha256(const struct reading *r, const struct key_info *k, const char *path,
		       const struct doc_node *n, void *base)
{
	int err = key_want_text(r, n, path, "a SHA-256 in hexadecimal");

	if (!err && (strlen(n->text) != 64 || strspn(n->text, "0123456789abcdef") != 64))
		err = not_expected(r, n, path, "a SHA-256: 64 hexadecimal digits, small letters");
	return err ? err : store_string(r, k, path, n, base);
}

static void schema_sha256(const struct key_info *k, const void *base, struct json_out *j)
{
	schema_string(j, k, base, "^[0-9a-f]{64}$");
}

const struct key_type key_sha256 = {read_sha256, print_plain, string_absent, schema_sha256};

/* One of several words */

static bool word_in(const char *const *words, const char *word)
{
	for (; words && *words; words++)
		if (!strcmp(*words, word))
			return true;
	return false;
}

static int check_choice(const struct reading *r, const struct key_info *k, const char *path,
			const struct doc_node *n)
{
	AB_STRBUF struct strbuf known = {0};
	struct nearest nearest;
	int err = key_want_text(r, n, path, "a word");

	if (err || word_in(k->choices, n->text))
		return err;
	nearest_begin(&nearest, n->text);
	for (const char *const *c = k->choices; *c; c++) {
		strbuf_printf(&known, "%s%s", c == k->choices ? "" : ", ", *c);
		nearest_offer(&nearest, *c);
	}
	if (word_in(k->refused, n->text))
		return key_error(r, n, path, "%s %s; expected %s", n->text, k->why,
				 strbuf_str(&known));
	return key_unknown(r, &n->where, path, "value", &nearest, &known);
}

static int read_word(const struct reading *r, const struct key_info *k, const char *path,
		     const struct doc_node *n, void *base)
{
	int err = check_choice(r, k, path, n);

	return err ? err : store_string(r, k, path, n, base);
}

static int read_enum(const struct reading *r, const struct key_info *k, const char *path,
		     const struct doc_node *n, void *base)
{
	int err = check_choice(r, k, path, n);

	for (int i = 0; !err && k->choices[i]; i++)
		if (!strcmp(k->choices[i], n->text))
			*(int *)key_field(k, base) = i;
	return err;
}

static const char *enum_at(const struct key_info *k, const void *base)
{
	return k->choices[*(const int *)key_value(k, base)];
}

static void print_enum(const struct key_info *k, const void *base, unsigned int indent,
		       struct strbuf *out)
{
	strbuf_printf(out, " %s\n", enum_at(k, base));
}

static void schema_choices(const struct key_info *k, struct json_out *j)
{
	json_array_begin(j, "enum");
	for (const char *const *c = k->choices; *c; c++)
		json_string(j, NULL, *c);
	json_array_end(j);
}

static void schema_word(const struct key_info *k, const void *base, struct json_out *j)
{
	schema_choices(k, j);
	if (base && !string_absent(k, base))
		json_string(j, "default", string_at(k, base));
}

static void schema_enum(const struct key_info *k, const void *base, struct json_out *j)
{
	schema_choices(k, j);
	if (base)
		json_string(j, "default", enum_at(k, base));
}

const struct key_type key_word = {read_word, print_plain, string_absent, schema_word};
const struct key_type key_enum = {read_enum, print_enum, NULL, schema_enum};

/* true and false */

static int read_bool(const struct reading *r, const struct key_info *k, const char *path,
		     const struct doc_node *n, void *base)
{
	int err = key_want_text(r, n, path, "true or false");

	if (err)
		return err;
	if (!n->plain || (strcmp(n->text, "true") && strcmp(n->text, "false")))
		return not_expected(r, n, path, "true or false");
	*(bool *)key_field(k, base) = n->text[0] == 't';
	return 0;
}

static bool bool_at(const struct key_info *k, const void *base)
{
	return *(const bool *)key_value(k, base);
}

static void print_bool(const struct key_info *k, const void *base, unsigned int indent,
		       struct strbuf *out)
{
	strbuf_puts(out, bool_at(k, base) ? " true\n" : " false\n");
}

static void schema_bool(const struct key_info *k, const void *base, struct json_out *j)
{
	json_string(j, "type", "boolean");
	if (base)
		json_boolean(j, "default", bool_at(k, base));
}

const struct key_type key_bool = {read_bool, print_bool, NULL, schema_bool};
