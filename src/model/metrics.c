// SPDX-License-Identifier: GPL-2.0-only
#include "model/metrics.h"

#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "model/phase.h"

const char *const stat_names[STATS] = {
	[STAT_MEAN] = "mean", [STAT_P50] = "p50",    [STAT_P90] = "p90",
	[STAT_P99] = "p99",   [STAT_P999] = "p99.9", [STAT_MAX] = "max",
};

#define ALL_STATS ((1u << STATS) - 1)

const struct metric_info metric_table[] = {
	{.name = "bandwidth",
	 .unit = METRIC_BYTES_PER_S,
	 .sense = METRIC_HIGHER_IS_BETTER,
	 .meaning = "bytes read per second, as fio counts them"},
	{.name = "iops",
	 .unit = METRIC_PER_S,
	 .sense = METRIC_HIGHER_IS_BETTER,
	 .meaning = "reads per second"},
	{.name = "lat",
	 .unit = METRIC_NS,
	 .sense = METRIC_LOWER_IS_BETTER,
	 .stats = ALL_STATS & ~(1u << STAT_P90), /* run/fio.c does not ask fio for it */
	 .meaning = "completion latency of one read"},
	{.name = "core_seconds_per_gib",
	 .unit = METRIC_NUMBER,
	 .sense = METRIC_LOWER_IS_BETTER,
	 .meaning = "CPU time of all cores per GiB read"},
	{.name = "disk_bytes_per_request",
	 .unit = METRIC_BYTES,
	 .sense = METRIC_LOWER_IS_BETTER,
	 .traced = true,
	 .meaning = "bytes read from the image's device per decompression"},
	{.name = "ratio",
	 .unit = METRIC_NUMBER,
	 .sense = METRIC_HIGHER_IS_BETTER,
	 .constant = true,
	 .meaning = "size of the dataset over size of the image"},
	{.name = "requests",
	 .unit = METRIC_NUMBER,
	 .sense = METRIC_NEITHER,
	 .traced = true,
	 .meaning = "decompressions per repetition"},
	{.name = "amplification",
	 .unit = METRIC_NUMBER,
	 .sense = METRIC_LOWER_IS_BETTER,
	 .traced = true,
	 .meaning = "bytes decompressed over bytes read"},
	{.name = "offload_coverage",
	 .unit = METRIC_RATIO,
	 .sense = METRIC_HIGHER_IS_BETTER,
	 .traced = true,
	 .offload = true,
	 .meaning = "share of all requests that the accelerator served"},
	{.name = "offload_coverage_bytes",
	 .unit = METRIC_RATIO,
	 .sense = METRIC_HIGHER_IS_BETTER,
	 .traced = true,
	 .offload = true,
	 .meaning = "share of all decompressed bytes that the accelerator produced"},
	{.name = "offload_coverage_whole",
	 .unit = METRIC_RATIO,
	 .sense = METRIC_HIGHER_IS_BETTER,
	 .traced = true,
	 .offload = true,
	 .meaning = "share that the accelerator served of the requests for whole clusters"},
};
const size_t metric_count = ARRAY_SIZE(metric_table);

static bool find_stat(const char *name, enum metric_stat *stat)
{
	for (int i = 0; i < STATS; i++) {
		if (!strcmp(stat_names[i], name)) {
			*stat = (enum metric_stat)i;
			return true;
		}
	}
	return false;
}

static const struct metric_info *find_info(const char *name, size_t len)
{
	for (size_t i = 0; i < metric_count; i++)
		if (strlen(metric_table[i].name) == len && !memcmp(metric_table[i].name, name, len))
			return &metric_table[i];
	return NULL;
}

bool metric_find(const char *name, struct metric *m)
{
	size_t len = strcspn(name, ".");
	bool has_stat = name[len] == '.';
	char phase[METRIC_NAME_SIZE];

	*m = (struct metric){.phase = -1};
	if (has_stat && !find_stat(name + len + 1, &m->stat))
		return false;
	m->info = find_info(name, len);
	if (m->info) {
		m->unit = m->info->unit;
		m->sense = m->info->sense;
		m->traced = m->info->traced;
		m->offload = m->info->offload;
		return has_stat ? m->info->stats & 1u << m->stat : !m->info->stats;
	}
	if (!has_stat || len >= sizeof(phase))
		return false;
	memcpy(phase, name, len);
	phase[len] = '\0';
	m->phase = phase_find(phase);
	m->unit = METRIC_NS;
	m->sense = METRIC_LOWER_IS_BETTER;
	m->traced = true;
	return m->phase >= 0;
}

static void visit_family(const char *name, unsigned int stats,
			 void (*visit)(void *ctx, const char *name), void *ctx)
{
	char full[METRIC_NAME_SIZE];

	for (int i = 0; i < STATS; i++) {
		if (!(stats & 1u << i))
			continue;
		snprintf(full, sizeof(full), "%s.%s", name, stat_names[i]);
		visit(ctx, full);
	}
}

void metric_each(void (*visit)(void *ctx, const char *name), void *ctx)
{
	for (size_t i = 0; i < metric_count; i++) {
		if (metric_table[i].stats)
			visit_family(metric_table[i].name, metric_table[i].stats, visit, ctx);
		else
			visit(ctx, metric_table[i].name);
	}
	for (int i = 0; i < AB_PHASES; i++)
		visit_family(phase_table[i].name, ALL_STATS, visit, ctx);
}
