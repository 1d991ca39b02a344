/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals that end a program: remembered, acted on by the main flow, so that everything is undone
 * on the way out. One that was ignored from the start stays so.
 */
#ifndef AB_BASE_INTERRUPT_H
#define AB_BASE_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

#define AB_INTERRUPT_SIGNALS SIGINT, SIGTERM, SIGHUP, SIGQUIT

void ab_interrupt_install(void);
bool ab_interrupted(void);
/* The signal number that came first, or 0. */
int ab_interrupt_signal(void);

#endif
