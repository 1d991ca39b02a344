/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by runner*.c; nobody else includes it. */
#ifndef AB_RUN_RUNNER_IMPL_H
#define AB_RUN_RUNNER_IMPL_H

#include "base/undo.h"
#include "run/accel.h"
#include "run/mount.h"
#include "run/runner.h"

/* Everything that lives as long as the measuring. */
struct runner {
	const struct plan *plan;
	const struct run_opts *opts;
	struct result *result;
	char dir[4096];	       /* the result folder */
	char work[4096];       /* private folder for mount points */
	char images_dir[4096]; /* where <key>.erofs are */
	struct undo *undo;
	struct accel accel;
	struct session *session; /* NULL: nothing is traced, tracer.absent says why */
	bool attached;
	int log_fd;	   /* log.txt of the result folder */
	int claim_fd;	   /* result_folder_claim() */
	bool stuck;	   /* the kernel holds a child of ours: going on would measure that too */
	uint64_t fio_ns;   /* spent in fio */
	uint64_t begin_ns; /* of the measuring */
	size_t next;	   /* step under way, for messages */
};

int image_path(const struct runner *rn, size_t image, char *path, size_t size);
/* Path of the measured file below a mount. */
int measured_file(const struct runner *rn, const struct mounted *m, char *path, size_t size);
/* Attaches or detaches, so that traced and control repetitions are what they say. */
int runner_trace(struct runner *rn, bool on, struct diag *d);

/* What the process that started this guest prepared: its result.json has the facts, the cache has the images. */
int runner_adopt_prepared(const struct run_opts *o, struct result *r, struct diag *d);
/*
 * The interrupted run in @folder, into @from. -EINVAL: not one that @r can go on with, for it had another scenario, other
 * options or another program; what the data, the images and the machine were is compared when they are known.
 */
int runner_find_interrupted(const char *folder, const struct result *r, struct result *from,
			    struct diag *d);
/* Takes over what it measured, and where. -EINVAL: it had other data or images. */
int runner_adopt_interrupted(const char *folder, struct result *r, struct result *from,
			     struct diag *d);
/* Can what is measured here go beside what was measured there? -ESTALE: @d says what differs. */
int runner_same_host(const struct result_host *begun, const struct result_host *now,
		     struct diag *d);
int runner_same_tracer(const struct result_tracer *begun, const struct result_tracer *now,
		       struct diag *d);

/* Checks every (image, engine) once; cells that cannot run become skipped or failed. -EINTR or fatal -errno only. */
int runner_verify(struct runner *rn, struct diag *d);
/* One repetition. Failures of fio, mount... end the cell; -EINTR and errors that no other cell could survive are returned. */
int runner_step(struct runner *rn, const struct plan_step *step, struct diag *d);

/* "64 KiB", or "-" for an image without clusters. */
const char *cluster_text(char *buf, size_t size, uint64_t cluster_bytes);
/* "qat_deflate, 64 KiB clusters", "none". */
const char *image_text(char *buf, size_t size, const char *engine, uint64_t cluster_bytes);

/* Ends a cell. The words of @fmt are kept in the result. */
void cell_end(struct result_cell *cell, enum cell_status status, const char *fmt, ...)
	AB_PRINTF(3, 4);

#endif
