/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run in the lab: this process prepares dataset and images at native speed, the guest measures, the result folder comes
 * back through the shared folder.
 */
#ifndef AB_RUN_LAB_TARGET_H
#define AB_RUN_LAB_TARGET_H

#include "base/exit_status.h"
#include "run/runner.h"

struct lab_target {
	const char *lab_dir;	   /* where `make lab` put the guest */
	const char *scenario_file; /* the guest reads it too: "-" and pipes are refused */
	const char *const *sets;   /* --set arguments */
	size_t set_count;
	bool quick;
	const char *mechanism; /* one of session_mechanism_names */
	unsigned int cpus;
	uint64_t timeout_ns; /* of the whole guest; 0: derived from the plan */
	bool deterministic;
	const char *module_parameters; /* of the guest's accelerator, NULL: its defaults */
};

/*
 * Runs @p in the guest and reads the result into @r. The guest's exit status; STATUS_FAILED when it panicked or hung: the
 * result so far and the console stay in the result folder; STATUS_SKIPPED: there is no lab here.
 */
enum exit_status lab_target_run(const struct plan *p, const struct run_opts *o,
				const struct lab_target *target, struct result *r, struct diag *d);

/* In the guest: loads the accelerator with these parameters ("name=value name=value"). */
#define LAB_MODULE "/kit/modules/acomp_sim.ko"
int lab_insmod(const char *parameters, struct diag *d);

#endif
