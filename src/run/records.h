/* SPDX-License-Identifier: GPL-2.0-only */
/* Sampled requests, whole, as CSV in the result folder. */
#ifndef AB_RUN_RECORDS_H
#define AB_RUN_RECORDS_H

#include "probe/session.h"

/*
 * Drains the records of the window just closed into <dir>/records.csv (made with a header line when it is not there). Times are
 * CLOCK_MONOTONIC; what did not happen is empty. Nothing is written when nothing was sampled.
 */
int records_append(struct session *s, const char *dir, size_t cell, unsigned int repetition,
		   struct diag *d);

#endif
