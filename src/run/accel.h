/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * EROFS' accelerator switch, /sys/fs/erofs/accel (kernel 6.16 and newer,
 * CONFIG_EROFS_FS_ZIP_ACCEL).
 */
#ifndef AB_RUN_ACCEL_H
#define AB_RUN_ACCEL_H

#include "base/undo.h"

struct accel {
	struct undo *undo;
	int undo_id;	    /* restores what was set before us; 0: nothing changed yet */
	char original[256]; /* what was set before, "" for nothing */
	char current[256];
	bool known; /* the file exists and could be read */
};

int accel_open(struct accel *a, struct undo *u, struct diag *d);
/*
 * @driver NULL or "": off. Writes, reads back. -EOPNOTSUPP with the reason: kernel option off,
 * algorithm not registered, self-test failed.
 */
int accel_set(struct accel *a, const char *driver, struct diag *d);
/* Puts back what was set before. */
int accel_restore(struct accel *a, struct diag *d);
/* Why @driver cannot be used, without changing anything; 0 when it looks usable. */
int accel_explain(const char *driver, struct diag *d);

#endif
