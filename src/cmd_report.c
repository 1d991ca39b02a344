// SPDX-License-Identifier: GPL-2.0-only
#include "cmd.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "report/table.h"

struct options {
	const char *beside;
	const char *output;
	unsigned int columns;
	bool json;
	bool raw;
};

static const struct option_info options_table[] = {
	{"beside", 0, OPTION_STRING, offsetof(struct options, beside), "RESULT", NULL,
	 "set a second result beside it, e.g. results/reference/erofs-seq"},
	{"json", 0, OPTION_FLAG, offsetof(struct options, json), NULL, NULL,
	 "print the checked result as JSON instead of tables"},
	{"output", 'o', OPTION_STRING, offsetof(struct options, output), "FILE", NULL,
	 "write to FILE, complete or not at all; - is standard output"},
	{"raw", 0, OPTION_FLAG, offsetof(struct options, raw), NULL, NULL,
	 "integers without units: ns, bytes, bytes per second"},
	{"columns", 0, OPTION_UINT, offsetof(struct options, columns), "N", NULL,
	 "width of a line; the terminal's, 100 elsewhere"},
};

static unsigned int terminal_columns(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

/* A result that cannot be read is bad input; running out of memory is not. */
static enum exit_status load(const char *path, struct result *r, struct diag *d)
{
	int err = result_load(path, r, d);

	if (!err)
		return STATUS_OK;
	return err == -ENOMEM ? STATUS_FAILED : STATUS_USAGE;
}

static enum exit_status write_out(const struct options *o, const struct strbuf *text,
				  struct diag *d)
{
	if (!o->output)
		return command_print(text, d);
	if (text->failed) {
		diag_set(d, -ENOMEM, "out of memory");
		return STATUS_FAILED;
	}
	return fs_write_atomic(o->output, strbuf_str(text), text->len, d) ? STATUS_FAILED
									  : STATUS_OK;
}

static enum exit_status run_report(const void *options, const struct invocation *inv,
				   struct diag *d)
{
	const struct options *o = options;
	AB_CLEANUP(result_free) struct result r = {0};
	AB_CLEANUP(result_free) struct result beside = {0};
	struct report_opts opts = {.raw = o->raw, .columns = o->columns};
	AB_STRBUF struct strbuf out = {0};
	enum exit_status status;
	int err;

	status = load(inv->operands[0], &r, d);
	if (!status && o->beside)
		status = load(o->beside, &beside, d);
	if (status)
		return status;
	opts.beside = o->beside ? &beside : NULL;
	opts.color = o->output ? inv->common.color == COLOR_ALWAYS : command_color(&inv->common);
	if (!opts.columns && !o->output)
		opts.columns = terminal_columns();
	err = o->json ? result_to_json(&r, &out, d) : report_text(&r, &opts, &out, d);
	if (err)
		return err == -ENOMEM ? STATUS_FAILED : STATUS_USAGE;
	return write_out(o, &out, d);
}

const struct command cmd_report = {
	.name = "report",
	.summary = "print the tables of a result",
	.operands = "RESULT",
	.operands_min = 1,
	.operands_max = 1,
	.details =
		"RESULT is the folder that a run left, or its result.json. Needs no root and no tracing.",
	.options = options_table,
	.option_count = ARRAY_SIZE(options_table),
	.options_size = sizeof(struct options),
	.run = run_report,
};
