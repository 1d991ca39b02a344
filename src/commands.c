// SPDX-License-Identifier: GPL-2.0-only
/* The table of commands and the way from the command line into one of them. */
#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <errno.h>
#include "base/cleanup.h"
#include "base/log.h"
#include "base/nearest.h"

#define ADDRESS(name) &cmd_##name,
const struct command *const command_table[] = {AB_COMMANDS(ADDRESS)};
#undef ADDRESS
const size_t command_count = ARRAY_SIZE(command_table);

static const char *const color_names[] = {"auto", "always", "never", NULL};

const struct option_info common_option_table[] = {
	{"help", 'h', OPTION_FLAG, offsetof(struct common_options, help), NULL, NULL,
	 "show this help"},
	{"version", 'V', OPTION_FLAG, offsetof(struct common_options, version), NULL, NULL,
	 "show the version"},
	{"verbose", 'v', OPTION_COUNT, offsetof(struct common_options, verbose), NULL, NULL,
	 "say more on stderr; twice: debug messages of libraries too"},
	{"quiet", 'q', OPTION_FLAG, offsetof(struct common_options, quiet), NULL, NULL,
	 "say nothing on stderr but errors"},
	{"color", 0, OPTION_ENUM, offsetof(struct common_options, color), NULL, color_names,
	 "colours; auto: on a terminal unless NO_COLOR is set"},
};
const size_t common_option_count = ARRAY_SIZE(common_option_table);

const struct status_info status_table[] = {
	{"0", "done, or the gate passed"},
	{"1", "the gate failed: a confirmed regression"},
	{"2", "usage error or bad input file"},
	{"3", "the measurement failed or is invalid"},
	{"4", "skipped: this host cannot measure what was asked for"},
	{"5", "inconclusive: too noisy or too few samples"},
	{"128+n", "ended by signal n, after cleaning up"},
};
const size_t status_count = ARRAY_SIZE(status_table);

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (!strcmp(command_table[i]->name, name))
			return command_table[i];
	return NULL;
}

enum exit_status command_unknown(const char *name, struct diag *d)
{
	struct nearest nearest;
	char hint[NEAREST_HINT_SIZE];

	nearest_begin(&nearest, name);
	for (size_t i = 0; i < command_count; i++)
		nearest_offer(&nearest, command_table[i]->name);
	diag_set(d, -EINVAL, "unknown command '%.64s'%s (accelbench help lists them)", name,
		 nearest_hint(&nearest, hint));
	return STATUS_USAGE;
}

static void program_help(struct strbuf *out)
{
	strbuf_puts(out,
		    "Usage: accelbench [OPTION]... COMMAND [ARGUMENT]...\n\n"
		    "Measures where the time of one (de)compression request goes, and whether an\n"
		    "accelerator pays.\n\nCommands:\n");
	for (size_t i = 0; i < command_count; i++)
		strbuf_printf(out, "  %-12s %s\n", command_table[i]->name,
			      command_table[i]->summary);
	strbuf_puts(out, "\nOptions of every command:\n");
	options_help(common_option_table, common_option_count, out);
	strbuf_puts(out, "\nExit status:\n");
	for (size_t i = 0; i < status_count; i++)
		strbuf_printf(out, "  %-6s %s\n", status_table[i].status, status_table[i].meaning);
}

void command_help(const struct command *c, struct strbuf *out)
{
	if (!c) {
		program_help(out);
		return;
	}
	strbuf_printf(out, "Usage: accelbench %s [OPTION]...%s%s\n\n%c%s.\n", c->name,
		      c->operands ? " " : "", c->operands ? c->operands : "", c->summary[0] & ~0x20,
		      c->summary + 1);
	if (c->details)
		strbuf_printf(out, "\n%s\n", c->details);
	strbuf_puts(out, "\nOptions:\n");
	if (c->option_count) {
		options_help(c->options, c->option_count, out);
		strbuf_putc(out, '\n');
	}
	options_help(common_option_table, common_option_count, out);
}

enum exit_status command_print(const struct strbuf *text, struct diag *d)
{
	if (text->failed) {
		diag_set(d, -ENOMEM, "out of memory");
		return STATUS_FAILED;
	}
	/* Flushed here: an error at exit would be seen by nobody. */
	if (fwrite(strbuf_str(text), 1, text->len, stdout) != text->len || fflush(stdout)) {
		/* Its reader has seen enough, as `head` has. */
		if (errno == EPIPE)
			return STATUS_OK;
		diag_errno(d, -errno, "cannot write to standard output");
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

bool command_color(const struct common_options *common)
{
	const char *no_color = getenv("NO_COLOR");

	if (common->color != COLOR_AUTO)
		return common->color == COLOR_ALWAYS;
	return !(no_color && no_color[0]) && isatty(STDOUT_FILENO);
}

static void set_log_level(const struct common_options *common)
{
	if (common->quiet)
		log_set_level(LOG_ERROR);
	else if (common->verbose)
		log_set_level(common->verbose > 1 ? LOG_DEBUG : LOG_VERBOSE);
}

/* @done: --help or --version was asked for and answered. */
static enum exit_status answer(const struct common_options *common, const struct command *c,
			       bool *done, struct diag *d)
{
	AB_STRBUF struct strbuf out = {0};

	*done = common->help || common->version;
	if (common->version)
		strbuf_puts(&out, "accelbench " AB_VERSION "\n");
	else if (common->help)
		command_help(c, &out);
	return command_print(&out, d);
}

static enum exit_status check_operands(const struct command *c, size_t count, struct diag *d)
{
	if (count < c->operands_min)
		diag_set(d, -EINVAL, "%s: %s is missing", c->name, c->operands);
	else if (count > c->operands_max)
		diag_set(d, -EINVAL, "%s: too many arguments (%zu), %s%s", c->name, count,
			 c->operands ? "expected " : "it takes none",
			 c->operands ? c->operands : "");
	else
		return STATUS_OK;
	return STATUS_USAGE;
}

/* @options: the command's own, with their defaults. */
static enum exit_status run_with(const struct command *c, void *options,
				 struct common_options *common, int argc, char **argv,
				 struct diag *d)
{
	const struct option_set sets[] = {
		{c->options, c->option_count, options},
		{common_option_table, common_option_count, common},
	};
	struct invocation inv = {.operands = (const char *const *)argv};
	enum exit_status status;
	bool done;

	if (options_parse(sets, ARRAY_SIZE(sets), false, argc, argv, &inv.operand_count, d)) {
		diag_prefix(d, -EINVAL, "%s", c->name);
		return STATUS_USAGE;
	}
	status = answer(common, c, &done, d);
	if (done || status)
		return status;
	status = check_operands(c, inv.operand_count, d);
	if (status)
		return status;
	set_log_level(common);
	inv.common = *common;
	return c->run(options, &inv, d);
}

static enum exit_status run_command(const struct command *c, struct common_options *common,
				    int argc, char **argv, struct diag *d)
{
	void *options = calloc(1, c->options_size ? c->options_size : 1);
	enum exit_status status;

	if (!options) {
		diag_set(d, -ENOMEM, "out of memory");
		return STATUS_FAILED;
	}
	if (c->defaults)
		memcpy(options, c->defaults, c->options_size);
	status = run_with(c, options, common, argc, argv, d);
	free(options);
	return status;
}

enum exit_status command_line(int argc, char **argv, struct diag *d)
{
	struct common_options common = {0};
	const struct option_set set = {common_option_table, common_option_count, &common};
	const struct command *c;
	enum exit_status status;
	size_t words;
	bool done;

	if (argc < 1 || options_parse(&set, 1, true, argc, argv, &words, d))
		return STATUS_USAGE;
	status = answer(&common, NULL, &done, d);
	if (done || status)
		return status;
	if (!words) {
		diag_set(d, -EINVAL, "which command? (accelbench help lists them)");
		return STATUS_USAGE;
	}
	c = command_find(argv[0]);
	if (!c)
		return command_unknown(argv[0], d);
	return run_command(c, &common, (int)words, argv, d);
}
