// SPDX-License-Identifier: GPL-2.0-only
#include "base/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/undo_act.h"
#include "base/undo_journal.h"

int undo_open(struct undo **u, const char *dir, struct diag *d)
{
	int ret;

	*u = calloc(1, sizeof(**u));
	if (!*u)
		return diag_errno(d, -ENOMEM, "undo journal");
	(*u)->fd = -1;
	ret = undo_journal_create(*u, dir, d);
	if (ret) {
		free(*u);
		*u = NULL;
	}
	return ret;
}

int undo_push(struct undo *u, enum undo_kind kind, const char *path, const char *value,
	      struct diag *d)
{
	char identity[128];
	int ret;

	if (kind == UNDO_RMTREE && !value && !undo_identity(path, identity, sizeof(identity)))
		value = identity;
	ret = undo_entry_append(u, u->last_id + 1, kind, strdup(path),
				value ? strdup(value) : NULL);
	if (!ret && value && !u->entries[u->count - 1].value)
		ret = -ENOMEM;
	if (!ret)
		ret = undo_journal_add(u, &u->entries[u->count - 1]);
	if (!ret)
		return u->last_id;
	if (u->count && u->entries[u->count - 1].id == u->last_id)
		u->entries[u->count - 1].id = 0;
	return diag_errno(d, ret, "%s: cannot be written; nothing was changed", u->file);
}

static struct undo_entry *find(struct undo *u, int id)
{
	for (size_t i = u->count; id > 0 && i-- > 0;)
		if (u->entries[i].id == id)
			return &u->entries[i];
	return NULL;
}

void undo_forget(struct undo *u, int id)
{
	struct undo_entry *entry = find(u, id);

	if (!entry)
		return;
	/*
	 * When this cannot be written the action is looked at again later, finds nothing to do, and
	 * all is well.
	 */
	undo_journal_strike(u, id);
	entry->id = 0;
}

int undo_run(struct undo *u, int id, struct diag *d)
{
	struct undo_entry *entry = find(u, id);
	int ret;

	if (!entry)
		return diag_set(d, -ENOENT, "undo action %d: not in the journal", id);
	ret = undo_act(entry->kind, entry->path, entry->value, d);
	if (!ret)
		undo_forget(u, id);
	return ret;
}

int undo_close(struct undo *u, struct diag *d)
{
	struct diag first = {""}, each = {""};
	int failed = 0;

	if (!u)
		return 0;
	for (size_t i = u->count; i-- > 0;) {
		if (!u->entries[i].id || !undo_run(u, u->entries[i].id, &each))
			continue;
		if (!failed++)
			first = each;
		if (undo_others_wait(u->entries[i].kind))
			break;
	}
	if (failed)
		diag_set(d, -EIO, "%s (written down in %s: `accelbench cleanup` tries again)",
			 first.text, u->file);
	else
		undo_journal_remove(u);
	undo_journal_close(u);
	free(u);
	return failed;
}

void undo_leave(struct undo *u)
{
	if (!u)
		return;
	undo_journal_close(u);
	free(u);
}
