/* SPDX-License-Identifier: GPL-2.0-only */
/* The folder that host and guest share, and what the console log tells. Used by lab.c only. */
#ifndef AB_RUN_LAB_SHARE_H
#define AB_RUN_LAB_SHARE_H

#include "run/lab.h"

/* Writes what the guest is to run; removes the status of an earlier run. */
int lab_share_fill(const char *const argv[], const struct lab_opts *o, struct diag *d);

/* The exit status that the guest left. -ENOENT: none; -EINVAL: not a status. */
int lab_share_status(const struct lab_opts *o, int *exit_status);

/* The line of the console log that says best why the guest ended, into @buf; empty when none does. */
void lab_console_reason(const struct lab_opts *o, char *buf, size_t size);

#endif
