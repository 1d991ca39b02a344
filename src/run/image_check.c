// SPDX-License-Identifier: GPL-2.0-only
#include "run/image_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include "base/units.h"
#include "run/erofs_disk.h"

/* The kernel reads no larger ones: -EOPNOTSUPP (Z_EROFS_PCLUSTER_MAX_SIZE). */
#define KERNEL_MAX_BYTES ((uint64_t)1 << 20)

/* On-disk number of the algorithm that @engine means; EROFS_ALGORITHMS: uncompressed. */
static enum erofs_algorithm wanted_algorithm(const struct engine_info *engine)
{
	if (!engine->mkfs_algorithm)
		return EROFS_ALGORITHMS;
	switch (engine->algorithm) {
	case AB_ALG_LZ4:
		return EROFS_LZ4;
	case AB_ALG_LZMA:
		return EROFS_LZMA;
	case AB_ALG_DEFLATE:
		return EROFS_DEFLATE;
	case AB_ALG_ZSTD:
		return EROFS_ZSTD;
	default:
		return EROFS_ALGORITHMS;
	}
}

/*
 * The encoder that mkfs.erofs brings along for DEFLATE overruns its target by a byte or two when a
 * DEFLATE block (16,384 symbols) ends one to nine bits before it: an empty last block of ten bits
 * follows all the same (until erofs-utils 1.9, change 439bbf40bc29). Such a cluster takes one
 * block more. Not where a cluster is one block: its index holds no size. The encoders of the others
 * (liblz4, liblzma, libzstd) keep to the room that they are given.
 */
static bool overrun_by_encoder(const struct plan_image *pi, uint64_t block_bytes, uint64_t largest)
{
	return pi->engine->algorithm == AB_ALG_DEFLATE && pi->cluster_bytes > block_bytes &&
	       largest == pi->cluster_bytes + block_bytes;
}

static int check_size(const struct plan_image *pi, const struct erofs_file *file,
		      uint64_t block_bytes, struct diag *why)
{
	uint64_t largest = file->largest_cluster_bytes;
	char asked_text[32], largest_text[32];

	/* A single cluster may be smaller: there are no more data. */
	if (largest == pi->cluster_bytes || (largest < pi->cluster_bytes && file->clusters == 1))
		return 0;
	units_bytes(asked_text, sizeof(asked_text), pi->cluster_bytes);
	units_bytes(largest_text, sizeof(largest_text), largest);
	if (!overrun_by_encoder(pi, block_bytes, largest))
		return diag_set(why, -EUCLEAN,
				"asked for clusters of %s, but the largest of its %" PRIu64
				" is of %s",
				asked_text, file->clusters, largest_text);
	if (largest > KERNEL_MAX_BYTES)
		return diag_set(
			why, -EUCLEAN,
			"mkfs.erofs made a cluster of %s, which no kernel reads (at most 1 MiB); use erofs-utils 1.9 or newer, or another image.level",
			largest_text);
	return 0;
}

static int check_clusters(const struct plan_image *pi, const struct erofs_file *file,
			  uint64_t block_bytes, struct diag *why)
{
	enum erofs_algorithm wanted = wanted_algorithm(pi->engine);
	char algorithms[64];

	if (wanted == EROFS_ALGORITHMS)
		return file->compressed ? diag_set(why, -EUCLEAN,
						   "asked for no compression, but it is compressed")
					: 0;
	if (!file->clusters)
		return diag_set(
			why, -EUCLEAN,
			"the measured file is stored uncompressed: its data do not compress");
	erofs_algorithms_text(file->algorithms, algorithms, sizeof(algorithms));
	if (file->algorithms != 1u << wanted)
		return diag_set(why, -EUCLEAN, "asked for %s, but its clusters are %s",
				erofs_algorithm_names[wanted], algorithms);
	return check_size(pi, file, block_bytes, why);
}

int image_check(int fd, const struct plan_image *pi, const struct dataset *ds,
		struct image_found *found, struct diag *d)
{
	struct diag why = {""};
	struct erofs_image img;
	struct erofs_file file;
	int ret;

	*found = (struct image_found){0};
	ret = erofs_image_open(&img, fd, "the image", d);
	if (ret)
		return ret;
	found->image_bytes = img.file_bytes;
	erofs_algorithms_text(img.algorithms, found->algorithms, sizeof(found->algorithms));
	ret = erofs_file_inspect(&img, ds->file, &file, &why);
	found->cluster_bytes = file.largest_cluster_bytes;
	if (!ret)
		ret = check_clusters(pi, &file, (uint64_t)1 << img.block_bits, &why);
	found->ok = !ret;
	snprintf(found->reason, sizeof(found->reason), "%.*s", RESULT_REASON_SIZE - 1, why.text);
	return 0;
}
