// SPDX-License-Identifier: GPL-2.0-only
#include "run/image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fsutil.h"
#include "base/log.h"
#include "base/units.h"
#include "run/image_check.h"
#include "run/image_store.h"
#include "run/mkfs.h"

#define TRIAL_TIMEOUT_NS (UINT64_C(60) * 1000000000)

/* What the whole of image_prepare() works on. */
struct job {
	const struct store *st;
	const struct dataset *ds;
	const struct plan_image *pi;
	char folder[4096]; /* of the store's images */
	char options[96];
	struct mkfs_tool tools[2]; /* in order of preference */
	size_t tool_count;
	struct diag unusable; /* why a tool that is there is none of these; "" otherwise */
};

static int image_key(const struct job *job, const char *mkfs, char key[SHA256_HEX_SIZE])
{
	AB_STRBUF struct strbuf text = {0};

	strbuf_printf(&text, "image %s %s\n%s\n%s\n", job->ds->facts.sha256, job->ds->file, mkfs,
		      job->options);
	return text.failed ? -ENOMEM : fs_sha256_bytes(text.data, text.len, key);
}

static void fill_facts(const struct job *job, const char *key, const struct image_record *rec,
		       bool reused, struct result_image *facts)
{
	memcpy(facts->key, key, sizeof(facts->key));
	memcpy(facts->mkfs, rec->mkfs, sizeof(facts->mkfs));
	facts->image_bytes = rec->image_bytes;
	facts->ratio = (double)job->ds->facts.size_bytes / (double)rec->image_bytes;
	facts->build_ns = rec->build_ns;
	facts->reused = reused;
	memcpy(facts->observed_algorithms, rec->observed_algorithms,
	       sizeof(facts->observed_algorithms));
	facts->observed_cluster_bytes = rec->observed_cluster_bytes;
	facts->ok = rec->ok;
	memcpy(facts->reason, rec->reason, sizeof(facts->reason));
}

/* Fills job->tools. What cannot be run at all counts as absent; @why keeps the words. -EFAULT: it crashed. */
static int find_tools(struct job *job, struct diag *why)
{
	int ret = mkfs_find(&job->tools[0], why), other = -ENOENT;

	if (ret == -ENOENT)
		diag_set(why, ret, "mkfs.erofs is not installed");
	else if (ret)
		job->unusable = *why;
	job->tool_count = !ret;
	if (*job->st->tools_root)
		other = mkfs_find_in(&job->tools[job->tool_count], job->st->tools_root,
				     &job->unusable);
	job->tool_count += !other;
	return job->tool_count || ret != -EFAULT ? 0 : ret;
}

static uint64_t trial_timeout_ns(const struct plan_image *pi)
{
	return pi->timeout_ns && pi->timeout_ns < TRIAL_TIMEOUT_NS ? pi->timeout_ns
								   : TRIAL_TIMEOUT_NS;
}

/* Lets the tool make an image of 4 KiB with the wanted options. 0, or -EIO with its words. */
static int try_tool(const struct mkfs_tool *tool, const struct plan_image *pi, const char *partial,
		    struct diag *d)
{
	static const char uuid[] = "00000000-0000-0000-0000-000000000000";
	char folder[4096], file[4096], image[4096], block[4096];
	int ret;

	memset(block, 'a', sizeof(block));
	if (fs_path(folder, sizeof(folder), "%s/trial", partial) ||
	    fs_path(file, sizeof(file), "%s/file", folder) ||
	    fs_path(image, sizeof(image), "%s/trial.erofs", partial))
		return diag_errno(d, -ENAMETOOLONG, "%s", partial);
	ret = fs_mkdir_p(folder, 0755, d);
	if (!ret)
		ret = fs_write_atomic(file, block, sizeof(block), d);
	if (!ret)
		ret = mkfs_run(tool, pi, uuid, image, folder, trial_timeout_ns(pi), d);
	if (ret == -ETIME)
		diag_prefix(d, ret, "no image even of 4 KiB");
	unlink(image);
	return ret;
}

static void name_tools(const struct job *job, struct strbuf *names)
{
	for (size_t i = 0; i < job->tool_count; i++)
		strbuf_printf(names, "%s%s (%s)", i ? ", " : "", job->tools[i].program,
			      job->tools[i].version);
	if (job->unusable.text[0])
		strbuf_printf(names, " (not %s)", job->unusable.text);
}

/* No tool took the options: is it the algorithm, or only the cluster size or level? */
static int explain_refusal(const struct job *job, const char *partial, const struct diag *words,
			   struct diag *d)
{
	struct plan_image plain = *job->pi;
	AB_STRBUF struct strbuf names = {0};
	const char *what = plain.engine->mkfs_algorithm;
	char cluster[32];

	name_tools(job, &names);
	plain.cluster_bytes = 4096;
	plain.level = -1;
	units_bytes(cluster, sizeof(cluster), job->pi->cluster_bytes);
	for (size_t i = 0; i < job->tool_count; i++) {
		int ret = try_tool(&job->tools[i], &plain, partial, NULL);

		if (ret == -EINTR)
			return diag_set(d, ret, "interrupted");
		if (!ret)
			return diag_set(d, -EINVAL, "%s at clusters of %s (%s) was refused: %s",
					what ? what : "no compression", cluster, job->options,
					words->text);
	}
	if (!job->tool_count)
		return diag_set(
			d, -EOPNOTSUPP,
			"%s: install erofs-utils (Debian, Ubuntu, Fedora: package erofs-utils), or run `make lab`, whose tools are used then",
			words->text);
	return diag_set(
		d, -EOPNOTSUPP,
		"no mkfs.erofs here can write %s: tried %s, which says: %s; run `make lab`, whose erofs-utils are used then, or install newer erofs-utils (Debian: package erofs-utils of suite trixie or later)",
		what ? what : "images", strbuf_str(&names), words->text);
}

/* The first tool that takes the options. */
static int choose_tool(const struct job *job, const char *partial, const struct mkfs_tool **tool,
		       struct diag *d)
{
	struct diag words = *d;

	for (size_t i = 0; i < job->tool_count; i++) {
		int ret = try_tool(&job->tools[i], job->pi, partial, &words);

		*tool = &job->tools[i];
		/* Only a refusal is a reason to look further; a full disk or Ctrl-C is not. */
		if (ret != -EIO)
			return ret ? diag_set(d, ret, "%s", words.text) : 0;
	}
	return explain_refusal(job, partial, &words, d);
}

/* An identity that is the same for the same image and differs between images. */
static void make_uuid(const char *key, char uuid[37])
{
	snprintf(uuid, 37, "%.8s-%.4s-4%.3s-8%.3s-%.12s", key, key + 8, key + 12, key + 15,
		 key + 18);
}

static int explain_build(const struct job *job, int ret, struct diag *d)
{
	struct statvfs fs;

	/* mkfs says EIO for everything. */
	if (ret != -EIO || statvfs(job->st->dir, &fs) ||
	    (uint64_t)fs.f_bavail * fs.f_frsize >= ((uint64_t)4 << 20))
		return ret;
	return diag_prefix(d, -ENOSPC,
			   "%s is full; make room, or choose another cache with --cache=DIR",
			   job->st->dir);
}

static int build(const struct job *job, const struct mkfs_tool *tool, const char *key,
		 const char *image, struct image_record *rec, struct diag *d)
{
	uint64_t start_ns = clock_mono_ns();
	struct image_found found;
	char uuid[37];
	int ret;

	*rec = (struct image_record){0};
	memcpy(rec->dataset_sha256, job->ds->facts.sha256, sizeof(rec->dataset_sha256));
	memcpy(rec->file, job->ds->file, sizeof(rec->file));
	memcpy(rec->options, job->options, sizeof(rec->options));
	memcpy(rec->mkfs, tool->version, sizeof(rec->mkfs));
	memcpy(rec->program, tool->program, sizeof(rec->program));
	make_uuid(key, uuid);
	ret = mkfs_run(tool, job->pi, uuid, image, job->ds->path, job->pi->timeout_ns, d);
	if (ret == -ETIME)
		return diag_prefix(d, ret,
				   "no image within image.timeout; raise it, or lower image.level");
	if (ret)
		return explain_build(job, ret, d);
	rec->build_ns = clock_mono_ns() - start_ns;

	AB_CLOSE int fd = open(image, O_RDONLY | O_CLOEXEC);

	/*
	 * Direct I/O reads the disk: everything must be there, and written back now, not while
	 * something is measured.
	 */
	if (fd < 0 || fsync(fd))
		return diag_errno(d, -errno, "%s", image);
	ret = image_check(fd, job->pi, job->ds, &found, d);
	if (ret)
		return diag_prefix(d, ret, "%s made no valid image", tool->program);
	rec->image_bytes = found.image_bytes;
	memcpy(rec->observed_algorithms, found.algorithms, sizeof(rec->observed_algorithms));
	rec->observed_cluster_bytes = found.cluster_bytes;
	rec->ok = found.ok;
	memcpy(rec->reason, found.reason, sizeof(rec->reason));
	return 0;
}

/* Under the lock: builds the image in the folder @partial. @no_tool: why tools are missing. */
static int build_in(const struct job *job, const char *partial, const struct diag *no_tool,
		    struct result_image *facts, char *path, size_t path_size, struct diag *d)
{
	const struct mkfs_tool *tool = NULL;
	char key[SHA256_HEX_SIZE], built[4096], options[128];
	struct image_record rec;
	int ret;

	*d = *no_tool;
	ret = choose_tool(job, partial, &tool, d);
	if (ret)
		return ret;
	*d = (struct diag){""};
	ret = image_key(job, tool->version, key);
	if (!ret)
		ret = fs_path(built, sizeof(built), "%s/image.erofs", partial);
	if (ret)
		return diag_errno(d, ret, "%s", partial);
	snprintf(options, sizeof(options), "%s", job->options);
	log_verbose("building an image: %s %s", tool->version, options);
	ret = build(job, tool, key, built, &rec, d);
	if (!ret)
		ret = image_publish(job->folder, key, built, &rec, path, path_size, d);
	if (!ret)
		fill_facts(job, key, &rec, false, facts);
	return ret;
}

/* One of the tools' images, if it is there already, by its stamp. */
static bool find_any(const struct job *job, struct result_image *facts, char *path,
		     size_t path_size)
{
	char key[SHA256_HEX_SIZE];
	struct image_record rec;

	for (size_t i = 0; i < job->tool_count; i++) {
		if (image_key(job, job->tools[i].version, key) ||
		    image_find(job->folder, key, &rec, path, path_size))
			continue;
		fill_facts(job, key, &rec, true, facts);
		return true;
	}
	return false;
}

/*
 * Under the lock: reads images that something touched after they were built. @words: of those that
 * are spoilt, "" if none is.
 */
static void recheck_all(const struct job *job, struct diag *words)
{
	char key[SHA256_HEX_SIZE], path[4200];
	struct image_record rec;

	for (size_t i = 0; i < job->tool_count; i++) {
		if (image_key(job, job->tools[i].version, key) ||
		    image_find(job->folder, key, &rec, path, sizeof(path)) != -ESTALE ||
		    image_recheck(job->folder, key) != -EUCLEAN)
			continue;
		diag_set(words, -EUCLEAN, "%s: was changed after it was built; it is built again",
			 path);
		log_warn("%s", words->text);
	}
}

int image_prepare(const struct store *st, const struct dataset *ds, const struct plan_image *pi,
		  struct result_image *facts, char *path, size_t path_size, struct diag *d)
{
	AB_STORE_LOCK struct store_lock lock = {.fd = -1};
	AB_FREE struct job *job = calloc(1, sizeof(*job));
	char work_key[SHA256_HEX_SIZE], partial[4096];
	struct diag why = {""}, spoilt = {""};
	int ret;

	if (!job)
		return diag_errno(d, -ENOMEM, "image");
	*job = (struct job){.st = st, .ds = ds, .pi = pi};
	if (fs_path(job->folder, sizeof(job->folder), "%s/images", st->dir))
		return diag_errno(d, -ENAMETOOLONG, "%s", st->dir);
	mkfs_options(pi, job->options, sizeof(job->options));
	*facts = (struct result_image){
		.cluster_bytes = pi->cluster_bytes,
		.has_level = pi->level >= 0,
		.level = pi->level,
	};
	snprintf(facts->algorithm, sizeof(facts->algorithm), "%s",
		 pi->engine->mkfs_algorithm ? pi->engine->mkfs_algorithm : "none");
	*path = '\0';
	ret = find_tools(job, &why);
	if (ret)
		return diag_set(d, ret, "%s", why.text);
	if (find_any(job, facts, path, path_size))
		return 0;
	/* Not the image's key: which tool makes it is not known yet. */
	ret = image_key(job, "", work_key);
	if (!ret)
		ret = store_lock(st, work_key, &lock, d);
	if (ret)
		return ret;
	recheck_all(job, &spoilt);
	if (find_any(job, facts, path, path_size))
		return 0;
	ret = store_partial_begin(st, "images", work_key, partial, sizeof(partial), d);
	if (ret)
		return ret;
	ret = build_in(job, partial, &why, facts, path, path_size, d);
	store_partial_end(partial);
	if (!ret)
		*d = spoilt;
	return ret;
}
