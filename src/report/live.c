// SPDX-License-Identifier: GPL-2.0-only
#include "report/live.h"

#include <string.h>
#include <time.h>
#include "base/json_out.h"
#include "base/utf8.h"
#include "model/phase.h"
#include "report/grid.h"

#define MIB 1048576.0
#define US  1000.0

enum column {
	COLUMN_TIME,
	COLUMN_MOUNT,
	COLUMN_ENGINE,
	COLUMN_RATE,
	COLUMN_IN,
	COLUMN_OUT,
	COLUMN_OFFLOAD,
	COLUMN_IN_FLIGHT,
	COLUMN_CPU,
	COLUMN_PHASES, /* those of phase_columns follow */
};

static const enum ab_phase phase_columns[] = {AB_SETUP,	 AB_SUBMIT, AB_WAIT,
					      AB_DECODE, AB_COPY,   AB_TOTAL};
#define COLUMNS (COLUMN_PHASES + ARRAY_SIZE(phase_columns))

/* Where a line is too short for all columns, those with the highest number go first; 0 always stays. */
static const struct {
	const char *head;
	unsigned int width, drop;
} columns[COLUMNS] = {
	[COLUMN_TIME] = {"time", 8, 0},
	[COLUMN_MOUNT] = {"mount", 14, 1},
	[COLUMN_ENGINE] = {"engine", 12, 0},
	[COLUMN_RATE] = {"req/s", 7, 0},
	[COLUMN_IN] = {"in MiB/s", 8, 6},
	[COLUMN_OUT] = {"out MiB/s", 9, 0},
	[COLUMN_OFFLOAD] = {"offl %", 6, 2},
	[COLUMN_IN_FLIGHT] = {"open", 5, 5},
	[COLUMN_CPU] = {"CPU %", 5, 7},
	[COLUMN_PHASES] = {"setup us", 13, 9},
	[COLUMN_PHASES + 1] = {"submit us", 13, 8},
	[COLUMN_PHASES + 2] = {"wait us", 13, 3},
	[COLUMN_PHASES + 3] = {"decode us", 13, 4},
	[COLUMN_PHASES + 4] = {"copy us", 13, 10},
	[COLUMN_PHASES + 5] = {"total us", 13, 0},
};

/* The columns that fit: a bit each. */
static unsigned int fitting(const struct text_out *to, size_t mounts)
{
	unsigned int shown = (1u << COLUMNS) - 1;

	if (mounts < 2)
		shown &= ~(1u << COLUMN_MOUNT);
	for (unsigned int drop = COLUMNS; drop > 0; drop--) {
		unsigned int width = 0;

		for (size_t i = 0; i < COLUMNS; i++)
			if (shown & 1u << i)
				width += columns[i].width + 1;
		if (width <= to->columns + 1)
			break;
		for (size_t i = 0; i < COLUMNS; i++)
			if (columns[i].drop == drop)
				shown &= ~(1u << i);
	}
	return shown;
}

static bool is_text(size_t column)
{
	return column <= COLUMN_ENGINE;
}

/* @text cleaned, padded to the column; cut where it is a name, never where it is a number. */
static void put(struct strbuf *line, size_t column, const char *text)
{
	size_t width = columns[column].width, used;
	AB_STRBUF struct strbuf clean = {0};

	utf8_add_clean(&clean, text);
	used = utf8_width(strbuf_str(&clean));
	if (line->len)
		strbuf_putc(line, ' ');
	if (is_text(column) && used > width && strlen(strbuf_str(&clean)) == used) {
		/* The end of a path tells more than its beginning. */
		strbuf_putc(line, '<');
		strbuf_puts(line, strbuf_str(&clean) + used - width + 1);
		return;
	}
	if (!is_text(column) && used < width)
		strbuf_pad(line, ' ', (unsigned int)(width - used));
	strbuf_puts(line, strbuf_str(&clean));
	if (is_text(column) && used < width)
		strbuf_pad(line, ' ', (unsigned int)(width - used));
}

static void end(const struct text_out *to, struct strbuf *line, enum text_style style)
{
	while (line->len && line->data[line->len - 1] == ' ')
		line->data[--line->len] = '\0';
	text_styled(to, style, strbuf_str(line));
	strbuf_putc(to->sb, '\n');
}

void report_live_head(const struct text_out *to, size_t mounts)
{
	unsigned int shown = fitting(to, mounts);
	AB_STRBUF struct strbuf line = {0};

	for (size_t i = 0; i < COLUMNS; i++)
		if (shown & 1u << i)
			put(&line, i, columns[i].head);
	end(to, &line, STYLE_HEAD);
}

static void add_rate(struct strbuf *sb, const struct figure *bytes, uint64_t ns)
{
	char number[TEXT_NUMBER_SIZE];

	strbuf_puts(sb, bytes->known ? text_number(number, bytes->value / MIB / ((double)ns / 1e9))
				     : "-");
}

static void add_percent(struct strbuf *sb, const struct figure *share)
{
	if (share->known)
		strbuf_printf(sb, "%.1f", 100 * share->value);
	else
		strbuf_putc(sb, '-');
}

static void add_phase(struct strbuf *sb, const struct result_hist *h)
{
	char p50[TEXT_NUMBER_SIZE], p99[TEXT_NUMBER_SIZE];

	if (h->count)
		strbuf_printf(sb, "%s/%s", text_number(p50, result_hist_percentile(h, 0.5) / US),
			      text_number(p99, result_hist_percentile(h, 0.99) / US));
	else
		strbuf_putc(sb, '-');
}

/* One column of one row; @row NULL: nothing happened. */
static void add_column(struct strbuf *sb, size_t column, const struct live_interval *i,
		       const struct live_row *row, bool first)
{
	time_t seconds = (time_t)(i->unix_ns / 1000000000);
	char clock[16] = "";
	struct tm tm;

	strbuf_reset(sb);
	switch (column) {
	case COLUMN_TIME:
		if (localtime_r(&seconds, &tm))
			strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
		strbuf_puts(sb, clock);
		break;
	case COLUMN_MOUNT:
		strbuf_puts(sb, i->mount);
		break;
	case COLUMN_ENGINE:
		strbuf_puts(sb, row ? row->engine : "-");
		break;
	case COLUMN_RATE:
		strbuf_printf(sb, "%.0f", row ? (double)row->requests / ((double)i->ns / 1e9) : 0.);
		break;
	case COLUMN_IN:
	case COLUMN_OUT:
		if (row)
			add_rate(sb, column == COLUMN_IN ? &row->in_bytes : &row->out_bytes, i->ns);
		break;
	case COLUMN_OFFLOAD:
		if (first)
			add_percent(sb, &i->live->coverage.by_requests);
		break;
	case COLUMN_IN_FLIGHT:
		if (first)
			strbuf_printf(sb, "%ju", (uintmax_t)i->live->in_flight);
		break;
	case COLUMN_CPU:
		if (first)
			add_percent(sb, &i->cpu);
		break;
	default:
		if (row)
			add_phase(sb, &row->hists[phase_columns[column - COLUMN_PHASES]]);
	}
}

static void print_row(const struct text_out *to, unsigned int shown, const struct live_interval *i,
		      const struct live_row *row, bool first)
{
	AB_STRBUF struct strbuf line = {0}, text = {0};

	for (size_t column = 0; column < COLUMNS; column++) {
		if (!(shown & 1u << column))
			continue;
		add_column(&text, column, i, row, first);
		put(&line, column, strbuf_str(&text));
	}
	end(to, &line, STYLE_PLAIN);
}

void report_live_text(const struct text_out *to, size_t mounts, const struct live_interval *i)
{
	unsigned int shown = fitting(to, mounts);
	size_t printed = 0;

	for (size_t k = 0; k < i->live->row_count; k++)
		if (i->live->rows[k].requests)
			print_row(to, shown, i, &i->live->rows[k], !printed++);
	if (!printed)
		print_row(to, shown, i, NULL, true);
}

/* Summary */

static void summary_phases(const struct text_out *to, const struct live_row *row)
{
	AB_GRID struct grid g = {0};

	grid_init(&g, 6, 1);
	grid_row(&g);
	grid_put(&g, 0, GRID_LEFT, STYLE_HEAD, "%s", row->engine);
	for (size_t c = 1; c < 6; c++)
		grid_put(&g, c, GRID_RIGHT, STYLE_HEAD, "%s",
			 ((const char *const[]){"", "requests", "p50", "p90", "p99", "mean"})[c]);
	for (int p = 0; p < AB_PHASES; p++) {
		const struct result_hist *h = &row->hists[p];
		const double at[] = {0.5, 0.9, 0.99};
		char number[TEXT_NUMBER_SIZE];

		if (!h->count)
			continue;
		grid_row(&g);
		grid_put(&g, 0, GRID_LEFT, STYLE_PLAIN, "  %s", phase_table[p].title);
		grid_put(&g, 1, GRID_RIGHT, STYLE_PLAIN, "%ju", (uintmax_t)h->count);
		for (size_t k = 0; k < ARRAY_SIZE(at); k++)
			grid_put(&g, 2 + k, GRID_RIGHT, STYLE_PLAIN, "%s",
				 text_ns(to, number, result_hist_percentile(h, at[k])));
		grid_put(&g, 5, GRID_RIGHT, STYLE_PLAIN, "%s",
			 text_ns(to, number, (double)h->sum / (double)h->count));
	}
	grid_print(&g, to);
}

void report_live_summary(const struct text_out *to, const struct live_interval *i)
{
	const struct live *l = i->live;
	char in[TEXT_NUMBER_SIZE], out[TEXT_NUMBER_SIZE], share[TEXT_NUMBER_SIZE];

	strbuf_putc(to->sb, '\n');
	text_line(to, STYLE_HEAD, 2, "%s: %ju requests in %.1f s, %s in, %s out", i->mount,
		  (uintmax_t)l->requests, (double)i->ns / 1e9,
		  text_bytes(to, in, (double)l->in_bytes),
		  text_bytes(to, out, (double)l->out_bytes));
	if (l->coverage.by_requests.known && l->coverage.by_requests.value > 0)
		text_line(to, STYLE_PLAIN, 2, "offloaded: %s of %ju requests",
			  text_share(share, l->coverage.by_requests.value),
			  (uintmax_t)l->coverage.requests);
	if (l->in_flight)
		text_line(to, STYLE_WARN, 2, "%ju requests had not ended", (uintmax_t)l->in_flight);
	if (l->lost)
		text_line(to, STYLE_BAD, 2,
			  "%ju requests were missed or lost: the numbers lack them",
			  (uintmax_t)l->lost);
	for (size_t k = 0; k < l->row_count; k++)
		if (l->rows[k].requests)
			summary_phases(to, &l->rows[k]);
}

/* JSON */

static void json_figure(struct json_out *j, const char *key, const struct figure *f)
{
	if (f->known)
		json_double(j, key, f->value);
	else
		json_null(j, key);
}

static void json_bytes(struct json_out *j, const char *key, const struct figure *f)
{
	if (f->known)
		json_u64(j, key, (uint64_t)f->value);
	else
		json_null(j, key);
}

static void json_phase(struct json_out *j, const char *name, const struct result_hist *h)
{
	if (!h->count) {
		json_null(j, name);
		return;
	}
	json_object_begin(j, name);
	json_u64(j, "count", h->count);
	json_u64(j, "sum_ns", h->sum);
	json_u64(j, "p50_ns", (uint64_t)result_hist_percentile(h, 0.5));
	json_u64(j, "p99_ns", (uint64_t)result_hist_percentile(h, 0.99));
	json_object_end(j);
}

static void json_row(struct json_out *j, const struct live_row *row)
{
	json_object_begin(j, NULL);
	json_string(j, "engine_observed", row->engine);
	json_string(j, "direction", row->direction);
	json_u64(j, "requests", row->requests);
	json_bytes(j, "in_bytes", &row->in_bytes);
	json_bytes(j, "out_bytes", &row->out_bytes);
	json_object_begin(j, "phases");
	for (int p = 0; p < AB_PHASES; p++)
		json_phase(j, phase_table[p].name, &row->hists[p]);
	json_object_end(j);
	json_object_end(j);
}

/* json_out indents; a stream wants an object a line. No string that it writes has a line break. */
static void add_on_one_line(struct strbuf *out, const char *text)
{
	for (; *text; text++) {
		if (*text != '\n')
			strbuf_putc(out, *text);
		else
			text += strspn(text + 1, " ");
	}
	strbuf_putc(out, '\n');
}

void report_live_json(struct strbuf *out, const struct live_interval *i)
{
	AB_STRBUF struct strbuf text = {0};
	struct json_out j = {.sb = &text};
	const struct live *l = i->live;

	json_object_begin(&j, NULL);
	json_string(&j, "kind", i->summary ? "summary" : "interval");
	json_string(&j, "mount", i->mount);
	json_string(&j, "filesystem", i->filesystem);
	json_u64(&j, "end_unix_ns", i->unix_ns);
	json_u64(&j, "interval_ns", i->ns);
	json_u64(&j, "requests", l->requests);
	json_u64(&j, "in_bytes", l->in_bytes);
	json_u64(&j, "out_bytes", l->out_bytes);
	json_u64(&j, "in_flight", l->in_flight);
	json_u64(&j, "lost", l->lost);
	json_figure(&j, "offload_coverage_ratio", &l->coverage.by_requests);
	json_figure(&j, "cpu_busy_ratio", &i->cpu);
	json_array_begin(&j, "engines");
	for (size_t k = 0; k < l->row_count; k++)
		if (l->rows[k].requests)
			json_row(&j, &l->rows[k]);
	json_array_end(&j);
	json_object_end(&j);
	add_on_one_line(out, strbuf_str(&text));
}
