// SPDX-License-Identifier: GPL-2.0-only
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static enum log_level current_level = LOG_INFO;

void log_set_level(enum log_level level)
{
	current_level = level;
}

enum log_level log_get_level(void)
{
	return current_level;
}

static AB_PRINTF(3, 0) void emit(enum log_level level, const char *prefix, const char *fmt, va_list ap)
{
	if (level > current_level)
		return;
	/* One write per line, so that two processes on one terminal do not mix inside a line. */
	flockfile(stderr);
	fprintf(stderr, "%s", prefix);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	fflush(stderr);
	funlockfile(stderr);
}

#define DEFINE_LOG(name, level, prefix)                                                            \
	void name(const char *fmt, ...)                                                            \
	{                                                                                          \
		va_list ap;                                                                        \
		va_start(ap, fmt);                                                                 \
		emit(level, prefix, fmt, ap);                                                      \
		va_end(ap);                                                                        \
	}

DEFINE_LOG(log_error, LOG_ERROR, "accelbench: error: ")
DEFINE_LOG(log_warn, LOG_WARN, "accelbench: warning: ")
DEFINE_LOG(log_info, LOG_INFO, "")
DEFINE_LOG(log_verbose, LOG_VERBOSE, "")
DEFINE_LOG(log_debug, LOG_DEBUG, "debug: ")
