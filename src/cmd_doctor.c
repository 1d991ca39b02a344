// SPDX-License-Identifier: GPL-2.0-only
#include "cmd.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "report/doctor.h"
#include "run/doctor.h"
#include "run/lab.h"

struct options {
	bool json;
	bool intrusive;
	const char *lab_dir;
	const char *tools_root;
};

static const struct option_info options_table[] = {
	{"json", 0, OPTION_FLAG, offsetof(struct options, json), NULL, NULL, "print JSON"},
	{"intrusive", 0, OPTION_FLAG, offsetof(struct options, intrusive), NULL, NULL,
	 "try also what others could notice: see above"},
	{"lab-dir", 0, OPTION_STRING, offsetof(struct options, lab_dir), "DIR", NULL,
	 "the built lab (default: " LAB_DEFAULT_DIR ")"},
	{"tools-root", 0, OPTION_STRING, offsetof(struct options, tools_root), "DIR", NULL,
	 "another system's root whose mkfs.erofs may be used (default: the lab's)"},
};

static unsigned int terminal_columns(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

static enum exit_status run_doctor(const void *options, const struct invocation *inv,
				   struct diag *d)
{
	const struct options *o = options;
	const struct doctor_opts opts = {o->lab_dir, o->tools_root, o->intrusive};
	AB_CLEANUP(doctor_report_free) struct doctor_report r = {0};
	AB_STRBUF struct strbuf out = {0};
	enum exit_status status;

	if (doctor_run(&opts, &r, d))
		return STATUS_FAILED;
	if (o->json)
		doctor_json(&r, &out);
	else
		doctor_text(&r, command_color(&inv->common), terminal_columns(), &out);
	status = command_print(&out, d);
	if (status)
		return status;
	return r.can_trace ? STATUS_OK : STATUS_SKIPPED;
}

static const struct options defaults = {.lab_dir = LAB_DEFAULT_DIR};

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "find out what works on this host, what does not, and what to do about it",
	.details =
		"Everything is tried: programs are loaded and attached, images built, mounted and\n"
		"read. All of it is undone at the end, and nobody else on the machine sees it, except\n"
		"with --intrusive: then missing kernel modules are loaded (they stay), and the\n"
		"accelerator of EROFS is switched on and back.\n\n"
		"Exit status 4 when requests cannot be traced on this host.",
	.options = options_table,
	.option_count = ARRAY_SIZE(options_table),
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.run = run_doctor,
};
