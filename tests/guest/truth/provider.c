// SPDX-License-Identifier: GPL-2.0-only
#include "truth.h"

#define PARAMETERS "/sys/module/acomp_sim/parameters/"
#define DEBUG	   "/sys/kernel/debug/acomp_sim/"
#define ACCEL	   "/sys/fs/erofs/accel"

static const char defaults[] =
	"hold=0 service_ns=0 ns_per_kib=0 spread_pct=0 spread_kind=uniform engines=2 "
	"completion=workqueue ring_depth=256 submit_delay_ns=0 submit_delay_mode=busy "
	"submit_delay_where=before sync_error_every=0 sync_every=0 fallback_every=0 "
	"early_every=0 early_cpu=same error_every=0 error_status=EIO dup_every=0 late_every=0 "
	"late_delay_ns=0 lost_every=0";

void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		give_up("%s: writing '%s': %s", path, text, strerror(errno));
}

bool provider_there(void)
{
	return !access(DEBUG "log", R_OK);
}

void provider_set(const char *settings)
{
	char copy[1024], path[256], *rest, *word;

	snprintf(copy, sizeof(copy), "%s", settings);
	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		snprintf(path, sizeof(path), PARAMETERS "%s", word);
		write_file(path, value);
	}
}

void provider_command(const char *command)
{
	write_file(DEBUG "control", command);
}

void provider_reset(void)
{
	provider_set(defaults);
	provider_command("release_lost");
	provider_command("reset");
}

uint64_t provider_stat(const char *name)
{
	FILE *f = fopen(DEBUG "stats", "r");
	char word[64];
	uint64_t value;
	bool found = false;

	if (!f)
		give_up(DEBUG "stats: %s", strerror(errno));
	while (!found && fscanf(f, "%63s %" SCNu64, word, &value) == 2)
		found = !strcmp(word, name);
	fclose(f);
	if (!found)
		give_up("the provider has no statistic %s", name);
	return value;
}

void provider_await(const char *name, uint64_t value)
{
	uint64_t until = clock_mono_ns() + 10000000000u;

	while (provider_stat(name) != value) {
		if (clock_mono_ns() > until)
			give_up("waited in vain for %s to be %" PRIu64 ", it is %" PRIu64, name,
				value, provider_stat(name));
		usleep(2000);
	}
}

/* The columns that are read, by name: the log may have more, in any order. */
enum column_type { NUMBER, SIGNED, CPU, TEXT };
#define COLUMN(field, type)                               \
	{                                                 \
#field, type, offsetof(struct row, field) \
	}
static const struct column {
	const char *name;
	enum column_type type;
	size_t offset;
} columns[] = {
	COLUMN(seq, NUMBER),	    COLUMN(data, NUMBER),      COLUMN(tid, NUMBER),
	COLUMN(src_bytes, NUMBER),  COLUMN(dst_bytes, NUMBER), COLUMN(submit_ns, NUMBER),
	COLUMN(return_ns, NUMBER),  COLUMN(ring_ns, NUMBER),   COLUMN(start_ns, NUMBER),
	COLUMN(service_ns, NUMBER), COLUMN(notify_ns, NUMBER), COLUMN(final_ns, NUMBER),
	COLUMN(dup_ns, NUMBER),	    COLUMN(ret, SIGNED),       COLUMN(status, SIGNED),
	COLUMN(submit_cpu, CPU),    COLUMN(final_cpu, CPU),    COLUMN(kinds, TEXT),
};

#define MAX_COLUMNS 40

static void read_field(struct row *row, const struct column *c, const char *text)
{
	void *field = (char *)row + c->offset;

	switch (c->type) {
	case NUMBER:
		*(uint64_t *)field = strtoull(text, NULL, 0);
		break;
	case SIGNED:
		*(int *)field = atoi(text);
		break;
	case CPU:
		*(int *)field = *text ? atoi(text) : -1;
		break;
	case TEXT:
		snprintf(row->kinds, sizeof(row->kinds), "%s", text);
		break;
	}
}

/* Which of columns[] each field of the header is; returns how many fields there are. */
static size_t read_header(char *line, const struct column *map[MAX_COLUMNS])
{
	size_t n = 0, found = 0;
	char *name;

	while ((name = strsep(&line, ",\n")) && *name && n < MAX_COLUMNS) {
		map[n] = NULL;
		for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
			if (!strcmp(columns[i].name, name))
				map[n] = &columns[i];
		found += !!map[n++];
	}
	if (found != ARRAY_SIZE(columns))
		give_up("the log's header lacks %zu columns", ARRAY_SIZE(columns) - found);
	return n;
}

struct log provider_log(void)
{
	FILE *f = fopen(DEBUG "log", "r");
	const struct column *map[MAX_COLUMNS];
	struct log log = {0};
	char line[512];
	size_t fields, capacity = 0;

	if (!f || !fgets(line, sizeof(line), f))
		give_up(DEBUG "log: %s", strerror(errno));
	fields = read_header(line, map);
	while (fgets(line, sizeof(line), f)) {
		char *rest = line;

		if (log.count == capacity) {
			capacity = capacity ? 2 * capacity : 1024;
			log.rows = realloc(log.rows, capacity * sizeof(*log.rows));
			if (!log.rows)
				give_up("no memory for the log");
		}
		log.rows[log.count] = (struct row){0};
		for (size_t i = 0; i < fields; i++) {
			const char *text = strsep(&rest, ",\n");

			if (text && map[i])
				read_field(&log.rows[log.count], map[i], text);
		}
		log.count++;
	}
	fclose(f);
	if (provider_stat("log_dropped"))
		give_up("the provider's log was too small");
	return log;
}

bool row_is(const struct row *row, const char *kind)
{
	size_t len = strlen(kind);
	const char *at = row->kinds;

	while ((at = strstr(at, kind))) {
		if ((at == row->kinds || at[-1] == '|') && (!at[len] || at[len] == '|'))
			return true;
		at += len;
	}
	return false;
}

void accel_set(bool on)
{
	write_file(ACCEL, on ? "qat_deflate" : "\n");
}
