// SPDX-License-Identifier: GPL-2.0-only
#include "model/comparable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/nearest.h"

#define RESULT_STRING(key, member)                                                                \
	static void text_##key(const struct result *r, const struct result_cell *cell, char *buf, \
			       size_t size)                                                       \
	{                                                                                         \
		snprintf(buf, size, "%s", r->member);                                             \
	}

RESULT_STRING(scenario, scenario_name)
RESULT_STRING(filesystem, filesystem)
RESULT_STRING(target, target)
RESULT_STRING(data, dataset.sha256)
RESULT_STRING(cpu, host.cpu_model)
RESULT_STRING(clock, host.clocksource)
RESULT_STRING(fio, host.fio_version)

static void text_quick(const struct result *r, const struct result_cell *cell, char *buf,
		       size_t size)
{
	snprintf(buf, size, "%s", r->quick ? "the reduced profile" : "the whole scenario");
}

static void text_cpus(const struct result *r, const struct result_cell *cell, char *buf,
		      size_t size)
{
	*buf = '\0';
	if (r->host.cpus_online)
		snprintf(buf, size, "%u", r->host.cpus_online);
}

static void text_emulation(const struct result *r, const struct result_cell *cell, char *buf,
			   size_t size)
{
	snprintf(buf, size, "%s%s", r->host.emulated ? "emulated" : "not emulated",
		 r->deterministic ? ", time counts instructions" : "");
}

static void text_mechanism(const struct result *r, const struct result_cell *cell, char *buf,
			   size_t size)
{
	snprintf(buf, size, "%s", r->tracer.present ? r->tracer.mechanism : "not traced");
}

static void add_list(const struct string_list *list, char *buf, size_t size)
{
	size_t used = strlen(buf);

	for (size_t i = 0; i < list->count && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? " " : "",
					 list->items[i]);
}

static void text_accelerator(const struct result *r, const struct result_cell *cell, char *buf,
			     size_t size)
{
	snprintf(buf, size, "%s", r->host.accelerator_kind[0] ? r->host.accelerator_kind : "none");
	add_list(&r->host.accelerator_parameters, buf, size);
}

static void text_kernel_options(const struct result *r, const struct result_cell *cell, char *buf,
				size_t size)
{
	*buf = '\0';
	add_list(&r->host.kernel_options, buf, size);
}

static void text_image(const struct result *r, const struct result_cell *cell, char *buf,
		       size_t size)
{
	const struct result_image *image;

	*buf = '\0';
	if (cell->image >= r->image_count)
		return;
	image = &r->images[cell->image];
	snprintf(buf, size, "%s %.0d %s", image->algorithm, image->has_level ? image->level : 0,
		 image->mkfs);
}

static void text_workload(const struct result *r, const struct result_cell *cell, char *buf,
			  size_t size)
{
	snprintf(buf, size, "%s bs=%ju io_size=%ju numjobs=%u iodepth=%u", cell->rw,
		 (uintmax_t)cell->bs_bytes, (uintmax_t)cell->io_size_bytes, cell->numjobs,
		 cell->iodepth);
}

static void text_backing(const struct result *r, const struct result_cell *cell, char *buf,
			 size_t size)
{
	snprintf(buf, size, "%s", cell->sample_count ? cell->samples[0].backing : "");
}

static void text_cache(const struct result *r, const struct result_cell *cell, char *buf,
		       size_t size)
{
	snprintf(buf, size, "%s", cell->sample_count ? cell->samples[0].cache : "");
}

const struct comparable_key comparable_keys[COMPARABLE_KEYS] = {
	{"scenario", "name of the scenario", text_scenario, false},
	{"quick", "whole scenario or its reduced profile", text_quick, false},
	{"filesystem", "file system", text_filesystem, false},
	{"data", "SHA-256 of the data set", text_data, false},
	{"target", "host or lab", text_target, false},
	{"emulation", "whether the processor is emulated, and how time is kept", text_emulation,
	 false},
	{"cpu", "model of the processor", text_cpu, false},
	{"cpus", "number of processors", text_cpus, false},
	{"clock", "clock source", text_clock, false},
	{"kernel-options", "kernel options that matter", text_kernel_options, false},
	{"fio", "version of fio", text_fio, false},
	{"mechanism", "mechanism of tracing", text_mechanism, false},
	{"accelerator", "kind of accelerator and parameters of a simulated one", text_accelerator,
	 false},
	{"image", "algorithm, level and maker of the image", text_image, true},
	{"workload", "what fio does", text_workload, true},
	{"backing", "what the image is mounted from", text_backing, true},
	{"cache", "state of the caches", text_cache, true},
};

int comparable_allow(comparable_set *set, const char *name, struct diag *d)
{
	char hint[NEAREST_HINT_SIZE];
	struct nearest nearest;

	nearest_begin(&nearest, name);
	for (size_t i = 0; i < COMPARABLE_KEYS; i++) {
		if (!strcmp(comparable_keys[i].name, name)) {
			*set |= 1u << i;
			return 0;
		}
		nearest_offer(&nearest, comparable_keys[i].name);
	}
	return diag_set(d, -EINVAL, "--allow %.60s: there is no such key%s", name,
			nearest_hint(&nearest, hint));
}

comparable_set comparable_differences(const struct result *a, const struct result_cell *cell_a,
				      const struct result *b, const struct result_cell *cell_b)
{
	char text_a[COMPARABLE_TEXT_SIZE], text_b[COMPARABLE_TEXT_SIZE];
	comparable_set set = 0;

	for (size_t i = 0; i < COMPARABLE_KEYS; i++) {
		const struct comparable_key *key = &comparable_keys[i];

		if (key->of_cell != (cell_a && cell_b))
			continue;
		key->text(a, cell_a, text_a, sizeof(text_a));
		key->text(b, cell_b, text_b, sizeof(text_b));
		if (strcmp(text_a, text_b) != 0)
			set |= 1u << i;
	}
	return set;
}
