/* SPDX-License-Identifier: GPL-2.0-only */
/* Every cell and every repetition of a scenario, in the order in which they will run. */
#ifndef AB_MODEL_PLAN_H
#define AB_MODEL_PLAN_H

#include "model/scenario.h"

struct plan_image {
	const struct engine_info *engine; /* the first that uses it; its mkfs_algorithm matters */
	uint64_t cluster_bytes;		  /* 0: uncompressed, there are no clusters */
	int level;			  /* -1: the tool's default */
	uint64_t timeout_ns;		  /* longest time to build it, 0: none */
};

struct plan_cell {
	size_t index; /* 0..cell_count-1, workload fastest, engine slowest */
	const struct engine_info *engine;
	uint64_t cluster_bytes; /* 0: uncompressed; such an engine has one cell per workload */
	const struct workload_spec *workload;
	size_t image; /* index into images */
};

struct plan_step {
	size_t cell;
	unsigned int repetition; /* 0.. */
	bool traced;		 /* false: a control repetition, or tracing is off */
};

struct plan {
	const struct scenario *scenario;
	struct plan_image *images;
	size_t image_count;
	struct plan_cell *cells;
	size_t cell_count;
	struct plan_step *steps;
	size_t step_count;
};

/* -ENOMEM, -EINVAL. Keeps a pointer to @s. */
int plan_build(const struct scenario *s, struct plan *p, struct diag *d);
void plan_free(struct plan *p);
/* One line per image, cell and step; what `accelbench plan` shows. */
void plan_print(const struct plan *p, struct strbuf *out);

#endif
