/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says in its log while something is tried. */
#ifndef AB_RUN_KMSG_H
#define AB_RUN_KMSG_H

#include <stddef.h>

/*
 * From now on. A descriptor, or -errno where the log may not be read: kmsg_words() takes that too.
 */
int kmsg_open(void);
/*
 * New lines with @word in them, the last three, joined by "; "; "" if there are none. Closes @fd.
 */
void kmsg_words(int fd, const char *word, char *buf, size_t size);

#endif
