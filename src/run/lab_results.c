// SPDX-License-Identifier: GPL-2.0-only
#include "run/lab_results.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "base/fsutil.h"
#include "base/log.h"
#include "run/image_store.h"
#include "run/store.h"

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

int lab_results_take(const char *console, const struct run_opts *o, struct result *r,
		     struct diag *d)
{
	char dir[4400];
	int err = fs_path(dir, sizeof(dir), "%s/%s", o->output_dir, o->id);

	if (err)
		return diag_errno(d, err, "%s", o->output_dir);
	result_free(r);
	*r = (struct result){0};
	err = result_load(dir, r, d);
	if (err)
		return err;
	strike_spoilt(r, o);
	return put_console(console, dir, d);
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
