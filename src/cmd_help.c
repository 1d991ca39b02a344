// SPDX-License-Identifier: GPL-2.0-only
#include "cmd.h"

static enum exit_status run_help(const void *options, const struct invocation *inv, struct diag *d)
{
	AB_STRBUF struct strbuf out = {0};
	const struct command *c = NULL;

	if (inv->operand_count) {
		c = command_find(inv->operands[0]);
		if (!c)
			return command_unknown(inv->operands[0], d);
	}
	command_help(c, &out);
	return command_print(&out, d);
}

const struct command cmd_help = {
	.name = "help",
	.summary = "show this list, or the options of a command",
	.operands = "[COMMAND]",
	.operands_max = 1,
	.run = run_help,
};
