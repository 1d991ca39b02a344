// SPDX-License-Identifier: GPL-2.0-only
/* Delays planted where the provider's log cannot see them, or where it knows exactly what it did. */
#include "truth.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

#define DELAY_NS 8000000ull

static const struct reading small = {.image = "deflate4", .files = 48};

/* The middle one of a phase over all submitted requests. */
static uint64_t median_of(const struct window *w, enum ab_phase phase)
{
	uint64_t *values = calloc(w->count + 1, sizeof(*values)), middle;
	size_t n = 0;

	if (!values)
		give_up("no memory for %zu values", w->count);
	for (size_t i = 0; i < w->count; i++)
		if (w->records[i].submit_ns)
			values[n++] = w->records[i].ns[phase];
	if (!n)
		give_up("no request was submitted");
	sort_numbers(values, n);
	middle = percentile(values, n, 500);
	free(values);
	return middle;
}

static uint64_t least_of(const struct window *w, enum ab_phase phase)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < w->count; i++)
		if (w->records[i].submit_ns && w->records[i].ns[phase] < least)
			least = w->records[i].ns[phase];
	return least;
}

/*
 * Every request has the delay, in that phase alone. That the others did not grow can be told on the instruction clock only:
 * under plain emulation two runs differ by as much as that.
 */
static void check_delay(const struct truth *t, const struct window *w, const struct window *base,
			enum ab_phase grows, enum ab_phase stays, const char *name)
{
	uint64_t kept = median_of(base, stays), now = median_of(w, stays);

	/* A sleep or a spin ends late, never early. */
	check(least_of(w, grows) >= DELAY_NS, "%s: at least %" PRIu64 " ns", name,
	      least_of(w, grows));
	if (t->one_cpu)
		check(now < kept + DELAY_NS / 8,
		      "%s: the p50 of what comes after did not grow: %" PRIu64 " and %" PRIu64
		      " ns",
		      name, kept, now);
	check_accuracy(t, w, name);
}

void case_submit_delay(struct truth *t)
{
	struct session *s = shared_session(t);
	struct window base, w;

	window_read(t, s, "service_ns=3000000", &small, &base);
	window_read(t, s, "service_ns=3000000 submit_delay_ns=8000000 submit_delay_mode=sleep",
		    &small, &w);
	join(&w, "the driver sleeps 8 ms");
	check_delay(t, &w, &base, AB_SUBMIT, AB_WAIT, "the driver sleeps 8 ms in the submit");
	check(least_of(&w, AB_OFF_CPU) >= DELAY_NS,
	      "the driver sleeps 8 ms: off the CPU, p50 %" PRIu64 " ns", median_of(&w, AB_OFF_CPU));
	check_ledger(&w, "the driver sleeps 8 ms");
	window_free(&w);
	window_read(t, s, "service_ns=3000000 submit_delay_ns=8000000 submit_delay_mode=busy",
		    &small, &w);
	join(&w, "the driver spins 8 ms");
	check_delay(t, &w, &base, AB_SUBMIT, AB_WAIT, "the driver spins 8 ms in the submit");
	check(median_of(&w, AB_ON_CPU) >= DELAY_NS,
	      "the driver spins 8 ms: on the CPU, p50 %" PRIu64 " ns", median_of(&w, AB_ON_CPU));
	check_ledger(&w, "the driver spins 8 ms");
	window_free(&w);
	/* Longer than the service: completed before it returns, what is left of the wait is nothing. */
	window_read(
		t, s,
		"service_ns=0 submit_delay_ns=8000000 submit_delay_mode=sleep submit_delay_where=after",
		&small, &w);
	join(&w, "completed while the driver sleeps");
	check_ledger(&w, "completed while the driver sleeps");
	check(median_of(&w, AB_WAIT) < 1000000,
	      "completed while the driver sleeps: p50 of wait %" PRIu64 " ns",
	      median_of(&w, AB_WAIT));
	check_equal(counter(&w, AB_CNT_EARLY), w.log.count,
		    "completed while the driver sleeps: all early");
	window_free(&w);
	window_free(&base);
}

#define MODPROBE "/proc/sys/kernel/modprobe"
/* How long both scripts sleep, see tests/guest/test_truth.sh. */
#define MODPROBE_SLEEP_NS 400000000ull

static void *switch_on(void *arg)
{
	FILE *f = fopen("/sys/fs/erofs/accel", "w");

	if (f) {
		fputs("qat_deflate", f);
		fclose(f); /* fails where no driver is found; that is one of the two cases */
	}
	return NULL;
}

static void read_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "r");

	if (!f || !fgets(line, (int)size, f))
		give_up("%s: %s", path, strerror(errno));
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
}

/*
 * EROFS holds a lock while it allocates the accelerator; requests wait for it before they submit or decode. The driver is not
 * there, so the kernel calls modprobe, which is a script that sleeps, and then loads it or not. Returns when the lock can have
 * been free at the earliest.
 */
static uint64_t read_while_locked(struct truth *t, const char *script, const struct reading *r,
				  struct window *w)
{
	char before[256], path[400];
	uint64_t locked_ns;
	pthread_t thread;

	read_line(MODPROBE, before, sizeof(before));
	snprintf(path, sizeof(path), "%s/%s", t->dir, script);
	write_file(MODPROBE, path);
	accel_set(false);
	if (provider_there() && syscall(SYS_delete_module, "acomp_sim", 0))
		give_up("unloading acomp_sim: %s", strerror(errno));
	drop_caches(t, r->image, true);
	window_begin(t, shared_session(t), r->image, w);
	locked_ns = clock_mono_ns();
	if (pthread_create(&thread, NULL, switch_on, NULL))
		give_up("starting a thread: %s", strerror(errno));
	usleep(100000);
	w->failed = reading_run(t, r);
	pthread_join(thread, NULL);
	window_end(shared_session(t), w);
	write_file(MODPROBE, before);
	return locked_ns + MODPROBE_SLEEP_NS;
}

/*
 * The requests of the first files, one of each reader, found it locked: until @unlocked_ns at least they waited, in @phase,
 * off the CPU; the rest of their time is what others need for all of it.
 */
static void check_planted(const struct window *w, unsigned int readers, uint64_t unlocked_ns,
			  enum ab_phase phase, const char *name)
{
	uint64_t waited = 0, wrong = 0, longest = 0;

	for (size_t i = 0; i < w->count; i++) {
		const struct ab_record *rec = &w->records[i];
		uint64_t value = rec->ns[phase];

		if (rec->start_ns >= unlocked_ns)
			continue;
		waited++;
		longest = value > longest ? value : longest;
		if (rec->start_ns + value < unlocked_ns || rec->ns[AB_TOTAL] > 2 * value ||
		    rec->ns[AB_OFF_CPU] < unlocked_ns - rec->start_ns) {
			wrong++;
			note("total %llu, there %" PRIu64 ", off CPU %llu, at least %llu ns",
			     rec->ns[AB_TOTAL], value, rec->ns[AB_OFF_CPU],
			     unlocked_ns - rec->start_ns);
		}
	}
	check(waited == readers && !wrong,
	      "%s: %" PRIu64 " requests waited, up to %" PRIu64 " ns, and did it there", name,
	      waited, longest);
}

void case_setup_delay(struct truth *t)
{
	static const struct reading several = {.image = "deflate4", .files = 48, .threads = 4};
	unsigned int tries = 0;
	uint64_t unlocked_ns;
	struct window w;

	do {
		unlocked_ns = read_while_locked(t, "modprobe-late", &several, &w);
	} while (window_missed(&w, &tries));
	if (!provider_there())
		give_up("the script modprobe-late did not load acomp_sim");
	join(&w, "waiting before the submit");
	check_planted(&w, several.threads, unlocked_ns, AB_SETUP,
		      "waiting before the submit is setup");
	check_ledger(&w, "waiting before the submit");
	window_free(&w);
	do {
		unlocked_ns = read_while_locked(t, "modprobe-never", &several, &w);
	} while (window_missed(&w, &tries));
	check_equal(served(&w, AB_SERVED_NO_ENGINE), 48,
		    "waiting before software decodes: no engine for 48 requests");
	check_planted(&w, several.threads, unlocked_ns, AB_WAIT,
		      "waiting before software decodes is wait");
	check_ledger(&w, "waiting before software decodes");
	window_free(&w);
}

struct hog {
	pthread_t thread;
	bool stop;
};

/* Keeps CPU 0 from everybody else, 4 ms of 5. */
static void *keep_cpu(void *arg)
{
	struct hog *hog = arg;
	struct sched_param priority = {.sched_priority = 10};
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || sched_setscheduler(0, SCHED_FIFO, &priority))
		give_up("a real-time thread on CPU 0: %s", strerror(errno));
	while (!__atomic_load_n(&hog->stop, __ATOMIC_RELAXED)) {
		uint64_t until = clock_mono_ns() + 4000000;

		while (clock_mono_ns() < until)
			;
		usleep(1000);
	}
	return NULL;
}

/* The task that waits cannot run when it is completed, though the accelerator, on the other CPU, is as fast as ever. */
void case_wakeup_delay(struct truth *t)
{
	static const char *const settings = "service_ns=3000000 engines=1";
	const struct reading pinned = {.image = "deflate4", .files = 48, .cpu = 1};
	struct session *s = shared_session(t);
	struct hog hog = {0};
	struct window base, w;
	char mask[64];

	read_line("/sys/devices/virtual/workqueue/cpumask", mask, sizeof(mask));
	write_file("/sys/devices/virtual/workqueue/cpumask", "2");
	window_read(t, s, settings, &pinned, &base);
	if (pthread_create(&hog.thread, NULL, keep_cpu, &hog))
		give_up("starting a thread: %s", strerror(errno));
	window_read(t, s, settings, &pinned, &w);
	__atomic_store_n(&hog.stop, true, __ATOMIC_RELAXED);
	pthread_join(hog.thread, NULL);
	write_file("/sys/devices/virtual/workqueue/cpumask", mask);
	join(&w, "a busy CPU");
	check_ledger(&w, "a busy CPU");
	check(median_of(&w, AB_WAKEUP) > median_of(&base, AB_WAKEUP) + 400000,
	      "a busy CPU: p50 of the wake-up grew from %" PRIu64 " to %" PRIu64 " ns",
	      median_of(&base, AB_WAKEUP), median_of(&w, AB_WAKEUP));
	/* Nothing of it is in the service: that is as the log has it. */
	check_service(t, &w, "a busy CPU");
	window_free(&base);
	window_free(&w);
}
