// SPDX-License-Identifier: GPL-2.0-only
#include "cmd.h"

#include <errno.h>
#include "base/cleanup.h"
#include "base/fsutil.h"

enum format { FORMAT_TEXT, FORMAT_MAN, FORMAT_BASH };
static const char *const format_names[] = {"text", "man", "bash", NULL};

struct options {
	int format;
	const char *output;
};

static const struct option_info options_table[] = {
	{"format", 0, OPTION_ENUM, offsetof(struct options, format), NULL, format_names,
	 "text for the terminal, the manual's page, or completion for bash"},
	{"output", 'o', OPTION_STRING, offsetof(struct options, output), "DIR", NULL,
	 "with --format=man: write all pages into this folder"},
};

/* @c NULL: accelbench.1; else accelbench-run.1, ... */
static enum exit_status write_page(const char *dir, const struct command *c, struct diag *d)
{
	AB_STRBUF struct strbuf page = {0};
	char path[4096];
	int err = c ? fs_path(path, sizeof(path), "%s/accelbench-%s.1", dir, c->name)
		    : fs_path(path, sizeof(path), "%s/accelbench.1", dir);

	if (err) {
		diag_errno(d, err, "%s", dir);
		return STATUS_USAGE;
	}
	command_manual(c, &page);
	return fs_write_atomic(path, strbuf_str(&page), page.len, d) ? STATUS_FAILED : STATUS_OK;
}

static enum exit_status write_pages(const char *dir, struct diag *d)
{
	enum exit_status status = write_page(dir, NULL, d);

	for (size_t i = 0; !status && i < command_count; i++)
		status = write_page(dir, command_table[i], d);
	return status;
}

static enum exit_status check_options(const struct options *o, size_t operands, struct diag *d)
{
	if (!o->output || (o->format == FORMAT_MAN && !operands))
		return STATUS_OK;
	diag_set(d, -EINVAL, "help: --output goes with --format=man, without a command");
	return STATUS_USAGE;
}

static enum exit_status run_help(const void *options, const struct invocation *inv, struct diag *d)
{
	const struct options *o = options;
	AB_STRBUF struct strbuf out = {0};
	const struct command *c = NULL;
	enum exit_status status = check_options(o, inv->operand_count, d);

	if (status)
		return status;
	if (o->output)
		return write_pages(o->output, d);
	if (inv->operand_count) {
		c = command_find(inv->operands[0]);
		if (!c)
			return command_unknown(inv->operands[0], d);
	}
	if (o->format == FORMAT_BASH)
		command_completion(&out);
	else if (o->format == FORMAT_MAN)
		command_manual(c, &out);
	else
		command_help(c, &out);
	return command_print(&out, d);
}

const struct command cmd_help = {
	.name = "help",
	.summary = "show this list, or the options of a command",
	.operands = "[COMMAND]",
	.operands_max = 1,
	.options = options_table,
	.option_count = ARRAY_SIZE(options_table),
	.options_size = sizeof(struct options),
	.run = run_help,
};
