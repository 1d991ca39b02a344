/* SPDX-License-Identifier: GPL-2.0-only */
/* What commands have in common that read results and print text about them. */
#ifndef AB_CMD_RESULTS_H
#define AB_CMD_RESULTS_H

#include <string.h>
#include "cmd.h"
#include "model/comparable.h"
#include "report/text.h"

struct results_output {
	const char *file;
	unsigned int columns;
	bool raw;
};

#define RESULTS_OUTPUT_OPTIONS(type, member)                                          \
	{"output",                                                                    \
	 'o',                                                                         \
	 OPTION_STRING,                                                               \
	 offsetof(type, member.file),                                                 \
	 "FILE",                                                                      \
	 NULL,                                                                        \
	 "write to FILE, complete or not at all; - is standard output"},              \
		{"raw",                                                               \
		 0,                                                                   \
		 OPTION_FLAG,                                                         \
		 offsetof(type, member.raw),                                          \
		 NULL,                                                                \
		 NULL,                                                                \
		 "integers without units: ns, bytes, bytes per second"},              \
	{                                                                             \
		"columns", 0, OPTION_UINT, offsetof(type, member.columns), "N", NULL, \
			"width of a line; the terminal's, 100 elsewhere"              \
	}

/* How to write lines into @sb: colour and width of where they go in the end. */
struct text_out results_text_out(const struct results_output *o, const struct invocation *inv,
				 struct strbuf *sb);
enum exit_status results_write(const struct results_output *o, const struct strbuf *text,
			       struct diag *d);
/* Names of --allow. */
enum exit_status results_allow(const struct option_list *names, comparable_set *set,
			       struct diag *d);
/* STATUS_USAGE: there is no such metric, with the nearest. */
enum exit_status results_check_metric(const char *name, struct diag *d);

#endif
