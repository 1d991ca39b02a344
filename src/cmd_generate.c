// SPDX-License-Identifier: GPL-2.0-only
#include "cmd.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/log.h"
#include "run/textgen.h"

static const char *const kind_names[] = {"text", NULL};

struct options {
	int kind;
	uint64_t size_bytes;
	unsigned int seed;
	const char *output;
};

static const struct options defaults = {.seed = 1};

static const struct option_info options_table[] = {
	{"kind", 'k', OPTION_ENUM, offsetof(struct options, kind), NULL, kind_names,
	 "what to generate"},
	{"size", 's', OPTION_SIZE, offsetof(struct options, size_bytes), "SIZE", NULL,
	 "how much: 285MiB, 1G"},
	{"seed", 0, OPTION_UINT, offsetof(struct options, seed), "N", NULL,
	 "same seed, same bytes (default 1)"},
	{"output", 'o', OPTION_STRING, offsetof(struct options, output), "FILE", NULL,
	 "where to; - is standard output"},
};

static int write_file(const struct options *o, char hex[SHA256_HEX_SIZE], struct diag *d)
{
	char temp[4200];
	int ret;

	AB_CLOSE int fd = fs_open_beside(o->output, temp, sizeof(temp));

	if (fd < 0)
		return diag_errno(d, fd, "%s: no file can be made there", o->output);
	ret = textgen_write(fd, o->output, o->size_bytes, o->seed, hex, d);
	if (ret) {
		unlink(temp);
		return ret;
	}
	return fs_commit_beside(fd, temp, o->output, d);
}

static enum exit_status run_generate(const void *options, const struct invocation *inv,
				     struct diag *d)
{
	const struct options *o = options;
	AB_STRBUF struct strbuf out = {0};
	char hex[SHA256_HEX_SIZE];
	struct stat st;
	int ret;

	if (!o->size_bytes || !o->output) {
		diag_set(d, 0, "--size (more than 0) and --output are needed");
		return STATUS_USAGE;
	}
	if (!strcmp(o->output, "-")) {
		ret = textgen_write(STDOUT_FILENO, "standard output", o->size_bytes, o->seed, hex,
				    d);
		if (!ret)
			log_info("%s  -", hex);
		return ret ? STATUS_FAILED : STATUS_OK;
	}
	if (!stat(o->output, &st) && !S_ISREG(st.st_mode)) {
		diag_set(d, 0, "%s: not a regular file; use - for standard output", o->output);
		return STATUS_USAGE;
	}
	ret = write_file(o, hex, d);
	if (ret)
		return STATUS_FAILED;
	/* As sha256sum prints it. */
	strbuf_printf(&out, "%s  %s\n", hex, o->output);
	return command_print(&out, d);
}

const struct command cmd_generate = {
	.name = "generate",
	.summary = "write a dataset as scenarios generate it",
	.details =
		"Prints the sha256 of what was written. The bytes depend on kind, size and seed alone; a smaller\n"
		"size gives the beginning of a larger one.",
	.options = options_table,
	.option_count = ARRAY_SIZE(options_table),
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.run = run_generate,
};
