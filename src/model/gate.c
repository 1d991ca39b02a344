// SPDX-License-Identifier: GPL-2.0-only
#include "model/gate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

const char *const gate_verdict_names[GATE_VERDICTS] = {
	[GATE_WORSE] = "worse",
	[GATE_INVALID] = "invalid",
	[GATE_INCOMPARABLE] = "incomparable",
	[GATE_NOISY] = "too noisy",
	[GATE_SAME] = "same",
	[GATE_BETTER] = "better",
};

const char *const gate_verdict_meanings[GATE_VERDICTS] = {
	[GATE_WORSE] = "a loss beyond the margin, confirmed over all tests of the gate",
	[GATE_INVALID] = "not measured, failed or not valid on one side",
	[GATE_INCOMPARABLE] = "the sides differ in what they must have in common",
	[GATE_NOISY] = "neither a loss beyond the margin nor its absence is shown",
	[GATE_SAME] = "a loss beyond the margin is excluded",
	[GATE_BETTER] = "that, and the change is for the better",
};

static const char *why_of(const struct compare_change *change)
{
	return change->why[0] ? change->why : "no reason given";
}

static bool matches(const struct gate_rule *rule, const struct compare_row *row)
{
	return !strcmp(rule->metric, row->metric_name) &&
	       (!rule->engine[0] || !strcmp(rule->engine, row->key.engine)) &&
	       (!rule->workload[0] || !strcmp(rule->workload, row->key.workload)) &&
	       (!rule->cluster_bytes || rule->cluster_bytes == row->key.cluster_bytes);
}

/* What a comparison that did not come about means for the gate. */
static enum gate_verdict verdict_without(enum compare_state state)
{
	return state == COMPARE_INCOMPARABLE ? GATE_INCOMPARABLE : GATE_INVALID;
}

static void begin_item(struct gate_item *item, const struct gate_rule *rule,
		       const struct compare_row *row)
{
	const struct repetitions *a = &row->values[0].of, *b = &row->values[1].of;

	*item = (struct gate_item){
		.row = row,
		.test = {.rule = rule,
			 .metric = row->metric,
			 .a = a->values,
			 .n_a = a->n,
			 .b = b->values,
			 .n_b = b->n,
			 .p = 1,
			 .p_adjusted = 1,
			 .detectable_ratio = -1,
			 .change = row->changes[1]},
	};
	if (row->changes[1].state == COMPARE_DONE)
		return;
	item->test.verdict = verdict_without(row->changes[1].state);
	item->skipped = row->changes[1].state == COMPARE_SKIPPED;
	snprintf(item->why, sizeof(item->why), "%s", why_of(&row->changes[1]));
}

static bool skipped_in(const struct compare_side *side, const struct compare_key *key)
{
	const struct result_cell *cell = compare_cell(&side->results[0], key);

	return cell && cell->status == CELL_SKIPPED;
}

static int add_items(struct gate *g, const struct gate_rule *rule, struct diag *d)
{
	const struct comparison *c = &g->comparison;
	size_t found = 0;

	for (size_t i = 0; i < c->row_count; i++) {
		if (!matches(rule, &c->rows[i]))
			continue;
		found++;
		if (skipped_in(&c->sides[0], &c->rows[i].key) &&
		    skipped_in(&c->sides[1], &c->rows[i].key)) {
			g->both_skipped++;
			continue;
		}
		begin_item(&g->items[g->item_count++], rule, &c->rows[i]);
	}
	if (found)
		return 0;
	return diag_set(d, -ENOENT, "the rule on %s%s%s%s%s matches no cell", rule->metric,
			rule->engine[0] ? ", engine " : "", rule->engine,
			rule->workload[0] ? ", workload " : "", rule->workload);
}

static void explain_noise(struct gate_item *item, size_t family, double alpha)
{
	const struct gate_test *t = &item->test;

	if (t->verdict != GATE_NOISY)
		return;
	if (!t->change.constant && stats_p_smallest(t->n_a, t->n_b) > alpha / (double)family)
		snprintf(
			item->why, sizeof(item->why),
			"%zu and %zu repetitions cannot confirm a loss over %zu tests: it takes %zu",
			t->n_a, t->n_b, family, gate_repetitions_needed(family, alpha));
	else
		snprintf(
			item->why, sizeof(item->why),
			"the interval reaches beyond the margin: more repetitions, or a quieter host");
}

/* The tests whose samples are there, judged as one family. */
static bool judge_items(struct gate *g)
{
	AB_FREE struct gate_test *family = calloc(g->item_count + 1, sizeof(*family));
	size_t n = 0;

	if (!family)
		return false;
	for (size_t i = 0; i < g->item_count; i++)
		if (g->items[i].test.change.state == COMPARE_DONE)
			family[n++] = g->items[i].test;
	if (!gate_judge(family, n, g->alpha))
		return false;
	gate_find_detectable(family, n, gate_family(family, n), g->alpha);
	g->judged = n;
	for (size_t i = 0, k = 0; i < g->item_count; i++) {
		if (g->items[i].test.change.state != COMPARE_DONE)
			continue;
		g->items[i].test = family[k++];
		explain_noise(&g->items[i], n, g->alpha);
	}
	for (size_t i = 0; i < g->item_count; i++) {
		g->counts[g->items[i].test.verdict]++;
		g->skipped += g->items[i].skipped;
	}
	return true;
}

/* Names of the rules' metrics, each once. */
static size_t metrics_of(const struct gate_rule *rules, size_t count, const char **names)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < n && strcmp(names[k], rules[i].metric) != 0)
			k++;
		if (k == n)
			names[n++] = rules[i].metric;
	}
	return n;
}

int gate_run(struct compare_side sides[2], const struct gate_rule *rules, size_t rule_count,
	     double alpha, comparable_set allowed, struct gate *g, struct diag *d)
{
	const struct compare_opts opts = {.confidence = 1 - 2 * alpha, .allowed = allowed};
	const char *names[SCENARIO_MAX_RULES];
	int err;

	*g = (struct gate){.alpha = alpha};
	if (!rule_count || rule_count > SCENARIO_MAX_RULES)
		return diag_set(d, -EINVAL, "%s",
				rule_count ? "too many rules" : "there is no rule");
	err = compare_sides(sides, 2, names, metrics_of(rules, rule_count, names), &opts,
			    &g->comparison, d);
	if (err)
		return err;
	g->items = calloc(g->comparison.row_count * rule_count + 1, sizeof(*g->items));
	if (!g->items)
		return diag_errno(d, -ENOMEM, "the gate");
	for (size_t i = 0; !err && i < rule_count; i++)
		err = add_items(g, &rules[i], d);
	if (!err && !judge_items(g))
		err = diag_errno(d, -ENOMEM, "the gate");
	return err;
}

void gate_free(struct gate *g)
{
	comparison_free(&g->comparison);
	free(g->items);
	*g = (struct gate){0};
}
