/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the program's exit status says. 128 + n: ended by signal n, after cleaning up (main.c adds
 * that).
 */
#ifndef AB_BASE_EXIT_STATUS_H
#define AB_BASE_EXIT_STATUS_H

enum exit_status {
	STATUS_OK = 0,		 /* done, or the gate passed */
	STATUS_REGRESSION = 1,	 /* the gate failed: a confirmed regression */
	STATUS_USAGE = 2,	 /* usage error or bad input file */
	STATUS_FAILED = 3,	 /* the measurement failed or is invalid */
	STATUS_SKIPPED = 4,	 /* this host cannot measure what was asked for */
	STATUS_INCONCLUSIVE = 5, /* too noisy or too few samples */
};

#endif
