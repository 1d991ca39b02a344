/* SPDX-License-Identifier: GPL-2.0-only */
/* The doctor's insides, for run/doctor*.c only. */
#ifndef AB_RUN_DOCTOR_IMPL_H
#define AB_RUN_DOCTOR_IMPL_H

#include "base/undo.h"
#include "model/scenario.h"
#include "probe/attach.h"
#include "probe/btf_index.h"
#include "run/doctor.h"
#include "run/erofs_tiny.h"
#include "run/mkfs.h"

/* What earlier checks found out and later ones build on. */
struct doctor {
	const struct doctor_opts *opts;
	struct doctor_report *report;
	struct undo *undo;	   /* NULL: no journal, so nothing that needs one is tried */
	char folder[64];	   /* for files of ours, "": none */
	char no_folder[512];	   /* why */
	bool private_mounts;	   /* mounts of ours are seen by nobody else */
	struct mkfs_tool tools[2]; /* this machine's mkfs.erofs, then the other root's */
	bool has_tool[2];
	uint32_t makes; /* bit per row of engine_table: a tool builds its images */
	enum finding_state accelerators[32]; /* by row: can its driver serve requests? */
	bool tools_tried;		     /* making images could be tried */
	bool has_fio;
	bool erofs;   /* registered with the kernel */
	bool mounted; /* mounting images could be tried */
	bool mounts[BACKINGS];
	bool reads[EROFS_TINY_STORED + 1]; /* by enum erofs_algorithm */
	bool has_switch;		   /* EROFS lets us choose an accelerator */
	char accelerator_set[256];	   /* what is switched on, "": nothing */
	bool has_index;
	struct btf_index index;
	char refusal[MECHANISMS]
		    [256]; /* why kernel functions cannot be traced that way, "": they can */
	bool lab_ready;
};

/* Does one thing and says how that went; @which is the row's. */
typedef void doctor_check(struct doctor *dr, unsigned int which, struct finding *f);

/* Sets state and detail. */
void found(struct finding *f, enum finding_state state, const char *fmt, ...) AB_PRINTF(3, 4);
/* What to do, instead of the row's own remedy. */
void advise(struct finding *f, const char *fmt, ...) AB_PRINTF(2, 3);
/* It does not work, in the words of @why. Whoever is not root is told that first. */
void refused(struct finding *f, int err, const struct diag *why);

/* Not tried since there is no folder for files of ours. */
void no_folder(const struct doctor *dr, struct finding *f);

#define BE_ROOT "run as root: sudo accelbench ..."
#define USE_LAB "measure in the lab: accelbench run --target lab"

/* doctor_system.c: who we are, the tools, the lab */
doctor_check check_root, check_lockdown, check_private_mounts;
doctor_check check_fio, check_mkfs, check_qemu, check_mmdebstrap, check_guest;
/* doctor_files.c: file system and accelerator */
doctor_check check_erofs, check_backing, check_block_statistics, check_algorithm;
doctor_check check_switch, check_driver;
/* doctor_trace.c */
doctor_check check_btf, check_program, check_map, check_mechanism, check_tracepoint, check_tracer;
int doctor_hooks(struct doctor *dr);

#endif
