// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules against the rest of the scenario: they must name what is there, and bound what can go
 * wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/utf8.h"
#include "model/metrics.h"
#include "model/phase.h"
#include "model/scenario_keys.h"

/* What expect and gate rules have in common. */
struct rule {
	struct key_place place; /* "expect[0]" */
	const char *engine, *workload;
	uint64_t cluster_bytes;
	struct metric metric;
};

static int check_rule_engine(const struct reading *r, const struct rule *rule)
{
	char hint[NEAREST_HINT_SIZE];
	const struct scenario *s = r->s;
	struct nearest nearest;
	size_t accelerated = 0;

	nearest_begin(&nearest, rule->engine);
	for (size_t i = 0; i < s->engine_count; i++) {
		bool match = !rule->engine[0] || !strcmp(s->engines[i]->name, rule->engine);

		if (match && rule->engine[0] && rule->metric.offload &&
		    !s->engines[i]->accel_driver)
			return key_fault(r, &rule->place, "engine", "%s is software: it has no %s",
					 rule->engine, rule->metric.info->name);
		accelerated += match && s->engines[i]->accel_driver;
		if (match && rule->engine[0])
			return 0;
		nearest_offer(&nearest, s->engines[i]->name);
	}
	if (rule->engine[0])
		return key_fault(r, &rule->place, "engine", "'%s' is not in matrix.engine%s",
				 rule->engine, nearest_hint(&nearest, hint));
	if (rule->metric.offload && !accelerated)
		return key_fault(r, &rule->place, "metric",
				 "no engine of matrix.engine is an accelerator");
	return 0;
}

static int check_rule(const struct reading *r, const struct rule *rule)
{
	char hint[NEAREST_HINT_SIZE];
	const struct scenario *s = r->s;
	struct nearest nearest;
	bool found = !rule->cluster_bytes;
	int err = check_rule_engine(r, rule);

	if (err)
		return err;
	for (size_t i = 0; i < s->cluster_count; i++)
		found |= s->clusters_bytes[i] == rule->cluster_bytes;
	if (!found)
		return key_fault(r, &rule->place, "cluster", "is not in matrix.cluster");
	found = !rule->workload[0];
	nearest_begin(&nearest, rule->workload);
	for (size_t i = 0; i < s->workload_count; i++) {
		found |= !strcmp(s->workloads[i].name, rule->workload);
		nearest_offer(&nearest, s->workloads[i].name);
	}
	if (!found)
		return key_fault(r, &rule->place, "workload", "there is no workload '%s'%s",
				 rule->workload, nearest_hint(&nearest, hint));
	if (rule->metric.traced && !s->trace.enabled)
		return key_fault(r, &rule->place, "metric",
				 "needs tracing, and trace.phases is none");
	if (!rule->metric.info && !s->trace.phases[rule->metric.phase])
		return key_fault(r, &rule->place, "metric", "%s is not in trace.phases",
				 phase_table[rule->metric.phase].name);
	return 0;
}

/* A rule of the file that does not go with what --set made of the rest. */
static bool left_behind(const struct reading *r, const struct doc_node *node, int err)
{
	if (err != -EINVAL || !key_adapted(r, node))
		return false;
	if (r->d)
		r->d->text[0] = '\0';
	return true;
}

static int check_expects(const struct reading *r)
{
	const struct doc_node *list = doc_find(r->root, "expect");
	const struct doc_node *node = list ? list->first : NULL;
	size_t kept = 0;

	for (size_t i = 0; i < r->s->expect_count; i++, node = node->next) {
		const struct expect_rule *e = &r->s->expects[i];
		char path[32];
		struct rule rule = {{path, node}, e->engine, e->workload, e->cluster_bytes, {0}};
		int err;

		snprintf(path, sizeof(path), "expect[%zu]", i);
		metric_find(e->metric, &rule.metric);
		err = check_rule(r, &rule);
		if (left_behind(r, node, err))
			continue;
		if (err)
			return err;
		if (!e->has_min && !e->has_max)
			return key_fault(r, &rule.place, "",
					 "expects nothing: give min, max or both");
		if (e->has_min && e->has_max && e->min > e->max)
			return key_fault(r, &rule.place, "min", "is more than max");
		r->s->expects[kept++] = *e;
	}
	r->s->expect_count = kept;
	return 0;
}

static int check_gate(const struct reading *r, const struct gate_rule *g, const struct rule *rule)
{
	if (!g->has_max_drop && !g->has_max_rise)
		return key_fault(r, &rule->place, "", "bounds nothing: give max_drop or max_rise");
	/* A bound on the good side alone would let every regression pass. */
	if (rule->metric.sense == METRIC_HIGHER_IS_BETTER && !g->has_max_drop)
		return key_fault(r, &rule->place, "max_rise",
				 "%s is better when higher: give max_drop", g->metric);
	if (rule->metric.sense == METRIC_LOWER_IS_BETTER && !g->has_max_rise)
		return key_fault(r, &rule->place, "max_drop",
				 "%s is better when lower: give max_rise", g->metric);
	return 0;
}

int scenario_gate_rule(const char *text, struct gate_rule *g, struct diag *d)
{
	AB_CLEANUP(doc_free) struct doc doc = {0};
	AB_STRBUF struct strbuf label = {0}, flow = {0};
	struct rule rule = {.place = {.path = "rule"}};
	struct reading r = {.d = d};
	struct doc_node *root;
	int err;

	*g = (struct gate_rule){0};
	strbuf_puts(&label, "--rule ");
	utf8_add_clean(&label, text);
	strbuf_printf(&flow, text[strspn(text, " ")] == '{' ? "%s" : "{%s}", text);
	if (label.failed || flow.failed)
		return diag_errno(d, -ENOMEM, "--rule");
	err = doc_parse(&doc, strbuf_str(&label), true, strbuf_str(&flow), flow.len, &root, d);
	if (err)
		return err;
	r.root = root;
	err = key_read_map(&r, &gate_table, "", "", root, g);
	if (err)
		return err;
	rule.place.node = root;
	metric_find(g->metric, &rule.metric);
	return check_gate(&r, g, &rule);
}

static int check_gates(const struct reading *r)
{
	const struct doc_node *list = doc_find(r->root, "gate");
	const struct doc_node *node = list ? list->first : NULL;
	size_t kept = 0;

	for (size_t i = 0; i < r->s->gate_count; i++, node = node->next) {
		const struct gate_rule *g = &r->s->gates[i];
		char path[32];
		struct rule rule = {{path, node}, g->engine, g->workload, g->cluster_bytes, {0}};
		int err;

		snprintf(path, sizeof(path), "gate[%zu]", i);
		metric_find(g->metric, &rule.metric);
		err = check_rule(r, &rule);
		if (left_behind(r, node, err))
			continue;
		if (err)
			return err;
		err = check_gate(r, g, &rule);
		if (err)
			return err;
		r->s->gates[kept++] = *g;
	}
	r->s->gate_count = kept;
	return 0;
}

int scenario_check_rules(const struct reading *r)
{
	int err = check_expects(r);

	return err ? err : check_gates(r);
}
