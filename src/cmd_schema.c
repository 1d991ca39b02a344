// SPDX-License-Identifier: GPL-2.0-only
#include "cmd.h"

#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/nearest.h"
#include "model/result.h"
#include "model/scenario.h"

static const struct format {
	const char *name;
	void (*print)(struct strbuf *out);
} formats[] = {
	{"scenario", scenario_schema},
	{"result", result_schema},
};

static enum exit_status run_schema(const void *options, const struct invocation *inv,
				   struct diag *d)
{
	AB_STRBUF struct strbuf out = {0};
	char hint[NEAREST_HINT_SIZE];
	struct nearest nearest;

	nearest_begin(&nearest, inv->operands[0]);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (!strcmp(formats[i].name, inv->operands[0])) {
			formats[i].print(&out);
			return command_print(&out, d);
		}
		nearest_offer(&nearest, formats[i].name);
	}
	diag_set(d, -EINVAL, "schema: no format '%.64s'%s", inv->operands[0],
		 nearest_hint(&nearest, hint));
	return STATUS_USAGE;
}

const struct command cmd_schema = {
	.name = "schema",
	.summary = "print the JSON Schema of a file format",
	.operands = "scenario|result",
	.operands_min = 1,
	.operands_max = 1,
	.details =
		"JSON Schema 2020-12, for editors and for programs that write or read such files.",
	.run = run_schema,
};
