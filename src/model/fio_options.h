/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fio options that a workload may set: an allow-list. fio job text can run commands
 * (exec_prerun), load libraries (ioengine=external:...) and write files; nothing that is not a row
 * here ever reaches it. All workloads only read.
 */
#ifndef AB_MODEL_FIO_OPTIONS_H
#define AB_MODEL_FIO_OPTIONS_H

#include <stdbool.h>
#include "model/scenario_keys.h"

extern const struct key_table workload_table; /* struct workload_spec */

/* Whether the engine keeps more than one request in flight, so that iodepth means something. */
bool fio_ioengine_is_async(const char *ioengine);

#endif
