// SPDX-License-Identifier: GPL-2.0-only
#include "run/facts.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/json_in.h"
#include "base/json_out.h"

#define MAX_FACTS ((size_t)1 << 20)

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

static int take(const struct json_in *in, const struct facts_field *f,
		const struct json_token *value, void *to)
{
	const struct json_place at = {.key = f->name};

	switch (f->type) {
	case FACTS_STRING:
		return json_in_chars(in, &at, value, to, f->size);
	case FACTS_U64:
		return json_in_uint(in, &at, value, UINT64_MAX, to);
	case FACTS_INT:
		return json_in_int(in, &at, value, to);
	case FACTS_BOOL:
		return json_in_bool(in, &at, value, to);
	case FACTS_DOUBLE:
		return json_in_double(in, &at, value, true, to);
	}
	return -EINVAL;
}

static void free_doc(struct json_in *in)
{
	json_doc_free(&in->doc);
}

int facts_read(const char *path, const struct facts_field *fields, size_t count, void *object,
	       size_t object_size)
{
	struct diag why;
	AB_CLEANUP(free_doc) struct json_in in = {.file = path, .d = &why};
	AB_FREE char *copy = malloc(object_size);
	AB_STRBUF struct strbuf text = {0};
	int ret;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, object, object_size);
	ret = fs_read_file(path, MAX_FACTS, &text, NULL);
	if (!ret)
		ret = json_in_parse(&in, strbuf_str(&text), text.len, 1);
	for (size_t i = 0; !ret && i < count; i++)
		ret = take(&in, &fields[i],
			   json_member(&in.doc, in.doc.tokens, fields[i].name, NULL),
			   copy + fields[i].offset);
	if (!ret)
		memcpy(object, copy, object_size);
	return ret;
}
