/* SPDX-License-Identifier: GPL-2.0-only */
/* Terminal tables of a result: the experiment's table, then the phases of each cell. */
#ifndef AB_REPORT_TABLE_H
#define AB_REPORT_TABLE_H

#include "model/result.h"

struct report_opts {
	const struct result *beside; /* a second result set beside the first, or NULL */
	bool color;
	bool raw;	      /* integers without units */
	unsigned int columns; /* width of the terminal, 0: 100 */
};

/* Everything that a run prints at its end. */
int report_text(const struct result *r, const struct report_opts *opts, struct strbuf *out,
		struct diag *d);

#endif
