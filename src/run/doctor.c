// SPDX-License-Identifier: GPL-2.0-only
/* The table of what is tried, and what follows from it. */
#include "run/doctor_impl.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "probe/caps.h"
#include "run/host.h"

#define INSTALL(package) "install it: apt install " package " (or: make deps)"

/* In place of @which: once for every row of engine_table, with its number. */
#define EACH_ENGINE UINT_MAX

static doctor_check check_engine;

/*
 * In this order: later checks build on what earlier ones found. @remedy: what to do when it does
 * not work and the check itself knows nothing better.
 */
static const struct {
	const char *group, *name, *purpose;
	doctor_check *check;
	unsigned int which;
	const char *option; /* of the kernel, on which it depends, or NULL */
	const char *remedy;
} checks[] = {
	{"permissions", "root", "mounts, loop devices and BPF need it", check_root, 0, NULL,
	 BE_ROOT},
	{"permissions", "lockdown", "says what even root may not do", check_lockdown, 0, NULL,
	 "boot without lockdown=confidentiality, or " USE_LAB},
	{"permissions", "private mounts", "what a run mounts is seen by nobody else",
	 check_private_mounts, 0, NULL, USE_LAB},

	{"tools", "fio", "the workload", check_fio, 0, NULL, INSTALL("fio")},
	{"tools", "mkfs.erofs", "builds the images", check_mkfs, 0, NULL, INSTALL("erofs-utils")},
	{"tools", "mkfs.erofs elsewhere", "builds what this machine's cannot", check_mkfs, 1, NULL,
	 NULL},

	{"lab", "qemu", "runs the lab's guest", check_qemu, 0, NULL, "build it: make lab"},
	{"lab", "mmdebstrap", "builds the lab's guest", check_mmdebstrap, 0, NULL,
	 INSTALL("mmdebstrap")},
	{"lab", "guest", "a kernel that can be traced, with an accelerator", check_guest, 0, NULL,
	 "build it: make lab"},

	{"file system", "EROFS", "the file system under test", check_erofs, 0, "EROFS_FS",
	 "use a kernel with CONFIG_EROFS_FS, or " USE_LAB},
	{"file system", "loop-direct",
	 "images behind a loop device that caches nothing (the default)", check_backing,
	 BACKING_LOOP_DIRECT, "BLK_DEV_LOOP", "set backing: loop or backing: file in the scenario"},
	{"file system", "loop", "images behind a loop device", check_backing, BACKING_LOOP,
	 "BLK_DEV_LOOP", "set backing: file in the scenario"},
	{"file system", "file", "images without a block device", check_backing, BACKING_FILE,
	 "EROFS_FS_BACKED_BY_FILE", "leave the scenario at backing: loop-direct"},
	{"file system", "block statistics", "bytes read from the disk", check_block_statistics, 0,
	 NULL, "echo 1 >/sys/block/<device>/queue/iostats"},
	{"file system", "lz4", "reads lz4 and lz4hc images", check_algorithm, EROFS_LZ4,
	 "EROFS_FS_ZIP", "use a kernel with CONFIG_EROFS_FS_ZIP, or " USE_LAB},
	{"file system", "lzma", "reads lzma images", check_algorithm, EROFS_LZMA,
	 "EROFS_FS_ZIP_LZMA",
	 "use a kernel (5.16 or newer) with CONFIG_EROFS_FS_ZIP_LZMA, or " USE_LAB},
	{"file system", "deflate", "reads deflate images", check_algorithm, EROFS_DEFLATE,
	 "EROFS_FS_ZIP_DEFLATE",
	 "use a kernel (6.6 or newer) with CONFIG_EROFS_FS_ZIP_DEFLATE, or " USE_LAB},
	{"file system", "zstd", "reads zstd images", check_algorithm, EROFS_ZSTD,
	 "EROFS_FS_ZIP_ZSTD",
	 "use a kernel (6.10 or newer) with CONFIG_EROFS_FS_ZIP_ZSTD, or " USE_LAB},

	{"accelerator", "switch", "lets EROFS use an accelerator", check_switch, 0,
	 "EROFS_FS_ZIP_ACCEL",
	 "use a kernel (6.16 or newer) with CONFIG_EROFS_FS_ZIP_ACCEL, or " USE_LAB},
	{"accelerator", NULL, "decompresses in place of the processor", check_driver, EACH_ENGINE,
	 NULL,
	 "needs the device and its driver; the lab simulates one: accelbench run --target lab"},

	{"engines", NULL, NULL, check_engine, EACH_ENGINE, NULL, NULL},

	{"tracing", "BTF", "where the kernel keeps what the tracer reads", check_btf, 0,
	 "DEBUG_INFO_BTF",
	 "use a kernel with CONFIG_DEBUG_INFO_BTF and, for modules, CONFIG_DEBUG_INFO_BTF_MODULES"},
	{"tracing", "BPF programs", "trace inside the kernel", check_program, 0, "BPF_SYSCALL",
	 USE_LAB},
	{"tracing", "task storage", "the state of a request", check_map, CAPS_TASK_STORAGE, NULL,
	 "use a kernel of 5.11 or newer, or " USE_LAB},
	{"tracing", "ring buffer", "records of single requests", check_map, CAPS_RING_BUFFER, NULL,
	 "use a kernel of 5.8 or newer, or " USE_LAB},
	{"tracing", "fentry", "the cheapest hook in a function", check_mechanism, BY_FENTRY,
	 "FUNCTION_TRACER",
	 "use a kernel with CONFIG_FUNCTION_TRACER that lets fentry programs load, or " USE_LAB},
	{"tracing", "fprobe",
	 "a hook that is never skipped, where tasks are preempted in the kernel", check_mechanism,
	 BY_FPROBE, "FPROBE", "use a kernel with CONFIG_FPROBE, or " USE_LAB},
	{"tracing", "kprobe", "a dearer hook, where neither works", check_mechanism, BY_KPROBE,
	 "KPROBES", "use a kernel with CONFIG_KPROBES, or " USE_LAB},
	{"tracing", "tp_btf", "blocked time and CPU time, from the scheduler", check_tracepoint, 0,
	 NULL, USE_LAB},
	{"tracing", "tracer", "all of it together, as a run does it", check_tracer, 0, NULL,
	 USE_LAB},
};

void found(struct finding *f, enum finding_state state, const char *fmt, ...)
{
	va_list ap;

	f->state = state;
	va_start(ap, fmt);
	vsnprintf(f->detail, sizeof(f->detail), fmt, ap);
	va_end(ap);
}

void advise(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->remedy, sizeof(f->remedy), fmt, ap);
	va_end(ap);
}

void refused(struct finding *f, int err, const struct diag *why)
{
	if (why->text[0])
		found(f, FINDING_NO, "%s", why->text);
	else
		found(f, FINDING_NO, "%s", strerror(-err));
	if (geteuid() && (err == -EPERM || err == -EACCES))
		advise(f, BE_ROOT);
}

void no_folder(const struct doctor *dr, struct finding *f)
{
	found(f, FINDING_UNTRIED, "%s", dr->no_folder);
	advise(f, "make room for small files there");
}

static const unsigned int image_algorithms[AB_ALGORITHMS] = {
	[AB_ALG_STORED] = EROFS_TINY_STORED, [AB_ALG_LZ4] = EROFS_LZ4,	 [AB_ALG_LZMA] = EROFS_LZMA,
	[AB_ALG_DEFLATE] = EROFS_DEFLATE,    [AB_ALG_ZSTD] = EROFS_ZSTD,
};

static void add_item(struct strbuf *list, const char *text)
{
	strbuf_printf(list, "%s%s", list->len ? ", " : "", text);
}

/* What follows for one engine: can a scenario with it run here? */
static void check_engine(struct doctor *dr, unsigned int which, struct finding *f)
{
	const struct engine_info *e = &engine_table[which];
	unsigned int algorithm = image_algorithms[e->algorithm];
	bool makes = dr->makes >> which & 1;
	AB_STRBUF struct strbuf lacks = {0}, untried = {0};

	f->name = e->name;
	f->purpose = e->meaning;
	if (!makes && dr->tools_tried)
		add_item(&lacks, "no tool here makes its images");
	else if (!makes)
		add_item(&untried, "making its images");
	if (!dr->reads[algorithm])
		add_item(dr->mounted ? &lacks : &untried,
			 dr->mounted ? "the kernel does not read its images" : "reading them");
	if (e->accel_driver && dr->accelerators[which] == FINDING_NO)
		add_item(&lacks, "its accelerator cannot be used");
	else if (e->accel_driver && dr->accelerators[which] == FINDING_UNTRIED)
		add_item(&untried, "its accelerator");
	if (lacks.len)
		found(f, FINDING_NO, "%s", strbuf_str(&lacks));
	else if (untried.len)
		found(f, FINDING_UNTRIED, "not tried: %s", strbuf_str(&untried));
	else
		found(f, FINDING_OK, "images can be made and read");
	if (!makes && dr->tools_tried && e->mkfs_algorithm)
		advise(f,
		       "install an erofs-utils that knows %s (1.8 knows all), or run make lab: the "
		       "lab's is used then",
		       e->mkfs_algorithm);
}

/* A refusal is easier to understand when the kernel was built without. */
static void add_option(struct finding *f, const char *option, const struct result_host *h)
{
	const char *value = option ? host_option(&h->kernel_options, option) : NULL;
	size_t len = strlen(f->detail);

	if (value && !strcmp(value, "n"))
		snprintf(f->detail + len, sizeof(f->detail) - len, " (CONFIG_%s=n)", option);
}

static int keep(struct doctor_report *r, struct doctor *dr, size_t row, unsigned int which)
{
	struct finding f = {
		checks[row].group, checks[row].name, checks[row].purpose, FINDING_UNTRIED, "", ""};
	uint64_t start = clock_mono_ns();
	struct finding *grown;

	checks[row].check(dr, which, &f);
	if (!f.name)
		return 0;
	log_verbose("doctor: %s, %s: %s after %.0f ms", f.group, f.name,
		    finding_state_names[f.state], (double)(clock_mono_ns() - start) / 1e6);
	if (f.state == FINDING_NO && !f.remedy[0])
		add_option(&f, checks[row].option, &r->host);
	if (f.state == FINDING_NO && !f.remedy[0] && checks[row].remedy)
		advise(&f, "%s", checks[row].remedy);
	grown = realloc(r->findings, (r->finding_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	r->findings = grown;
	r->findings[r->finding_count++] = f;
	return 0;
}

static int run_checks(struct doctor *dr)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(checks); i++) {
		if (ab_interrupted())
			return -EINTR;
		if (checks[i].which != EACH_ENGINE)
			err = keep(dr->report, dr, i, checks[i].which);
		for (unsigned int e = 0; checks[i].which == EACH_ENGINE && !err && e < engine_count;
		     e++)
			err = keep(dr->report, dr, i, e);
	}
	return err ? err : doctor_hooks(dr);
}

/*
 * A folder on a disk, as images have it (direct I/O is not to be had everywhere), and the journal
 * that removes it.
 */
static void make_folder(struct doctor *dr)
{
	struct diag why = {0};

	if (undo_open(&dr->undo, NULL, &why)) {
		snprintf(dr->no_folder, sizeof(dr->no_folder), "%.500s", why.text);
		return;
	}
	snprintf(dr->folder, sizeof(dr->folder), "/var/tmp/accelbench-XXXXXX");
	if (!mkdtemp(dr->folder)) {
		snprintf(dr->no_folder, sizeof(dr->no_folder), "no folder in /var/tmp: %s",
			 strerror(errno));
		dr->folder[0] = '\0';
	} else if (undo_push(dr->undo, UNDO_RMTREE, dr->folder, NULL, &why) < 0) {
		snprintf(dr->no_folder, sizeof(dr->no_folder), "%.500s", why.text);
		rmdir(dr->folder);
		dr->folder[0] = '\0';
	}
}

static int list_engines(struct doctor_report *r, struct strbuf *untried)
{
	int err = 0;

	for (size_t i = 0; !err && i < r->finding_count; i++) {
		const struct finding *f = &r->findings[i];

		if (strcmp(f->group, "engines") != 0)
			continue;
		if (f->state == FINDING_OK)
			err = string_list_add(&r->engines, "%s", f->name);
		else if (f->state == FINDING_UNTRIED)
			add_item(untried, f->name);
	}
	return err;
}

static void say_engines(const struct doctor *dr, const struct strbuf *untried, struct strbuf *out)
{
	const struct string_list *engines = &dr->report->engines;

	if (!dr->has_fio)
		strbuf_puts(out, "This host can run no scenario: fio is missing.");
	else if (engines->count)
		strbuf_puts(out, "This host can run scenarios of ");
	else
		strbuf_puts(out, "This host was not seen to run any scenario.");
	for (size_t i = 0; dr->has_fio && i < engines->count; i++)
		strbuf_printf(out, "%s%s", engines->items[i],
			      i + 1 == engines->count	? "."
			      : i + 2 == engines->count ? " and "
							: ", ");
	if (untried->len)
		strbuf_printf(out, " Not tried: %s.", strbuf_str(untried));
}

static void say_tracing(const struct doctor *dr, struct strbuf *out)
{
	const struct doctor_report *r = dr->report;

	if (r->can_trace) {
		strbuf_printf(out, " It can trace their requests, by %s.", r->mechanism);
		return;
	}
	if (!dr->refusal[BY_FENTRY][0] || !dr->refusal[BY_FPROBE][0] ||
	    !dr->refusal[BY_KPROBE][0]) {
		/* Functions can be hooked, so it is something else. */
		const struct finding *f = doctor_find(r, "tracing", "tracer");

		strbuf_printf(out, " It cannot trace requests: %s.", f ? f->detail : "?");
	} else {
		strbuf_printf(
			out,
			" It cannot trace kernel functions (fentry: %s; fprobe: %s; kprobe: %s)",
			dr->refusal[BY_FENTRY], dr->refusal[BY_FPROBE], dr->refusal[BY_KPROBE]);
		strbuf_printf(out, ": use --target lab%s.",
			      dr->lab_ready ? ", which is built" : " after make lab");
	}
}

static int summarize(struct doctor *dr)
{
	AB_STRBUF struct strbuf text = {0}, untried = {0};
	int err = list_engines(dr->report, &untried);

	if (err)
		return err;
	say_engines(dr, &untried, &text);
	say_tracing(dr, &text);
	if (geteuid())
		strbuf_puts(&text,
			    " Most of this needs root: run the doctor as root to know more.");
	snprintf(dr->report->summary, sizeof(dr->report->summary), "%s", strbuf_str(&text));
	return text.failed ? -ENOMEM : 0;
}

int doctor_run(const struct doctor_opts *opts, struct doctor_report *r, struct diag *d)
{
	AB_FREE struct doctor *dr = calloc(1, sizeof(*dr));
	struct diag undoing = {0};
	int err;

	*r = (struct doctor_report){0};
	if (!dr)
		return diag_errno(d, -ENOMEM, "doctor");
	dr->opts = opts;
	dr->report = r;
	attach_quiet_libbpf();
	err = host_facts(&r->host, d);
	if (err)
		return err;
	make_folder(dr);
	err = run_checks(dr);
	if (!err)
		err = summarize(dr);
	if (dr->has_index)
		btf_index_free(&dr->index);
	if (err)
		diag_set(d, err, "%s", err == -EINTR ? "interrupted" : strerror(-err));
	if (dr->undo && undo_close(dr->undo, &undoing) && !err)
		err = diag_set(d, -EIO, "%s", undoing.text);
	return err;
}
