/* SPDX-License-Identifier: GPL-2.0-only */
/* What a guest leaves behind: its result folder and its console. For lab_target.c only. */
#ifndef AB_RUN_LAB_RESULTS_H
#define AB_RUN_LAB_RESULTS_H

#include "run/runner.h"

/*
 * Moves the result folder, with the console, from the shared folder @share to where the user wants it, and reads it into @r.
 * Images that the guest found to be spoilt are struck from the cache. -ENOENT: the guest left no result; other -errno.
 */
int lab_results_bring_back(const char *share, const char *console, const struct run_opts *o,
			   struct result *r, struct diag *d);

/* Without a result folder the console is all there is: it gets one of its own. */
void lab_results_keep_console(const char *console, const struct run_opts *o);

#endif
