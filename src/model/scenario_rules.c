// SPDX-License-Identifier: GPL-2.0-only
/* Rules: what a run must show (expect), and what a later one may not lose (gate). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "model/metrics.h"
#include "model/scenario_keys.h"

/* Names of engines and workloads are checked against the matrix afterwards: scenario_check.c. */
static const struct key_info expect_keys[] = {
	{.path = "metric",
	 .type = &key_metric,
	 KEY_FIELD(struct expect_rule, metric),
	 .required = true,
	 .help = "what to look at"},
	{.path = "engine",
	 .type = &key_name,
	 KEY_FIELD(struct expect_rule, engine),
	 .help = "only cells of this engine; not given: all"},
	{.path = "workload",
	 .type = &key_name,
	 KEY_FIELD(struct expect_rule, workload),
	 .help = "only cells of this workload; not given: all"},
	{.path = "cluster",
	 .type = &key_size,
	 KEY_FIELD(struct expect_rule, cluster_bytes),
	 .min = 4096,
	 .max = 1 << 20,
	 .help = "only cells of this cluster size; not given: all"},
	{.path = "min",
	 .type = &key_bound,
	 KEY_FIELD(struct expect_rule, min),
	 .flag = offsetof(struct expect_rule, has_min),
	 .help = "the least that is right"},
	{.path = "max",
	 .type = &key_bound,
	 KEY_FIELD(struct expect_rule, max),
	 .flag = offsetof(struct expect_rule, has_max),
	 .help = "the most that is right"},
};
const struct key_table expect_table = {expect_keys, ARRAY_SIZE(expect_keys)};

static const struct key_info gate_keys[] = {
	{.path = "metric",
	 .type = &key_metric,
	 KEY_FIELD(struct gate_rule, metric),
	 .required = true,
	 .help = "what to look at"},
	{.path = "engine",
	 .type = &key_name,
	 KEY_FIELD(struct gate_rule, engine),
	 .help = "only cells of this engine; not given: all"},
	{.path = "workload",
	 .type = &key_name,
	 KEY_FIELD(struct gate_rule, workload),
	 .help = "only cells of this workload; not given: all"},
	{.path = "cluster",
	 .type = &key_size,
	 KEY_FIELD(struct gate_rule, cluster_bytes),
	 .min = 4096,
	 .max = 1 << 20,
	 .help = "only cells of this cluster size; not given: all"},
	{.path = "max_drop",
	 .type = &key_ratio,
	 KEY_FIELD(struct gate_rule, max_drop_ratio),
	 .flag = offsetof(struct gate_rule, has_max_drop),
	 .max = 100,
	 .help = "how much lower than the base line is accepted"},
	{.path = "max_rise",
	 .type = &key_ratio,
	 KEY_FIELD(struct gate_rule, max_rise_ratio),
	 .flag = offsetof(struct gate_rule, has_max_rise),
	 .max = 10000,
	 .help = "how much higher than the base line is accepted"},
};
const struct key_table gate_table = {gate_keys, ARRAY_SIZE(gate_keys)};

/* Metrics */

static void offer(void *nearest, const char *name)
{
	nearest_offer(nearest, name);
}

static int read_metric(const struct reading *r, const struct key_info *k, const char *path,
		       const struct doc_node *n, void *base)
{
	char quoted[DOC_QUOTE_SIZE], hint[NEAREST_HINT_SIZE];
	struct nearest nearest;
	struct metric metric;
	int err = key_want_text(r, n, path, "a metric");

	if (err)
		return err;
	if (!metric_find(n->text, &metric)) {
		nearest_begin(&nearest, n->text);
		metric_each(offer, &nearest);
		return key_error(r, n, path, "unknown metric %s%s", doc_quote(quoted, n->text),
				 nearest_hint(&nearest, hint)[0]
					 ? hint
					 : "; accelbench schema scenario lists them");
	}
	snprintf(key_field(k, base), k->size, "%s", n->text);
	return 0;
}

static void print_metric(const struct key_info *k, const void *base, unsigned int indent,
			 struct strbuf *out)
{
	strbuf_printf(out, " %s\n", (const char *)key_value(k, base));
}

static void schema_name(void *j, const char *name)
{
	json_string(j, NULL, name);
}

static void schema_metric(const struct key_info *k, const void *base, struct json_out *j)
{
	json_array_begin(j, "enum");
	metric_each(schema_name, j);
	json_array_end(j);
}

const struct key_type key_metric = {read_metric, print_metric, NULL, schema_metric};

/* Bounds, in the unit of the rule's metric */

static const char *const unit_examples[] = {
	[METRIC_RATIO] = "a share, such as 0.99 or 99%",
	[METRIC_BYTES] = "a size, such as 64KiB",
	[METRIC_BYTES_PER_S] = "bytes per second, such as 100MiB",
	[METRIC_PER_S] = "a number",
	[METRIC_NS] = "a time, such as 2ms",
	[METRIC_NUMBER] = "a number",
};

static int parse_bound(enum metric_unit unit, const char *text, double *value)
{
	uint64_t whole = 0;
	int err;

	switch (unit) {
	case METRIC_BYTES:
	case METRIC_BYTES_PER_S:
		err = units_parse_bytes(text, &whole);
		*value = (double)whole;
		return err;
	case METRIC_NS:
		err = units_parse_ns(text, &whole);
		*value = (double)whole;
		return err;
	default:
		return unit != METRIC_RATIO && strchr(text, '%') ? -EINVAL
								 : units_parse_ratio(text, value);
	}
}

static int read_bound(const struct reading *r, const struct key_info *k, const char *path,
		      const struct doc_node *n, void *base)
{
	const struct expect_rule *rule = base;
	char quoted[DOC_QUOTE_SIZE];
	struct metric metric;
	const char *expected;
	int err;

	metric_find(rule->metric, &metric); /* read before: its row comes first */
	expected = unit_examples[metric.unit];
	err = key_want_text(r, n, path, expected);
	if (err)
		return err;
	if (parse_bound(metric.unit, n->text, key_field(k, base)))
		return key_error(r, n, path, "%s is not %s", doc_quote(quoted, n->text), expected);
	key_set_flag(k, base);
	return 0;
}

static void print_bound(const struct key_info *k, const void *base, unsigned int indent,
			struct strbuf *out)
{
	double value = *(const double *)key_value(k, base);
	const struct expect_rule *rule = base;
	struct metric metric;
	char buf[32];

	metric_find(rule->metric, &metric);
	strbuf_putc(out, ' ');
	if (metric.unit == METRIC_BYTES || metric.unit == METRIC_BYTES_PER_S)
		strbuf_puts(out, units_bytes_compact(buf, sizeof(buf), (uint64_t)value));
	else if (metric.unit == METRIC_NS)
		strbuf_puts(out, key_exact_time(buf, (uint64_t)value));
	else
		key_print_double(out, value);
	strbuf_putc(out, '\n');
}

static bool bound_absent(const struct key_info *k, const void *base)
{
	return !key_flag(k, base);
}

static void schema_bound(const struct key_info *k, const void *base, struct json_out *j)
{
	json_flat_array_begin(j, "type");
	json_string(j, NULL, "string");
	json_string(j, NULL, "number");
	json_array_end(j);
}

const struct key_type key_bound = {read_bound, print_bound, bound_absent, schema_bound};

/* The lists */

static int read_rules(const struct reading *r, const char *path, const struct doc_node *n,
		      const struct key_table *table, void *rules, size_t rule_size, size_t *count)
{
	char member[KEY_PATH_SIZE];
	int err = key_want_list(r, n, path, "[{metric: bandwidth, ...}]");

	for (const struct doc_node *e = n->first; !err && e; e = e->next) {
		if (*count == SCENARIO_MAX_RULES)
			return key_error(r, e, path, "more than %d rules", SCENARIO_MAX_RULES);
		snprintf(member, sizeof(member), "%s[%zu]", path, *count);
		err = key_read_map(r, table, "", member, e, (char *)rules + *count * rule_size);
		++*count;
	}
	return err;
}

static void print_rules(const struct key_table *table, const void *rules, size_t rule_size,
			size_t count, unsigned int indent, struct strbuf *out)
{
	strbuf_putc(out, '\n');
	for (size_t i = 0; i < count; i++) {
		strbuf_pad(out, ' ', indent + 2);
		strbuf_puts(out, "- ");
		key_print_flow(table, (const char *)rules + i * rule_size, out);
		strbuf_putc(out, '\n');
	}
}

static void schema_rules(const struct key_table *table, struct json_out *j)
{
	json_string(j, "type", "array");
	json_u64(j, "maxItems", SCENARIO_MAX_RULES);
	json_object_begin(j, "items");
	key_schema_map(table, "", NULL, j);
	json_object_end(j);
}

static int read_expects(const struct reading *r, const struct key_info *k, const char *path,
			const struct doc_node *n, void *base)
{
	return read_rules(r, path, n, &expect_table, r->s->expects, sizeof(r->s->expects[0]),
			  &r->s->expect_count);
}

static void print_expects(const struct key_info *k, const void *base, unsigned int indent,
			  struct strbuf *out)
{
	const struct scenario *s = base;

	print_rules(&expect_table, s->expects, sizeof(s->expects[0]), s->expect_count, indent, out);
}

static bool expects_absent(const struct key_info *k, const void *base)
{
	return !((const struct scenario *)base)->expect_count;
}

static void schema_expects(const struct key_info *k, const void *base, struct json_out *j)
{
	schema_rules(&expect_table, j);
}

const struct key_type key_expects = {read_expects, print_expects, expects_absent, schema_expects};

static int read_gates(const struct reading *r, const struct key_info *k, const char *path,
		      const struct doc_node *n, void *base)
{
	return read_rules(r, path, n, &gate_table, r->s->gates, sizeof(r->s->gates[0]),
			  &r->s->gate_count);
}

static void print_gates(const struct key_info *k, const void *base, unsigned int indent,
			struct strbuf *out)
{
	const struct scenario *s = base;

	print_rules(&gate_table, s->gates, sizeof(s->gates[0]), s->gate_count, indent, out);
}

static bool gates_absent(const struct key_info *k, const void *base)
{
	return !((const struct scenario *)base)->gate_count;
}

static void schema_gates(const struct key_info *k, const void *base, struct json_out *j)
{
	schema_rules(&gate_table, j);
}

const struct key_type key_gates = {read_gates, print_gates, gates_absent, schema_gates};
