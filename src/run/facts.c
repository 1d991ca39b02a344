// SPDX-License-Identifier: GPL-2.0-only
#include "run/facts.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <json-c/json.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/json_out.h"

#define MAX_FACTS ((size_t)1 << 20)

static void put_json(json_object **object)
{
	json_object_put(*object);
}

static void free_tokener(json_tokener **tokener)
{
	if (*tokener)
		json_tokener_free(*tokener);
}

int facts_write(const char *path, const struct facts_field *fields, size_t count,
		const void *object, struct diag *d)
{
	AB_STRBUF struct strbuf text = {0};
	struct json_out j = {.sb = &text};

	json_object_begin(&j, NULL);
	for (size_t i = 0; i < count; i++) {
		const struct facts_field *f = &fields[i];
		const void *value = (const char *)object + f->offset;

		switch (f->type) {
		case FACTS_STRING:
			json_string(&j, f->name, value);
			break;
		case FACTS_U64:
			json_u64(&j, f->name, *(const uint64_t *)value);
			break;
		case FACTS_INT:
			json_i64(&j, f->name, *(const int *)value);
			break;
		case FACTS_BOOL:
			json_boolean(&j, f->name, *(const bool *)value);
			break;
		case FACTS_DOUBLE:
			json_double(&j, f->name, *(const double *)value);
			break;
		}
	}
	json_object_end(&j);
	strbuf_putc(&text, '\n');
	if (text.failed)
		return diag_errno(d, -ENOMEM, "%s", path);
	return fs_write_atomic(path, text.data, text.len, d);
}

static int take(const struct facts_field *f, json_object *value, void *to)
{
	switch (f->type) {
	case FACTS_STRING: {
		const char *text = json_object_get_string(value);

		if (!json_object_is_type(value, json_type_string) ||
		    strlen(text) != (size_t)json_object_get_string_len(value))
			return -EINVAL;
		return fs_path(to, f->size, "%s", text) ? -EINVAL : 0;
	}
	case FACTS_U64:
		if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0)
			return -EINVAL;
		*(uint64_t *)to = json_object_get_uint64(value);
		return 0;
	case FACTS_INT: {
		int64_t number = json_object_get_int64(value);

		if (!json_object_is_type(value, json_type_int) || number < INT_MIN ||
		    number > INT_MAX)
			return -EINVAL;
		*(int *)to = (int)number;
		return 0;
	}
	case FACTS_BOOL:
		if (!json_object_is_type(value, json_type_boolean))
			return -EINVAL;
		*(bool *)to = json_object_get_boolean(value);
		return 0;
	case FACTS_DOUBLE:
		if (!json_object_is_type(value, json_type_double) &&
		    !json_object_is_type(value, json_type_int))
			return -EINVAL;
		*(double *)to = json_object_get_double(value);
		return isfinite(*(double *)to) ? 0 : -EINVAL;
	}
	return -EINVAL;
}

int facts_read(const char *path, const struct facts_field *fields, size_t count, void *object,
	       size_t object_size)
{
	AB_CLEANUP(free_tokener) json_tokener *tokener = json_tokener_new();
	AB_CLEANUP(put_json) json_object *root = NULL;
	AB_FREE char *copy = malloc(object_size);
	AB_STRBUF struct strbuf text = {0};
	int ret;

	if (!tokener || !copy)
		return -ENOMEM;
	memcpy(copy, object, object_size);
	ret = fs_read_file(path, MAX_FACTS, &text, NULL);
	if (ret)
		return ret;
	root = json_tokener_parse_ex(tokener, strbuf_str(&text), (int)text.len);
	if (!json_object_is_type(root, json_type_object))
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		json_object *value;

		if (!json_object_object_get_ex(root, fields[i].name, &value))
			return -EINVAL;
		ret = take(&fields[i], value, copy + fields[i].offset);
		if (ret)
			return ret;
	}
	memcpy(object, copy, object_size);
	return 0;
}
