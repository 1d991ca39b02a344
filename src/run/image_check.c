// SPDX-License-Identifier: GPL-2.0-only
#include "run/image_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include "base/units.h"
#include "run/erofs_disk.h"

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

static int check_clusters(const struct plan_image *pi, const struct erofs_file *file,
			  struct diag *why)
{
	enum erofs_algorithm wanted = wanted_algorithm(pi->engine);
	char asked[32], largest[32], algorithms[64];

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
	units_bytes(asked, sizeof(asked), pi->cluster_bytes);
	units_bytes(largest, sizeof(largest), file->largest_cluster_bytes);
	/* A single cluster may be smaller: there are no more data. */
	if (file->largest_cluster_bytes > pi->cluster_bytes ||
	    (file->largest_cluster_bytes < pi->cluster_bytes && file->clusters > 1))
		return diag_set(why, -EUCLEAN,
				"asked for clusters of %s, but the largest of its %" PRIu64
				" is of %s",
				asked, file->clusters, largest);
	return 0;
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
		ret = check_clusters(pi, &file, &why);
	found->ok = !ret;
	snprintf(found->reason, sizeof(found->reason), "%.*s", RESULT_REASON_SIZE - 1, why.text);
	return 0;
}
