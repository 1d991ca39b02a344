// SPDX-License-Identifier: GPL-2.0-only
#include "cmd_scenario.h"

#include <errno.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "model/plan.h"
#include "run/fio.h"

struct options {
	struct scenario_options scenario;
	bool jobs;
};

static const struct option_info options_table[] = {
	SCENARIO_SET_OPTION(struct options, scenario),
	SCENARIO_QUICK_OPTION(struct options, scenario),
	{"jobs", 'j', OPTION_FLAG, offsetof(struct options, jobs), NULL, NULL,
	 "show the job files that fio gets, too"},
};

/* The size that the measured file will have. */
static int file_size(const struct dataset_spec *ds, uint64_t *bytes, struct diag *d)
{
	struct stat st;

	*bytes = ds->size_bytes;
	if (ds->kind == DATASET_GENERATE)
		return 0;
	if (stat(ds->path, &st))
		return diag_errno(d, -errno, "%s", ds->path);
	if (!S_ISREG(st.st_mode))
		return diag_set(d, -EINVAL,
				"%s is a folder: which of its files is read is known when it runs",
				ds->path);
	*bytes = (uint64_t)st.st_size;
	return 0;
}

static int print_jobs(const struct scenario *s, struct strbuf *out, struct diag *d)
{
	uint64_t bytes;
	int err = file_size(&s->dataset, &bytes, d);

	for (size_t i = 0; !err && i < s->workload_count; i++) {
		strbuf_printf(out, "\njob of %s\n", s->workloads[i].name);
		err = fio_job(&s->workloads[i], "MOUNTPOINT/FILE", bytes, out, d);
	}
	return err;
}

static enum exit_status run_plan(const void *options, const struct invocation *inv, struct diag *d)
{
	const struct options *o = options;
	AB_CLEANUP(plan_free) struct plan plan = {0};
	AB_STRBUF struct strbuf out = {0};
	struct scenario s;
	enum exit_status status = scenario_from_options(inv->operands[0], &o->scenario, &s, d);

	if (status)
		return status;
	if (plan_build(&s, &plan, d))
		return STATUS_FAILED;
	plan_print(&plan, &out);
	if (o->jobs && print_jobs(&s, &out, d))
		return STATUS_USAGE;
	return command_print(&out, d);
}

const struct command cmd_plan = {
	.name = "plan",
	.summary =
		"show every image, cell and repetition of a scenario, in order, and touch nothing",
	.operands = "SCENARIO",
	.operands_min = 1,
	.operands_max = 1,
	.options = options_table,
	.option_count = ARRAY_SIZE(options_table),
	.options_size = sizeof(struct options),
	.run = run_plan,
};
