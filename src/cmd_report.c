// SPDX-License-Identifier: GPL-2.0-only
#include "cmd_results.h"

#include <errno.h>
#include "base/cleanup.h"
#include "report/table.h"

struct options {
	const char *beside;
	bool json;
	struct results_output to;
};

static const struct option_info options_table[] = {
	{"beside", 0, OPTION_STRING, offsetof(struct options, beside), "RESULT", NULL,
	 "set a second result beside it, e.g. results/reference/erofs-seq"},
	{"json", 0, OPTION_FLAG, offsetof(struct options, json), NULL, NULL,
	 "print the checked result as JSON instead of tables"},
	RESULTS_OUTPUT_OPTIONS(struct options, to),
};

/* A result that cannot be read is bad input; running out of memory is not. */
static enum exit_status load(const char *path, struct result *r, struct diag *d)
{
	int err = result_load(path, r, d);

	if (!err)
		return STATUS_OK;
	return err == -ENOMEM ? STATUS_FAILED : STATUS_USAGE;
}

static enum exit_status run_report(const void *options, const struct invocation *inv,
				   struct diag *d)
{
	const struct options *o = options;
	AB_CLEANUP(result_free) struct result r = {0};
	AB_CLEANUP(result_free) struct result beside = {0};
	AB_STRBUF struct strbuf out = {0};
	struct text_out to = results_text_out(&o->to, inv, &out);
	struct report_opts opts = {.raw = to.raw, .columns = to.columns, .color = to.color};
	enum exit_status status;
	int err;

	status = load(inv->operands[0], &r, d);
	if (!status && o->beside)
		status = load(o->beside, &beside, d);
	if (status)
		return status;
	opts.beside = o->beside ? &beside : NULL;
	err = o->json ? result_to_json(&r, &out, d) : report_text(&r, &opts, &out, d);
	if (err)
		return err == -ENOMEM ? STATUS_FAILED : STATUS_USAGE;
	return results_write(&o->to, &out, d);
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
