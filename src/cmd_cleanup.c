// SPDX-License-Identifier: GPL-2.0-only
#include "cmd.h"

#include <errno.h>
#include "base/cleanup.h"
#include "base/log.h"
#include "base/undo.h"
#include "run/store.h"

struct options {
	const char *cache;
};

static const struct option_info options_table[] = {
	{"cache", 0, OPTION_STRING, offsetof(struct options, cache), "DIR", NULL,
	 "the cache whose unfinished work is removed (default: as for run)"},
};

static void report(const struct undo_report *r, unsigned int unfinished)
{
	if (!r->journals && !unfinished)
		log_info("nothing was left behind");
	if (r->journals)
		log_info("runs that ended without undoing: %u; actions undone: %u", r->journals,
			 r->undone);
	if (unfinished)
		log_info("unfinished datasets and images removed: %u", unfinished);
	if (r->in_use)
		log_info(
			"put off, since a living run uses the same thing: %u; run cleanup again when it is done",
			r->in_use);
	if (r->alive)
		log_info("living runs left alone: %u", r->alive);
}

/* Each part is done whatever becomes of the other. */
static enum exit_status run_cleanup(const void *options, const struct invocation *inv,
				    struct diag *d)
{
	const struct options *o = options;
	struct undo_report undone = {0};
	unsigned int unfinished = 0;
	struct diag why = {""};
	struct store st;
	int undo_ret, store_ret;

	undo_ret = undo_cleanup(NULL, &undone, d);
	store_ret = store_find(&st, o->cache, &why);
	if (!store_ret)
		store_ret = store_sweep(&st, &unfinished, &why);
	/* There need not be one; but perhaps its name was misspelt. */
	if (store_ret == -ENOENT) {
		if (o->cache)
			log_warn("%s: no cache is there", o->cache);
		store_ret = 0;
	}
	report(&undone, unfinished);
	if (!undo_ret && !store_ret)
		return STATUS_OK;
	if (!undo_ret)
		diag_set(d, store_ret, "cache: %s", why.text);
	else if (store_ret)
		log_error("%s", why.text);
	return STATUS_FAILED;
}

const struct command cmd_cleanup = {
	.name = "cleanup",
	.summary = "undo what killed runs left behind",
	.details =
		"Unmounts, detaches loop devices, restores kernel settings and removes temporary folders that a run\n"
		"could not undo itself because it was killed. What living runs use is left alone. Can be repeated.",
	.options = options_table,
	.option_count = ARRAY_SIZE(options_table),
	.options_size = sizeof(struct options),
	.run = run_cleanup,
};
