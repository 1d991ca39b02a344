// SPDX-License-Identifier: GPL-2.0-only
/* The effective scenario as YAML. */
#include <string.h>
#include "model/scenario_keys.h"

static bool shown(const struct key_table *table, const struct key_info *k, const void *base)
{
	if (k->applies && !k->applies(base))
		return false;
	if (k->type != &key_map)
		return !k->type->absent || !k->type->absent(k, base);
	for (size_t i = 0; i < table->count; i++)
		if (key_below(&table->keys[i], k->path) && shown(table, &table->keys[i], base))
			return true;
	return false;
}

void key_print_map(const struct key_table *table, const char *prefix, const void *base,
		   unsigned int indent, struct strbuf *out)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct key_info *k = &table->keys[i];
		const char *name = key_below(k, prefix);

		if (!name || !shown(table, k, base))
			continue;
		strbuf_pad(out, ' ', indent);
		strbuf_printf(out, "%s:", name);
		if (k->type == &key_map) {
			strbuf_putc(out, '\n');
			key_print_map(table, k->path, base, indent + 2, out);
		} else {
			k->type->print(k, base, indent, out);
		}
	}
}

void key_print_flow(const struct key_table *table, const void *base, struct strbuf *out)
{
	AB_STRBUF struct strbuf lines = {0};
	const char *p;

	key_print_map(table, "", base, 0, &lines);
	strbuf_putc(out, '{');
	for (p = strbuf_str(&lines); *p; p++) {
		if (*p != '\n')
			strbuf_putc(out, *p);
		else if (p[1])
			strbuf_puts(out, ", ");
	}
	strbuf_putc(out, '}');
}

void scenario_print(const struct scenario *s, struct strbuf *out)
{
	key_print_map(&scenario_table, "", s, 0, out);
}
