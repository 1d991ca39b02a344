// SPDX-License-Identifier: GPL-2.0-only
#include "model/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

const char *const compare_state_names[COMPARE_STATES] = {
	[COMPARE_DONE] = "compared",
	[COMPARE_ABSENT] = "absent",
	[COMPARE_SKIPPED] = "skipped",
	[COMPARE_INVALID] = "invalid",
	[COMPARE_INCOMPARABLE] = "incomparable",
};

const struct result_cell *compare_cell(const struct result *r, const struct compare_key *key)
{
	for (size_t i = 0; i < r->cell_count; i++)
		if (r->cells[i].cluster_bytes == key->cluster_bytes &&
		    !strcmp(r->cells[i].workload, key->workload) &&
		    !strcmp(r->cells[i].engine, key->engine))
			return &r->cells[i];
	return NULL;
}

static bool all_positive(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(values[i] > 0))
			return false;
	return true;
}

static double *logarithms(const double *values, size_t n)
{
	double *logs = calloc(n, sizeof(*logs));

	for (size_t i = 0; logs && i < n; i++)
		logs[i] = log(values[i]);
	return logs;
}

static struct stats_two compare_logs(struct stats_cache *cache, const double *a, size_t n_a,
				     const double *b, size_t n_b, double confidence)
{
	AB_FREE double *log_a = logarithms(a, n_a);
	AB_FREE double *log_b = logarithms(b, n_b);
	struct stats_two two = {0};

	if (!log_a || !log_b)
		return two;
	two = stats_compare(cache, log_a, n_a, log_b, n_b, confidence);
	two.shift = expm1(two.shift);
	two.interval.low = expm1(two.interval.low);
	two.interval.high = expm1(two.interval.high);
	return two;
}

struct compare_change compare_values(struct stats_cache *cache, const double *a, size_t n_a,
				     const double *b, size_t n_b, double confidence, bool constant)
{
	bool relative = all_positive(a, n_a) && all_positive(b, n_b);
	struct stats_two two = relative ? compare_logs(cache, a, n_a, b, n_b, confidence)
					: stats_compare(cache, a, n_a, b, n_b, confidence);

	return (struct compare_change){
		.state = COMPARE_DONE,
		.relative = relative,
		.change = two.shift,
		.interval = two.interval,
		.p = two.n_a ? two.p : 1,
		.exact = two.exact,
		.constant = constant,
	};
}

bool compare_changed(const struct compare_change *change, double confidence)
{
	if (change->state != COMPARE_DONE)
		return false;
	return change->constant ? change->change != 0 : change->p <= 1 - confidence + 1e-12;
}

int compare_sense(const struct compare_change *change, const struct metric *m, double confidence)
{
	if (m->sense == METRIC_NEITHER || !compare_changed(change, confidence))
		return 0;
	return (change->change > 0) == (m->sense == METRIC_HIGHER_IS_BETTER) ? 1 : -1;
}

/* One side */

/* The first reason for which no cell of the side counts. */
struct absence {
	enum compare_state state;
	const char *why;
};

static struct absence absence_of(const struct result_cell *cell)
{
	if (!cell)
		return (struct absence){COMPARE_ABSENT, "there is no such cell"};
	if (cell->status == CELL_SKIPPED)
		return (struct absence){COMPARE_SKIPPED, cell->reason};
	if (cell->status != CELL_DONE)
		return (struct absence){COMPARE_INVALID,
					cell->reason[0] ? cell->reason : "it was not measured"};
	if (!cell->valid)
		return (struct absence){COMPARE_INVALID, cell->invalid_reasons.count
								 ? cell->invalid_reasons.items[0]
								 : "it is not valid"};
	return (struct absence){COMPARE_DONE, NULL};
}

static int add_run(const struct result *r, const struct result_cell *cell, const struct metric *m,
		   struct repetitions *to)
{
	AB_CLEANUP(repetitions_free) struct repetitions run = {0};
	int err = repetitions_add(r, cell, m, &run);
	double *grown;

	if (err || !run.n) {
		memcpy(to->why, run.why, sizeof(to->why));
		return err;
	}
	grown = reallocarray(to->values, to->n + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	to->values = grown;
	to->values[to->n++] = stats_summarize(run.values, run.n, 0).median;
	return 0;
}

/* Fills @v; @why says why it is empty. */
static int collect(const struct compare_side *side, const struct compare_key *key,
		   const struct metric *m, double confidence, struct compare_values *v,
		   struct absence *why)
{
	struct absence first = {COMPARE_DONE, NULL};
	int err = 0;

	v->by_run = side->count >= COMPARE_MIN_RUNS;
	for (size_t i = 0; !err && i < side->count; i++) {
		const struct result *r = &side->results[i];
		const struct result_cell *cell = compare_cell(r, key);
		struct absence absence = absence_of(cell);

		if (absence.state != COMPARE_DONE)
			first = first.why ? first : absence;
		else if (v->by_run)
			err = add_run(r, cell, m, &v->of);
		else
			err = repetitions_add(r, cell, m, &v->of);
	}
	*why = (struct absence){COMPARE_DONE, NULL};
	if (!v->of.n)
		*why = first.why ? first : (struct absence){COMPARE_ABSENT, v->of.why};
	v->summary = stats_summarize(v->of.values, v->of.n, confidence);
	return err;
}

/* All sides */

static comparable_set result_differences(const struct compare_side *a, const struct compare_side *b)
{
	comparable_set set = 0;

	for (size_t i = 0; i < b->count; i++)
		set |= comparable_differences(&a->results[0], NULL, &b->results[i], NULL);
	for (size_t i = 1; i < a->count; i++)
		set |= comparable_differences(&a->results[0], NULL, &a->results[i], NULL);
	return set;
}

/* Of cells that were measured: of others it is not known what they would have been measured on. */
static comparable_set cell_differences(const struct compare_side *a, const struct compare_side *b,
				       const struct compare_key *key)
{
	const struct result_cell *first = compare_cell(&a->results[0], key);
	const struct compare_side *const sides[] = {a, b};
	comparable_set set = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		for (size_t k = 0; k < sides[i]->count; k++) {
			const struct result *r = &sides[i]->results[k];
			const struct result_cell *cell = compare_cell(r, key);

			if (!absence_of(first).why && !absence_of(cell).why)
				set |= comparable_differences(&a->results[0], first, r, cell);
		}
	}
	return set;
}

static void refuse(struct compare_change *change, enum compare_state state, const char *fmt, ...)
	AB_PRINTF(3, 4);

static void refuse(struct compare_change *change, enum compare_state state, const char *fmt, ...)
{
	va_list ap;

	*change = (struct compare_change){.state = state};
	va_start(ap, fmt);
	vsnprintf(change->why, sizeof(change->why), fmt, ap);
	va_end(ap);
}

/* "fio, cpu" */
static void name_keys(comparable_set set, struct strbuf *out)
{
	for (size_t i = 0; i < COMPARABLE_KEYS; i++)
		if (set & 1u << i)
			strbuf_printf(out, "%s%s", out->len ? ", " : "", comparable_keys[i].name);
}

static void compare_side(struct comparison *c, struct stats_cache *cache, struct compare_row *row,
			 size_t side, const struct absence *base, const struct absence *other)
{
	const struct compare_values *a = &row->values[0], *b = &row->values[side];
	struct compare_change *change = &row->changes[side];
	comparable_set set = cell_differences(&c->sides[0], &c->sides[side], &row->key);
	comparable_set against = set | result_differences(&c->sides[0], &c->sides[side]);
	AB_STRBUF struct strbuf names = {0};

	c->differences |= set;
	against &= ~c->opts.allowed;
	name_keys(against, &names);
	if (base->why)
		refuse(change, base->state, "in %.100s: %.130s", c->sides[0].name, base->why);
	else if (other->why)
		refuse(change, other->state, "in %.100s: %.130s", c->sides[side].name, other->why);
	else if (against)
		refuse(change, COMPARE_INCOMPARABLE, "they differ in %.200s", strbuf_str(&names));
	else
		*change = compare_values(cache, a->of.values, a->of.n, b->of.values, b->of.n,
					 c->opts.confidence,
					 row->metric.info && row->metric.info->constant);
}

static int fill_row(struct comparison *c, struct stats_cache *cache, struct compare_row *row)
{
	AB_FREE struct absence *absences = calloc(c->side_count, sizeof(*absences));
	int err = 0;

	row->values = calloc(c->side_count, sizeof(*row->values));
	row->changes = calloc(c->side_count, sizeof(*row->changes));
	if (!absences || !row->values || !row->changes)
		return -ENOMEM;
	for (size_t i = 0; !err && i < c->side_count; i++)
		err = collect(&c->sides[i], &row->key, &row->metric, c->opts.confidence,
			      &row->values[i], &absences[i]);
	for (size_t i = 1; !err && i < c->side_count; i++)
		compare_side(c, cache, row, i, &absences[0], &absences[i]);
	return err;
}

/* Cells of all sides, each once. */
struct keys {
	struct compare_key *items;
	size_t count;
};

static bool has_key(const struct keys *keys, const struct result_cell *cell)
{
	for (size_t i = 0; i < keys->count; i++)
		if (keys->items[i].cluster_bytes == cell->cluster_bytes &&
		    !strcmp(keys->items[i].workload, cell->workload) &&
		    !strcmp(keys->items[i].engine, cell->engine))
			return true;
	return false;
}

static int add_keys(struct keys *keys, const struct result *r)
{
	struct compare_key *grown =
		reallocarray(keys->items, keys->count + r->cell_count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	keys->items = grown;
	for (size_t i = 0; i < r->cell_count; i++) {
		const struct result_cell *cell = &r->cells[i];

		if (!has_key(keys, cell))
			keys->items[keys->count++] =
				(struct compare_key){cell->workload, cell->engine,
						     cell->cluster_bytes};
	}
	return 0;
}

static int find_keys(const struct comparison *c, struct keys *keys)
{
	int err = 0;

	for (size_t i = 0; !err && i < c->side_count; i++)
		for (size_t k = 0; !err && k < c->sides[i].count; k++)
			err = add_keys(keys, &c->sides[i].results[k]);
	return err;
}

/* Offload coverage of a software engine is no number that anybody missed. */
static bool has_meaning(const struct compare_row *row, size_t side_count)
{
	if (!row->metric.offload)
		return true;
	for (size_t i = 0; i < side_count; i++)
		for (size_t k = 0; k < row->values[i].of.n; k++)
			if (row->values[i].of.values[k] > 0)
				return true;
	return false;
}

static void free_row(const struct comparison *c, struct compare_row *row)
{
	for (size_t i = 0; row->values && i < c->side_count; i++)
		repetitions_free(&row->values[i].of);
	free(row->values);
	free(row->changes);
	*row = (struct compare_row){0};
}

static int fill(struct comparison *c, const char *const *metrics, size_t n_metrics,
		const struct keys *keys)
{
	AB_CLEANUP(stats_cache_free) struct stats_cache cache = {0};
	int err = 0;

	c->rows = calloc(n_metrics * keys->count + 1, sizeof(*c->rows));
	if (!c->rows)
		return -ENOMEM;
	for (size_t m = 0; m < n_metrics; m++) {
		for (size_t i = 0; !err && i < keys->count; i++) {
			struct compare_row *row = &c->rows[c->row_count];

			row->key = keys->items[i];
			if (!metric_find(metrics[m], &row->metric))
				return -EINVAL;
			snprintf(row->metric_name, sizeof(row->metric_name), "%s", metrics[m]);
			err = fill_row(c, &cache, row);
			if (has_meaning(row, c->side_count))
				c->row_count++;
			else
				free_row(c, row);
		}
	}
	return err;
}

int compare_sides(struct compare_side *sides, size_t side_count, const char *const *metrics,
		  size_t n_metrics, const struct compare_opts *opts, struct comparison *c,
		  struct diag *d)
{
	struct keys keys = {0};
	int err;

	*c = (struct comparison){.sides = sides, .side_count = side_count, .opts = *opts};
	for (size_t i = 1; i < side_count; i++)
		c->differences |= result_differences(&sides[0], &sides[i]);
	err = find_keys(c, &keys);
	if (!err)
		err = fill(c, metrics, n_metrics, &keys);
	free(keys.items);
	return err ? diag_errno(d, err, "comparing results") : 0;
}

void comparison_cut(struct comparison *c, size_t count)
{
	while (c->row_count > count)
		free_row(c, &c->rows[--c->row_count]);
}

void comparison_free(struct comparison *c)
{
	comparison_cut(c, 0);
	free(c->rows);
	*c = (struct comparison){0};
}
