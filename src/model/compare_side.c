// SPDX-License-Identifier: GPL-2.0-only
/* What stands for one side: a result, or all results of a folder. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "model/compare.h"

/* Results that one side may have: far more than anybody measures, far less than would hurt. */
#define MAX_RESULTS 256

static int add(struct compare_side *side, const char *path, struct diag *d)
{
	struct result *grown;

	if (side->count == MAX_RESULTS)
		return diag_set(d, -E2BIG, "%s: more than %d results", path, MAX_RESULTS);
	grown = reallocarray(side->results, side->count + 1, sizeof(*grown));
	if (!grown)
		return diag_errno(d, -ENOMEM, "%s", path);
	side->results = grown;
	return result_load(path, &side->results[side->count], d) ? -EINVAL : (side->count++, 0);
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int add_folder(struct compare_side *side, const char *path, struct diag *d)
{
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, is_shown, alphasort), err = 0;

	if (n < 0)
		return diag_errno(d, -errno, "%s", path);
	for (int i = 0; i < n; i++) {
		char sub[4096], file[4200];

		if (!err)
			err = fs_path(sub, sizeof(sub), "%s/%s", path, entries[i]->d_name);
		if (!err)
			err = fs_path(file, sizeof(file), "%s/result.json", sub);
		if (!err && fs_exists(file))
			err = add(side, sub, d);
		free(entries[i]);
	}
	free(entries);
	if (!err && !side->count)
		err = diag_set(d, -ENOENT, "%s: neither a result nor a folder of results", path);
	return err;
}

/* "a/b/" and "a/b" are b. */
static void name_of(const char *path, char *name, size_t size)
{
	AB_FREE char *real = realpath(path, NULL);
	const char *slash = real ? strrchr(real, '/') : NULL;

	snprintf(name, size, "%s", slash && slash[1] ? slash + 1 : path);
}

int compare_side_load(const char *path, struct compare_side *side, struct diag *d)
{
	AB_FREE char *file = NULL;
	int err;

	*side = (struct compare_side){0};
	if (asprintf(&file, "%s/result.json", path) < 0)
		return diag_errno(d, -ENOMEM, "%s", path);
	err = fs_is_folder(path) && !fs_exists(file) ? add_folder(side, path, d)
						     : add(side, path, d);
	if (err) {
		compare_side_free(side);
		return err;
	}
	if (side->count == 1 && side->results[0].id[0])
		memcpy(side->name, side->results[0].id, sizeof(side->name));
	else
		name_of(path, side->name, sizeof(side->name));
	return 0;
}

void compare_side_free(struct compare_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		result_free(&side->results[i]);
	free(side->results);
	*side = (struct compare_side){0};
}
