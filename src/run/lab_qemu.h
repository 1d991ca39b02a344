/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of the lab's QEMU. Used by lab.c only. */
#ifndef AB_RUN_LAB_QEMU_H
#define AB_RUN_LAB_QEMU_H

#include "run/lab.h"

/* Words of a command line, allocated. */
struct words {
	char *word[128]; /* NULL-terminated */
	size_t count;
	bool failed; /* too many, or out of memory */
};

/* @out_fd, @err_fd: write ends of pipes that QEMU inherits under these numbers. -ENOMEM. */
int lab_qemu_words(const struct lab_opts *o, int out_fd, int err_fd, struct words *w,
		   struct diag *d);
void words_free(struct words *w);
#define LAB_WORDS AB_CLEANUP(words_free)

#endif
