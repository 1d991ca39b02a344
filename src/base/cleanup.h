/* SPDX-License-Identifier: GPL-2.0-only */
/* __cleanup for locals: `AB_FREE char *p`, `AB_CLOSE int fd = -1`. */
#ifndef AB_BASE_CLEANUP_H
#define AB_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define AB_CLEANUP(fn) __attribute__((cleanup(fn)))
#define ARRAY_SIZE(a)  (sizeof(a) / sizeof((a)[0]))

static inline void ab_free_ptr(void *p)
{
	free(*(void **)p);
}

static inline void ab_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void ab_close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

#define AB_FREE	  AB_CLEANUP(ab_free_ptr)
#define AB_CLOSE  AB_CLEANUP(ab_close_fd)
#define AB_FCLOSE AB_CLEANUP(ab_close_file)

#endif
