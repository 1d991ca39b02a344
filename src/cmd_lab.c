// SPDX-License-Identifier: GPL-2.0-only
#include "cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "run/lab.h"

struct lab_options {
	const char *dir;
	const char *share;
	const char *console;
	const char *cache_disk;
	const char *cwd;
	struct option_list env;
	struct option_list kernel;
	struct option_list qemu;
	unsigned int cpus;
	uint64_t memory_bytes;
	uint64_t boot_timeout_ns;
	uint64_t timeout_ns;
	bool deterministic;
	bool survive_oops;
};

#define AT(member) offsetof(struct lab_options, member)

static const struct option_info option_table[] = {
	{"dir", 'b', OPTION_STRING, AT(dir), "DIR", NULL,
	 "the built guest (default: " LAB_DEFAULT_DIR ")"},
	{"share", 's', OPTION_STRING, AT(share), "DIR", NULL,
	 "folder that the guest sees as /lab (default: a temporary one)"},
	{"console", 'k', OPTION_STRING, AT(console), "FILE", NULL,
	 "log of the guest's console (default: console.log in the shared folder)"},
	{"cache-disk", 0, OPTION_STRING, AT(cache_disk), "IMAGE", NULL,
	 "raw ext4 image that the guest mounts read-write at /cache"},
	{"cwd", 'C', OPTION_STRING, AT(cwd), "DIR", NULL, "the command's folder (default: /)"},
	{"env", 'e', OPTION_LIST, AT(env), "NAME=VALUE", NULL,
	 "environment variable of the command; may be repeated"},
	{"kernel-option", 0, OPTION_LIST, AT(kernel), "WORD", NULL,
	 "add to the kernel's command line; may be repeated"},
	{"qemu-option", 0, OPTION_LIST, AT(qemu), "WORD", NULL,
	 "add to QEMU's command line; may be repeated"},
	{"cpus", 'c', OPTION_UINT, AT(cpus), "N", NULL, "CPUs of the guest (default: 2)"},
	{"memory", 'm', OPTION_SIZE, AT(memory_bytes), "SIZE", NULL,
	 "memory of the guest (default: 4GiB)"},
	{"boot-timeout", 0, OPTION_TIME, AT(boot_timeout_ns), "TIME", NULL,
	 "end the guest when the command has not started by then (default: 60s)"},
	{"timeout", 't', OPTION_TIME, AT(timeout_ns), "TIME", NULL,
	 "end the guest after this time (default: 600s)"},
	{"deterministic", 0, OPTION_FLAG, AT(deterministic), NULL, NULL,
	 "one CPU, guest time is a count of instructions"},
	{"survive-oops", 0, OPTION_FLAG, AT(survive_oops), NULL, NULL,
	 "an oops does not end the guest"},
};

/* NULL-terminated; the array is static in the caller's frame. */
static const char *const *terminated(const struct option_list *list,
				     const char *array[OPTION_LIST_MAX + 1])
{
	memcpy(array, list->items, list->count * sizeof(array[0]));
	array[list->count] = NULL;
	return array;
}

static enum exit_status run_in(const char *share, const struct lab_options *o,
			       const char *const argv[], struct diag *d)
{
	/* The copy of this program is found by its name. */
	static const char path[] = "PATH=/lab/in:/usr/sbin:/usr/bin:/sbin:/bin";
	const char *env[OPTION_LIST_MAX + 2] = {path};
	const char *kernel[OPTION_LIST_MAX + 1], *qemu[OPTION_LIST_MAX + 1];
	struct lab_result res;
	char console[PATH_MAX];
	struct lab_opts opts = {
		.dir = o->dir,
		.share = share,
		.console = o->console ? o->console : console,
		.cache_disk = o->cache_disk,
		.cwd = o->cwd,
		.env = env,
		.kernel_options = terminated(&o->kernel, kernel),
		.qemu_options = terminated(&o->qemu, qemu),
		.cpus = o->cpus,
		.memory_mib = (unsigned int)(o->memory_bytes >> 20),
		.deterministic = o->deterministic,
		.survive_oops = o->survive_oops,
		.boot_timeout_ns = o->boot_timeout_ns,
		.timeout_ns = o->timeout_ns,
	};

	terminated(&o->env, env + 1);
	if (fs_path(console, sizeof(console), "%s/console.log", share) ||
	    lab_share_program(share, d) || lab_run(argv, &opts, &res, d) ||
	    res.outcome != LAB_EXITED)
		return STATUS_FAILED;
	log_verbose("the guest was up after %.1f s, all took %.1f s", (double)res.boot_ns / 1e9,
		    (double)res.wall_ns / 1e9);
	/* The command's own status, whatever it means there. */
	return (enum exit_status)res.exit_status;
}

/* A temporary folder stays when the console log in it is all that tells what happened. */
static enum exit_status run_command(const struct lab_options *o, const char *const argv[],
				    struct diag *d)
{
	const char *tmp = getenv("TMPDIR");
	enum exit_status status;
	char share[PATH_MAX];

	if (o->share)
		return run_in(o->share, o, argv, d);
	if (fs_path(share, sizeof(share), "%s/accelbench-lab.XXXXXX", tmp && *tmp ? tmp : "/tmp") ||
	    !mkdtemp(share)) {
		diag_errno(d, -errno, "cannot make a temporary folder");
		return STATUS_FAILED;
	}
	status = run_in(share, o, argv, d);
	if (!d->text[0] || o->console)
		fs_remove_tree(share, NULL);
	return status;
}

static enum exit_status show_status(const struct lab_options *o, struct diag *d)
{
	AB_STRBUF struct strbuf out = {0};
	char path[PATH_MAX], kernel[128] = "", accel[16] = "";

	if (lab_check(o->dir, d))
		return STATUS_SKIPPED;
	if (!fs_path(path, sizeof(path), "%s/kernel", o->dir))
		fs_read_line(path, kernel, sizeof(kernel));
	lab_accel(o->dir, accel, sizeof(accel));
	strbuf_printf(&out, "guest: %s\nkernel: %s\nprocessor: %s\n", o->dir, kernel,
		      strcmp(accel, "kvm") ? "emulated" : "kvm");
	return command_print(&out, d);
}

static enum exit_status run(const void *options, const struct invocation *inv, struct diag *d)
{
	const struct lab_options *o = options;
	const char *argv[256] = {NULL};
	size_t count = inv->operand_count - 1;

	if (!strcmp(inv->operands[0], "status") && !count)
		return show_status(o, d);
	if (strcmp(inv->operands[0], "run") || !count || count >= ARRAY_SIZE(argv)) {
		diag_set(d, -EINVAL, "lab: expected 'run COMMAND [ARGUMENT]...' or 'status'");
		return STATUS_USAGE;
	}
	memcpy(argv, inv->operands + 1, count * sizeof(argv[0]));
	if (lab_check(o->dir, d))
		return STATUS_SKIPPED;
	return run_command(o, argv, d);
}

static const struct lab_options defaults = {.dir = LAB_DEFAULT_DIR};

const struct command cmd_lab = {
	.name = "lab",
	.summary = "run a command in the lab's guest, or say what guest there is",
	.operands = "run COMMAND [ARGUMENT]... | status",
	.operands_min = 1,
	.operands_max = OPERANDS_ANY,
	.details =
		"`accelbench lab run -- accelbench doctor` runs this program in the guest.\n"
		"The exit status is the command's; 3 when the guest crashed, hung or did not start, and\n"
		"its console log is kept then.\n"
		"The guest is the one of --dir, else the one in the current folder's " LAB_DEFAULT_DIR
		".",
	.options = option_table,
	.option_count = ARRAY_SIZE(option_table),
	.options_size = sizeof(struct lab_options),
	.defaults = &defaults,
	.run = run,
};
