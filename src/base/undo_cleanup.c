// SPDX-License-Identifier: GPL-2.0-only
#include "base/undo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/undo_act.h"
#include "base/undo_journal.h"

/*
 * All journals of the folder: those of the dead are ours to undo, those of the living say what to
 * keep off.
 */
struct journals {
	struct undo *items;
	bool *alive;
	size_t count;
};

static void journals_free(struct journals *all)
{
	for (size_t i = 0; i < all->count; i++)
		undo_journal_close(&all->items[i]);
	free(all->items);
	free(all->alive);
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name), end = strlen(suffix);

	return len > end && !strcmp(name + len - end, suffix);
}

/*
 * A journal whose owner died before its first entry. Its creator, if it lives, sees it gone and
 * makes another.
 */
static void remove_unfinished(const char *path)
{
	AB_CLOSE int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB))
		unlink(path);
}

static int collect_one(struct journals *all, const char *path, struct undo_report *report,
		       struct diag *d)
{
	struct undo *items = reallocarray(all->items, all->count + 1, sizeof(*items));
	bool *alive = reallocarray(all->alive, all->count + 1, sizeof(*alive));
	int ret;

	if (items)
		all->items = items;
	if (alive)
		all->alive = alive;
	if (!items || !alive)
		return diag_errno(d, -ENOMEM, "%s", path);
	ret = undo_journal_take(&items[all->count], path, d);
	if (ret && ret != -EWOULDBLOCK) {
		undo_journal_close(&items[all->count]);
		if (ret == -ENOENT)
			return 0;
		report->journals++;
		report->failed++;
		return ret;
	}
	alive[all->count++] = ret == -EWOULDBLOCK;
	if (ret)
		report->alive++;
	else
		report->journals++;
	return 0;
}

static int collect(struct journals *all, const char *dir, struct undo_report *report,
		   struct diag *d)
{
	DIR *folder = opendir(dir);
	struct dirent *entry;
	char path[4096];
	int ret = 0;

	/* Who undid the last of it removed the folder too. */
	if (!folder)
		return errno == ENOENT ? 0 : diag_errno(d, -errno, "%s", dir);
	while ((entry = readdir(folder))) {
		int failed = 0;

		if (fs_path(path, sizeof(path), "%s/%s", dir, entry->d_name))
			continue;
		if (has_suffix(path, UNDO_NEW_SUFFIX))
			remove_unfinished(path);
		else if (has_suffix(path, UNDO_SUFFIX))
			failed = collect_one(all, path, report, ret ? NULL : d);
		ret = ret ? ret : failed;
	}
	closedir(folder);
	return ret;
}

/*
 * A living owner that works with the same device, folder or setting puts it right itself, later
 * than the dead one would.
 */
static bool used_by_living(const struct journals *all, const char *path)
{
	for (size_t i = 0; i < all->count; i++)
		for (size_t k = 0; all->alive[i] && k < all->items[i].count; k++)
			if (all->items[i].entries[k].id &&
			    !strcmp(all->items[i].entries[k].path, path))
				return true;
	return false;
}

/* Undoes what one dead owner left. 0, or the first error. */
static int undo_dead(const struct journals *all, struct undo *u, struct undo_report *report,
		     struct diag *d)
{
	bool keep = false;
	int ret = 0;

	for (size_t i = u->count; i-- > 0;) {
		struct undo_entry *entry = &u->entries[i];
		int failed;

		if (!entry->id)
			continue;
		if (used_by_living(all, entry->path)) {
			report->in_use++;
			keep = true;
			continue;
		}
		failed = undo_run(u, entry->id, ret ? NULL : d);
		if (failed)
			report->failed++;
		else
			report->undone++;
		ret = ret ? ret : failed;
		if (failed && undo_others_wait(entry->kind))
			break;
	}
	if (!ret && !keep)
		undo_journal_remove(u);
	return ret;
}

int undo_cleanup(const char *dir, struct undo_report *report, struct diag *d)
{
	AB_CLEANUP(journals_free) struct journals all = {0};
	char folder[4096];
	int ret;

	*report = (struct undo_report){0};
	ret = undo_dir(dir, false, folder, sizeof(folder), d);
	if (ret == -ENOENT)
		return 0;
	if (ret)
		return ret;
	ret = collect(&all, folder, report, d);
	for (size_t i = 0; i < all.count; i++) {
		int failed;

		if (all.alive[i])
			continue;
		failed = undo_dead(&all, &all.items[i], report, ret ? NULL : d);
		ret = ret ? ret : failed;
	}
	return ret;
}
