// SPDX-License-Identifier: GPL-2.0-only
#include "base/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t first_signal;

static void remember(int signal)
{
	if (!first_signal)
		first_signal = signal;
}

void ab_interrupt_install(void)
{
	/* No SA_RESTART: a blocking call returns with EINTR and its caller looks at the flag. */
	struct sigaction act = {.sa_handler = remember};
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigemptyset(&act.sa_mask);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGHUP, &act, NULL);
	/* A closed pipe, or a file beyond the limit, must be an error of write(2), not an end without undoing. */
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
}

bool ab_interrupted(void)
{
	return first_signal != 0;
}

int ab_interrupt_signal(void)
{
	return first_signal;
}
