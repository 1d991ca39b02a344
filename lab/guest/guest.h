/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the guest's process 1: init.c is the way up, command.c runs the command, util.c serves both. */
#ifndef LAB_GUEST_H
#define LAB_GUEST_H

#include <stdbool.h>
#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* util.c: a line on the console; fail() adds what errno means and ends the guest. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Kills all, unmounts, reboots, which ends QEMU too: it runs with -no-reboot. */
_Noreturn void end_guest(void);
void end_tasks(void);

/* Contents of a small file with a NUL behind them, or NULL; *size may be NULL. The caller frees. */
char *read_file(const char *path, size_t *size);

/*
 * Finds the entry of a sysfs class folder whose attribute has the value wanted, and writes the path of its device node.
 * Returns false when there is none.
 */
bool find_device(const char *class, const char *attribute, const char *wanted, char *node,
		 size_t size);

/* command.c: runs what the host left in /lab/in and writes its status; a shell when there is nothing. */
void run(void);

#endif
