// SPDX-License-Identifier: GPL-2.0-only
#include "run/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fsutil.h"
#include "base/log.h"
#include "base/units.h"
#include "run/facts.h"
#include "run/source.h"
#include "run/textgen.h"

/* Goes into the key: to be raised whenever the same seed gives other bytes. */
#define TEXT_VERSION 1
#define TEXT_FILE    "testfile"

static const struct facts_field record_fields[] = {
	FACTS_FIELD(STRING, dataset_record, stamp),
	FACTS_FIELD(STRING, dataset_record, sha256),
	FACTS_FIELD(STRING, dataset_record, file),
	FACTS_FIELD(STRING, dataset_record, file_sha256),
	FACTS_FIELD(U64, dataset_record, file_bytes),
	FACTS_FIELD(U64, dataset_record, size_bytes),
	FACTS_FIELD(U64, dataset_record, build_ns),
};

static int record_read(const struct store *st, const char *area, const char *key,
		       struct dataset_record *rec)
{
	char path[4096];

	if (fs_path(path, sizeof(path), "%s/%s/%s.json", st->dir, area, key))
		return -ENAMETOOLONG;
	return facts_read(path, record_fields, ARRAY_SIZE(record_fields), rec, sizeof(*rec));
}

static int record_write(const struct store *st, const char *area, const char *key,
			const struct dataset_record *rec, struct diag *d)
{
	char path[4096];

	if (fs_path(path, sizeof(path), "%s/%s/%s.json", st->dir, area, key))
		return diag_errno(d, -ENAMETOOLONG, "%s", st->dir);
	return facts_write(path, record_fields, ARRAY_SIZE(record_fields), rec, d);
}

static int make_key(char key[SHA256_HEX_SIZE], const char *fmt, ...) AB_PRINTF(2, 3);

static int make_key(char key[SHA256_HEX_SIZE], const char *fmt, ...)
{
	AB_STRBUF struct strbuf text = {0};
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&text, fmt, ap);
	va_end(ap);
	return text.failed ? -ENOMEM : fs_sha256_bytes(text.data, text.len, key);
}

/* Fills @ds->path with the folder of @key. */
static int stored_folder(const struct store *st, const char *key, struct dataset *ds)
{
	return fs_path(ds->path, sizeof(ds->path), "%s/datasets/%s", st->dir, key);
}

/*
 * Is what the store has under @key whole and unchanged? When something touched the file, its
 * content decides. @ds->path is its folder.
 */
static bool stored_intact(const struct store *st, const char *key, const struct dataset *ds,
			  struct dataset_record *rec)
{
	char path[4096], hex[SHA256_HEX_SIZE];
	struct source src;
	bool same;

	if (record_read(st, "datasets", key, rec) ||
	    fs_path(path, sizeof(path), "%s/%s", ds->path, rec->file) ||
	    source_open(&src, path, NULL))
		return false;
	same = !src.folder && !strcmp(src.stamp, rec->stamp);
	if (!same && !src.folder && src.size_bytes == rec->size_bytes &&
	    !fs_sha256_file(path, hex, NULL, NULL) && !strcmp(hex, rec->file_sha256)) {
		memcpy(rec->stamp, src.stamp, sizeof(rec->stamp));
		record_write(st, "datasets", key, rec, NULL);
		same = true;
	}
	source_free(&src);
	return same;
}

/* The built folder @partial becomes the dataset of @key. */
static int publish(const struct store *st, const char *key, const char *partial,
		   const struct dataset *ds, struct dataset_record *rec, struct diag *d)
{
	char path[4096];
	struct source src;
	int ret;

	ret = fs_remove_tree(ds->path, d);
	if (ret)
		return ret;
	if (rename(partial, ds->path))
		return diag_errno(d, -errno, "%s", ds->path);
	ret = fs_path(path, sizeof(path), "%s/%s", ds->path, rec->file);
	if (!ret)
		ret = source_open(&src, path, d);
	if (ret)
		return ret;
	memcpy(rec->stamp, src.stamp, sizeof(rec->stamp));
	source_free(&src);
	return record_write(st, "datasets", key, rec, d);
}

static int no_space(const struct store *st, uint64_t bytes, int ret, struct diag *d)
{
	char need[32];

	units_bytes(need, sizeof(need), bytes);
	return diag_set(
		d, ret,
		"%s: no room for a dataset of %s; make room, or choose another cache with --cache=DIR",
		st->dir, need);
}

/* Better than to fill the disk first. */
static int check_room(const struct store *st, uint64_t bytes, struct diag *d)
{
	struct statvfs fs;

	if (!statvfs(st->dir, &fs) && bytes / fs.f_frsize >= fs.f_bavail)
		return no_space(st, bytes, -ENOSPC, d);
	return 0;
}

/* Somebody else filled it meanwhile. */
static int explain(const struct store *st, uint64_t bytes, int ret, struct diag *d)
{
	return ret == -ENOSPC || ret == -EDQUOT ? no_space(st, bytes, ret, d) : ret;
}

static int generate_into(const char *partial, const struct dataset_spec *spec,
			 struct dataset_record *rec, struct diag *d)
{
	char path[4096];
	int ret;

	ret = fs_path(path, sizeof(path), "%s/" TEXT_FILE, partial);
	if (ret)
		return diag_errno(d, ret, "%s", partial);

	AB_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0)
		return diag_errno(d, -errno, "%s", path);
	ret = textgen_write(fd, path, spec->size_bytes, spec->seed, rec->sha256, d);
	if (!ret && fsync(fd))
		ret = diag_errno(d, -errno, "%s", path);
	memcpy(rec->file, TEXT_FILE, sizeof(TEXT_FILE));
	memcpy(rec->file_sha256, rec->sha256, sizeof(rec->sha256));
	rec->file_bytes = rec->size_bytes = spec->size_bytes;
	return ret;
}

static int prepare_generated(const struct store *st, const struct dataset_spec *spec,
			     struct dataset *ds, struct dataset_record *rec, struct diag *d)
{
	AB_STORE_LOCK struct store_lock lock = {.fd = -1};
	char key[SHA256_HEX_SIZE], partial[4096];
	uint64_t start_ns;
	int ret;

	if (!spec->size_bytes)
		return diag_set(d, -ENODATA, "dataset.generate.size is 0: nothing to measure");
	ret = make_key(key, "generate %s %d %" PRIu64 " %" PRIu64, spec->generator, TEXT_VERSION,
		       spec->size_bytes, spec->seed);
	if (!ret)
		ret = stored_folder(st, key, ds);
	if (ret)
		return diag_errno(d, ret, "dataset");
	ret = store_lock(st, key, &lock, d);
	if (ret || stored_intact(st, key, ds, rec))
		return ret;
	log_verbose("generating the dataset");
	start_ns = clock_mono_ns();
	ret = check_room(st, spec->size_bytes, d);
	if (!ret)
		ret = store_partial_begin(st, "datasets", key, partial, sizeof(partial), d);
	if (ret)
		return explain(st, spec->size_bytes, ret, d);
	ret = generate_into(partial, spec, rec, d);
	rec->build_ns = clock_mono_ns() - start_ns;
	if (!ret)
		ret = publish(st, key, partial, ds, rec, d);
	store_partial_end(partial);
	return explain(st, spec->size_bytes, ret, d);
}

static int check_demanded(const struct dataset_spec *spec, const struct dataset_record *rec,
			  struct diag *d)
{
	if (!*spec->sha256 || !strcasecmp(spec->sha256, rec->sha256))
		return 0;
	return diag_set(
		d, -EBADMSG,
		"%s: not the dataset that the scenario means: its sha256 is %s, dataset.sha256 demands %s",
		spec->path, rec->sha256, spec->sha256);
}

/* Key of a file's copy: same content, same name, same copy. */
static int copy_key(const struct dataset_record *rec, char key[SHA256_HEX_SIZE])
{
	return make_key(key, "copy %s %s", rec->sha256, rec->file);
}

/* Copies the file into the store unless a copy is there; @rec receives its facts. */
static int copy_file(const struct store *st, const char *source_key, const struct source *src,
		     const struct dataset_spec *spec, struct dataset *ds,
		     struct dataset_record *rec, struct diag *d)
{
	char partial[4096], to[4096], key[SHA256_HEX_SIZE];
	struct dataset_record kept;
	int ret;

	ret = check_room(st, src->size_bytes, d);
	if (!ret)
		ret = store_partial_begin(st, "datasets", source_key, partial, sizeof(partial), d);
	if (ret)
		return ret;
	ret = fs_path(to, sizeof(to), "%s%s", partial, strrchr(src->path, '/'));
	if (!ret)
		ret = source_copy(src, to, rec, d);
	if (!ret)
		ret = check_demanded(spec, rec, d);
	if (!ret)
		ret = copy_key(rec, key);
	if (!ret)
		ret = stored_folder(st, key, ds);
	if (!ret) {
		AB_STORE_LOCK struct store_lock lock = {.fd = -1};

		ret = store_lock(st, key, &lock, d);
		if (!ret && !stored_intact(st, key, ds, &kept)) {
			kept = *rec;
			ret = publish(st, key, partial, ds, &kept, d);
		}
	}
	store_partial_end(partial);
	return ret;
}

/*
 * What is known of the source from an earlier look, if it is still the same and, of a file, its
 * copy is still there.
 */
static bool known_source(const struct store *st, const char *key, const struct source *src,
			 struct dataset *ds, struct dataset_record *rec)
{
	struct dataset_record copy;
	char data_key[SHA256_HEX_SIZE];

	if (record_read(st, "sources", key, rec) || strcmp(rec->stamp, src->stamp))
		return false;
	if (src->folder)
		return !fs_path(ds->path, sizeof(ds->path), "%s", src->path);
	return !copy_key(rec, data_key) && !stored_folder(st, data_key, ds) &&
	       stored_intact(st, data_key, ds, &copy) && !strcmp(copy.sha256, rec->sha256);
}

static int take_source(const struct store *st, const char *key, const struct dataset_spec *spec,
		       struct dataset *ds, struct dataset_record *rec, struct diag *d)
{
	int64_t start_s = time(NULL);
	uint64_t start_ns = clock_mono_ns();
	struct source src;
	int ret;

	ret = source_open(&src, spec->path, d);
	if (ret)
		return ret;
	if (known_source(st, key, &src, ds, rec)) {
		source_free(&src);
		return check_demanded(spec, rec, d);
	}
	log_verbose("%s: reading the dataset", src.path);
	if (src.folder) {
		ret = source_hash(&src, rec, d);
		if (!ret)
			ret = check_demanded(spec, rec, d);
		if (!ret)
			ret = fs_path(ds->path, sizeof(ds->path), "%s", src.path);
	} else {
		ret = copy_file(st, key, &src, spec, ds, rec, d);
	}
	rec->build_ns = clock_mono_ns() - start_ns;
	memcpy(rec->stamp, src.stamp, sizeof(rec->stamp));
	if (!ret && source_settled(&src, start_s))
		ret = record_write(st, "sources", key, rec, d);
	ret = explain(st, src.size_bytes, ret, d);
	source_free(&src);
	return ret;
}

static int prepare_path(const struct store *st, const struct dataset_spec *spec, struct dataset *ds,
			struct dataset_record *rec, struct diag *d)
{
	AB_STORE_LOCK struct store_lock lock = {.fd = -1};
	char key[SHA256_HEX_SIZE];
	int ret;

	ret = make_key(key, "source %s", spec->path);
	if (ret)
		return diag_errno(d, ret, "dataset");
	ret = store_lock(st, key, &lock, d);
	return ret ? ret : take_source(st, key, spec, ds, rec, d);
}

static void describe(const struct dataset_spec *spec, const struct dataset_record *rec,
		     struct dataset *ds)
{
	struct result_dataset *facts = &ds->facts;
	char size[32], all[32], others[64] = "";

	units_bytes(size, sizeof(size), rec->file_bytes);
	if (rec->size_bytes != rec->file_bytes)
		snprintf(others, sizeof(others), ", largest file of a folder of %s",
			 units_bytes(all, sizeof(all), rec->size_bytes));
	if (spec->kind == DATASET_GENERATE)
		snprintf(facts->description, sizeof(facts->description),
			 "generated %s, %s, seed %" PRIu64 "%s%s%s", spec->generator, size,
			 spec->seed, spec->substitute ? " (stands in for " : "",
			 spec->substitute ? spec->corpus : "", spec->substitute ? ")" : "");
	else
		snprintf(facts->description, sizeof(facts->description), "%.160s, %s%s", rec->file,
			 size, others);
	snprintf(facts->kind, sizeof(facts->kind), "%s",
		 spec->kind == DATASET_GENERATE ? "generate" : "path");
	memcpy(facts->sha256, rec->sha256, sizeof(facts->sha256));
	facts->size_bytes = rec->size_bytes;
	facts->substitute = spec->substitute;
	snprintf(facts->corpus, sizeof(facts->corpus), "%s", spec->corpus);
	facts->build_ns = rec->build_ns;
	memcpy(ds->file, rec->file, sizeof(ds->file));
	memcpy(ds->file_sha256, rec->file_sha256, sizeof(ds->file_sha256));
	ds->file_bytes = rec->file_bytes;
}

int dataset_prepare(const struct store *st, const struct dataset_spec *spec, struct dataset *ds,
		    struct diag *d)
{
	struct dataset_record rec = {0};
	int ret;

	*ds = (struct dataset){0};
	if (spec->kind == DATASET_GENERATE)
		ret = prepare_generated(st, spec, ds, &rec, d);
	else
		ret = prepare_path(st, spec, ds, &rec, d);
	if (!ret)
		describe(spec, &rec, ds);
	return ret;
}
