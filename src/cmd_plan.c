// SPDX-License-Identifier: GPL-2.0-only
#include "cmd_scenario.h"
#include "base/cleanup.h"
#include "model/plan.h"

struct options {
	struct scenario_options scenario;
};

static const struct option_info options_table[] = {
	SCENARIO_SET_OPTION(struct options, scenario),
	SCENARIO_QUICK_OPTION(struct options, scenario),
};

static enum exit_status run_plan(const void *options, const struct invocation *inv, struct diag *d)
{
	const struct options *o = options;
	AB_CLEANUP(plan_free) struct plan plan = {0};
	AB_STRBUF struct strbuf out = {0};
	struct scenario s;
	enum exit_status status = scenario_from_options(inv->operands[0], &o->scenario, &s, d);

	if (status)
		return status;
	if (plan_build(&s, &plan, d))
		return STATUS_FAILED;
	plan_print(&plan, &out);
	return command_print(&out, d);
}

const struct command cmd_plan = {
	.name = "plan",
	.summary =
		"show every image, cell and repetition of a scenario, in order, and touch nothing",
	.operands = "SCENARIO",
	.operands_min = 1,
	.operands_max = 1,
	.options = options_table,
	.option_count = ARRAY_SIZE(options_table),
	.options_size = sizeof(struct options),
	.run = run_plan,
};
