/* SPDX-License-Identifier: GPL-2.0-only */
/* What every command that takes a scenario has in common. */
#ifndef AB_CMD_SCENARIO_H
#define AB_CMD_SCENARIO_H

#include "cmd.h"
#include "model/scenario.h"

struct scenario_options {
	struct option_list sets;
	bool quick;
};

/* Rows for a command whose options structure @type has a `struct scenario_options @member`. */
#define SCENARIO_SET_OPTION(type, member)                                               \
	{                                                                               \
		"set", 0, OPTION_LIST, offsetof(type, member.sets), "PATH=VALUE", NULL, \
			"override a key, such as repeat=3; may be repeated"             \
	}
#define SCENARIO_QUICK_OPTION(type, member)                                        \
	{                                                                          \
		"quick", 0, OPTION_FLAG, offsetof(type, member.quick), NULL, NULL, \
			"use the scenario's quick profile"                         \
	}

/* Loads with these options. STATUS_OK or STATUS_USAGE. */
enum exit_status scenario_from_options(const char *path, const struct scenario_options *o,
				       struct scenario *s, struct diag *d);

#endif
