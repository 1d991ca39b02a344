/* SPDX-License-Identifier: GPL-2.0-only */
/* Which rows of a comparison are shown, and in which order. */
#ifndef AB_MODEL_COMPARE_FILTER_H
#define AB_MODEL_COMPARE_FILTER_H

#include "model/compare.h"

/* What tells the rows of one metric apart. */
enum compare_axis { AXIS_WORKLOAD, AXIS_CLUSTER, AXIS_ENGINE, COMPARE_AXES };
extern const char *const compare_axis_names[COMPARE_AXES + 1]; /* NULL at the end */

/* The order in which axes tell rows apart, each once. */
struct compare_order {
	enum compare_axis axes[COMPARE_AXES];
};
extern const struct compare_order compare_default_order;

/* "cluster,engine": those first, then the others. -EINVAL. */
int compare_order_parse(const char *text, struct compare_order *order, struct diag *d);

/*
 * Keeps the rows that match @filters, "workload=NAME", "engine=NAME", "cluster=SIZE": one of those given for a key, of every key given.
 * -EINVAL: not of that form; -ENOENT: nothing is left.
 */
int compare_filter(struct comparison *c, const char *const *filters, size_t count, struct diag *d);

/* Sorts the rows of each metric; values of an axis stay in the order in which they first appear, clusters ascend. */
void compare_sort(struct comparison *c, const struct compare_order *order);

/* Whether two rows have the same place on an axis. */
bool compare_same(const struct compare_row *a, const struct compare_row *b, enum compare_axis axis);

#endif
