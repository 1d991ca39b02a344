// SPDX-License-Identifier: GPL-2.0-only
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include "base/clock.h"
#include "base/utf8.h"

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

/* A line holds words of other programs and names of files: none may break it, or move the terminal's cursor. */
static AB_PRINTF(3, 0) void emit(enum log_level level, const char *prefix, const char *fmt,
				 va_list ap)
{
	AB_STRBUF struct strbuf text = {0}, line = {0};

	strbuf_vprintf(&text, fmt, ap);
	strbuf_puts(&line, prefix);
	utf8_add_clean(&line, strbuf_str(&text));
	if (copy.fd >= 0 && level <= LOG_VERBOSE)
		dprintf(copy.fd, "[%10.3f] %s\n", (double)(clock_mono_ns() - copy.begin_ns) / 1e9,
			strbuf_str(&line));
	if (level > current_level)
		return;
	/* One write per line, so that two processes on one terminal do not mix inside a line. */
	strbuf_putc(&line, '\n');
	fputs(strbuf_str(&line), stderr);
	fflush(stderr);
}

#define DEFINE_LOG(name, level, prefix)       \
	void name(const char *fmt, ...)       \
	{                                     \
		va_list ap;                   \
		va_start(ap, fmt);            \
		emit(level, prefix, fmt, ap); \
		va_end(ap);                   \
	}

DEFINE_LOG(log_error, LOG_ERROR, "accelbench: error: ")
DEFINE_LOG(log_warn, LOG_WARN, "accelbench: warning: ")
DEFINE_LOG(log_info, LOG_INFO, "")
DEFINE_LOG(log_verbose, LOG_VERBOSE, "")
DEFINE_LOG(log_debug, LOG_DEBUG, "debug: ")
