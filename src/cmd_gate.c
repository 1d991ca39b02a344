// SPDX-License-Identifier: GPL-2.0-only
#include "cmd_results.h"

#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/log.h"
#include "model/gate.h"
#include "report/compare.h"

enum format {
	FORMAT_TEXT,
	FORMAT_MARKDOWN,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_JUNIT,
	FORMAT_OPENMETRICS,
};
static const char *const format_names[] = {
	"text", "markdown", "csv", "json", "junit", "openmetrics", NULL,
};

struct options {
	const char *baseline;
	struct option_list rules;
	struct option_list allow;
	double alpha;
	bool strict;
	bool self_test;
	int format;
	struct results_output to;
};

static const struct option_info option_table[] = {
	{"baseline", 'b', OPTION_STRING, offsetof(struct options, baseline), "RESULT", NULL,
	 "what RESULT must not be worse than"},
	{"rule", 'r', OPTION_LIST, offsetof(struct options, rules), "RULE", NULL,
	 "such as \"metric: bandwidth, max_drop: 5%, engine: deflate\"; may be repeated (default: the scenario's)"},
	{"allow", 0, OPTION_LIST, offsetof(struct options, allow), "KEY", NULL,
	 "compare though they differ in this; may be repeated"},
	{"alpha", 0, OPTION_RATIO, offsetof(struct options, alpha), "RATIO", NULL,
	 "chance of a wrong alarm that is accepted for the whole gate (default: 1%)"},
	{"strict", 0, OPTION_FLAG, offsetof(struct options, strict), NULL, NULL,
	 "status 1 for whatever else than a passed gate would be 3, 4 or 5"},
	{"self-test", 0, OPTION_FLAG, offsetof(struct options, self_test), NULL, NULL,
	 "try the rules on the base line alone: with nothing planted, and with losses planted"},
	{"format", 'f', OPTION_ENUM, offsetof(struct options, format), NULL, format_names,
	 "how to print it"},
	RESULTS_OUTPUT_OPTIONS(struct options, to),
};

struct rules {
	struct gate_rule items[SCENARIO_MAX_RULES];
	size_t count;
};

/* The rules that the measured scenario has. */
static int rules_of_scenario(const struct result *r, struct rules *rules, struct diag *d)
{
	AB_FREE struct scenario *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return diag_errno(d, -ENOMEM, "scenario");
	if (!r->scenario_yaml)
		return 0;
	err = scenario_parse("the scenario of the result", r->scenario_yaml,
			     strlen(r->scenario_yaml), NULL, s, d);
	if (err)
		return err;
	memcpy(rules->items, s->gates, sizeof(rules->items));
	rules->count = s->gate_count;
	return 0;
}

static enum exit_status find_rules(const struct options *o, const struct result *r,
				   struct rules *rules, struct diag *d)
{
	int err = 0;

	if (!o->rules.count)
		err = rules_of_scenario(r, rules, d);
	else if (o->rules.count > SCENARIO_MAX_RULES)
		err = diag_set(d, -E2BIG, "--rule: at most %d", SCENARIO_MAX_RULES);
	for (size_t i = 0; !err && i < o->rules.count; i++)
		err = scenario_gate_rule(o->rules.items[i], &rules->items[rules->count++], d);
	if (err)
		return err == -ENOMEM ? STATUS_FAILED : STATUS_USAGE;
	if (rules->count)
		return STATUS_OK;
	diag_set(
		d, -EINVAL,
		"no rule: the scenario has no gate, and none was given (--rule \"metric: bandwidth, max_drop: 5%%\")");
	return STATUS_USAGE;
}

static enum exit_status status_of(const struct gate *g, struct diag *d)
{
	const size_t *n = g->counts;

	if (n[GATE_WORSE]) {
		diag_set(d, 0, "%zu of %zu tests found a loss", n[GATE_WORSE], g->item_count);
		return STATUS_REGRESSION;
	}
	if (n[GATE_INCOMPARABLE]) {
		diag_set(d, 0, "%zu of %zu tests set unlike things against each other",
			 n[GATE_INCOMPARABLE], g->item_count);
		return STATUS_USAGE;
	}
	if (n[GATE_INVALID] > g->skipped) {
		diag_set(d, 0, "%zu of %zu tests have no valid measurement to judge",
			 n[GATE_INVALID] - g->skipped, g->item_count);
		return STATUS_FAILED;
	}
	if (g->skipped || !g->item_count) {
		diag_set(d, 0, "%zu tests were skipped on one side or both",
			 g->skipped + g->both_skipped);
		return STATUS_SKIPPED;
	}
	if (n[GATE_NOISY]) {
		diag_set(d, 0, "%zu of %zu tests are too noisy for a verdict", n[GATE_NOISY],
			 g->item_count);
		return STATUS_INCONCLUSIVE;
	}
	return STATUS_OK;
}

static void print(const struct options *o, const struct gate *g, const struct text_out *to)
{
	switch (o->format) {
	case FORMAT_MARKDOWN:
		report_gate_markdown(g, to, to->sb);
		break;
	case FORMAT_CSV:
		report_gate_csv(g, to->sb);
		break;
	case FORMAT_JSON:
		report_gate_json(g, to->sb);
		break;
	case FORMAT_JUNIT:
		report_gate_junit(g, to->sb);
		break;
	case FORMAT_OPENMETRICS:
		report_gate_openmetrics(g, to->sb);
		break;
	default:
		report_gate_text(g, to);
	}
}

static enum exit_status try_it(const struct options *o, const struct gate *g,
			       const struct text_out *to, struct diag *d)
{
	struct gate_self_test t;
	enum exit_status status;
	bool passed;

	if (!gate_self_test(g, &t)) {
		diag_errno(d, -ENOMEM, "self-test");
		return STATUS_FAILED;
	}
	passed = gate_self_test_passed(&t, g->alpha);
	report_self_test(&t, passed, g->alpha, to);
	status = results_write(&o->to, to->sb, d);
	if (status || passed)
		return status;
	diag_set(d, 0, "this gate cannot be trusted with this base line");
	return STATUS_REGRESSION;
}

static enum exit_status gate(const struct options *o, struct compare_side sides[2],
			     const struct invocation *inv, struct diag *d)
{
	AB_CLEANUP(gate_free) struct gate g = {0};
	AB_STRBUF struct strbuf out = {0};
	struct rules rules = {0};
	struct text_out to = results_text_out(&o->to, inv, &out);
	comparable_set allowed = 0;
	enum exit_status status = results_allow(&o->allow, &allowed, d), written;
	int err;

	if (!status)
		status = find_rules(o, &sides[1].results[0], &rules, d);
	if (status)
		return status;
	err = gate_run(sides, rules.items, rules.count, o->alpha, allowed, &g, d);
	if (err)
		return err == -ENOMEM ? STATUS_FAILED : STATUS_USAGE;
	if (o->self_test)
		return try_it(o, &g, &to, d);
	print(o, &g, &to);
	written = results_write(&o->to, &out, d);
	if (written)
		return written;
	status = status_of(&g, d);
	if (o->strict && status >= STATUS_FAILED)
		status = STATUS_REGRESSION;
	return status;
}

static enum exit_status check_options(const struct options *o, const struct invocation *inv,
				      struct diag *d)
{
	if (!o->baseline)
		diag_set(d, -EINVAL, "--baseline is missing: what must RESULT not be worse than?");
	else if (o->self_test && inv->operand_count)
		diag_set(d, -EINVAL, "--self-test tries the base line alone: it takes no RESULT");
	else if (o->self_test && o->format != FORMAT_TEXT)
		diag_set(d, -EINVAL, "--self-test prints text only");
	else if (!o->self_test && !inv->operand_count)
		diag_set(d, -EINVAL, "RESULT is missing");
	else if (o->alpha <= 0 || o->alpha >= 0.5)
		diag_set(d, -EINVAL, "--alpha: above 0 and below 50%%, such as 1%%");
	else
		return STATUS_OK;
	return STATUS_USAGE;
}

static enum exit_status run_gate(const void *options, const struct invocation *inv, struct diag *d)
{
	const struct options *o = options;
	const char *candidate = o->self_test ? o->baseline : inv->operands[0];
	struct compare_side sides[2] = {0};
	enum exit_status status = check_options(o, inv, d);

	if (!status && (compare_side_load(o->baseline, &sides[0], d) ||
			compare_side_load(candidate, &sides[1], d)))
		status = STATUS_USAGE;
	if (!status)
		status = gate(o, sides, inv, d);
	compare_side_free(&sides[0]);
	compare_side_free(&sides[1]);
	return status;
}

static const struct options defaults = {.alpha = GATE_DEFAULT_ALPHA};

const struct command cmd_gate = {
	.name = "gate",
	.summary = "fail when a result is worse than a base line",
	.operands = "[RESULT]",
	.operands_min = 0,
	.operands_max = 1,
	.details =
		"Rules are those of RESULT's scenario (gate:), or of --rule. A loss is one when it is beyond the rule's\n"
		"margin, and that is told from noise over all tests together; what can be told neither way is too noisy,\n"
		"and no pass. RESULT and the base line are result folders, or folders of several. Needs no root.",
	.options = option_table,
	.option_count = ARRAY_SIZE(option_table),
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.run = run_gate,
};
