// SPDX-License-Identifier: GPL-2.0-only
/*
 * Raw deflate (RFC 1951), window 32 KiB, as EROFS and QAT use it.
 *
 * The source is always copied first: EROFS passes overlapping source and destination (in-place
 * I/O), and inflating would overwrite what is still to be read.
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <linux/zlib.h>

#include "acomp_sim.h"

struct sim_codec {
	spinlock_t lock; /* the per-CPU ones; an engine has its codec for itself */
	struct z_stream_s stream;
	void *inflate_ws;
	void *deflate_ws;
	u8 *src;
};

static struct sim_codec *__percpu *sim_codec_here;

struct sim_codec *sim_codec_alloc(void)
{
	struct sim_codec *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return NULL;
	spin_lock_init(&c->lock);
	c->inflate_ws = vmalloc(zlib_inflate_workspacesize());
	c->deflate_ws = vmalloc(zlib_deflate_workspacesize(MAX_WBITS, MAX_MEM_LEVEL));
	c->src = vmalloc(SIM_MAX_SRC_BYTES);
	if (!c->inflate_ws || !c->deflate_ws || !c->src) {
		sim_codec_free(c);
		return NULL;
	}
	return c;
}

void sim_codec_free(struct sim_codec *c)
{
	if (!c)
		return;
	vfree(c->inflate_ws);
	vfree(c->deflate_ws);
	vfree(c->src);
	kfree(c);
}

int sim_codec_init(void)
{
	int cpu;

	sim_codec_here = alloc_percpu(struct sim_codec *);
	if (!sim_codec_here)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct sim_codec *c = sim_codec_alloc();

		if (!c) {
			sim_codec_exit();
			return -ENOMEM;
		}
		*per_cpu_ptr(sim_codec_here, cpu) = c;
	}
	return 0;
}

void sim_codec_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		sim_codec_free(*per_cpu_ptr(sim_codec_here, cpu));
	free_percpu(sim_codec_here);
}

static int sim_copy_source(const struct acomp_req *req, u8 *buf)
{
	int nents = sg_nents_for_len(req->src, req->slen);

	if (nents < 0)
		return nents;
	return sg_copy_to_buffer(req->src, nents, buf, req->slen) == req->slen ? 0 : -EINVAL;
}

static int sim_stream_init(struct sim_codec *c, bool compress)
{
	int err;

	if (compress) {
		c->stream.workspace = c->deflate_ws;
		err = zlib_deflateInit2(&c->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS,
					MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY);
	} else {
		c->stream.workspace = c->inflate_ws;
		err = zlib_inflateInit2(&c->stream, -MAX_WBITS);
	}
	return err == Z_OK ? 0 : -EINVAL;
}

static int sim_stream_step(struct sim_codec *c, bool compress)
{
	return compress ? zlib_deflate(&c->stream, Z_FINISH)
			: zlib_inflate(&c->stream, Z_SYNC_FLUSH);
}

/* Fill @req's destination, piece by piece, up to dlen. Returns zlib's last word. */
static int sim_stream_run(struct sim_codec *c, struct acomp_req *req, int nents, bool compress)
{
	struct z_stream_s *s = &c->stream;
	unsigned int left = req->dlen;
	struct sg_mapping_iter piece;
	int ret = Z_OK;
	u8 spare;

	sg_miter_start(&piece, req->dst, nents, SG_MITER_ATOMIC | SG_MITER_TO_SG);
	while (ret == Z_OK && left && sg_miter_next(&piece)) {
		s->next_out = piece.addr;
		s->avail_out = min_t(size_t, piece.length, left);
		left -= s->avail_out;
		ret = sim_stream_step(c, compress);
		/* More output is to come exactly when this piece is full. */
		if (s->avail_out && ret == Z_OK)
			ret = Z_BUF_ERROR;
	}
	sg_miter_stop(&piece);
	/* All room is used: the end may still be due, seen only by who offers one byte more. */
	if (ret == Z_OK) {
		s->next_out = &spare;
		s->avail_out = 1;
		ret = sim_stream_step(c, compress);
	}
	return ret;
}

int sim_codec_run(struct sim_codec *c, struct acomp_req *req, bool compress)
{
	int nents = sg_nents_for_len(req->dst, req->dlen);
	int err, ret;

	if (nents < 0)
		return nents;
	err = sim_copy_source(req, c->src) ?: sim_stream_init(c, compress);
	if (err)
		return err;
	c->stream.next_in = c->src;
	c->stream.avail_in = req->slen;
	ret = sim_stream_run(c, req, nents, compress);
	if (ret == Z_STREAM_END && c->stream.total_out <= req->dlen) {
		req->dlen = c->stream.total_out;
		return 0;
	}
	return ret != Z_DATA_ERROR && c->stream.total_out >= req->dlen ? -ENOSPC : -EINVAL;
}

int sim_codec_run_here(struct acomp_req *req, bool compress)
{
	struct sim_codec *c = *per_cpu_ptr(sim_codec_here, raw_smp_processor_id());
	int ret;

	/* As deflate-generic does. A migration before the lock costs contention, nothing else. */
	spin_lock_bh(&c->lock);
	ret = sim_codec_run(c, req, compress);
	spin_unlock_bh(&c->lock);
	return ret;
}

/*
 * deflate-generic works with a window of 2 KiB across pieces: it can inflate EROFS' streams only
 * into a linear destination, where all of the output stays in reach. So both sides are linear.
 */
int sim_codec_run_fallback(struct acomp_req *req, bool compress)
{
	ACOMP_FBREQ_ON_STACK(nested, req);
	u8 *src = kvmalloc(req->slen, GFP_KERNEL);
	u8 *dst = kvmalloc(req->dlen, GFP_KERNEL);
	int nents = sg_nents_for_len(req->dst, req->dlen);
	int err = -ENOMEM;

	if (!src || !dst)
		goto out;
	err = nents < 0 ? nents : sim_copy_source(req, src);
	if (err)
		goto out;
	acomp_request_set_src_nondma(nested, src, req->slen);
	acomp_request_set_dst_nondma(nested, dst, req->dlen);
	err = compress ? crypto_acomp_compress(nested) : crypto_acomp_decompress(nested);
	if (err)
		goto out;
	req->dlen = nested->dlen;
	if (sg_copy_from_buffer(req->dst, nents, dst, req->dlen) != req->dlen)
		err = -EINVAL;
out:
	kvfree(dst);
	kvfree(src);
	return err;
}
