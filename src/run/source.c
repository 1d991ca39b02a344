// SPDX-License-Identifier: GPL-2.0-only
#include "run/source.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/interrupt.h"
#include "base/sha256.h"

#define PIECE	    ((size_t)1 << 20)
#define MAX_ENTRIES 1000000

static char type_of(mode_t mode)
{
	return S_ISREG(mode) ? 'f' : S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : '\0';
}

static int add_entry(struct source *src, const char *name, const struct stat *st, struct diag *d)
{
	struct source_entry *more;
	char type = type_of(st->st_mode);

	if (!type)
		return diag_set(
			d, -EINVAL,
			"%s/%s: neither file, folder nor link; a dataset holds nothing else",
			src->path, name);
	if (src->count == MAX_ENTRIES)
		return diag_set(d, -E2BIG, "%s: more than %d entries", src->path, MAX_ENTRIES);
	/* Doubling: allocated for the next power of two. */
	if (!(src->count & (src->count - 1))) {
		more = reallocarray(src->entries, src->count ? 2 * src->count : 1, sizeof(*more));
		if (!more)
			return diag_errno(d, -ENOMEM, "%s", src->path);
		src->entries = more;
	}
	src->entries[src->count] = (struct source_entry){.name = strdup(name),
							 .type = type,
							 .size = (uint64_t)st->st_size};
	if (!src->entries[src->count].name)
		return diag_errno(d, -ENOMEM, "%s", src->path);
	src->count++;
	if (type == 'f')
		src->size_bytes += (uint64_t)st->st_size;
	return 0;
}

static void note_stat(struct source *src, struct sha256 *stamp, const char *name,
		      const struct stat *st)
{
	AB_STRBUF struct strbuf text = {0};

	strbuf_printf(&text, "%jx %jx %jx %jd.%09ld %jd.%09ld ", (uintmax_t)st->st_dev,
		      (uintmax_t)st->st_ino, (uintmax_t)st->st_size, (intmax_t)st->st_mtim.tv_sec,
		      st->st_mtim.tv_nsec, (intmax_t)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
	strbuf_puts(&text, name);
	if (!text.failed)
		sha256_update(stamp, text.data, text.len + 1);
	else
		sha256_free(stamp);
	if (st->st_mtim.tv_sec > src->newest_s)
		src->newest_s = st->st_mtim.tv_sec;
	if (st->st_ctim.tv_sec > src->newest_s)
		src->newest_s = st->st_ctim.tv_sec;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int walk(struct source *src, struct sha256 *stamp, struct diag *d)
{
	char *const roots[] = {src->path, NULL};
	size_t skip = strcmp(src->path, "/") ? strlen(src->path) + 1 : 1;
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	int ret = 0;
	FTSENT *e;

	if (!fts)
		return diag_errno(d, -errno, "%s", src->path);
	while (!ret && (e = fts_read(fts))) {
		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS)
			ret = diag_errno(d, -e->fts_errno, "%s: cannot be read", e->fts_path);
		else if (e->fts_info == FTS_DC)
			ret = diag_errno(d, -ELOOP, "%s", e->fts_path);
		else if (ab_interrupted())
			ret = diag_set(d, -EINTR, "%s: interrupted", src->path);
		if (ret || e->fts_info == FTS_DP)
			continue;
		note_stat(src, stamp, e->fts_path, e->fts_statp);
		if (e->fts_level > 0)
			ret = add_entry(src, e->fts_path + skip, e->fts_statp, d);
	}
	if (!ret && errno)
		ret = diag_errno(d, -errno, "%s: cannot be read", src->path);
	fts_close(fts);
	return ret;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct source_entry *)a)->name,
		      ((const struct source_entry *)b)->name);
}

static int finish_open(struct source *src, struct sha256 *stamp, struct diag *d)
{
	uint64_t most = 0;
	int ret;

	if (src->count)
		qsort(src->entries, src->count, sizeof(*src->entries), compare_names);
	for (size_t i = 0; i < src->count; i++) {
		if (src->entries[i].type == 'f' && src->entries[i].size > most) {
			most = src->entries[i].size;
			src->largest = i;
		}
	}
	if (!most)
		return diag_set(d, -ENODATA, "%s: the dataset is empty", src->path);
	ret = sha256_final(stamp, src->stamp);
	return ret ? diag_errno(d, ret, "%s: hash", src->path) : 0;
}

int source_open(struct source *src, const char *path, struct diag *d)
{
	AB_SHA256 struct sha256 stamp = {0};
	struct stat st;
	int ret = 0;

	*src = (struct source){0};
	if (!realpath(path, src->path) || stat(src->path, &st))
		return diag_errno(d, -errno,
				  "%s: the dataset cannot be found; correct dataset.path", path);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return diag_set(d, -EINVAL,
				"%s: neither file nor folder; a dataset is one of the two", path);
	sha256_init(&stamp);
	src->folder = S_ISDIR(st.st_mode);
	if (src->folder) {
		errno = 0;
		ret = walk(src, &stamp, d);
	} else {
		note_stat(src, &stamp, src->path, &st);
		ret = add_entry(src, "", &st, d);
	}
	if (!ret)
		ret = finish_open(src, &stamp, d);
	if (ret)
		source_free(src);
	return ret;
}

void source_free(struct source *src)
{
	for (size_t i = 0; i < src->count; i++)
		free(src->entries[i].name);
	free(src->entries);
	src->entries = NULL;
	src->count = 0;
}

bool source_settled(const struct source *src, int64_t start_s)
{
	return src->newest_s + 2 <= start_s;
}

/* Is everything as it was when @src was opened? */
static int check_unchanged(const struct source *src, struct diag *d)
{
	struct source now;
	int ret;

	ret = source_open(&now, src->path, d);
	if (ret)
		return ret;
	if (strcmp(now.stamp, src->stamp))
		ret = diag_set(d, -ESTALE,
			       "%s: changed while it was read; try again when nobody writes to it",
			       src->path);
	source_free(&now);
	return ret;
}

static int hash_entry(const struct source *src, const struct source_entry *e,
		      char hex[SHA256_HEX_SIZE], struct diag *d)
{
	char path[4096], target[4096];
	ssize_t len;
	int ret;

	memcpy(hex, "-", 2);
	if (e->type == 'd')
		return 0;
	ret = fs_path(path, sizeof(path), "%s/%s", src->path, e->name);
	if (ret)
		return diag_errno(d, ret, "%s/%s", src->path, e->name);
	if (e->type == 'f')
		return fs_sha256_file(path, hex, NULL, d);
	len = readlink(path, target, sizeof(target));
	if (len < 0)
		return diag_errno(d, -errno, "%s", path);
	return fs_sha256_bytes(target, (size_t)len, hex);
}

static int hash_folder(const struct source *src, struct dataset_record *rec, struct diag *d)
{
	AB_SHA256 struct sha256 sum;
	char hex[SHA256_HEX_SIZE];
	int ret;

	sha256_init(&sum);
	for (size_t i = 0; i < src->count; i++) {
		const struct source_entry *e = &src->entries[i];
		char head[3] = {e->type, ' ', '\0'};

		ret = hash_entry(src, e, hex, d);
		if (ret)
			return ret;
		sha256_update(&sum, head, 2);
		sha256_update(&sum, hex, strlen(hex));
		sha256_update(&sum, " ", 1);
		sha256_update(&sum, e->name, strlen(e->name) + 1);
		if (i == src->largest)
			memcpy(rec->file_sha256, hex, sizeof(hex));
	}
	ret = sha256_final(&sum, rec->sha256);
	return ret ? diag_errno(d, ret, "%s: hash", src->path) : 0;
}

static int name_file(const struct source *src, struct dataset_record *rec, struct diag *d)
{
	const char *name =
		src->folder ? src->entries[src->largest].name : strrchr(src->path, '/') + 1;

	if (fs_path(rec->file, sizeof(rec->file), "%s", name))
		return diag_errno(d, -ENAMETOOLONG, "%s", name);
	rec->file_bytes = src->entries[src->largest].size;
	rec->size_bytes = src->size_bytes;
	return 0;
}

int source_hash(const struct source *src, struct dataset_record *rec, struct diag *d)
{
	int ret;

	ret = name_file(src, rec, d);
	if (!ret && src->folder)
		ret = hash_folder(src, rec, d);
	else if (!ret)
		ret = fs_sha256_file(src->path, rec->sha256, NULL, d);
	if (!ret && !src->folder)
		memcpy(rec->file_sha256, rec->sha256, sizeof(rec->sha256));
	return ret ? ret : check_unchanged(src, d);
}

static int copy_bytes(const struct source *src, int from, int to, const char *to_name,
		      struct sha256 *sum, struct diag *d)
{
	AB_FREE char *piece = malloc(PIECE);
	/* Not to its end: somebody may be appending faster than this copies. What came after is noticed later. */
	uint64_t left = src->size_bytes;
	ssize_t n;
	int ret;

	if (!piece)
		return diag_errno(d, -ENOMEM, "%s", src->path);
	posix_fadvise(from, 0, 0, POSIX_FADV_SEQUENTIAL);
	while (left && (n = read(from, piece, left < PIECE ? left : PIECE)) != 0) {
		if (ab_interrupted())
			return diag_set(d, -EINTR, "%s: interrupted while it was copied",
					src->path);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return diag_errno(d, -errno, "%s: cannot be read", src->path);
		sha256_update(sum, piece, (size_t)n);
		ret = fs_write_all(to, piece, (size_t)n);
		if (ret)
			return diag_errno(d, ret, "%s: cannot be written", to_name);
		left -= (uint64_t)n;
	}
	return 0;
}

int source_copy(const struct source *src, const char *to, struct dataset_record *rec,
		struct diag *d)
{
	AB_CLOSE int in = open(src->path, O_RDONLY | O_CLOEXEC);
	AB_CLOSE int out = open(to, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	AB_SHA256 struct sha256 sum;
	int ret;

	sha256_init(&sum);
	if (in < 0)
		return diag_errno(d, -errno, "%s: the dataset cannot be read", src->path);
	if (out < 0)
		return diag_errno(d, -errno, "%s: cannot be made", to);
	ret = name_file(src, rec, d);
	if (ret)
		return ret;
	if (!ioctl(out, FICLONE, in)) {
		/* The clone cannot change under our hands any more; it is what counts. */
		ret = fs_sha256_file(to, rec->sha256, &rec->size_bytes, d);
		rec->file_bytes = rec->size_bytes;
	} else {
		ret = copy_bytes(src, in, out, to, &sum, d);
		if (!ret)
			ret = sha256_final(&sum, rec->sha256);
	}
	if (!ret && fsync(out))
		ret = diag_errno(d, -errno, "%s: cannot be written", to);
	if (ret)
		return ret;
	memcpy(rec->file_sha256, rec->sha256, sizeof(rec->sha256));
	return check_unchanged(src, d);
}
