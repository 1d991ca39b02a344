/* SPDX-License-Identifier: GPL-2.0-only */
/* The undo journal's file: format, locking, trust. Used by undo.c and undo_cleanup.c only. */
#ifndef AB_BASE_UNDO_JOURNAL_H
#define AB_BASE_UNDO_JOURNAL_H

#include <stdbool.h>
#include "base/undo.h"

struct undo_entry {
	int id; /* 0: struck */
	enum undo_kind kind;
	char *path;
	char *value; /* NULL: none */
};

struct undo {
	int fd; /* locked; -1: never opened */
	char file[4096];
	struct undo_entry *entries; /* in the order they were pushed */
	size_t count;
	int last_id;
};

#define UNDO_SUFFIX ".undo"
/* A journal that is being created: not locked yet, or not renamed yet. */
#define UNDO_NEW_SUFFIX ".new"

/*
 * The folder meant by @dir (see undo_open()), created and checked when @create. -ENOENT: not there.
 */
int undo_dir(const char *dir, bool create, char *buf, size_t size, struct diag *d);
/* Creates, locks and names a journal. */
int undo_journal_create(struct undo *u, const char *dir, struct diag *d);
/*
 * Opens the journal @file of somebody else and reads its entries. 0: its owner is dead, the lock is
 * ours now; -EWOULDBLOCK: its owner lives (entries are filled all the same); -ENOENT: gone; -EPERM:
 * not to be trusted.
 */
int undo_journal_take(struct undo *u, const char *file, struct diag *d);
int undo_journal_add(struct undo *u, const struct undo_entry *entry);
int undo_journal_strike(struct undo *u, int id);
/* Appends to u->entries; takes over @path and @value. */
int undo_entry_append(struct undo *u, int id, enum undo_kind kind, char *path, char *value);
/* Closes the file (which unlocks it) and frees what @u points to. */
/* Removes the journal of which nothing is left to do, and the folder with the last one. */
void undo_journal_remove(struct undo *u);
void undo_journal_close(struct undo *u);

#endif
