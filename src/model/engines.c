// SPDX-License-Identifier: GPL-2.0-only
#include "model/targets.h"

#include <string.h>
#include "base/cleanup.h"

#define MIB (1ull << 20)

/*
 * Levels are those that mkfs.erofs 1.8 lists; -C takes at most 1 MiB (Z_EROFS_PCLUSTER_MAX_SIZE)
 * for every algorithm. EROFS knows the accelerator "qat_deflate" alone (kernel 6.16, b4a29efc51);
 * one that it learns later is one more row.
 */
const struct engine_info engine_table[] = {
	{.name = "none",
	 .algorithm = AB_ALG_STORED,
	 .meaning = "uncompressed, the base line; has no clusters"},
	{.name = "lz4",
	 .mkfs_algorithm = "lz4",
	 .algorithm = AB_ALG_LZ4,
	 .cluster_max_bytes = MIB,
	 .meaning = "LZ4 in software"},
	{.name = "lz4hc",
	 .mkfs_algorithm = "lz4hc",
	 .algorithm = AB_ALG_LZ4,
	 .levels = {{0, 12}},
	 .level_ranges = 1,
	 .cluster_max_bytes = MIB,
	 .meaning = "LZ4 compressed with more effort, decompressed in software"},
	{.name = "lzma",
	 .mkfs_algorithm = "lzma",
	 .algorithm = AB_ALG_LZMA,
	 .levels = {{0, 9}, {100, 109}},
	 .level_ranges = 2,
	 .cluster_max_bytes = MIB,
	 .meaning = "MicroLZMA in software"},
	{.name = "deflate",
	 .mkfs_algorithm = "deflate",
	 .algorithm = AB_ALG_DEFLATE,
	 .levels = {{0, 9}},
	 .level_ranges = 1,
	 .cluster_max_bytes = MIB,
	 .meaning = "DEFLATE in software, accelerators switched off"},
	{.name = "zstd",
	 .mkfs_algorithm = "zstd",
	 .algorithm = AB_ALG_ZSTD,
	 .levels = {{0, 22}},
	 .level_ranges = 1,
	 .cluster_max_bytes = MIB,
	 .meaning = "Zstandard in software"},
	{.name = "qat_deflate",
	 .mkfs_algorithm = "deflate",
	 .algorithm = AB_ALG_DEFLATE,
	 .accel_driver = "qat_deflate",
	 .levels = {{0, 9}},
	 .level_ranges = 1,
	 .cluster_max_bytes = MIB,
	 .meaning = "DEFLATE by the acomp driver qat_deflate (Intel QAT)"},
};
const size_t engine_count = ARRAY_SIZE(engine_table);

const struct engine_info *engine_find(const char *name)
{
	for (size_t i = 0; i < engine_count; i++)
		if (!strcmp(engine_table[i].name, name))
			return &engine_table[i];
	return NULL;
}

bool engine_takes_level(const struct engine_info *engine, int level)
{
	for (size_t i = 0; i < engine->level_ranges; i++)
		if (level >= engine->levels[i].min && level <= engine->levels[i].max)
			return true;
	return false;
}
