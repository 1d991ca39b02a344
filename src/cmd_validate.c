// SPDX-License-Identifier: GPL-2.0-only
#include "cmd_scenario.h"
#include "base/cleanup.h"
#include "base/log.h"

struct options {
	struct scenario_options scenario;
	bool print;
};

static const struct option_info options_table[] = {
	SCENARIO_SET_OPTION(struct options, scenario),
	SCENARIO_QUICK_OPTION(struct options, scenario),
	{"print", 'p', OPTION_FLAG, offsetof(struct options, print), NULL, NULL,
	 "print the effective scenario, every default spelled out"},
};

enum exit_status scenario_from_options(const char *path, const struct scenario_options *o,
				       struct scenario *s, struct diag *d)
{
	const struct scenario_opts opts = {
		.sets = o->sets.items,
		.set_count = o->sets.count,
		.quick = o->quick,
	};

	return scenario_load(path, &opts, s, d) ? STATUS_USAGE : STATUS_OK;
}

/* Every file is looked at: one mistake does not hide those in the next file. */
static enum exit_status run_validate(const void *options, const struct invocation *inv,
				     struct diag *d)
{
	const struct options *o = options;
	AB_STRBUF struct strbuf out = {0};
	enum exit_status status = STATUS_OK;

	for (size_t i = 0; i < inv->operand_count; i++) {
		struct scenario s;
		struct diag bad = {0};

		if (scenario_from_options(inv->operands[i], &o->scenario, &s, &bad)) {
			log_error("%s", bad.text);
			status = STATUS_USAGE;
			continue;
		}
		log_info("%s: valid", inv->operands[i]);
		if (o->print)
			scenario_print(&s, &out);
	}
	return status ? status : command_print(&out, d);
}

const struct command cmd_validate = {
	.name = "validate",
	.summary = "check scenarios without running them",
	.operands = "SCENARIO...",
	.operands_min = 1,
	.operands_max = OPERANDS_ANY,
	.options = options_table,
	.option_count = ARRAY_SIZE(options_table),
	.options_size = sizeof(struct options),
	.run = run_validate,
};
