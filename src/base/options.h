/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command-line options as data: one table of rows says how an option is spelled, what it takes and
 * where the value goes. Parsing, help text and the manual derive from it. Rules: GNU long options
 * with exact names (an abbreviation that works today breaks a script tomorrow), one-letter options
 * that bundle, options and operands in any order, "--" ends options, the last of a repeated option
 * wins.
 */
#ifndef AB_BASE_OPTIONS_H
#define AB_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "base/strbuf.h"

enum option_type {
	OPTION_FLAG,   /* bool; takes no value */
	OPTION_COUNT,  /* unsigned int; each use adds one */
	OPTION_STRING, /* const char *, into argv; NULL: not given */
	OPTION_LIST,   /* struct option_list; may be repeated */
	OPTION_UINT,   /* unsigned int */
	OPTION_SIZE,   /* uint64_t, bytes: "64KiB" */
	OPTION_TIME,   /* uint64_t, ns: "90s" */
	OPTION_RATIO,  /* double: "5%" */
	OPTION_ENUM,   /* int: index into choices */
};

#define OPTION_LIST_MAX 64

struct option_list {
	const char *items[OPTION_LIST_MAX]; /* into argv */
	size_t count;
};

struct option_info {
	const char *name; /* without the dashes */
	char letter;	  /* 0: none */
	enum option_type type;
	size_t offset;		    /* of the value in the target structure */
	const char *value;	    /* how help calls the value: "FILE"; NULL for flags and enums */
	const char *const *choices; /* OPTION_ENUM: NULL-terminated names */
	const char *help;	    /* one line, no full stop */
};

/* A table together with the structure that it fills. */
struct option_set {
	const struct option_info *options;
	size_t count;
	void *target;
};

/*
 * Parses argv[1..], with every set's options known. Operands are moved to argv[0..*@operands). With
 * @stop_at_operand the first operand ends parsing, and it and all that follows are the operands.
 * -EINVAL: @d says what is wrong.
 */
int options_parse(const struct option_set *sets, size_t set_count, bool stop_at_operand, int argc,
		  char **argv, size_t *operands, struct diag *d);

/* One line per option: "  -o, --output=FILE  write here", descriptions aligned. */
void options_help(const struct option_info *options, size_t count, struct strbuf *out);

#endif
