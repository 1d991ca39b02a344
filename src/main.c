// SPDX-License-Identifier: GPL-2.0-only
/*
 * accelbench: where does the time of one (de)compression request go, and does an accelerator pay?
 */
#include "base/interrupt.h"
#include "base/log.h"
#include "cmd.h"

int main(int argc, char **argv)
{
	struct diag d = {0};
	enum exit_status status;

	ab_interrupt_install();
	status = command_line(argc, argv, &d);
	if (status != STATUS_OK && d.text[0])
		log_error("%s", d.text);
	if (status != STATUS_OK && ab_interrupted())
		return 128 + ab_interrupt_signal();
	return status;
}
