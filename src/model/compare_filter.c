// SPDX-License-Identifier: GPL-2.0-only
#include "model/compare_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"

const char *const compare_axis_names[COMPARE_AXES + 1] = {
	[AXIS_WORKLOAD] = "workload",
	[AXIS_CLUSTER] = "cluster",
	[AXIS_ENGINE] = "engine",
	[COMPARE_AXES] = NULL,
};

const struct compare_order compare_default_order = {{AXIS_WORKLOAD, AXIS_CLUSTER, AXIS_ENGINE}};

static int find_axis(const char *text, size_t len)
{
	for (int i = 0; i < COMPARE_AXES; i++)
		if (strlen(compare_axis_names[i]) == len &&
		    !memcmp(compare_axis_names[i], text, len))
			return i;
	return -1;
}

int compare_order_parse(const char *text, struct compare_order *order, struct diag *d)
{
	bool used[COMPARE_AXES] = {false};
	size_t n = 0;

	for (const char *at = text; *at;) {
		size_t len = strcspn(at, ",");
		int axis = find_axis(at, len);

		if (axis < 0 || used[axis])
			return diag_set(
				d, -EINVAL,
				"'%.60s': expected some of workload,cluster,engine, each once",
				text);
		used[axis] = true;
		order->axes[n++] = (enum compare_axis)axis;
		at += len + (at[len] == ',');
	}
	for (size_t i = 0; i < COMPARE_AXES; i++)
		if (!used[compare_default_order.axes[i]])
			order->axes[n++] = compare_default_order.axes[i];
	return 0;
}

bool compare_same(const struct compare_row *a, const struct compare_row *b, enum compare_axis axis)
{
	switch (axis) {
	case AXIS_WORKLOAD:
		return !strcmp(a->key.workload, b->key.workload);
	case AXIS_ENGINE:
		return !strcmp(a->key.engine, b->key.engine);
	default:
		return a->key.cluster_bytes == b->key.cluster_bytes;
	}
}

struct condition {
	enum compare_axis axis;
	const char *name;
	uint64_t cluster_bytes;
};

static int parse_condition(const char *text, struct condition *c, struct diag *d)
{
	size_t len = strcspn(text, "=");
	int axis = find_axis(text, len);

	if (axis < 0 || !text[len] || !text[len + 1])
		return diag_set(
			d, -EINVAL,
			"--filter %.60s: expected workload=NAME, engine=NAME or cluster=SIZE",
			text);
	*c = (struct condition){.axis = (enum compare_axis)axis, .name = text + len + 1};
	if (axis == AXIS_CLUSTER && units_parse_bytes(c->name, &c->cluster_bytes))
		return diag_set(d, -EINVAL, "--filter %.60s: '%.40s' is no size", text, c->name);
	return 0;
}

static bool meets(const struct compare_row *row, const struct condition *c)
{
	switch (c->axis) {
	case AXIS_WORKLOAD:
		return !strcmp(row->key.workload, c->name);
	case AXIS_ENGINE:
		return !strcmp(row->key.engine, c->name);
	default:
		return row->key.cluster_bytes == c->cluster_bytes;
	}
}

static bool meets_all(const struct compare_row *row, const struct condition *conditions,
		      size_t count)
{
	bool given[COMPARE_AXES] = {false}, met[COMPARE_AXES] = {false};

	for (size_t i = 0; i < count; i++) {
		given[conditions[i].axis] = true;
		met[conditions[i].axis] |= meets(row, &conditions[i]);
	}
	for (int axis = 0; axis < COMPARE_AXES; axis++)
		if (given[axis] && !met[axis])
			return false;
	return true;
}

int compare_filter(struct comparison *c, const char *const *filters, size_t count, struct diag *d)
{
	AB_FREE struct condition *conditions = calloc(count + 1, sizeof(*conditions));
	size_t kept = 0;
	int err = 0;

	if (!conditions)
		return diag_errno(d, -ENOMEM, "filters");
	for (size_t i = 0; !err && i < count; i++)
		err = parse_condition(filters[i], &conditions[i], d);
	for (size_t i = 0; !err && i < c->row_count; i++) {
		struct compare_row row = c->rows[i];

		if (!meets_all(&row, conditions, count))
			continue;
		/* Those that do not match go to the end, where they are still freed. */
		c->rows[i] = c->rows[kept];
		c->rows[kept++] = row;
	}
	if (err)
		return err;
	comparison_cut(c, kept);
	return kept ? 0 : diag_set(d, -ENOENT, "--filter: no cell matches");
}

/* Places of a row on the axes, most important first. */
struct place {
	struct compare_row row;
	uint64_t at[1 + COMPARE_AXES];
};

static uint64_t place_on(const struct comparison *c, const struct compare_row *row,
			 enum compare_axis axis)
{
	size_t i = 0;

	if (axis == AXIS_CLUSTER)
		return row->key.cluster_bytes;
	while (!compare_same(&c->rows[i], row, axis))
		i++;
	return i;
}

static uint64_t metric_place(const struct comparison *c, const struct compare_row *row)
{
	size_t i = 0;

	while (strcmp(c->rows[i].metric_name, row->metric_name) != 0)
		i++;
	return i;
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	for (size_t i = 0; i <= COMPARE_AXES; i++)
		if (x->at[i] != y->at[i])
			return x->at[i] < y->at[i] ? -1 : 1;
	return 0;
}

void compare_sort(struct comparison *c, const struct compare_order *order)
{
	AB_FREE struct place *places = calloc(c->row_count + 1, sizeof(*places));

	for (size_t i = 0; places && i < c->row_count; i++) {
		places[i].row = c->rows[i];
		places[i].at[0] = metric_place(c, &c->rows[i]);
		for (size_t k = 0; k < COMPARE_AXES; k++)
			places[i].at[1 + k] = place_on(c, &c->rows[i], order->axes[k]);
	}
	if (!places)
		return;
	qsort(places, c->row_count, sizeof(*places), by_place);
	for (size_t i = 0; i < c->row_count; i++)
		c->rows[i] = places[i].row;
}
