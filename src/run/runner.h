/* SPDX-License-Identifier: GPL-2.0-only */
/* From a scenario to a result: prepare (datasets, images), then measure (mount, trace, fio, collect). */
#ifndef AB_RUN_RUNNER_H
#define AB_RUN_RUNNER_H

#include "base/exit_status.h"
#include "model/plan.h"
#include "model/result.h"
#include "probe/session.h"

struct run_opts {
	const char *cache_dir;	/* of datasets and images; NULL: the default */
	const char *tools_root; /* another root with mkfs.erofs, NULL: none */
	const char *output_dir; /* parent of result folders */
	const char *id;		/* name of the result folder */
	/* An interrupted run's result folder, which the caller has claimed; NULL: a new run. */
	const char *resume;
	const char *
		prepared; /* folder with a result.json whose dataset and images are ready in the cache; NULL: prepare */
	enum session_mechanism mechanism;
};

/* Loads the file system's module: its BTF exists only then, so this comes before anybody looks whether it can be traced. */
void run_load_filesystem(const char *filesystem);

/*
 * Fills what is known before anything runs: scenario, cells (pending), the dataset, the images. A cell whose image cannot be
 * made here is skipped or failed with the reason. Other than 0: nothing can run, @d says why.
 */
int run_prepare(const struct plan *p, const struct run_opts *o, struct result *r, struct diag *d);
/* The exit status for an error of run_prepare(): was the input wrong, or could this machine not do it? */
enum exit_status run_prepare_status(int err);

/*
 * Runs every step of the plan and keeps <output_dir>/<id>/result.json up to date; judges the cells and completes the result.
 * A failed cell is not an error. -EINTR: interrupted; -EOPNOTSUPP: this machine cannot; -ESTALE: an interrupted run cannot go on with this machine or tracer; other -errno: the run could not go on. What was measured is in @r and on
 * disk in both cases.
 */
int run_measure(const struct plan *p, const struct run_opts *o, struct result *r, struct diag *d);

#endif
