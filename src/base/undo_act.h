/* SPDX-License-Identifier: GPL-2.0-only */
/* What each kind of undo action does. Used by undo.c only. */
#ifndef AB_BASE_UNDO_ACT_H
#define AB_BASE_UNDO_ACT_H

#include <stdbool.h>
#include "base/undo.h"

/* Names of enum undo_kind in the journal; NULL beyond the last. */
const char *undo_kind_name(enum undo_kind kind);

/*
 * Does one action. Whether the thing is still there and still ours is looked at first; when it is
 * gone already, or now belongs to somebody else, there is nothing to do: 0. @value may be NULL.
 */
int undo_act(enum undo_kind kind, const char *path, const char *value, struct diag *d);

/* When one of this kind fails, older actions wait: the folder in which a thing stayed is removed by one of them. */
bool undo_others_wait(enum undo_kind kind);

/*
 * What tells the file or folder @path from any other that may stand there later. -errno: there is
 * none.
 */
int undo_identity(const char *path, char *buf, size_t size);

#endif
