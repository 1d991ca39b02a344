/* SPDX-License-Identifier: GPL-2.0-only */
/* Verdicts on a candidate against a base line: pure functions of two comparison sides. Methods and proofs: docs/statistics.md. */
#ifndef AB_MODEL_GATE_H
#define AB_MODEL_GATE_H

#include "model/compare.h"
#include "model/scenario.h"

enum gate_verdict {
	GATE_WORSE,	   /* beyond the margin, confirmed over all tests of the gate */
	GATE_INVALID,	   /* not measured, failed or not valid on one side */
	GATE_INCOMPARABLE, /* the sides differ in what they must have in common */
	GATE_NOISY,	   /* neither a loss nor its absence is shown */
	GATE_SAME,	   /* a loss beyond the margin is excluded by the interval */
	GATE_BETTER,	   /* that, and the interval lies on the good side of no change */
	GATE_VERDICTS,
};
extern const char *const gate_verdict_names[GATE_VERDICTS];
extern const char *const gate_verdict_meanings[GATE_VERDICTS];

#define GATE_DEFAULT_ALPHA 0.01
#define GATE_POWER	   0.95 /* with which a change of the detectable size is found */

/* One rule on one cell: two samples, a margin, and what came of it. */
struct gate_test {
	const struct gate_rule *rule;
	struct metric metric;
	const double *a, *b; /* base line and candidate; not owned */
	size_t n_a, n_b;
	enum gate_verdict verdict;
	struct compare_change change; /* interval: one-sided 1 - alpha at each end */
	double p;		      /* that the change is within the margin */
	double p_adjusted;	      /* by Holm over the gate */
	/*
	 * Beyond the margin a change of this size, relative, is found with GATE_POWER; < 0: none, the samples are too small for a gate
	 * of so many tests.
	 */
	double detectable_ratio;
};

/* Judges tests whose samples are there; they are one family. False: no memory. */
bool gate_judge(struct gate_test *tests, size_t count, double alpha);
/* How many of @tests share the level: all but those of constants; at least 1. */
size_t gate_family(const struct gate_test *tests, size_t count);
/* Fills in detectable_ratio of judged tests, which are some of a family of that size. */
void gate_find_detectable(struct gate_test *tests, size_t count, size_t family, double alpha);

/* Repetitions of each side that a gate of @count tests needs before it can find any loss. */
size_t gate_repetitions_needed(size_t count, double alpha);

struct gate_item {
	const struct compare_row *row;
	struct gate_test test;
	bool skipped; /* invalid because the cell could not run on one side's host */
	char why[RESULT_REASON_SIZE]; /* of invalid, incomparable, noisy */
};

struct gate {
	struct comparison comparison;
	double alpha;
	struct gate_item *items;
	size_t item_count;
	size_t judged; /* items that are tests of the family */
	size_t counts[GATE_VERDICTS];
	size_t skipped;
	size_t both_skipped; /* cells that neither side could measure: left out */
};

/*
 * @sides: base line, candidate. -ENOENT: a rule matches no cell; -EINVAL: no rule. Keeps pointers into @sides and @rules.
 */
int gate_run(struct compare_side sides[2], const struct gate_rule *rules, size_t rule_count,
	     double alpha, comparable_set allowed, struct gate *g, struct diag *d);
void gate_free(struct gate *g);

/* What a gate on this base line would do with planted changes and with none. */
struct gate_self_test {
	size_t tests; /* cells and rules that could be tried */
	size_t quiet_rounds,
		quiet_failures; /* nothing planted: rounds, and those in which the gate failed */
	size_t planted,
		found; /* losses of margin + detectable size planted in one test each; found */
	size_t blind;  /* tests in which no loss could be found, whatever its size */
};
#define GATE_QUIET_ROUNDS 200
#define GATE_PLANT_ROUNDS 20 /* of every test */
/* @g: of the base line against itself. False: no memory. */
bool gate_self_test(const struct gate *g, struct gate_self_test *out);
bool gate_self_test_passed(const struct gate_self_test *t, double alpha);

#endif
