/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this kernel lets us do with BPF, found out by doing it. Everything is gone again when these
 * return.
 */
#ifndef AB_PROBE_CAPS_H
#define AB_PROBE_CAPS_H

#include "base/diag.h"

enum caps_map { CAPS_TASK_STORAGE, CAPS_RING_BUFFER, CAPS_MAPS };

/* Loads the smallest program there is. 0, or -errno with the words. */
int caps_try_program(struct diag *d);

/* Creates a map of that kind. 0, or -errno with the words. */
int caps_try_map(enum caps_map kind, struct diag *d);

#endif
