// SPDX-License-Identifier: GPL-2.0-only
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include "base/clock.h"

static enum log_level current_level = LOG_INFO;
static struct {
	int fd;
	uint64_t begin_ns;
} copy = {.fd = -1};

void log_set_level(enum log_level level)
{
	current_level = level;
}

enum log_level log_get_level(void)
{
	return current_level;
}

void log_copy_to(int fd)
{
	copy.fd = fd;
	copy.begin_ns = clock_mono_ns();
}

static AB_PRINTF(3, 0) void emit(enum log_level level, const char *prefix, const char *fmt, va_list ap)
{
	if (copy.fd >= 0 && level <= LOG_VERBOSE) {
		va_list again;

		va_copy(again, ap);
		dprintf(copy.fd, "[%10.3f] ", (double)(clock_mono_ns() - copy.begin_ns) / 1e9);
		dprintf(copy.fd, "%s", prefix);
		vdprintf(copy.fd, fmt, again);
		dprintf(copy.fd, "\n");
		va_end(again);
	}
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
