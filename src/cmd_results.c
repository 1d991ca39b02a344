// SPDX-License-Identifier: GPL-2.0-only
#include "cmd_results.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/fsutil.h"
#include "base/nearest.h"
#include "model/metrics.h"

#define DEFAULT_COLUMNS 100
#define MIN_COLUMNS	40

static unsigned int terminal_columns(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

struct text_out results_text_out(const struct results_output *o, const struct invocation *inv,
				 struct strbuf *sb)
{
	struct text_out to = {.sb = sb, .raw = o->raw, .columns = o->columns};

	to.color = o->file ? inv->common.color == COLOR_ALWAYS : command_color(&inv->common);
	if (!to.columns && !o->file)
		to.columns = terminal_columns();
	if (!to.columns)
		to.columns = DEFAULT_COLUMNS;
	if (to.columns < MIN_COLUMNS)
		to.columns = MIN_COLUMNS;
	return to;
}

enum exit_status results_write(const struct results_output *o, const struct strbuf *text,
			       struct diag *d)
{
	if (text->failed) {
		diag_set(d, -ENOMEM, "out of memory");
		return STATUS_FAILED;
	}
	if (!o->file)
		return command_print(text, d);
	return fs_write_atomic(o->file, strbuf_str(text), text->len, d) ? STATUS_FAILED : STATUS_OK;
}

enum exit_status results_allow(const struct option_list *names, comparable_set *set, struct diag *d)
{
	for (size_t i = 0; i < names->count; i++)
		if (comparable_allow(set, names->items[i], d))
			return STATUS_USAGE;
	return STATUS_OK;
}

static void offer(void *nearest, const char *name)
{
	nearest_offer(nearest, name);
}

enum exit_status results_check_metric(const char *name, struct diag *d)
{
	char hint[NEAREST_HINT_SIZE];
	struct nearest nearest;
	struct metric metric;

	if (metric_find(name, &metric))
		return STATUS_OK;
	nearest_begin(&nearest, name);
	metric_each(offer, &nearest);
	diag_set(d, -EINVAL, "there is no metric '%.60s'%s", name, nearest_hint(&nearest, hint));
	return STATUS_USAGE;
}
