// SPDX-License-Identifier: GPL-2.0-only
#include "cmd_scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "model/plan.h"
#include "probe/session.h"
#include "report/table.h"
#include "run/lab.h"
#include "run/lab_target.h"
#include "run/result_folder.h"
#include "run/runner.h"

static const char *const target_names[] = {"auto", "host", "lab", NULL};
enum target { TARGET_AUTO, TARGET_HOST, TARGET_LAB };

struct run_options {
	struct scenario_options scenario;
	bool dry_run;
	int target;
	int mechanism;
	const char *output;
	const char *cache;
	const char *tools_root;
	const char *resume;
	const char *prepared;
	const char *lab_dir;
	unsigned int lab_cpus;
	uint64_t lab_timeout_ns;
	bool deterministic;
	const char *lab_module;
};

#define AT(member) offsetof(struct run_options, member)

static const struct option_info option_table[] = {
	SCENARIO_SET_OPTION(struct run_options, scenario),
	SCENARIO_QUICK_OPTION(struct run_options, scenario),
	{"dry-run", 'n', OPTION_FLAG, AT(dry_run), NULL, NULL, "show the plan, touch nothing"},
	{"target", 't', OPTION_ENUM, AT(target), NULL, target_names,
	 "where to measure; auto: here if kernel functions can be traced here, else in the lab"},
	{"mechanism", 0, OPTION_ENUM, AT(mechanism), NULL, session_mechanism_names,
	 "how kernel functions are hooked"},
	{"output", 'o', OPTION_STRING, AT(output), "DIR", NULL,
	 "parent of result folders (default: results)"},
	{"cache", 0, OPTION_STRING, AT(cache), "DIR", NULL,
	 "where datasets and images are kept (default: /var/cache/accelbench as root)"},
	{"tools-root", 0, OPTION_STRING, AT(tools_root), "DIR", NULL,
	 "another system's root whose mkfs.erofs may be used (default: the lab's)"},
	{"resume", 0, OPTION_STRING, AT(resume), "RESULT", NULL, "go on with an interrupted run"},
	{"lab-dir", 0, OPTION_STRING, AT(lab_dir), "DIR", NULL,
	 "the built lab (default: " LAB_DEFAULT_DIR ")"},
	{"lab-cpus", 0, OPTION_UINT, AT(lab_cpus), "N", NULL, "CPUs of the guest (default: 2)"},
	{"lab-timeout", 0, OPTION_TIME, AT(lab_timeout_ns), "TIME", NULL,
	 "end the guest after this time (default: by the plan)"},
	{"lab-module", 0, OPTION_STRING, AT(lab_module), "PARAMETERS", NULL,
	 "parameters of the guest's accelerator, e.g. \"service_ns=20000\""},
	{"deterministic", 0, OPTION_FLAG, AT(deterministic), NULL, NULL,
	 "lab: one CPU, guest time is an instruction count"},
	{"prepared", 0, OPTION_STRING, AT(prepared), "DIR", NULL,
	 "take dataset, images and the result's name from another process (used by the lab)"},
};

static unsigned int terminal_columns(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

/* Did anything come of it that is worth a table? */
static bool has_news(const struct result *r)
{
	for (size_t i = 0; i < r->cell_count; i++)
		if (r->cells[i].status != CELL_PENDING || r->cells[i].sample_count)
			return true;
	return false;
}

/* The table on stdout, the result's folder on stderr; each if there is one. */
static enum exit_status print_result(const struct result *r, const struct run_opts *o,
				     const struct invocation *inv, struct diag *d)
{
	struct report_opts opts = {.color = command_color(&inv->common),
				   .columns = terminal_columns()};
	AB_STRBUF struct strbuf out = {0};
	enum exit_status status = STATUS_OK;
	char path[4200];

	if (has_news(r))
		status = report_text(r, &opts, &out, d) ? STATUS_FAILED : command_print(&out, d);
	if (!fs_path(path, sizeof(path), "%s/%s/result.json", o->output_dir, o->id) &&
	    fs_exists(path))
		log_info("result: %s/%s", o->output_dir, o->id);
	return status;
}

/* Invalid or failed cells make the run invalid; a run of which nothing could run is skipped. */
static enum exit_status judge(const struct result *r, struct diag *d)
{
	size_t bad = 0, skipped = 0;

	for (size_t i = 0; i < r->cell_count; i++) {
		const struct result_cell *cell = &r->cells[i];

		skipped += cell->status == CELL_SKIPPED;
		bad += cell->status == CELL_FAILED || (cell->status == CELL_DONE && !cell->valid);
	}
	if (bad) {
		diag_set(d, -EIO, "%zu of %zu cells failed or are invalid", bad, r->cell_count);
		return STATUS_FAILED;
	}
	if (skipped == r->cell_count) {
		diag_set(d, -EOPNOTSUPP, "nothing could run here: %s", r->cells[0].reason);
		return STATUS_SKIPPED;
	}
	return STATUS_OK;
}

/* @module: parameters of the accelerator that the guest loads first, NULL: none. */
static enum exit_status run_here(const struct plan *p, const struct run_opts *o, const char *module,
				 struct result *r, const struct invocation *inv, struct diag *d)
{
	enum exit_status status, printed;
	struct diag quiet = {0};
	int err;

	snprintf(r->target, sizeof(r->target), "%s", o->prepared ? "lab" : "host");
	if (o->prepared && module && lab_insmod(module, d))
		return STATUS_FAILED;
	err = run_prepare(p, o, r, d);
	if (err)
		return run_prepare_status(err);
	err = run_measure(p, o, r, d);
	/* Nothing was measured, and what was before is printed by `report`. */
	if (err == -ESTALE)
		return STATUS_USAGE;
	status = !err ? judge(r, d) : err == -EOPNOTSUPP ? STATUS_SKIPPED : STATUS_FAILED;
	/* In the lab the outer process prints. */
	if (o->prepared)
		return status;
	printed = print_result(r, o, inv, status ? &quiet : d);
	return status ? status : printed;
}

static enum exit_status run_in_lab(const struct plan *p, const struct run_opts *o,
				   const struct run_options *opts, struct result *r,
				   const struct invocation *inv, struct diag *d)
{
	struct lab_target target = {
		.lab_dir = opts->lab_dir,
		.scenario_file = p->scenario->file,
		.sets = opts->scenario.sets.items,
		.set_count = opts->scenario.sets.count,
		.quick = opts->scenario.quick,
		.mechanism = session_mechanism_names[opts->mechanism],
		.cpus = opts->lab_cpus,
		.timeout_ns = opts->lab_timeout_ns,
		.deterministic = opts->deterministic,
		.module_parameters = opts->lab_module,
	};
	enum exit_status status, printed;

	status = lab_target_run(p, o, &target, r, d);
	if (status == STATUS_USAGE)
		return status;
	printed = print_result(r, o, inv, status ? NULL : d);
	return status ? status : printed;
}

static enum exit_status needs_root(struct diag *d)
{
	if (!geteuid())
		return STATUS_OK;
	diag_set(d, -EPERM, "run needs root: it mounts file systems and loads BPF programs");
	return STATUS_SKIPPED;
}

/* Can kernel functions be traced here? Found out by doing it. */
static bool host_traces(const struct scenario *s, int mechanism)
{
	struct session_opts opts = {.filesystem = s->filesystem,
				    .mechanism = (enum session_mechanism)mechanism};
	struct session *session = NULL;
	struct diag why = {0};

	if (!s->trace.enabled)
		return true;
	run_load_filesystem(s->filesystem);
	if (session_open(&session, &opts, &why)) {
		log_info("this host cannot trace what the scenario asks for (%s); using the lab",
			 why.text);
		return false;
	}
	session_close(session);
	return true;
}

/* Where the result will be. An interrupted run goes on in its own folder. */
struct destination {
	char parent[4096];
	char id[RESULT_FOLDER_NAME_SIZE];
	int claim_fd; /* of a folder that is there already, else -1 */
};

static int split_result(const char *folder, struct destination *to, struct diag *d)
{
	AB_FREE char *real = realpath(folder, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;

	if (!slash || strlen(slash + 1) >= sizeof(to->id) || strlen(real) >= sizeof(to->parent))
		return diag_errno(d, real ? -EINVAL : -errno, "%s: not a result folder", folder);
	*slash = '\0';
	snprintf(to->parent, sizeof(to->parent), "%s", *real ? real : "/");
	snprintf(to->id, sizeof(to->id), "%s", slash + 1);
	return 0;
}

static enum exit_status check_options(const struct run_options *o, struct diag *d)
{
	if (!o->lab_cpus)
		diag_set(d, -EINVAL, "--lab-cpus: a guest has at least one CPU");
	else if (o->resume && o->output)
		diag_set(d, -EINVAL,
			 "--resume goes on in the run's own folder: it does not take --output");
	else if (o->tools_root && !fs_exists(o->tools_root))
		diag_set(d, -ENOENT, "--tools-root %s: not there", o->tools_root);
	else
		return STATUS_OK;
	return STATUS_USAGE;
}

static enum exit_status find_destination(const struct run_options *o, const struct scenario *s,
					 struct destination *to, struct diag *d)
{
	const char *parent = o->output ? o->output : "results";
	int err;

	if (o->resume) {
		err = split_result(o->resume, to, d);
		if (err)
			diag_prefix(d, err, "--resume");
		else
			err = to->claim_fd = result_folder_claim(o->resume, d);
		return err < 0 ? STATUS_USAGE : STATUS_OK;
	}
	if (o->prepared) {
		/* Under the name that the process outside of the guest gave it. */
		err = split_result(o->prepared, to, d);
		if (err)
			return STATUS_USAGE;
	}
	err = fs_path(to->parent, sizeof(to->parent), "%s", parent);
	if (err)
		diag_errno(d, err, "%s", parent);
	else
		err = result_folder_parent_check(parent, d);
	if (err)
		return run_prepare_status(err);
	if (!o->prepared && result_folder_name(s, to->id, d))
		return STATUS_FAILED;
	return STATUS_OK;
}

static enum exit_status run(const void *options, const struct invocation *inv, struct diag *d)
{
	const struct run_options *o = options;
	AB_FREE struct scenario *s = calloc(1, sizeof(*s));
	struct run_opts opts = {.cache_dir = o->cache,
				.tools_root = o->tools_root,
				.resume = o->resume,
				.prepared = o->prepared,
				.mechanism = (enum session_mechanism)o->mechanism};
	struct destination to = {.claim_fd = -1};
	AB_STRBUF struct strbuf text = {0};
	enum exit_status status;
	struct result r = {0};
	struct plan p = {0};
	char tools[4096];
	bool in_lab;

	if (!s) {
		diag_errno(d, -ENOMEM, "scenario");
		return STATUS_FAILED;
	}
	status = check_options(o, d);
	if (status)
		return status;
	status = scenario_from_options(inv->operands[0], &o->scenario, s, d);
	if (status)
		return status;
	if (plan_build(s, &p, d))
		return STATUS_FAILED;
	if (o->dry_run) {
		plan_print(&p, &text);
		status = command_print(&text, d);
		goto out;
	}
	in_lab = o->target == TARGET_LAB ||
		 (o->target == TARGET_AUTO && !host_traces(s, o->mechanism));
	status = in_lab ? STATUS_OK : needs_root(d);
	if (!status)
		status = find_destination(o, s, &to, d);
	if (status)
		goto out;
	opts.output_dir = to.parent;
	opts.id = to.id;
	if (!opts.tools_root && !fs_path(tools, sizeof(tools), "%s/root", o->lab_dir) &&
	    fs_exists(tools))
		opts.tools_root = tools;
	status = in_lab ? run_in_lab(&p, &opts, o, &r, inv, d)
			: run_here(&p, &opts, o->lab_module, &r, inv, d);
out:
	plan_free(&p);
	result_free(&r);
	if (to.claim_fd >= 0)
		close(to.claim_fd);
	return status;
}

static const struct run_options defaults = {.lab_dir = LAB_DEFAULT_DIR, .lab_cpus = 2};

const struct command cmd_run = {
	.name = "run",
	.summary = "run a scenario: build images, run fio, trace, print and keep the result",
	.operands = "SCENARIO",
	.operands_min = 1,
	.operands_max = 1,
	.details =
		"Needs root. Images and datasets are kept in the cache; a second run builds nothing.\n"
		"The result folder is named on stderr; `accelbench report` prints it again.\n"
		"The lab is the one of --lab-dir, else the one in the current folder's " LAB_DEFAULT_DIR
		".",
	.options = option_table,
	.option_count = ARRAY_SIZE(option_table),
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.run = run,
};
