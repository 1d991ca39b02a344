// SPDX-License-Identifier: GPL-2.0-only
/* JSON Schema of the format, from the tables that the parser reads by. */
#include <string.h>
#include "model/scenario_keys.h"

static void schema_key(const struct key_table *table, const struct key_info *k, const char *name,
		       const void *defaults, struct json_out *j)
{
	json_object_begin(j, name);
	json_string(j, "description", k->help);
	if (k->type == &key_map)
		key_schema_map(table, k->path, defaults, j);
	else
		k->type->schema(k, k->required ? NULL : defaults, j);
	if (k->one_of) {
		json_array_begin(j, "anyOf");
		for (const char *const *member = k->one_of; *member; member++) {
			json_object_begin(j, NULL);
			json_flat_array_begin(j, "required");
			json_string(j, NULL, *member);
			json_array_end(j);
			json_object_end(j);
		}
		json_array_end(j);
	}
	json_object_end(j);
}

void key_schema_map(const struct key_table *table, const char *prefix, const void *defaults,
		    struct json_out *j)
{
	bool any = false;

	json_string(j, "type", "object");
	json_object_begin(j, "properties");
	for (size_t i = 0; i < table->count; i++) {
		const struct key_info *k = &table->keys[i];
		const char *name = key_below(k, prefix);

		if (!name)
			continue;
		any |= k->required;
		schema_key(table, k, name, defaults, j);
	}
	json_object_end(j);
	if (any) {
		json_flat_array_begin(j, "required");
		for (size_t i = 0; i < table->count; i++) {
			const char *name = key_below(&table->keys[i], prefix);

			if (name && table->keys[i].required)
				json_string(j, NULL, name);
		}
		json_array_end(j);
	}
	json_boolean(j, "additionalProperties", false);
}

void scenario_schema(struct strbuf *out)
{
	struct json_out j = {.sb = out};
	struct scenario defaults;

	scenario_defaults(&defaults);
	json_object_begin(&j, NULL);
	json_string(&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_string(&j, "title", "accelbench scenario");
	key_schema_map(&scenario_table, "", &defaults, &j);
	json_object_end(&j);
	strbuf_putc(out, '\n');
}
