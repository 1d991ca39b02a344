// SPDX-License-Identifier: GPL-2.0-only
/* The doctor on tracing: what BPF may do, each hook by each mechanism, the tracer as a whole. */
#include "run/doctor_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "probe/caps.h"
#include "probe/session.h"

void check_btf(struct doctor *dr, unsigned int which, struct finding *f)
{
	struct diag why = {0};
	int err = btf_index_build(&dr->index, &why);

	dr->has_index = !err;
	if (!err)
		err = btf_index_check_fields(&dr->index, &why);
	if (err && dr->has_index && !dr->erofs) {
		found(f, FINDING_UNTRIED, "of the kernel it is there; EROFS is not loaded");
		return;
	}
	if (err)
		refused(f, err, &why);
	else
		found(f, FINDING_OK, "all %d fields that the tracer reads were found", AB_FIELDS);
}

void check_program(struct doctor *dr, unsigned int which, struct finding *f)
{
	struct diag why = {0};
	int err = caps_try_program(&why);

	if (err)
		refused(f, err, &why);
	else
		found(f, FINDING_OK, "one was loaded");
}

void check_map(struct doctor *dr, unsigned int which, struct finding *f)
{
	struct diag why = {0};
	int err = caps_try_map((enum caps_map)which, &why);

	if (err)
		refused(f, err, &why);
	else
		found(f, FINDING_OK, "one was created");
}

/* Functions of the kernel proper first: the mechanism is in question, not the module. */
static const char *some_function(const struct doctor *dr)
{
	const char *any = NULL;

	for (size_t i = 0; dr->has_index && i < dr->index.count; i++) {
		const struct btf_function *fn = &dr->index.functions[i];

		if (!fn->type_id || fn->tracepoint)
			continue;
		if (!strcmp(fn->module, "vmlinux"))
			return fn->name;
		any = any ? any : fn->name;
	}
	return any;
}

void check_mechanism(struct doctor *dr, unsigned int which, struct finding *f)
{
	const char *function = some_function(dr);
	struct diag why = {0};
	int err;

	if (!function) {
		found(f, FINDING_UNTRIED, "without BTF no function is known");
		snprintf(dr->refusal[which], sizeof(dr->refusal[which]), "no BTF");
		return;
	}
	err = hook_try(function, &dr->index, (enum mechanism)which, &why);
	if (err) {
		refused(f, err, &why);
		snprintf(dr->refusal[which], sizeof(dr->refusal[which]), "%s", strerror(-err));
	} else {
		found(f, FINDING_OK, "attached to %s", function);
	}
}

void check_tracepoint(struct doctor *dr, unsigned int which, struct finding *f)
{
	struct diag why = {0};
	int err;

	if (!dr->has_index) {
		found(f, FINDING_UNTRIED, "without BTF no tracepoint is known");
		return;
	}
	err = hook_try("sched_switch", &dr->index, BY_FENTRY, &why);
	if (err)
		refused(f, err, &why);
	else
		found(f, FINDING_OK, "attached to sched_switch");
}

/* The tracer itself with all its hooks, as a run opens it. */
void check_tracer(struct doctor *dr, unsigned int which, struct finding *f)
{
	struct session_opts opts = {.filesystem = "erofs"};
	struct doctor_report *r = dr->report;
	struct result_tracer tracer = {0};
	struct session *session = NULL;
	struct diag why = {0};
	size_t attached = 0;
	int err;

	if (!dr->erofs) {
		found(f, FINDING_UNTRIED, "EROFS is not loaded");
		return;
	}
	err = session_open(&session, &opts, &why);
	if (!err)
		err = session_describe(session, &tracer);
	session_close(err ? NULL : session);
	if (err) {
		refused(f, err, &why);
		return;
	}
	for (size_t i = 0; i < tracer.hook_count; i++)
		attached += tracer.hooks[i].mechanism[0] != '\0';
	r->can_trace = true;
	memcpy(r->mechanism, tracer.mechanism, sizeof(r->mechanism));
	found(f, FINDING_OK, "%zu of %zu hooks by %s; %.0f ms to load, %.0f ms to attach", attached,
	      tracer.hook_count, tracer.mechanism, (double)tracer.load_ns / 1e6,
	      (double)tracer.attach_ns / 1e6);
	free(tracer.hooks);
}

static void add_reason(struct hook_finding *h, const char *mechanism, const char *text)
{
	size_t len = strlen(h->reason);

	snprintf(h->reason + len, sizeof(h->reason) - len, "%s%s%s%s", len ? "; " : "", mechanism,
		 *mechanism ? ": " : "", text);
}

static void try_mechanism(const struct doctor *dr, struct hook_finding *h, enum mechanism m)
{
	bool tracepoint = h->info->role == HOOK_SCHED;
	const char *name = tracepoint ? "tp_btf" : mechanism_names[m];
	size_t len = strlen(h->mechanisms);
	struct diag why = {0};
	int err;

	if (tracepoint && m != BY_FENTRY)
		return;
	err = hook_try(h->function, &dr->index, m, &why);
	if (err)
		add_reason(h, name, strerror(-err));
	else
		snprintf(h->mechanisms + len, sizeof(h->mechanisms) - len, "%s%s", len ? ", " : "",
			 name);
}

/* The first of the row's functions that this kernel has, as the tracer chooses it. */
static void choose_function(const struct doctor *dr, struct hook_finding *h)
{
	const char *const *functions = h->info->functions;

	for (size_t i = 0; i < ARRAY_SIZE(h->info->functions) && functions[i]; i++) {
		const struct btf_function *fn = btf_index_find(&dr->index, functions[i]);
		char text[128];

		if (!fn)
			continue;
		if (fn->tracepoint || fn->args == h->info->args) {
			snprintf(h->function, sizeof(h->function), "%s", fn->name);
			return;
		}
		snprintf(text, sizeof(text), "%s has %u arguments here, %u are known", fn->name,
			 fn->args, h->info->args);
		add_reason(h, "", text);
	}
}

static bool module_missing(const struct hook_info *info)
{
	char path[128];

	return info->module && fs_exists("/proc/modules") &&
	       !fs_path(path, sizeof(path), "/sys/module/%s", info->module) && !fs_exists(path);
}

static void examine(const struct doctor *dr, struct hook_finding *h)
{
	const struct hook_info *info = h->info;

	if (!dr->has_index) {
		h->state = FINDING_UNTRIED;
		add_reason(h, "", "without BTF no function is known");
		return;
	}
	h->state = FINDING_NO;
	choose_function(dr, h);
	if (*h->function) {
		for (int m = 0; m < MECHANISMS; m++)
			try_mechanism(dr, h, (enum mechanism)m);
		if (*h->mechanisms)
			h->state = FINDING_OK;
		else
			snprintf(h->remedy, sizeof(h->remedy), "%s", geteuid() ? BE_ROOT : USE_LAB);
	} else if (module_missing(info)) {
		h->state = FINDING_UNTRIED;
		snprintf(h->reason, sizeof(h->reason), "module %s is not loaded", info->module);
		snprintf(h->remedy, sizeof(h->remedy), "load it: modprobe %s", info->module);
	} else if (!h->reason[0]) {
		snprintf(h->reason, sizeof(h->reason),
			 "this kernel has no function %s that could be hooked (absent or inlined)",
			 info->functions[0]);
		snprintf(h->remedy, sizeof(h->remedy),
			 "another kernel may have it; without it this is not seen: %s",
			 info->loses);
	}
}

int doctor_hooks(struct doctor *dr)
{
	struct doctor_report *r = dr->report;

	r->hooks = calloc(hook_count, sizeof(*r->hooks));
	if (!r->hooks)
		return -ENOMEM;
	for (size_t i = 0; i < hook_count; i++) {
		r->hooks[i].info = &hook_table[i];
		examine(dr, &r->hooks[i]);
		r->hook_count++;
	}
	return 0;
}
