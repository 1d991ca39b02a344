/* SPDX-License-Identifier: GPL-2.0-only */
/* Loop devices. For mount.c only. */
#ifndef AB_RUN_LOOP_H
#define AB_RUN_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include "base/undo.h"

struct loop {
	int fd;		 /* open device: keeps it attached until the mount does */
	char device[64]; /* "/dev/loop3" */
	int undo_id;
};

/*
 * Attaches @image (absolute path) read-only to a free loop device that frees itself after its last
 * user. @direct: with direct I/O, or an error. -ENODEV: none left, or no loop driver; -EPERM: not
 * root; -EOPNOTSUPP: no direct I/O on that file system.
 */
int loop_attach(struct undo *u, const char *image, bool direct, struct loop *loop, struct diag *d);
/* Closes our descriptor; the device stays as long as something else uses it. */
void loop_close(struct loop *loop);

#endif
