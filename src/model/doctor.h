/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the doctor found out about this host: the link between trying (run/doctor.h) and telling
 * (report/doctor.h).
 */
#ifndef AB_MODEL_DOCTOR_H
#define AB_MODEL_DOCTOR_H

#include "model/result.h"
#include "model/targets.h"

#define DOCTOR_SCHEMA	    "accelbench/doctor"
#define DOCTOR_SCHEMA_MAJOR 1
#define DOCTOR_SCHEMA_MINOR 0

enum finding_state {
	FINDING_OK,	 /* tried, works */
	FINDING_NO,	 /* tried, does not */
	FINDING_UNTRIED, /* not tried: detail says why */
	FINDING_STATES,
};
extern const char *const finding_state_names[FINDING_STATES]; /* "ok", "no", "untried" */

/* One need. */
struct finding {
	const char *group; /* "file system": findings of a group follow each other */
	const char *name;
	const char *purpose;
	enum finding_state state;
	char detail[512]; /* how it works, or why not, in the kernel's or the tool's words */
	char remedy[320]; /* what to do about it; "": nothing to be done */
};

/* One row of the hook table. */
struct hook_finding {
	const struct hook_info *info;
	enum finding_state state;
	char function[96]; /* of the kernel that is hooked, "": none */
	char mechanisms
		[32];	  /* that attached to it, best first: "fentry, fprobe, kprobe"; "": none */
	char reason[512]; /* why others did not */
	char remedy[320];
};

struct doctor_report {
	struct result_host host;
	struct finding *findings; /* in the order in which they were tried */
	size_t finding_count;
	struct hook_finding *hooks;
	size_t hook_count;
	struct string_list engines; /* those whose scenarios can run on this host */
	bool can_trace;		    /* the tracer itself was loaded and attached */
	char mechanism[24];	    /* by which; "" when it cannot */
	char summary[1024];	    /* one or two sentences */
};

void doctor_report_free(struct doctor_report *r);
/* NULL: no such finding. */
const struct finding *doctor_find(const struct doctor_report *r, const char *group,
				  const char *name);

#endif
