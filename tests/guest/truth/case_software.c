// SPDX-License-Identifier: GPL-2.0-only
/* The file system's own decoders: no log knows them, so kprobe events beside the tracer count. */
#include "truth.h"

#include <fcntl.h>
#include "model/phase.h"

#define TRACING "/sys/kernel/tracing/"

/* open(2), because fopen(3) seeks to the end, which tracefs refuses. */
static void append(const char *path, const char *text)
{
	AB_CLOSE int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		give_up("%s: writing '%s': %s", path, text, strerror(errno));
}

static uint64_t event_hits(const char *event)
{
	FILE *f = fopen(TRACING "kprobe_profile", "r");
	char name[64];
	uint64_t hits, missed, found = 0;

	while (f && fscanf(f, "%63s %" SCNu64 " %" SCNu64, name, &hits, &missed) == 3) {
		if (strcmp(name, event) != 0)
			continue;
		if (missed)
			give_up("the event %s was missed %" PRIu64 " times itself", event, missed);
		found = hits;
	}
	if (f)
		fclose(f);
	return found;
}

static void event_add(const char *event, const char *function)
{
	char text[128];

	snprintf(text, sizeof(text), "p:%s %s", event, function);
	append(TRACING "kprobe_events", text);
	snprintf(text, sizeof(text), TRACING "events/kprobes/%s/enable", event);
	write_file(text, "1");
}

static void event_remove(const char *event)
{
	char text[128];

	snprintf(text, sizeof(text), TRACING "events/kprobes/%s/enable", event);
	write_file(text, "0");
	snprintf(text, sizeof(text), "-:%s", event);
	append(TRACING "kprobe_events", text);
}

static uint64_t expected_stored(const struct window *w)
{
	return served(w, AB_SERVED_STORED);
}

static void read_decoder(struct truth *t, struct session *s, enum ab_algorithm algorithm)
{
	const char *name = algorithm_names[algorithm];
	struct reading r = {.image = name, .threads = 3, .rounds = 2};
	char function[64], engine[32];
	uint64_t before, requests, undecoded = 0, submitted = 0;
	struct window w;

	snprintf(function, sizeof(function), "z_erofs_%s_decompress", name);
	snprintf(engine, sizeof(engine), "sw:%s", name);
	event_add("truth_requests", function);
	for (unsigned int tries = 0, again = 1; again;) {
		before = event_hits("truth_requests");
		window_read(t, s, NULL, &r, &w);
		requests = event_hits("truth_requests") - before;
		again = window_missed(&w, &tries);
	}
	event_remove("truth_requests");
	check(counter(&w, AB_CNT_EXITS) - expected_stored(&w) == requests && requests > 20,
	      "%s: %" PRIu64 " requests, as many as an event counted", name, requests);
	for (size_t i = 0; i < w.count; i++) {
		undecoded += w.records[i].algorithm != AB_ALG_STORED && !w.records[i].ns[AB_DECODE];
		submitted += w.records[i].submit_ns || w.records[i].ns[AB_SUBMIT];
	}
	check_equal(undecoded, 0, "%s: every request was decoded", name);
	check_equal(submitted, 0, "%s: none was submitted", name);
	for (size_t i = 0; i < w.trace.set_count; i++)
		check(!strcmp(w.trace.sets[i].engine, engine) ||
			      !strcmp(w.trace.sets[i].engine, "stored"),
		      "%s: engine observed %s", name, w.trace.sets[i].engine);
	check_ledger(&w, name);
	window_free(&w);
}

void case_software(struct truth *t)
{
	struct session *s = open_session(t, 0, 0);

	read_decoder(t, s, AB_ALG_DEFLATE);
	read_decoder(t, s, AB_ALG_LZ4);
	read_decoder(t, s, AB_ALG_ZSTD);
	read_decoder(t, s, AB_ALG_LZMA);
	session_close(s);
}

/*
 * EROFS was loaded with one stream of zlib: who wants to inflate while another does has to wait, with its request open. Then
 * `wait` is there, lies within the time off the CPU, and only in requests that overlap with another.
 */
void case_streams(struct truth *t)
{
	const struct reading r = {.image = "deflate64", .files = 48, .threads = 4, .rounds = 3};
	struct session *s = shared_session(t);
	uint64_t waited = 0, alone = 0, outside = 0;
	struct window w;

	window_read(t, s, NULL, &r, &w);
	for (size_t i = 0; i < w.count; i++) {
		const struct ab_record *rec = &w.records[i];
		bool overlaps = false;

		if (!rec->ns[AB_WAIT])
			continue;
		waited++;
		outside += rec->ns[AB_WAIT] > rec->ns[AB_OFF_CPU];
		for (size_t j = 0; j < w.count; j++)
			overlaps |= j != i && w.records[j].start_ns < rec->end_ns &&
				    rec->start_ns < w.records[j].end_ns;
		alone += !overlaps;
	}
	check(waited > 0, "one stream: %" PRIu64 " of %zu requests waited for it", waited, w.count);
	check_equal(outside, 0, "one stream: waiting is off the CPU");
	check_equal(alone, 0, "one stream: nobody waits alone");
	check_ledger(&w, "one stream");
	window_free(&w);
}
