// SPDX-License-Identifier: GPL-2.0-only
#include "model/validity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/ledger.h"
#include "model/targets.h"

static void sum_up(struct ledger *l)
{
	const struct result_cell *cell = l->cell;

	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct result_sample *s = &cell->samples[i];

		if (!s->traced || !s->ok)
			continue;
		l->fio_bytes += s->io_bytes;
		l->disk_bytes += s->disk_read_bytes;
		l->has_disk |= s->has_disk;
	}
	for (int i = 0; i < AB_SERVED; i++) {
		l->in_bytes += cell->trace.served[i].in_bytes;
		l->out_bytes += cell->trace.served[i].out_bytes;
		l->requests += cell->trace.served[i].requests;
	}
}

static bool rule_applies(const struct expect_rule *e, const struct result_cell *cell)
{
	return (!e->engine[0] || !strcmp(e->engine, cell->engine)) &&
	       (!e->workload[0] || !strcmp(e->workload, cell->workload)) &&
	       (!e->cluster_bytes || e->cluster_bytes == cell->cluster_bytes);
}

static int judge_expectations(const struct result *r, struct result_cell *cell,
			      const struct scenario *s)
{
	int err = 0;

	for (size_t i = 0; !err && s && i < s->expect_count; i++) {
		const struct expect_rule *e = &s->expects[i];
		struct figure value;
		struct metric m;

		if (!rule_applies(e, cell) || !metric_find(e->metric, &m))
			continue;
		value = metric_value(r, cell, &m);
		if (!value.known)
			err = string_list_add(&cell->invalid_reasons, "expect: %s is not known: %s",
					      e->metric, value.why);
		else if (e->has_min && value.value < e->min)
			err = string_list_add(&cell->invalid_reasons,
					      "expect: %s is %.4g, at least %.4g was expected",
					      e->metric, value.value, e->min);
		else if (e->has_max && value.value > e->max)
			err = string_list_add(&cell->invalid_reasons,
					      "expect: %s is %.4g, at most %.4g was expected",
					      e->metric, value.value, e->max);
	}
	return err;
}

int validity_judge(struct result *r, size_t index, const struct scenario *s, struct diag *d)
{
	struct result_cell *cell = &r->cells[index];
	struct ledger l = {.result = r, .cell = cell, .engine = engine_find(cell->engine)};
	int err = 0;

	string_list_free(&cell->invalid_reasons);
	cell->valid = false;
	if (cell->status != CELL_DONE)
		return 0;
	free(cell->checks);
	cell->check_count = 0;
	cell->checks = calloc(ledger_check_count, sizeof(*cell->checks));
	if (!cell->checks)
		return diag_errno(d, -ENOMEM, "ledger checks");
	sum_up(&l);
	for (size_t i = 0; !err && i < ledger_check_count; i++) {
		struct result_check *c = &cell->checks[cell->check_count++];
		enum outcome outcome;

		snprintf(c->name, sizeof(c->name), "%s", ledger_checks[i].name);
		if (ledger_checks[i].traced && !cell->trace.present)
			outcome = ledger_say(c, CHECK_NOT_APPLICABLE, "not traced");
		else
			outcome = ledger_checks[i].judge(&l, c);
		c->applicable = outcome != CHECK_NOT_APPLICABLE;
		c->ok = outcome != CHECK_BAD;
		if (outcome == CHECK_BAD)
			err = string_list_add(&cell->invalid_reasons, "%s: %s", c->name, c->detail);
	}
	if (!err)
		err = judge_expectations(r, cell, s);
	if (err)
		return diag_errno(d, err, "ledger checks");
	cell->valid = !cell->invalid_reasons.count;
	return 0;
}
