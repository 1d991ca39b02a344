/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SIGINT, SIGTERM, SIGHUP: remembered, acted on by the main flow, so that everything is undone on
 * the way out.
 */
#ifndef AB_BASE_INTERRUPT_H
#define AB_BASE_INTERRUPT_H

#include <stdbool.h>

void ab_interrupt_install(void);
bool ab_interrupted(void);
/* The signal number that came first, or 0. */
int ab_interrupt_signal(void);

#endif
