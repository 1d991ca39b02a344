/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Side effects that somebody else could see (mounts, loop devices, sysfs values, temporary folders)
 * are written down before they happen, undone in reverse order on every way out, and can be undone
 * by `accelbench cleanup` after a SIGKILL. The journal is a file
 * /run/accelbench/<pid>-<random>.undo, locked (flock) by its owner while it lives.
 *
 * Format, one record a line, appended and fsync'ed; '%', blanks and everything unprintable as %XX:
 *     accelbench-undo 1 <pid>
 *     + <id> <kind> <path> =<value>     about to be done; "-" instead of "=<value>": no value
 *     - <id>                            undone, or no longer needed
 * A last line without its newline was never acted upon and is ignored.
 */
#ifndef AB_BASE_UNDO_H
#define AB_BASE_UNDO_H

#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"

enum undo_kind {
	/* path: a mount point, value: its source (NULL: any). Lazily detached when busy. */
	UNDO_UMOUNT,
	/* path: /dev/loopN, value: the backing file it must still have, else it is left alone. */
	UNDO_LOOP,
	/* path: a sysfs or proc file, value: what to write back (may be empty). */
	UNDO_WRITE,
	/* path: an empty folder. */
	UNDO_RMDIR,
	/*
	 * path: a folder with all that is in it: the very one that is there now or, if none is
	 * yet, one with a name that begins with "accelbench" in its path. No mount is crossed.
	 */
	UNDO_RMTREE,
	/* path: a file. */
	UNDO_UNLINK,
	/* path: a folder, value: where it belongs (see fs_move_into()). Nothing when it does not exist. */
	UNDO_MOVE,
};

struct undo; /* opaque: journal of one run */

/*
 * Creates the journal. @dir NULL: /run/accelbench, for others than root $XDG_RUNTIME_DIR/accelbench
 * or /tmp/accelbench-<uid>. The folder must belong to us alone (mode 0700), since its content is
 * acted upon: -EPERM.
 */
int undo_open(struct undo **u, const char *dir, struct diag *d);
/*
 * Writes the action down (fsync'ed); call it BEFORE doing the thing. @value may be NULL. Returns an
 * id > 0 or -errno.
 */
int undo_push(struct undo *u, enum undo_kind kind, const char *path, const char *value,
	      struct diag *d);
/*
 * Does the action now and strikes it from the journal. 0, or -errno with the reason (it stays
 * written down then).
 */
int undo_run(struct undo *u, int id, struct diag *d);
/* Strikes an action that is no longer needed, without doing it. */
void undo_forget(struct undo *u, int id);
/*
 * Does all that is left, newest first; removes the journal when nothing failed. Returns the number
 * that failed.
 */
int undo_close(struct undo *u, struct diag *d);

/* Does nothing of what is left, and leaves it written down for `accelbench cleanup`. */
void undo_leave(struct undo *u);

struct undo_report {
	unsigned int journals; /* left behind by dead owners */
	unsigned int undone;
	unsigned int failed;
	unsigned int alive;  /* journals whose owner still runs: left alone */
	unsigned int in_use; /* actions put off: a living owner works with the same thing */
};

/* `accelbench cleanup`: undoes what dead owners left. Repeatable. */
int undo_cleanup(const char *dir, struct undo_report *report, struct diag *d);

#endif
