/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A message for people that travels up the call chain beside the -errno for programs. Library code never logs:
 * it says what went wrong, where, and what to do about it; main() prints it once.
 */
#ifndef AB_BASE_DIAG_H
#define AB_BASE_DIAG_H

#include <stdbool.h>

#define AB_PRINTF(fmt_arg, first_arg) __attribute__((format(printf, fmt_arg, first_arg)))

struct diag {
	char text[1024]; /* one or more lines without a trailing newline; empty: nothing was said */
};

/* Sets the message and returns @err, so that `return diag_set(d, -EINVAL, "...")` reads as one step. @d may be NULL. */
int diag_set(struct diag *d, int err, const char *fmt, ...) AB_PRINTF(3, 4);

/* As diag_set(), followed by ": " and the text of errno @err (given negative). */
int diag_errno(struct diag *d, int err, const char *fmt, ...) AB_PRINTF(3, 4);

/* Puts "<prefix>: " before what is already there; returns @err. */
int diag_prefix(struct diag *d, int err, const char *fmt, ...) AB_PRINTF(3, 4);

#endif
