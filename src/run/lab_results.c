// SPDX-License-Identifier: GPL-2.0-only
#include "run/lab_results.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/fsutil.h"
#include "base/log.h"
#include "run/image_store.h"
#include "run/store.h"

/* The guest names its folder itself: the only one below out/results. */
static int find_result(const char *share, char *name, size_t size)
{
	char path[4200];
	struct dirent *entry;
	int err = -ENOENT;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/out/results", share);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (err && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < size) {
			snprintf(name, size, "%s", entry->d_name);
			err = 0;
		}
	closedir(dir);
	return err;
}

/* A run that goes on already has a folder: what is new is moved into it. */
static int move_files(const char *from, const char *to, const char *sub, struct diag *d)
{
	char source[4600], target[4600];
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	snprintf(source, sizeof(source), "%s%s", from, sub);
	dir = opendir(source);
	if (!dir)
		return diag_errno(d, -errno, "%s", source);
	while (!err && (entry = readdir(dir))) {
		if (entry->d_type != DT_REG)
			continue;
		if (fs_path(source, sizeof(source), "%s%s/%s", from, sub, entry->d_name) ||
		    fs_path(target, sizeof(target), "%s%s/%s", to, sub, entry->d_name))
			err = diag_errno(d, -ENAMETOOLONG, "%s", entry->d_name);
		else if (rename(source, target))
			err = diag_errno(d, -errno, "%s: cannot be moved to %s", source, target);
	}
	closedir(dir);
	return err;
}

static int move_result(const char *from, const char *to, struct diag *d)
{
	int err;

	if (!rename(from, to))
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return diag_errno(d, -errno, "%s: cannot be moved to %s", from, to);
	err = move_files(from, to, "/fio", d);
	return err ? err : move_files(from, to, "", d);
}

/*
 * Images that the guest found to hold wrong data: spoilt in the cache, which is here? Then they are struck from it, as after a
 * run on this host.
 */
static void strike_spoilt(const struct result *r, const struct run_opts *o)
{
	char folder[4400];
	struct store st;

	if (store_open(&st, o->cache_dir, NULL, NULL) ||
	    fs_path(folder, sizeof(folder), "%s/images", st.dir))
		return;
	for (size_t i = 0; i < r->image_count; i++) {
		const struct result_image *image = &r->images[i];
		bool wrong = false;

		for (size_t k = 0; k < image->verify_count; k++)
			wrong |= !image->verifies[k].ok;
		if (wrong && image_recheck(folder, image->key) == -EUCLEAN)
			log_error(
				"image %s was spoilt in the cache after it was built; the next run builds it again",
				image->key);
	}
}

/* In place of the one of a run that goes on. */
static int put_console(const char *console, const char *dir, struct diag *d)
{
	char path[4500];
	int err = fs_path(path, sizeof(path), "%s/console.log", dir);

	if (err)
		return diag_errno(d, err, "%s", dir);
	unlink(path);
	return fs_copy_file(console, path, 0644, d);
}

int lab_results_bring_back(const char *share, const char *console, const struct run_opts *o,
			   struct result *r, struct diag *d)
{
	char from[4400], to[4400], name[160];
	int err = find_result(share, name, sizeof(name));

	if (!err)
		err = fs_path(from, sizeof(from), "%s/out/results/%s", share, name);
	if (!err)
		err = fs_path(to, sizeof(to), "%s/%s", o->output_dir, o->id);
	if (err)
		return diag_errno(d, err, "the guest left no result");
	err = move_result(from, to, d);
	if (err)
		return err;
	result_free(r);
	*r = (struct result){0};
	err = result_load(to, r, d);
	if (!err) {
		strike_spoilt(r, o);
		snprintf(r->id, sizeof(r->id), "%s", o->id);
		err = result_save(to, r, d);
	}
	if (!err)
		err = put_console(console, to, d);
	return err;
}

void lab_results_keep_console(const char *console, const struct run_opts *o)
{
	char dir[4400], to[4500];
	struct diag why = {0};

	snprintf(dir, sizeof(dir), "%s/%s", o->output_dir, o->id);
	snprintf(to, sizeof(to), "%s/console.log", dir);
	if (fs_exists(to) || !fs_exists(console))
		return;
	if (fs_mkdir_p(dir, 0755, &why) || put_console(console, dir, &why))
		log_warn("%s", why.text);
}
