// SPDX-License-Identifier: GPL-2.0-only
/*
 * acomp_client: asks of qat_deflate what EROFS never asks: compression, requests without a backlog,
 * linear buffers (the crypto core then puts its own callback before the caller's), outputs
 * that fit exactly or not, impossible requests.
 *
 * Loading it runs the checks; it fails with EIO, and says why in the kernel's log, if one failed.
 * Set acomp_sim's hold=1 and ring_depth=DEPTH before, and hold=0 once "ring_full" is REQS - DEPTH.
 */
#include <crypto/acompress.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/string.h>

#define NAME  "acomp_client"
#define REQS  5
#define DEPTH 2
#define SIZE  6000 /* not a multiple of anything */

struct client {
	struct crypto_acomp *tfm;
	struct acomp_req *reqs[REQS];
	struct crypto_wait waits[REQS];
	u8 *text; /* SIZE bytes each */
	u8 *back;
	u8 *packed[REQS];
	int failures;
};

static void expect(struct client *c, const char *what, long got, long want)
{
	if (got == want)
		return;
	pr_err(NAME ": %s: got %ld, want %ld\n", what, got, want);
	c->failures++;
}

/* One request on linear buffers, awaited. @len: room, then bytes produced. */
static int run(struct client *c, bool compress, const u8 *src, unsigned int src_len, u8 *dst,
	       unsigned int *len)
{
	struct acomp_req *req = c->reqs[0];
	struct crypto_wait *wait = &c->waits[0];
	int err;

	crypto_init_wait(wait);
	acomp_request_set_callback(req, CRYPTO_TFM_REQ_MAY_BACKLOG, crypto_req_done, wait);
	acomp_request_set_src_dma(req, src, src_len);
	acomp_request_set_dst_dma(req, dst, *len);
	err = crypto_wait_req(compress ? crypto_acomp_compress(req) : crypto_acomp_decompress(req),
			      wait);
	*len = req->dlen;
	return err;
}

/* REQS compressions at once, without MAY_BACKLOG, into a ring of DEPTH that is on hold. */
static void check_full_ring(struct client *c, unsigned int *packed_len)
{
	int rets[REQS];
	int i;

	for (i = 0; i < REQS; i++) {
		crypto_init_wait(&c->waits[i]);
		acomp_request_set_callback(c->reqs[i], 0, crypto_req_done, &c->waits[i]);
		acomp_request_set_src_dma(c->reqs[i], c->text, SIZE);
		acomp_request_set_dst_dma(c->reqs[i], c->packed[i], SIZE);
		rets[i] = crypto_acomp_compress(c->reqs[i]);
	}
	for (i = 0; i < REQS; i++) {
		expect(c, "answer", rets[i], i < DEPTH ? -EINPROGRESS : -ENOSPC);
		if (rets[i] == -EINPROGRESS)
			expect(c, "compression", crypto_wait_req(rets[i], &c->waits[i]), 0);
	}
	*packed_len = c->reqs[0]->dlen;
}

static void check_back(struct client *c, const u8 *packed, unsigned int packed_len)
{
	unsigned int len = SIZE;

	memset(c->back, 0, SIZE);
	expect(c, "decompression", run(c, false, packed, packed_len, c->back, &len), 0);
	expect(c, "decompressed size", len, SIZE);
	expect(c, "difference", memcmp(c->text, c->back, SIZE), 0);
}

static void check_room(struct client *c, unsigned int packed_len)
{
	unsigned int len = SIZE - 1;

	expect(c, "decompression, a byte short",
	       run(c, false, c->packed[1], packed_len, c->back, &len), -ENOSPC);
	len = packed_len;
	expect(c, "compression, exact room", run(c, true, c->text, SIZE, c->packed[2], &len), 0);
	expect(c, "its size", len, packed_len);
	check_back(c, c->packed[2], len);
	len = packed_len - 1;
	expect(c, "compression, a byte short", run(c, true, c->text, SIZE, c->packed[3], &len),
	       -ENOSPC);
	len = SIZE;
	expect(c, "data cut short", run(c, false, c->packed[1], packed_len - 8, c->back, &len),
	       -EINVAL);
}

static void check_impossible(struct client *c)
{
	struct acomp_req *req = c->reqs[0];
	struct scatterlist sg;

	sg_init_one(&sg, c->text, SIZE);
	acomp_request_set_params(req, NULL, &sg, SIZE, SIZE);
	expect(c, "no source", crypto_acomp_decompress(req), -EINVAL);
	acomp_request_set_params(req, &sg, NULL, SIZE, SIZE);
	expect(c, "no destination", crypto_acomp_decompress(req), -EINVAL);
	acomp_request_set_params(req, &sg, &sg, 0, SIZE);
	expect(c, "empty source", crypto_acomp_decompress(req), -EINVAL);
	acomp_request_set_params(req, &sg, &sg, SIZE, 0);
	expect(c, "no room", crypto_acomp_decompress(req), -EINVAL);
	acomp_request_set_params(req, &sg, &sg, UINT_MAX, SIZE);
	expect(c, "source too large", crypto_acomp_decompress(req), -EINVAL);
}

static int client_alloc(struct client *c)
{
	int i;

	c->text = kmalloc(SIZE, GFP_KERNEL);
	c->back = kmalloc(SIZE, GFP_KERNEL);
	if (!c->text || !c->back)
		return -ENOMEM;
	for (i = 0; i < REQS; i++) {
		c->reqs[i] = acomp_request_alloc(c->tfm);
		c->packed[i] = kmalloc(SIZE, GFP_KERNEL);
		if (!c->reqs[i] || !c->packed[i])
			return -ENOMEM;
	}
	for (i = 0; i < SIZE; i++)
		c->text[i] = 'a' + i * i / 7 % 20;
	return 0;
}

static void client_free(struct client *c)
{
	int i;

	for (i = 0; i < REQS; i++) {
		acomp_request_free(c->reqs[i]);
		kfree(c->packed[i]);
	}
	kfree(c->back);
	kfree(c->text);
}

static int __init client_init(void)
{
	struct client *c = kzalloc(sizeof(*c), GFP_KERNEL);
	unsigned int packed_len;
	int err;

	if (!c)
		return -ENOMEM;
	c->tfm = crypto_alloc_acomp("qat_deflate", 0, 0);
	if (IS_ERR(c->tfm)) {
		err = PTR_ERR(c->tfm);
		goto out_free;
	}
	expect(c, "found where only a synchronous one will do",
	       crypto_has_acomp("qat_deflate", 0, CRYPTO_ALG_ASYNC), 0);
	err = client_alloc(c);
	if (!err) {
		check_full_ring(c, &packed_len);
		check_back(c, c->packed[0], packed_len);
		check_back(c, c->packed[1], packed_len);
		check_room(c, packed_len);
		check_impossible(c);
		err = c->failures ? -EIO : 0;
	}
	client_free(c);
	crypto_free_acomp(c->tfm);
out_free:
	kfree(c);
	return err;
}

/* Nothing is kept: the module may be removed at once. */
static void __exit client_exit(void)
{
}

module_init(client_init);
module_exit(client_exit);

MODULE_DESCRIPTION("A caller of qat_deflate for the tests of acomp_sim");
MODULE_LICENSE("GPL");
