// SPDX-License-Identifier: GPL-2.0-only
#include "run/records.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/strbuf.h"
#include "model/phase.h"

static const char *const flag_names[] = {"partial", "in_place", "early",
					 "backlog", "failed",	"kernel_thread"};

static void put_header(struct strbuf *out)
{
	strbuf_puts(
		out,
		"cell,repetition,algorithm,direction,driver,served,flags,thread,in_bytes,out_bytes,status,"
		"began_at_ns,ended_at_ns");
	for (int p = 0; p < AB_PARTITION; p++)
		strbuf_printf(out, ",%s_ns", phase_table[p].name);
	strbuf_puts(
		out,
		",on_cpu_ns,off_cpu_ns,submitted_at_ns,notified_at_ns,done_at_ns,submit_cpu,done_cpu\n");
}

static void put_time(struct strbuf *out, uint64_t ns)
{
	if (ns)
		strbuf_printf(out, ",%" PRIu64, ns);
	else
		strbuf_putc(out, ',');
}

static void put_flags(struct strbuf *out, unsigned int flags)
{
	bool first = true;

	for (size_t i = 0; i < ARRAY_SIZE(flag_names); i++) {
		if (!(flags & 1u << i))
			continue;
		strbuf_printf(out, "%s%s", first ? "" : "|", flag_names[i]);
		first = false;
	}
}

static void put_record(const struct session *s, size_t cell, unsigned int repetition,
		       const struct ab_record *r, struct strbuf *out)
{
	strbuf_printf(out, "%zu,%u,%s,%s,%s,%s,", cell, repetition, algorithm_names[r->algorithm],
		      direction_names[r->direction],
		      r->driver ? session_driver_name(s, r->driver) : "",
		      served_table[r->served].name);
	put_flags(out, r->flags);
	strbuf_printf(out, ",%u,%u,%u,%d,%llu,%llu", r->tid, r->in_bytes, r->out_bytes, r->status,
		      r->start_ns, r->end_ns);
	for (int p = 0; p < AB_PARTITION; p++)
		strbuf_printf(out, ",%llu", r->ns[p]);
	strbuf_printf(out, ",%llu,%llu", r->ns[AB_ON_CPU], r->ns[AB_OFF_CPU]);
	put_time(out, r->submit_ns);
	put_time(out, r->notify_ns);
	put_time(out, r->done_ns);
	if (r->submit_ns)
		strbuf_printf(out, ",%u", r->submit_cpu);
	else
		strbuf_putc(out, ',');
	if (r->done_ns)
		strbuf_printf(out, ",%u\n", r->done_cpu);
	else
		strbuf_puts(out, ",\n");
}

int records_append(struct session *s, const char *dir, size_t cell, unsigned int repetition,
		   struct diag *d)
{
	AB_FREE struct ab_record *records = NULL;
	AB_STRBUF struct strbuf out = {0};
	AB_FCLOSE FILE *file = NULL;
	char path[4200];
	size_t count;
	int err = session_records(s, &records, &count, d);

	if (!err)
		err = fs_path(path, sizeof(path), "%s/records.csv", dir);
	if (err || !count)
		return err;
	if (!fs_exists(path))
		put_header(&out);
	for (size_t i = 0; i < count; i++)
		put_record(s, cell, repetition, &records[i], &out);
	file = fopen(path, "ae");
	if (!file || out.failed || fwrite(strbuf_str(&out), 1, out.len, file) != out.len ||
	    fflush(file))
		return diag_errno(d, out.failed ? -ENOMEM : -errno, "%s: cannot be written", path);
	return 0;
}
