// SPDX-License-Identifier: GPL-2.0-only
#include "truth.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct readers {
	const struct truth *truth;
	struct reading what;
	unsigned int threads, next; /* next: file, shared */
	unsigned int failed;
	pthread_t *ids;
};

static void path_of(const struct readers *r, const char *where, unsigned int file, char *path,
		    size_t size)
{
	if (r->what.files)
		snprintf(path, size, "%s/%s/small/%u", r->truth->dir, where, file);
	else
		snprintf(path, size, "%s/%s/big", r->truth->dir, where);
}

/* 0, or what read(2) said. A difference to the original is a failure of its own: the test ends. */
static int compare(const char *path, const char *original)
{
	static const size_t size = 65536;
	AB_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	AB_CLOSE int want_fd = open(original, O_RDONLY | O_CLOEXEC);
	AB_FREE char *got = malloc(size);
	AB_FREE char *want = malloc(size);
	ssize_t n;

	if (fd < 0 || want_fd < 0 || !got || !want)
		give_up("%s or %s: %s", path, original, strerror(errno));
	while ((n = read(fd, got, size)) > 0)
		if (read(want_fd, want, size) != n || memcmp(got, want, (size_t)n) != 0)
			give_up("%s differs from %s", path, original);
	return n < 0 ? -errno : 0;
}

static void pin(int cpu)
{
	cpu_set_t set;

	if (!cpu)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu - 1, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		give_up("running on CPU %d: %s", cpu - 1, strerror(errno));
}

static void *read_files(void *arg)
{
	struct readers *r = arg;
	unsigned int files = r->what.files ? r->what.files : 1;
	char path[400], original[400];
	unsigned int file;

	pin(r->what.cpu);
	while ((file = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED)) < files) {
		path_of(r, r->what.image, file, path, sizeof(path));
		path_of(r, "data", file, original, sizeof(original));
		if (!compare(path, original))
			continue;
		__atomic_fetch_add(&r->failed, 1, __ATOMIC_RELAXED);
		if (!r->what.expect_errors)
			give_up("%s: %s", path, strerror(errno));
	}
	return NULL;
}

struct readers *reading_start(const struct truth *t, const struct reading *what)
{
	struct readers *r = calloc(1, sizeof(*r));

	if (!r)
		give_up("no memory for readers");
	r->truth = t;
	r->what = *what;
	r->threads = what->threads == ONE_EACH ? what->files : what->threads ? what->threads : 1;
	r->ids = calloc(r->threads, sizeof(*r->ids));
	for (unsigned int i = 0; r->ids && i < r->threads; i++)
		if (pthread_create(&r->ids[i], NULL, read_files, r))
			give_up("starting a reader: %s", strerror(errno));
	return r;
}

unsigned int reading_join(struct readers *r)
{
	unsigned int failed;

	for (unsigned int i = 0; i < r->threads; i++)
		pthread_join(r->ids[i], NULL);
	failed = r->failed;
	free(r->ids);
	free(r);
	return failed;
}

unsigned int reading_run(const struct truth *t, const struct reading *what)
{
	unsigned int failed = 0, round = 0;

	do {
		struct readers *r;

		/* What EROFS keeps in its own cache need not be read again, only decompressed. */
		if (round)
			drop_caches(t, what->image, false);
		if (what->backlog)
			provider_set("hold=1");
		r = reading_start(t, what);
		if (what->backlog) {
			provider_await("in_backlog", what->backlog);
			provider_set("hold=0");
		}
		failed += reading_join(r);
	} while (++round < what->rounds);
	return failed;
}

static struct stat image_stat(const struct truth *t, const char *image)
{
	struct stat st;
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", t->dir, image);
	if (stat(path, &st))
		give_up("%s: %s", path, strerror(errno));
	return st;
}

void drop_caches(const struct truth *t, const char *image, bool compressed)
{
	struct stat st = image_stat(t, image);
	char path[400];

	write_file("/proc/sys/vm/drop_caches", "1");
	if (!compressed)
		return;
	snprintf(path, sizeof(path), "/sys/fs/erofs/loop%u/drop_caches", minor(st.st_dev));
	write_file(path, "3");
}

/* As the kernel has it in s_dev, see session_begin(). */
uint32_t image_device(const struct truth *t, const char *image)
{
	struct stat st = image_stat(t, image);

	return major(st.st_dev) << 20 | minor(st.st_dev);
}
