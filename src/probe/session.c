// SPDX-License-Identifier: GPL-2.0-only
#include "probe/session_impl.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "probe/ladder.h"

const char *const session_mechanism_names[] = {
	[MECHANISM_AUTO] = "auto",
	[MECHANISM_FENTRY] = "fentry",
	[MECHANISM_FPROBE] = "fprobe",
	[MECHANISM_KPROBE] = "kprobe",
	NULL,
};

/* How long the end of a window waits for requests that are still open (readahead behind fio's back). */
#define DRAIN_NS 500000000ull

/* Which phases make a role's hooks worth their cost; roles that are not listed are always needed. */
static const enum ab_phase role_phases[HOOK_ROLES][4] = {
	[HOOK_DECODE] = {AB_DECODE, AB_SETUP, AB_OTHER, AB_DECODE},
	[HOOK_COPY] = {AB_COPY, AB_COPY, AB_COPY, AB_COPY},
	[HOOK_DONE] = {AB_SERVICE, AB_WAKEUP, AB_BACKLOG, AB_WAKEUP},
	[HOOK_SCHED] = {AB_WAIT, AB_ON_CPU, AB_OFF_CPU, AB_WAIT},
};

bool session_wants_role(const bool *phases, enum hook_role role)
{
	bool optional =
		role == HOOK_DECODE || role == HOOK_COPY || role == HOOK_DONE || role == HOOK_SCHED;
	size_t i;

	for (i = 0; phases && optional && i < ARRAY_SIZE(role_phases[role]); i++)
		if (phases[role_phases[role][i]])
			return true;
	return !phases || !optional;
}

/* Hooks of algorithms that do not occur need not be attached. */
static bool wanted(const struct hook_info *h, const struct session_opts *opts)
{
	return session_wants_role(opts->phases, h->role) &&
	       (!opts->algorithms || h->algorithm < 0 || h->algorithm == AB_ALG_STORED ||
		opts->algorithms & 1u << h->algorithm);
}

static void bind_hooks(struct session *s, const struct session_opts *opts)
{
	unsigned int slots[HOOK_ROLES] = {0};
	size_t i;

	for (i = 0; i < hook_count && s->hook_count < SESSION_MAX_HOOKS; i++) {
		const struct hook_info *h = &hook_table[i];
		unsigned int slot = slots[h->role];
		struct bound_hook *b;

		if (!wanted(h, opts))
			continue;
		b = &s->hooks[s->hook_count++];
		if (hook_bind(b, h, s->skel->obj, &s->index, s->mechanism, slot))
			continue;
		slots[h->role]++;
		if (h->role == HOOK_REQUEST) {
			s->skel->rodata->request_algorithm[slot] = (ab_u8)h->algorithm;
			s->skel->rodata->request_returns_pointer[slot] = b->btf->returns_pointer;
		}
	}
}

static int size_maps(struct session *s, const struct session_opts *opts)
{
	int err = 0;

	if (opts->inflight_max)
		err = bpf_map__set_max_entries(s->skel->maps.inflights, opts->inflight_max);
	if (!err && opts->record_every)
		err = bpf_map__set_max_entries(s->skel->maps.records, 4u << 20);
	s->skel->rodata->record_every = opts->record_every;
	return err;
}

static int on_record(void *ctx, void *data, size_t size)
{
	struct session *s = ctx;

	if (size < sizeof(struct ab_record))
		return 0;
	if (s->record_count == s->record_cap) {
		size_t cap = s->record_cap ? s->record_cap * 2 : 1024;
		struct ab_record *grown = realloc(s->records, cap * sizeof(*grown));

		if (!grown) {
			s->record_failed = true;
			return -ENOMEM;
		}
		s->records = grown;
		s->record_cap = cap;
	}
	memcpy(&s->records[s->record_count++], data, sizeof(struct ab_record));
	return 0;
}

/* 0, or why no request boundary of any algorithm is attached: then nothing can be said. */
static int check_requests(const struct session *s, struct diag *d)
{
	const struct bound_hook *why = NULL;
	size_t i;

	for (i = 0; i < s->hook_count; i++) {
		const struct bound_hook *b = &s->hooks[i];

		if (b->info->role != HOOK_REQUEST)
			continue;
		if (b->attached)
			return 0;
		/* Refused says more than absent. */
		if (!why || why->error == -ENOENT)
			why = b;
	}
	if (!why)
		return diag_set(d, -ENOENT, "no request function of the file system is known");
	return diag_set(d, why->error, "%s", why->reason);
}

static int try_mechanism(struct session *s, const struct session_opts *opts,
			 enum mechanism mechanism, struct diag *d)
{
	uint64_t t0 = clock_mono_ns();
	int err;

	s->open_ns = s->index_ns;
	s->mechanism = mechanism;
	s->hook_count = 0;
	s->skel = request_bpf__open();
	if (!s->skel)
		return diag_errno(d, -errno, "opening the BPF object");
	bind_hooks(s, opts);
	if (opts->phases)
		memcpy(s->phases, opts->phases, sizeof(s->phases));
	s->all_phases = !opts->phases;
	s->attach.hooks = s->hooks;
	s->attach.hook_count = s->hook_count;
	memcpy((void *)s->skel->rodata->field_offset, s->index.field_offset,
	       sizeof(s->index.field_offset));
	err = size_maps(s, opts);
	if (mechanism == BY_FPROBE)
		bpf_program__set_autoload(s->skel->progs.find_symbol, true);
	s->open_ns += clock_mono_ns() - t0;
	t0 = clock_mono_ns();
	if (!err)
		err = request_bpf__load(s->skel);
	if (err)
		return diag_errno(d, err, "%s: loading the BPF programs",
				  mechanism_names[mechanism]);
	if (mechanism == BY_FPROBE)
		hooks_locate(s->hooks, s->hook_count, s->skel->progs.find_symbol);
	s->load_ns = clock_mono_ns() - t0;
	err = session_attach(s, d);
	if (err)
		return err;
	if (!opts->record_every)
		return 0;
	s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.records), on_record, s, NULL);
	return s->ring ? 0 : diag_errno(d, -errno, "opening the ring buffer of sampled records");
}

static void drop_mechanism(struct session *s)
{
	session_detach(s);
	ring_buffer__free(s->ring);
	s->ring = NULL;
	request_bpf__destroy(s->skel);
	s->skel = NULL;
}

int session_open(struct session **out, const struct session_opts *opts, struct diag *d)
{
	struct session *s = calloc(1, sizeof(*s));
	AB_STRBUF struct strbuf reasons = {0};
	enum mechanism order[MECHANISMS];
	struct diag why = {0};
	size_t count, i;
	uint64_t t0;
	int err = -EINVAL, cpus;

	if (!s)
		return diag_errno(d, -ENOMEM, "tracer");
	attach_quiet_libbpf();
	cpus = libbpf_num_possible_cpus();
	if (cpus < 0) {
		free(s);
		return diag_errno(d, cpus, "number of possible CPUs");
	}
	s->cpus = (unsigned int)cpus;
	t0 = clock_mono_ns();
	err = btf_index_build(&s->index, d);
	if (!err)
		err = btf_index_check_fields(&s->index, d);
	if (!err)
		err = attach_register(&s->attach, d);
	if (err)
		goto fail;
	s->index_ns = clock_mono_ns() - t0;
	count = ladder_order(&s->index, opts->mechanism, order);
	for (i = 0; i < count; i++) {
		err = try_mechanism(s, opts, order[i], &why);
		if (!err) {
			/* Loaded: another session may register the same sections now. */
			attach_unregister(&s->attach);
			*out = s;
			return 0;
		}
		drop_mechanism(s);
		strbuf_printf(&reasons, "%s%s", i ? "; " : " ", why.text);
	}
	diag_set(d, err, "kernel functions cannot be traced here.%s", strbuf_str(&reasons));
fail:
	session_close(s);
	return err;
}

int session_attach(struct session *s, struct diag *d)
{
	uint64_t t0 = clock_mono_ns();
	int err;

	if (s->attached)
		return 0;
	hooks_attach(s->hooks, s->hook_count, s->mechanism);
	s->attach_ns = clock_mono_ns() - t0;
	s->attached = true;
	err = check_requests(s, d);
	if (err)
		session_detach(s);
	return err;
}

void session_detach(struct session *s)
{
	hooks_detach(s->hooks, s->hook_count);
	s->attached = false;
}

/* Returns when no program runs that began before the call; where membarrier(2) refuses, some time later. */
static void wait_for_programs(void)
{
	/* Programs run under RCU, and this command is a wait for it. */
	if (syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(10000);
}

int session_begin(struct session *s, uint32_t kernel_dev, struct diag *d)
{
	int err = collect_reset(s, d);

	if (err)
		return err;
	s->misses = collect_misses(s);
	s->skel->bss->window.kernel_dev = kernel_dev;
	s->skel->bss->window.begin_ns = clock_mono_ns();
	__atomic_store_n(&s->skel->bss->window.active, 1, __ATOMIC_RELEASE);
	return 0;
}

int session_end(struct session *s, struct result_trace *trace, struct result_cpu *cpu,
		struct diag *d)
{
	uint64_t until = clock_mono_ns() + DRAIN_NS;
	int err;

	__atomic_store_n(&s->skel->bss->window.active, 0, __ATOMIC_RELEASE);
	wait_for_programs();
	while (collect_open_requests(s) > 0 && clock_mono_ns() < until)
		usleep(2000);
	err = collect_window(s, trace, cpu, d);
	s->skel->bss->window.begin_ns = 0;
	if (!err && s->ring)
		ring_buffer__consume(s->ring);
	return err;
}

int session_read(struct session *s, struct result_trace *trace, struct result_cpu *cpu,
		 struct diag *d)
{
	collect_tidy(s);
	return collect_window(s, trace, cpu, d);
}

int session_records(struct session *s, struct ab_record **records, size_t *count, struct diag *d)
{
	if (s->ring)
		ring_buffer__consume(s->ring);
	if (s->record_failed)
		return diag_errno(d, -ENOMEM, "sampled records");
	*records = s->records;
	*count = s->record_count;
	s->records = NULL;
	s->record_count = s->record_cap = 0;
	return 0;
}

const char *session_driver_name(const struct session *s, uint64_t driver)
{
	size_t i;

	for (i = 0; i < s->driver_count; i++)
		if (s->drivers[i].address == driver)
			return s->drivers[i].name;
	return "?";
}

int session_describe(const struct session *s, struct result_tracer *tracer)
{
	size_t i;

	tracer->present = true;
	snprintf(tracer->mechanism, sizeof(tracer->mechanism), "%s", mechanism_names[s->mechanism]);
	tracer->open_ns = s->open_ns;
	tracer->load_ns = s->load_ns;
	tracer->attach_ns = s->attach_ns;
	tracer->hooks = calloc(s->hook_count, sizeof(*tracer->hooks));
	if (!tracer->hooks)
		return -ENOMEM;
	tracer->hook_count = s->hook_count;
	for (i = 0; i < s->hook_count; i++) {
		const struct bound_hook *b = &s->hooks[i];
		struct result_hook *h = &tracer->hooks[i];
		bool on = b->attached;

		snprintf(h->name, sizeof(h->name), "%s", b->info->name);
		snprintf(h->function, sizeof(h->function), "%s", on ? b->function : "");
		snprintf(h->mechanism, sizeof(h->mechanism), "%s",
			 on ? hook_mechanism(b, s->mechanism) : "");
		snprintf(h->reason, sizeof(h->reason), "%s", on ? "" : b->reason);
	}
	return 0;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	drop_mechanism(s);
	attach_unregister(&s->attach);
	btf_index_free(&s->index);
	free(s->records);
	free(s);
}
