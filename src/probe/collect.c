// SPDX-License-Identifier: GPL-2.0-only
/* From BPF maps to a result: reading, adding CPUs up, adding windows up. */
#include "probe/session_impl.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include "base/cleanup.h"

static int zero_entry(int fd, uint32_t index, size_t value_size, unsigned int cpus)
{
	AB_FREE void *zero = calloc(cpus, value_size);

	if (!zero)
		return -ENOMEM;
	return bpf_map_update_elem(fd, &index, zero, BPF_ANY) ? -errno : 0;
}

static void delete_all(int fd, size_t key_size)
{
	char key[sizeof(struct ab_set_key)];

	(void)key_size;
	while (!bpf_map_get_next_key(fd, NULL, key))
		if (bpf_map_delete_elem(fd, key))
			break;
}

/* Places of waiters that went on were kept to recognise late callbacks; those that still wait stay. */
static void drop_done(int fd)
{
	uint64_t key, next, *previous = NULL;
	struct ab_inflight f;

	while (!bpf_map_get_next_key(fd, previous, &next)) {
		if (!bpf_map_lookup_elem(fd, &next, &f) && f.done_ns &&
		    !bpf_map_delete_elem(fd, &next)) {
			previous = NULL; /* the deleted key is no place to go on from */
			continue;
		}
		key = next;
		previous = &key;
	}
}

static size_t count_entries(int fd)
{
	uint64_t key = 0, next;
	void *previous = NULL;
	size_t n = 0;

	while (!bpf_map_get_next_key(fd, previous, &next)) {
		key = next;
		previous = &key;
		n++;
	}
	return n;
}

void collect_tidy(struct session *s)
{
	int fd = bpf_map__fd(s->skel->maps.inflights);

	if (count_entries(fd) > bpf_map__max_entries(s->skel->maps.inflights) / 2)
		drop_done(fd);
}

int collect_reset(struct session *s, struct diag *d)
{
	uint32_t used = s->skel->bss->next_set < AB_MAX_SETS ? s->skel->bss->next_set : AB_MAX_SETS;
	int hists = bpf_map__fd(s->skel->maps.hists);
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < used * AB_PHASES; i++)
		err = zero_entry(hists, i, sizeof(struct ab_hist), s->cpus);
	if (!err)
		err = zero_entry(bpf_map__fd(s->skel->maps.counts), 0, sizeof(struct ab_counts),
				 s->cpus);
	if (!err)
		err = zero_entry(bpf_map__fd(s->skel->maps.cpu_times), 0,
				 sizeof(struct ab_cpu_time), s->cpus);
	if (err)
		return diag_errno(d, err, "clearing the tracer's maps");
	delete_all(bpf_map__fd(s->skel->maps.sets), sizeof(struct ab_set_key));
	s->skel->bss->next_set = 0;
	drop_done(bpf_map__fd(s->skel->maps.inflights));
	return 0;
}

static int read_counters(const struct session *s, struct ab_counts *sum)
{
	AB_FREE struct ab_counts *per_cpu = calloc(s->cpus, sizeof(*per_cpu));
	uint32_t zero = 0;
	unsigned int cpu, i;

	*sum = (struct ab_counts){0};
	if (!per_cpu)
		return -ENOMEM;
	if (bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.counts), &zero, per_cpu))
		return -errno;
	for (cpu = 0; cpu < s->cpus; cpu++) {
		for (i = 0; i < AB_COUNTERS; i++)
			sum->n[i] += per_cpu[cpu].n[i];
		for (i = 0; i < AB_SERVED; i++) {
			sum->served[i].requests += per_cpu[cpu].served[i].requests;
			sum->served[i].in_bytes += per_cpu[cpu].served[i].in_bytes;
			sum->served[i].out_bytes += per_cpu[cpu].served[i].out_bytes;
		}
	}
	return 0;
}

int64_t collect_open_requests(struct session *s)
{
	struct ab_counts c;

	if (read_counters(s, &c))
		return 0;
	return (int64_t)(c.n[AB_CNT_ENTRIES] - c.n[AB_CNT_EXITS]);
}

/* struct bpf_link_info as far as `missed` (since 6.7); the headers built with may be older. */
struct link_info {
	uint32_t type, id, prog_id, pad;
	union {
		struct {
			uint32_t type, pad;
			uint64_t function;
			uint32_t function_size, offset;
			uint64_t address;
			uint64_t missed;
		} kprobe;
		struct {
			uint64_t addresses;
			uint32_t count, flags;
			uint64_t missed;
		} fprobe;
	};
};

/* Of return probes: no instance was free for them, or they were met inside another probe. */
static uint64_t link_misses(const struct bpf_link *link)
{
	struct link_info info = {0};
	uint32_t len = sizeof(info);

	if (!link ||
	    bpf_obj_get_info_by_fd(bpf_link__fd(link), (struct bpf_link_info *)&info, &len))
		return 0;
	switch (info.type) {
	case BPF_LINK_TYPE_PERF_EVENT:
		return info.kprobe.missed;
	case BPF_LINK_TYPE_KPROBE_MULTI:
		return info.fprobe.missed;
	default:
		return 0;
	}
}

static uint64_t program_misses(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);

	if (bpf_program__fd(prog) < 0 || bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		return 0;
	return info.recursion_misses;
}

uint64_t collect_misses(const struct session *s)
{
	struct bpf_program *prog;
	uint64_t sum = 0;

	bpf_object__for_each_program(prog, s->skel->obj)
		sum += program_misses(prog);
	for (size_t i = 0; i < s->hook_count; i++)
		sum += link_misses(s->hooks[i].links[0]) + link_misses(s->hooks[i].links[1]);
	return sum;
}

static uint64_t count_inflight(const struct session *s)
{
	int fd = bpf_map__fd(s->skel->maps.inflights);
	uint64_t key = 0, next, n = 0;
	void *previous = NULL;
	struct ab_inflight f;

	while (!bpf_map_get_next_key(fd, previous, &next)) {
		key = next;
		previous = &key;
		if (!bpf_map_lookup_elem(fd, &key, &f) && !f.done_ns &&
		    f.submit_ns >= s->skel->bss->window.begin_ns)
			n++;
	}
	return n;
}

static int collect_cpu(const struct session *s, struct result_cpu *cpu)
{
	AB_FREE struct ab_cpu_time *per_cpu = calloc(s->cpus, sizeof(*per_cpu));
	uint32_t zero = 0;
	unsigned int i;

	if (!per_cpu)
		return -ENOMEM;
	if (!collect_role_attached(s, HOOK_SCHED, -1))
		return 0;
	if (bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.cpu_times), &zero, per_cpu))
		return -errno;
	cpu->has_kthread = true;
	for (i = 0; i < s->cpus; i++)
		cpu->kthread_ns += per_cpu[i].kthread_ns;
	return 0;
}

int collect_window(struct session *s, struct result_trace *trace, struct result_cpu *cpu,
		   struct diag *d)
{
	struct ab_counts c;
	int err = read_counters(s, &c);
	uint64_t misses;
	size_t i;

	if (!err)
		err = collect_sets(s, trace);
	if (!err)
		err = collect_cpu(s, cpu);
	if (err)
		return diag_errno(d, err, "reading the tracer's maps");
	trace->present = true;
	for (i = 0; i < AB_COUNTERS; i++)
		trace->counters[i] += c.n[i];
	for (i = 0; i < AB_SERVED; i++) {
		trace->served[i].requests += c.served[i].requests;
		trace->served[i].in_bytes += c.served[i].in_bytes;
		trace->served[i].out_bytes += c.served[i].out_bytes;
	}
	trace->inflight_at_end += count_inflight(s);
	misses = collect_misses(s);
	/* Links attached anew count from 0. */
	trace->recursion_misses += misses >= s->misses ? misses - s->misses : misses;
	return 0;
}
