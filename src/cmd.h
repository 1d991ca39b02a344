/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sub-commands. A new one is a file src/cmd_<name>.c that defines `const struct command
 * cmd_<name>`, and its row in AB_COMMANDS. Parsing of options, help, the manual and completion
 * derive from the structure.
 */
#ifndef AB_CMD_H
#define AB_CMD_H

#include <limits.h>
#include "base/diag.h"
#include "base/exit_status.h"
#include "base/options.h"
#include "base/strbuf.h"

/* In the order of `accelbench help`. */
#define AB_COMMANDS(X) \
	X(run)         \
	X(plan)        \
	X(doctor)      \
	X(trace)       \
	X(validate)    \
	X(report)      \
	X(compare)     \
	X(gate)        \
	X(schema)      \
	X(generate)    \
	X(cleanup)     \
	X(lab)         \
	X(help)

/* Options that every command takes. */
struct common_options {
	bool help;
	bool version;
	unsigned int verbose;
	bool quiet;
	int color; /* enum color_when */
};

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* What the command line gave besides the command's own options. */
struct invocation {
	struct common_options common;
	const char *const *operands; /* into argv */
	size_t operand_count;	     /* between the command's operands_min and operands_max */
};

#define OPERANDS_ANY UINT_MAX

struct command {
	const char *name;
	const char *summary;  /* one line, begins with a verb, no full stop */
	const char *operands; /* how help calls them: "SCENARIO", "[COMMAND]"; NULL: none */
	unsigned int operands_min;
	unsigned int operands_max; /* OPERANDS_ANY: no limit */
	const char *details;	   /* paragraphs below the summary, or NULL */
	const struct option_info *options;
	size_t option_count;
	size_t options_size;  /* of the structure that the options fill; 0: none */
	const void *defaults; /* its initial value, NULL: all zero */
	/*
	 * @options: that structure. Other than STATUS_OK: @d says why. Prints results on stdout,
	 * nothing else there.
	 */
	enum exit_status (*run)(const void *options, const struct invocation *inv, struct diag *d);
};

/* Options that every command takes, into struct common_options. */
extern const struct option_info common_option_table[];
extern const size_t common_option_count;

struct status_info {
	const char *status; /* "0", "128+n" */
	const char *meaning;
};
extern const struct status_info status_table[];
extern const size_t status_count;

#define AB_DECLARE_COMMAND(name) extern const struct command cmd_##name;
AB_COMMANDS(AB_DECLARE_COMMAND)
#undef AB_DECLARE_COMMAND

extern const struct command *const command_table[];
extern const size_t command_count;
const struct command *command_find(const char *name); /* NULL: none */

/* "unknown command 'pln'; did you mean 'plan'?"; returns STATUS_USAGE. */
enum exit_status command_unknown(const char *name, struct diag *d);

/* Help of one command; of the whole program for NULL. */
void command_help(const struct command *c, struct strbuf *out);

/* The page of a command, or of the whole program for NULL, in man(7). */
void command_manual(const struct command *c, struct strbuf *out);
/* Completion of commands, options and their values, for bash. */
void command_completion(struct strbuf *out);

/* Parses the command line, runs the command. */
enum exit_status command_line(int argc, char **argv, struct diag *d);

/* Writes to standard output. STATUS_FAILED: it could not take it. */
enum exit_status command_print(const struct strbuf *text, struct diag *d);

/*
 * Whether to colour what goes to standard output: --color, then NO_COLOR and whether it is a
 * terminal.
 */
bool command_color(const struct common_options *common);

#endif
