/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one sink for messages: stderr, never stdout. A message is one line; what could harm a terminal becomes \xNN (base/utf8.h).
 * Used by main.c, cmd_*.c, run/ and probe/ only.
 */
#ifndef AB_BASE_LOG_H
#define AB_BASE_LOG_H

#include "base/diag.h"

enum log_level { LOG_QUIET, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_VERBOSE, LOG_DEBUG };

/* Messages above @level are dropped. The default is LOG_INFO. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* Everything up to LOG_VERBOSE goes to @fd too, whatever the level, with the time since the first call; -1: no longer. */
void log_copy_to(int fd);

void log_error(const char *fmt, ...) AB_PRINTF(1, 2);
void log_warn(const char *fmt, ...) AB_PRINTF(1, 2);
void log_info(const char *fmt, ...) AB_PRINTF(1, 2);
void log_verbose(const char *fmt, ...) AB_PRINTF(1, 2);
void log_debug(const char *fmt, ...) AB_PRINTF(1, 2);

#endif
