// SPDX-License-Identifier: GPL-2.0-only
#include "run/image_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "run/facts.h"

static const struct facts_field record_fields[] = {
	FACTS_FIELD(STRING, image_record, stamp),
	FACTS_FIELD(STRING, image_record, sha256),
	FACTS_FIELD(STRING, image_record, dataset_sha256),
	FACTS_FIELD(STRING, image_record, file),
	FACTS_FIELD(STRING, image_record, options),
	FACTS_FIELD(STRING, image_record, mkfs),
	FACTS_FIELD(STRING, image_record, program),
	FACTS_FIELD(U64, image_record, image_bytes),
	FACTS_FIELD(U64, image_record, build_ns),
	FACTS_FIELD(STRING, image_record, observed_algorithms),
	FACTS_FIELD(U64, image_record, observed_cluster_bytes),
	FACTS_FIELD(BOOL, image_record, ok),
	FACTS_FIELD(STRING, image_record, reason),
};

/*
 * Not the time of the last change of the inode: a run in the lab gives the image another name for a
 * while. Not the device's number: that may be another after a restart.
 */
static int make_stamp(const char *path, char *stamp, size_t size)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	snprintf(stamp, size, "%jx %jx %jx.%09ld", (uintmax_t)st.st_ino, (uintmax_t)st.st_size,
		 (uintmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return 0;
}

static int stored_path(const char *folder, const char *key, const char *suffix, char *path,
		       size_t size)
{
	return fs_path(path, size, "%s/%s%s", folder, key, suffix);
}

static int record_read(const char *folder, const char *key, struct image_record *rec)
{
	char path[4200];

	if (stored_path(folder, key, ".json", path, sizeof(path)) ||
	    facts_read(path, record_fields, ARRAY_SIZE(record_fields), rec, sizeof(*rec)))
		return -ENOENT;
	return 0;
}

static int record_write(const char *folder, const char *key, const struct image_record *rec,
			struct diag *d)
{
	char path[4200];

	if (stored_path(folder, key, ".json", path, sizeof(path)))
		return diag_errno(d, -ENAMETOOLONG, "%s", folder);
	return facts_write(path, record_fields, ARRAY_SIZE(record_fields), rec, d);
}

int image_find(const char *folder, const char *key, struct image_record *rec, char *path,
	       size_t path_size)
{
	char stamp[sizeof(rec->stamp)];

	if (record_read(folder, key, rec) || stored_path(folder, key, ".erofs", path, path_size) ||
	    make_stamp(path, stamp, sizeof(stamp)))
		return -ENOENT;
	return strcmp(stamp, rec->stamp) ? -ESTALE : 0;
}

int image_recheck(const char *folder, const char *key)
{
	char path[4200], facts[4200], hex[SHA256_HEX_SIZE];
	struct image_record rec;
	int ret;

	if (record_read(folder, key, &rec) ||
	    stored_path(folder, key, ".json", facts, sizeof(facts)) ||
	    stored_path(folder, key, ".erofs", path, sizeof(path)))
		return -ENOENT;
	ret = fs_sha256_file(path, hex, NULL, NULL);
	if (ret)
		return ret;
	if (strcmp(hex, rec.sha256)) {
		/* The image itself stays: this run, or another, may have it mounted. */
		unlink(facts);
		return -EUCLEAN;
	}
	if (!make_stamp(path, rec.stamp, sizeof(rec.stamp)))
		record_write(folder, key, &rec, NULL);
	return 0;
}

int image_publish(const char *folder, const char *key, const char *built, struct image_record *rec,
		  char *path, size_t path_size, struct diag *d)
{
	int ret = stored_path(folder, key, ".erofs", path, path_size);

	if (!ret)
		ret = make_stamp(built, rec->stamp, sizeof(rec->stamp));
	if (!ret)
		ret = fs_sha256_file(built, rec->sha256, NULL, d);
	if (!ret && rename(built, path))
		ret = -errno;
	if (ret)
		return diag_errno(d, ret, "%s: cannot be stored", built);
	ret = record_write(folder, key, rec, d);
	if (ret)
		unlink(path);
	return ret;
}
