/* SPDX-License-Identifier: GPL-2.0-only */
/* What a guest leaves behind: its result folder and its console. For lab_target.c only. */
#ifndef AB_RUN_LAB_RESULTS_H
#define AB_RUN_LAB_RESULTS_H

#include "run/runner.h"

/*
 * Reads into @r the result folder, which was moved to where the user wants it, and puts the console there. Images that the guest
 * found to be spoilt are struck from the cache.
 */
int lab_results_take(const char *console, const struct run_opts *o, struct result *r,
		     struct diag *d);

/* Without a result folder the console is all there is: it gets one of its own. */
void lab_results_keep_console(const char *console, const struct run_opts *o);

#endif
