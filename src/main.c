// SPDX-License-Identifier: GPL-2.0-only
/*
 * accelbench: where does the time of one (de)compression request go, and does an accelerator pay?
 */
#include <fcntl.h>
#include <unistd.h>
#include "base/interrupt.h"
#include "base/log.h"
#include "cmd.h"

/* Started without standard streams, the first files that we open would be taken for them. */
static bool open_standard_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	return fd > STDERR_FILENO;
}

int main(int argc, char **argv)
{
	struct diag d = {0};
	enum exit_status status;

	if (!open_standard_streams())
		return STATUS_FAILED;
	ab_interrupt_install();
	status = command_line(argc, argv, &d);
	if (status != STATUS_OK && d.text[0])
		log_error("%s", d.text);
	if (status != STATUS_OK && ab_interrupted())
		return 128 + ab_interrupt_signal();
	return status;
}
