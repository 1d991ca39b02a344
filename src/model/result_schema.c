// SPDX-License-Identifier: GPL-2.0-only
/* JSON Schema (2020-12) of result.json, from the rows of result_fields*.c. */
#include <limits.h>
#include <stdio.h>
#include "base/json_out.h"
#include "model/result_fields.h"

#define MAX_TABLES 64

/* Tables met so far: each becomes one entry of $defs. */
struct table_list {
	const struct table *tables[MAX_TABLES];
	size_t count;
};

static void collect(struct table_list *list, const struct table *t)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->tables[i] == t)
			return;
	if (list->count == MAX_TABLES)
		return;
	list->tables[list->count++] = t;
	for (size_t i = 0; i < t->field_count; i++)
		if (t->fields[i].sub)
			collect(list, t->fields[i].sub);
}

static void add_ref(struct json_out *j, const struct table *t)
{
	char ref[80];

	snprintf(ref, sizeof(ref), "#/$defs/%s", t->name);
	json_string(j, "$ref", ref);
}

static bool nullable(const struct field *f)
{
	return !(f->flags & FIELD_REQUIRED);
}

static void add_type(struct json_out *j, const struct field *f, const char *type)
{
	if (!nullable(f)) {
		json_string(j, "type", type);
		return;
	}
	json_flat_array_begin(j, "type");
	json_string(j, NULL, type);
	json_string(j, NULL, "null");
	json_array_end(j);
}

static void add_integer_range(struct json_out *j, const struct field *f)
{
	if (f->type == FIELD_INT) {
		json_i64(j, "minimum", INT_MIN);
		json_i64(j, "maximum", INT_MAX);
		return;
	}
	json_u64(j, "minimum", 0);
	json_u64(j, "maximum", f->type == FIELD_UINT ? UINT_MAX : UINT64_MAX);
}

static void add_enum(struct json_out *j, const struct field *f, bool with_null)
{
	json_flat_array_begin(j, "enum");
	for (size_t i = 0; i < f->name_count; i++)
		json_string(j, NULL, field_word(f, i));
	if (with_null)
		json_null(j, NULL);
	json_array_end(j);
}

static void add_items(struct json_out *j, const struct field *f)
{
	json_u64(j, "maxItems", f->max);
	json_object_begin(j, "items");
	if (f->type == FIELD_ARRAY) {
		add_ref(j, f->sub);
	} else if (f->type == FIELD_STRINGS) {
		json_string(j, "type", "string");
	} else {
		json_string(j, "type", "integer");
		json_u64(j, "minimum", 0);
		json_u64(j, "maximum", f->type == FIELD_U32_LIST ? f->max - 1 : UINT64_MAX);
	}
	json_object_end(j);
}

static void add_keyed(struct json_out *j, const struct field *f)
{
	json_object_begin(j, "properties");
	for (size_t i = 0; i < f->max; i++) {
		json_object_begin(j, f->names_of(i));
		if (f->sub) {
			add_ref(j, f->sub);
		} else {
			json_string(j, "type", "integer");
			json_u64(j, "minimum", 0);
			json_u64(j, "maximum", UINT64_MAX);
		}
		json_object_end(j);
	}
	json_object_end(j);
	json_array_begin(j, "required");
	for (size_t i = 0; i < f->max; i++)
		json_string(j, NULL, f->names_of(i));
	json_array_end(j);
}

/* A sub-table: a bare reference when it must be there, else that or null. */
static void add_object(struct json_out *j, const struct field *f)
{
	if (!nullable(f)) {
		add_ref(j, f->sub);
		return;
	}
	json_array_begin(j, "anyOf");
	json_object_begin(j, NULL);
	add_ref(j, f->sub);
	json_object_end(j);
	json_object_begin(j, NULL);
	json_string(j, "type", "null");
	json_object_end(j);
	json_array_end(j);
}

static void add_field(struct json_out *j, const struct field *f)
{
	json_object_begin(j, f->name);
	json_string(j, "description", f->doc);
	switch (f->type) {
	case FIELD_STRING:
	case FIELD_TEXT:
		/*
		 * Bounded in bytes by the reader; the schema counts characters, never more of them.
		 */
		add_type(j, f, "string");
		json_u64(j, "maxLength", (f->type == FIELD_STRING ? f->size : f->max) - 1);
		break;
	case FIELD_BOOL:
		add_type(j, f, "boolean");
		break;
	case FIELD_NAMED_BOOL:
	case FIELD_ENUM:
		add_enum(j, f, nullable(f));
		break;
	case FIELD_UINT:
	case FIELD_INT:
	case FIELD_SIZE:
	case FIELD_U64:
		add_type(j, f, "integer");
		add_integer_range(j, f);
		break;
	case FIELD_DOUBLE:
		add_type(j, f, "number");
		if (!(f->flags & FIELD_SIGNED))
			json_u64(j, "minimum", 0);
		break;
	case FIELD_CONST_STRING:
		json_string(j, "const", f->names[0]);
		break;
	case FIELD_CONST_NUMBER:
		json_u64(j, "const", f->max);
		break;
	case FIELD_OBJECT:
		add_object(j, f);
		break;
	case FIELD_KEYED:
		add_type(j, f, "object");
		add_keyed(j, f);
		break;
	case FIELD_STRINGS:
	case FIELD_ARRAY:
	case FIELD_U32_LIST:
	case FIELD_U64_LIST:
		add_type(j, f, "array");
		add_items(j, f);
		break;
	}
	json_object_end(j);
}

/* Members of the object that is open. */
static void add_table(struct json_out *j, const struct table *t)
{
	json_string(j, "type", "object");
	json_object_begin(j, "properties");
	if (t == &result_table) {
		json_object_begin(j, "schema");
		json_string(j, "const", RESULT_SCHEMA);
		json_object_end(j);
		json_object_begin(j, "schema_version");
		json_string(j, "description", "MAJOR.MINOR; keys may be added in a minor version");
		json_string(j, "type", "string");
		json_string(j, "pattern", "^[0-9]+\\.[0-9]+$");
		json_object_end(j);
	}
	for (size_t i = 0; i < t->field_count; i++)
		add_field(j, &t->fields[i]);
	json_object_end(j);
	json_array_begin(j, "required");
	if (t == &result_table) {
		json_string(j, NULL, "schema");
		json_string(j, NULL, "schema_version");
	}
	for (size_t i = 0; i < t->field_count; i++)
		if (t->fields[i].flags & FIELD_REQUIRED)
			json_string(j, NULL, t->fields[i].name);
	json_array_end(j);
}

static void add_definition(struct json_out *j, const struct table *t)
{
	json_object_begin(j, t->name);
	json_string(j, "description", t->doc);
	if (!t->can_be_absent) {
		add_table(j, t);
		json_object_end(j);
		return;
	}
	json_array_begin(j, "oneOf");
	json_object_begin(j, NULL);
	add_table(j, t);
	json_object_end(j);
	json_object_begin(j, NULL);
	json_string(j, "type", "object");
	json_object_begin(j, "properties");
	json_object_begin(j, "absent");
	json_string(j, "description", "why there is nothing");
	json_string(j, "type", "string");
	json_u64(j, "maxLength", t->absent_size - 1);
	json_object_end(j);
	json_object_end(j);
	json_array_begin(j, "required");
	json_string(j, NULL, "absent");
	json_array_end(j);
	json_object_end(j);
	json_array_end(j);
	json_object_end(j);
}

void result_schema(struct strbuf *out)
{
	struct json_out j = {.sb = out};
	struct table_list list = {0};

	collect(&list, &result_table);
	json_object_begin(&j, NULL);
	json_string(&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_string(&j, "title", RESULT_SCHEMA);
	json_string(&j, "description", result_table.doc);
	add_table(&j, &result_table);
	json_object_begin(&j, "$defs");
	for (size_t i = 1; i < list.count; i++)
		add_definition(&j, list.tables[i]);
	json_object_end(&j);
	json_object_end(&j);
	strbuf_putc(out, '\n');
}
