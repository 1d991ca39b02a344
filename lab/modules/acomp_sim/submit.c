// SPDX-License-Identifier: GPL-2.0-only
/* The driver's compress and decompress: where a request enters. */
#include <linux/preempt.h>
#include <linux/smp.h>

#include "acomp_sim.h"

static int sim_check(const struct acomp_req *req)
{
	if (!req->src || !req->dst || !req->slen || !req->dlen || req->slen > SIM_MAX_SRC_BYTES)
		return -EINVAL;
	return 0;
}

/* Complete @sr within the submit: its result is the return value, no callback is called. */
static int sim_run_here(struct sim_req *sr)
{
	switch (sr->plan.path) {
	case SIM_PATH_SYNC_ERROR:
		sim_log_kind(sr->row, SIM_KIND_SYNC_ERROR);
		return sr->plan.error;
	case SIM_PATH_FALLBACK:
		/* It allocates; nobody calls us in atomic context today, but it is allowed. */
		if (preemptible()) {
			sim_log_kind(sr->row, SIM_KIND_FALLBACK);
			return sim_codec_run_fallback(sr->req, sr->compress);
		}
		sim_log_kind(sr->row, SIM_KIND_SKIPPED);
		fallthrough;
	default:
		sim_log_kind(sr->row, SIM_KIND_SYNC);
		return sim_codec_run_here(sr->req, sr->compress);
	}
}

/* Returns what the driver returns. After -EINPROGRESS and -EBUSY @sr may be gone. */
static int sim_start(struct sim_req *sr)
{
	int ret;

	if (sr->plan.path == SIM_PATH_ENGINE)
		return sim_engine_submit(sr);
	if (sr->plan.path == SIM_PATH_EARLY) {
		sr->status = sr->plan.error ?: sim_codec_run_here(sr->req, sr->compress);
		sim_complete_early(sr);
		return -EINPROGRESS;
	}
	ret = sim_run_here(sr);
	if (!ret && sr->row)
		sr->row->out_bytes = sr->req->dlen;
	return ret;
}

static void sim_submit_delay(enum sim_delay_where where)
{
	if (READ_ONCE(sim_params.submit_delay_where) == where)
		sim_delay(READ_ONCE(sim_params.submit_delay_ns),
			  READ_ONCE(sim_params.submit_delay_mode) == SIM_DELAY_SLEEP);
}

int sim_submit(struct acomp_req *req, bool compress)
{
	u64 now_ns = sim_now();
	struct sim_req *sr = acomp_request_ctx(req);
	struct sim_row *row;
	u64 seq;
	int ret;

	row = sim_log_open(req, compress, now_ns, &seq);
	*sr = (struct sim_req){
		.req = req,
		.row = row,
		.compress = compress,
		.submit_cpu = row ? row->submit_cpu : raw_smp_processor_id(),
		.plan = sim_plan_make(seq),
	};

	ret = sim_check(req);
	if (ret) {
		sim_log_kind(row, SIM_KIND_REJECTED);
	} else {
		sim_submit_delay(SIM_DELAY_BEFORE);
		ret = sim_start(sr);
		/* From here on neither req nor sr may be touched. */
		sim_submit_delay(SIM_DELAY_AFTER);
	}

	if (row) {
		row->ret = ret;
		smp_store_release(&row->return_ns, sim_now());
	}
	/* Asynchronous: who completes it has the other reference. */
	sim_log_put(ret == -EINPROGRESS || ret == -EBUSY ? 1 : 2);
	return ret;
}
