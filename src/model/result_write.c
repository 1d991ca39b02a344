// SPDX-License-Identifier: GPL-2.0-only
/* struct result -> result.json, by the rows of result_fields*.c. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include "base/fsutil.h"
#include "base/json_out.h"
#include "model/result_fields.h"

static void write_struct(struct json_out *j, const char *key, const struct table *t,
			 const void *object);

static bool is_null(const struct field *f, const char *base)
{
	const void *p = base + f->offset;
	const void *has = base + f->has;

	if (f->flags & FIELD_HAS)
		return !*(const bool *)has;
	if (f->flags & FIELD_IF_ANY)
		return !*(const uint64_t *)has;
	if (f->flags & FIELD_IF_POSITIVE)
		return !(*(const double *)has > 0);
	if (f->type == FIELD_STRING)
		return !*(const char *)p;
	if (f->type == FIELD_TEXT)
		return !*(char *const *)p;
	if (!(f->flags & FIELD_ZERO_NULL))
		return false;
	switch (f->type) {
	case FIELD_UINT:
		return !*(const unsigned int *)p;
	case FIELD_U64:
		return !*(const uint64_t *)p;
	case FIELD_DOUBLE:
		return *(const double *)p == 0;
	default:
		return false;
	}
}

static void write_scalar(struct json_out *j, const struct field *f, const void *p)
{
	switch (f->type) {
	case FIELD_STRING:
		json_string(j, f->name, p);
		break;
	case FIELD_TEXT:
		json_string(j, f->name, *(char *const *)p);
		break;
	case FIELD_BOOL:
		json_boolean(j, f->name, *(const bool *)p);
		break;
	case FIELD_NAMED_BOOL:
		json_string(j, f->name, f->names[*(const bool *)p]);
		break;
	case FIELD_ENUM:
		json_string(j, f->name, field_word(f, *(const unsigned int *)p % f->name_count));
		break;
	case FIELD_UINT:
		json_u64(j, f->name, *(const unsigned int *)p);
		break;
	case FIELD_INT:
		json_i64(j, f->name, *(const int *)p);
		break;
	case FIELD_SIZE:
		json_u64(j, f->name, *(const size_t *)p);
		break;
	case FIELD_U64:
		json_u64(j, f->name, *(const uint64_t *)p);
		break;
	case FIELD_DOUBLE:
		json_double(j, f->name, *(const double *)p);
		break;
	case FIELD_CONST_STRING:
		json_string(j, f->name, f->names[0]);
		break;
	case FIELD_CONST_NUMBER:
		json_u64(j, f->name, f->max);
		break;
	default:
		break;
	}
}

static void write_lists(struct json_out *j, const struct field *f, const char *base)
{
	const void *p = base + f->offset;

	if (f->type == FIELD_STRINGS) {
		const struct string_list *list = p;

		json_array_begin(j, f->name);
		for (size_t i = 0; i < list->count; i++)
			json_string(j, NULL, list->items[i]);
		json_array_end(j);
		return;
	}
	json_flat_array_begin(j, f->name);
	for (size_t i = 0; i < *(const size_t *)(base + f->count); i++) {
		if (f->type == FIELD_U32_LIST)
			json_u64(j, NULL, (*(uint32_t *const *)p)[i]);
		else
			json_u64(j, NULL, (*(uint64_t *const *)p)[i]);
	}
	json_array_end(j);
}

static void write_array(struct json_out *j, const struct field *f, const char *base)
{
	const char *elements = *(char *const *)(base + f->offset);
	size_t count = *(const size_t *)(base + f->count);

	json_array_begin(j, f->name);
	for (size_t i = 0; i < count; i++)
		write_struct(j, NULL, f->sub, elements + i * f->sub->size);
	json_array_end(j);
}

static void write_keyed(struct json_out *j, const struct field *f, const char *base)
{
	const char *p = base + f->offset;

	json_object_begin(j, f->name);
	for (size_t i = 0; i < f->max; i++) {
		if (f->sub)
			write_struct(j, f->names_of(i), f->sub, p + i * f->sub->size);
		else
			json_u64(j, f->names_of(i), ((const uint64_t *)p)[i]);
	}
	json_object_end(j);
}

static void write_field(struct json_out *j, const struct field *f, const char *base)
{
	if (is_null(f, base)) {
		json_null(j, f->name);
		return;
	}
	switch (f->type) {
	case FIELD_OBJECT:
		write_struct(j, f->name, f->sub, base + f->offset);
		break;
	case FIELD_ARRAY:
		write_array(j, f, base);
		break;
	case FIELD_KEYED:
		write_keyed(j, f, base);
		break;
	case FIELD_STRINGS:
	case FIELD_U32_LIST:
	case FIELD_U64_LIST:
		write_lists(j, f, base);
		break;
	default:
		write_scalar(j, f, base + f->offset);
	}
}

static void write_struct(struct json_out *j, const char *key, const struct table *t,
			 const void *object)
{
	const char *base = object;

	json_object_begin(j, key);
	if (t == &result_table) {
		json_string(j, "schema", RESULT_SCHEMA);
		json_string(j, "schema_version", result_schema_version);
	}
	if (t->can_be_absent && !*(const bool *)(base + t->present)) {
		json_string(j, "absent", base + t->absent);
	} else {
		for (size_t i = 0; i < t->field_count; i++)
			write_field(j, &t->fields[i], base);
	}
	json_object_end(j);
}

void result_host_json(struct json_out *j, const char *key, const struct result_host *h)
{
	write_struct(j, key, &host_table, h);
}

int result_to_json(const struct result *r, struct strbuf *out, struct diag *d)
{
	struct json_out j = {.sb = out};

	write_struct(&j, NULL, &result_table, r);
	strbuf_putc(out, '\n');
	if (out->failed)
		return diag_set(d, -ENOMEM, "no memory to write result %s as JSON", r->id);
	return 0;
}

int result_save(const char *dir, const struct result *r, struct diag *d)
{
	AB_STRBUF struct strbuf text = {0};
	char path[PATH_MAX];
	int err;

	err = fs_path(path, sizeof(path), "%s/result.json", dir);
	if (err)
		return diag_errno(d, err, "%s/result.json", dir);
	err = result_to_json(r, &text, d);
	if (err)
		return err;
	return fs_write_atomic(path, text.data, text.len, d);
}
