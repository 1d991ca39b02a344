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

/* Unless whoever started us wants it ignored: nohup, a shell's background job. */
static void install(int signal)
{
	/* No SA_RESTART: a blocking call returns with EINTR and its caller looks at the flag. */
	struct sigaction act = {.sa_handler = remember}, was;

	sigemptyset(&act.sa_mask);
	if (!sigaction(signal, NULL, &was) && was.sa_handler != SIG_IGN)
		sigaction(signal, &act, NULL);
}

void ab_interrupt_install(void)
{
	static const int signals[] = {AB_INTERRUPT_SIGNALS};
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	for (unsigned int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		install(signals[i]);
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
