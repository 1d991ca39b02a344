/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scenario format as data, for src/model/scenario_*.c and fio_options.c only. One row per key:
 * reading, `--set`, the quick profile, printing and the JSON Schema all walk these tables. A new
 * key is a row; a new kind of value is a struct key_type.
 */
#ifndef AB_MODEL_SCENARIO_KEYS_H
#define AB_MODEL_SCENARIO_KEYS_H

#include "base/json_out.h"
#include "base/nearest.h"
#include "model/doc.h"
#include "model/scenario.h"

#define KEY_PATH_SIZE 256

/* What reading one scenario carries along. */
struct reading {
	struct scenario *s;
	const struct doc_node *root;
	struct diag *d;
	/*
	 * Read with --set. The file was right by itself; a rule or level of it for what the matrix
	 * no longer has does not apply, and is dropped.
	 */
	bool adapted;
};

struct key_info;

/* A kind of value. @base: the structure that the table's offsets are into. */
struct key_type {
	/* -EINVAL: @n does not fit, told with its place. @path: full dotted name, for messages. */
	int (*read)(const struct reading *r, const struct key_info *k, const char *path,
		    const struct doc_node *n, void *base);
	/* Everything after "key:", line break included. @indent: of the key. */
	void (*print)(const struct key_info *k, const void *base, unsigned int indent,
		      struct strbuf *out);
	/* Whether there is nothing to print. NULL: there always is something. */
	bool (*absent)(const struct key_info *k, const void *base);
	/* Members of the JSON Schema object of this key. @base: defaults. */
	void (*schema)(const struct key_info *k, const void *base, struct json_out *j);
};

struct key_info {
	const char *path; /* dotted, from the table's root */
	const struct key_type *type;
	size_t offset;		    /* of the value in the table's structure */
	size_t size;		    /* of a string's array */
	size_t flag;		    /* of rules' bounds: the bool that says it was given */
	uint64_t min, max;	    /* of numbers */
	const char *const *choices; /* of words: NULL-terminated */
	const char *const *refused; /* words that are known and not accepted, */
	const char *why;	    /* and why: "is not supported yet by this version" */
	const char *const *one_of;  /* of maps: one of these members at least must be there */
	bool required;
	bool (*applies)(const void *base); /* false: not printed. NULL: printed when not absent */
	const char *help;
};

/* The row's field in @base. */
static inline void *key_field(const struct key_info *k, void *base)
{
	return (char *)base + k->offset;
}

static inline const void *key_value(const struct key_info *k, const void *base)
{
	return (const char *)base + k->offset;
}

static inline void key_set_flag(const struct key_info *k, void *base)
{
	((bool *)base)[k->flag] = true;
}

static inline bool key_flag(const struct key_info *k, const void *base)
{
	return ((const bool *)base)[k->flag];
}

struct key_table {
	const struct key_info *keys;
	size_t count;
};

#define KEY_FIELD(type_, member_) \
	.offset = offsetof(type_, member_), .size = sizeof(((type_ *)0)->member_)

extern const struct key_table scenario_table; /* struct scenario */
extern const struct key_table expect_table;   /* struct expect_rule */
extern const struct key_table gate_table;     /* struct gate_rule */

/* scenario_read.c: the rows below it are its members */
extern const struct key_type key_map;
/* scenario_types.c */
extern const struct key_type key_name, key_text, key_path, key_sha256, key_word, key_enum, key_bool;
/* scenario_numbers.c */
extern const struct key_type key_uint, key_u64, key_size, key_time, key_ratio;
/* scenario_lists.c */
extern const struct key_type key_engines, key_clusters, key_level, key_phases, key_workloads,
	key_quick;
/* scenario_rules.c */
extern const struct key_type key_expects, key_gates, key_metric, key_bound;

#define KEY_SIZE_PATTERN "^[0-9]+ ?(B|[kKmMgGtT]|[KMGT]iB)?$"
#define KEY_TIME_PATTERN "^[0-9]+(\\.[0-9]+)? ?(ns|us|ms|s|m|min|h)?$"

/* The row's own name when it stands right below @prefix ("" is the top); else NULL. */
const char *key_below(const struct key_info *k, const char *prefix);

/* Reads the members of map @n into @base by the rows of @table right below @prefix. */
int key_read_map(const struct reading *r, const struct key_table *table, const char *prefix,
		 const char *path, const struct doc_node *n, void *base);
/* The structure's values: one key a line, or all in braces on one line. */
void key_print_map(const struct key_table *table, const char *prefix, const void *base,
		   unsigned int indent, struct strbuf *out);
void key_print_flow(const struct key_table *table, const void *base, struct strbuf *out);
/* "type", "properties", "required"... of the rows below @prefix. */
void key_schema_map(const struct key_table *table, const char *prefix, const void *defaults,
		    struct json_out *j);

/* Errors that begin with the key: "file:3:9: repeat: ...". Return -EINVAL. */
int key_error(const struct reading *r, const struct doc_node *n, const char *path, const char *fmt,
	      ...) AB_PRINTF(4, 5);
/* 0 when @n is text and not empty; else an error that says what was expected. */
int key_want_text(const struct reading *r, const struct doc_node *n, const char *path,
		  const char *expected);
int key_want_list(const struct reading *r, const struct doc_node *n, const char *path,
		  const char *expected);
/* Reads a size, checks the range. */
int key_read_size(const struct reading *r, const struct key_info *k, const char *path,
		  const struct doc_node *n, uint64_t *value);
/* Reads a whole number up to UINT64_MAX, checks the range. */
int key_read_number(const struct reading *r, const struct doc_node *n, const char *path,
		    uint64_t min, uint64_t max, uint64_t *value);
/* "90s", "1500ms": the largest unit that divides it, so that it reads back to the same number. */
const char *key_exact_time(char buf[32], uint64_t ns);
/* The shortest decimal fraction that reads back to @value. */
void key_print_double(struct strbuf *out, double value);
/* *@engine on success. */
int key_read_engine(const struct reading *r, const struct doc_node *n, const char *path,
		    const struct engine_info **engine);
/* "unknown engine 'deflat'; did you mean 'deflate'?", or what is known when nothing is near. */
int key_unknown(const struct reading *r, const struct doc_where *where, const char *path,
		const char *what, const struct nearest *nearest, const struct strbuf *known);
/* Letters, digits, '-' and '_', a letter or digit first. */
bool key_is_name(const char *text, size_t max_len);

/* A map that checks are about. */
struct key_place {
	const char *path; /* "workloads.seqread"; "": the whole scenario */
	const struct doc_node *node;
};

/* key_error() at @key below @place, or at the deepest part of it that is there. */
int key_fault(const struct reading *r, const struct key_place *place, const char *key,
	      const char *fmt, ...) AB_PRINTF(4, 5);

/* Was @n, which may be NULL, right in the file, before --set changed the rest? What --set itself brings has no line. */
bool key_adapted(const struct reading *r, const struct doc_node *n);

/* What holds between keys. */
int scenario_check(const struct reading *r);
int scenario_check_rules(const struct reading *r);

void scenario_defaults(struct scenario *s);
void workload_defaults(struct workload_spec *w);

#endif
