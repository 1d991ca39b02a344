// SPDX-License-Identifier: GPL-2.0-only
/* The manual's pages and the shell's completion, from the table of commands. */
#include "cmd.h"

#include <string.h>
#include "base/cleanup.h"

/* Text as roff takes it: nothing at the beginning of a line is a request, and hyphens can be copied. */
static void add_text(struct strbuf *out, const char *text)
{
	bool line_begins = true;

	for (; *text; text++) {
		if (line_begins && (*text == '.' || *text == '\''))
			strbuf_puts(out, "\\&");
		line_begins = *text == '\n';
		if (*text == '\\')
			strbuf_puts(out, "\\e");
		else if (*text == '-')
			strbuf_puts(out, "\\-");
		else
			strbuf_putc(out, *text);
	}
}

/* Empty lines part paragraphs. */
static void add_paragraphs(struct strbuf *out, const char *text)
{
	for (const char *end; (end = strstr(text, "\n\n")); text = end + 2) {
		AB_STRBUF struct strbuf one = {0};

		strbuf_add(&one, text, (size_t)(end - text));
		add_text(out, strbuf_str(&one));
		strbuf_puts(out, "\n.PP\n");
	}
	add_text(out, text);
	strbuf_putc(out, '\n');
}

static void add_section(struct strbuf *out, const char *name)
{
	strbuf_printf(out, ".SH %s\n", name);
}

static void add_option(struct strbuf *out, const struct option_info *o)
{
	strbuf_puts(out, ".TP\n");
	if (o->letter)
		strbuf_printf(out, "\\fB\\-%c\\fR, ", o->letter);
	strbuf_puts(out, "\\fB\\-\\-");
	add_text(out, o->name);
	strbuf_puts(out, "\\fR");
	if (o->value)
		strbuf_printf(out, "=\\fI%s\\fR", o->value);
	for (size_t i = 0; o->type == OPTION_ENUM && o->choices[i]; i++) {
		strbuf_puts(out, i ? "|\\fB" : "=\\fB");
		add_text(out, o->choices[i]);
		strbuf_puts(out, "\\fR");
	}
	strbuf_putc(out, '\n');
	add_text(out, o->help);
	strbuf_putc(out, '\n');
}

static void add_options(struct strbuf *out, const struct command *c)
{
	add_section(out, "OPTIONS");
	for (size_t i = 0; c && i < c->option_count; i++)
		add_option(out, &c->options[i]);
	if (c)
		strbuf_puts(out, ".SS Options of every command\n");
	for (size_t i = 0; i < common_option_count; i++)
		add_option(out, &common_option_table[i]);
}

static void add_statuses(struct strbuf *out)
{
	add_section(out, "EXIT STATUS");
	for (size_t i = 0; i < status_count; i++) {
		strbuf_printf(out, ".TP\n.B %s\n", status_table[i].status);
		add_text(out, status_table[i].meaning);
		strbuf_putc(out, '\n');
	}
}

static void add_title(struct strbuf *out, const char *command)
{
	AB_STRBUF struct strbuf title = {0};

	strbuf_printf(&title, "accelbench%s%s", command ? "-" : "", command ? command : "");
	strbuf_puts(out, ".TH ");
	for (const char *p = strbuf_str(&title); *p; p++)
		strbuf_putc(out, *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p);
	strbuf_puts(out, " 1 \"\" \"accelbench " AB_VERSION "\" \"User Commands\"\n");
	add_section(out, "NAME");
	add_text(out, strbuf_str(&title));
	strbuf_puts(out, " \\- ");
}

static void add_commands(struct strbuf *out)
{
	add_section(out, "COMMANDS");
	for (size_t i = 0; i < command_count; i++) {
		strbuf_printf(out, ".TP\n.BR accelbench\\-%s (1)\n", command_table[i]->name);
		add_text(out, command_table[i]->summary);
		strbuf_putc(out, '\n');
	}
}

static void program_manual(struct strbuf *out)
{
	add_title(out, NULL);
	strbuf_puts(out, "where the time of a (de)compression request goes\n");
	add_section(out, "SYNOPSIS");
	strbuf_puts(out,
		    ".B accelbench\n[\\fIOPTION\\fR]... \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n");
	add_section(out, "DESCRIPTION");
	add_paragraphs(
		out,
		"Runs scenarios with fio over compressed file systems, traces every request in the kernel while it\n"
		"does, and says where the time of one (de)compression request goes and whether an accelerator pays.\n\n"
		"Results go to standard output, everything else to standard error. A result folder holds all that\n"
		"was measured; reports are made from it, without root and on any machine.");
	add_commands(out);
	add_options(out, NULL);
	add_statuses(out);
	add_section(out, "ENVIRONMENT");
	strbuf_puts(out,
		    ".TP\n.B NO_COLOR\nno colours, unless asked for by an option\n"
		    ".TP\n.B XDG_CACHE_HOME\nthe cache is below it, for users other than root\n");
	add_section(out, "FILES");
	strbuf_puts(out,
		    ".TP\n.I /var/cache/accelbench\ndatasets and images, for root\n"
		    ".TP\n.I /run/accelbench\nwhat runs would have to undo; there while they live, "
		    "read by \\fBaccelbench cleanup\\fR\n");
	add_section(out, "SEE ALSO");
	strbuf_puts(out, ".BR fio (1),\n.BR mkfs.erofs (1)\n");
}

void command_manual(const struct command *c, struct strbuf *out)
{
	if (!c) {
		program_manual(out);
		return;
	}
	add_title(out, c->name);
	add_text(out, c->summary);
	strbuf_putc(out, '\n');
	add_section(out, "SYNOPSIS");
	strbuf_printf(out, ".B accelbench %s\n[\\fIOPTION\\fR]...", c->name);
	if (c->operands)
		strbuf_printf(out, " \\fI%s\\fR", c->operands);
	strbuf_putc(out, '\n');
	if (c->details) {
		add_section(out, "DESCRIPTION");
		add_paragraphs(out, c->details);
	}
	add_options(out, c);
	add_statuses(out);
	add_section(out, "SEE ALSO");
	strbuf_puts(out, ".BR accelbench (1)\n");
}

static void complete_options(struct strbuf *out, const struct option_info *options, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct option_info *o = &options[i];

		strbuf_printf(out, " --%s", o->name);
		if (o->type != OPTION_FLAG && o->type != OPTION_COUNT)
			strbuf_putc(out, '=');
	}
}

/* Values of --option=, "option|value value" in lines. */
static void complete_values(struct strbuf *out, const char *command,
			    const struct option_info *options, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (options[i].type != OPTION_ENUM)
			continue;
		strbuf_printf(out, "\t%s:--%s) words='", command, options[i].name);
		for (size_t k = 0; options[i].choices[k]; k++)
			strbuf_printf(out, "%s%s", k ? " " : "", options[i].choices[k]);
		strbuf_puts(out, "' ;;\n");
	}
}

/* Values of choice are completed from the tables, everything else as file names. */
void command_completion(struct strbuf *out)
{
	strbuf_puts(
		out,
		"# Completion of accelbench for bash; printed by `accelbench help --format=bash`.\n"
		"_accelbench()\n{\n"
		"\tlocal cur=$2 command='' words='' option='' word\n"
		"\tfor word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
		"\t\t[[ $word == -* ]] || { command=$word && break; }\n"
		"\tdone\n"
		"\tif [[ $cur == = || $3 == = ]]; then\n"
		"\t\toption=${COMP_WORDS[COMP_CWORD-1]}\n"
		"\t\t[[ $option != = ]] || option=${COMP_WORDS[COMP_CWORD-2]}\n"
		"\t\t[[ $cur != = ]] || cur=''\n"
		"\tfi\n"
		"\tcase $command:$option in\n");
	for (size_t i = 0; i < command_count; i++)
		complete_values(out, command_table[i]->name, command_table[i]->options,
				command_table[i]->option_count);
	complete_values(out, "*", common_option_table, common_option_count);
	strbuf_puts(out, "\t:) words='");
	for (size_t i = 0; i < command_count; i++)
		strbuf_printf(out, "%s%s", i ? " " : "", command_table[i]->name);
	complete_options(out, common_option_table, common_option_count);
	strbuf_puts(out, "' ;;\n");
	for (size_t i = 0; i < command_count; i++) {
		strbuf_printf(out, "\t%s:) words='", command_table[i]->name);
		complete_options(out, command_table[i]->options, command_table[i]->option_count);
		complete_options(out, common_option_table, common_option_count);
		strbuf_puts(out, "' ;;\n");
	}
	strbuf_puts(out, "\tesac\n"
			 "\t[[ -z $command || $option || $cur == -* ]] || words=''\n"
			 "\t# shellcheck disable=SC2207  # none of the words holds a blank\n"
			 "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
			 "\t[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n"
			 "}\n"
			 "complete -o default -F _accelbench accelbench\n");
}
