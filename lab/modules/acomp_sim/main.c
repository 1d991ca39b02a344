// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registration: name "deflate", driver "qat_deflate", the only driver name that EROFS'
 * /sys/fs/erofs/accel knows (kernel commit b4a29efc51, 6.16).
 */
#include <linux/module.h>

#include "acomp_sim.h"

static int sim_compress(struct acomp_req *req)
{
	return sim_submit(req, true);
}

static int sim_decompress(struct acomp_req *req)
{
	return sim_submit(req, false);
}

/*
 * Neither CRYPTO_ALG_REQ_VIRT nor anything like it: the crypto core turns linear buffers and
 * folios into scatter lists for us, so there is one form of request to serve.
 */
static struct acomp_alg sim_alg = {
	.compress = sim_compress,
	.decompress = sim_decompress,
	.base.cra_name = "deflate",
	.base.cra_driver_name = "qat_deflate",
	.base.cra_priority = 4001, /* as intel_qat's */
	.base.cra_flags = CRYPTO_ALG_ASYNC,
	.base.cra_reqsize = sizeof(struct sim_req), /* since 6.16, was acomp_alg.reqsize */
	.base.cra_module = THIS_MODULE,
};

static int sim_register(void)
{
	int err = crypto_register_acomp(&sim_alg);

	if (err) {
		pr_err(SIM_NAME ": cannot register qat_deflate (%d); is intel_qat loaded?\n", err);
		return err;
	}
	/* Registering only starts the self-test (37da5d0ffa7b, 6.12); a look-up awaits its end. */
	if (!crypto_has_acomp(sim_alg.base.cra_driver_name, 0, 0)) {
		pr_err(SIM_NAME ": qat_deflate failed its self-test or found no deflate-generic\n");
		crypto_unregister_acomp(&sim_alg);
		return -ENODEV;
	}
	sim_arm();
	return 0;
}

static int __init sim_init(void)
{
	int err = sim_log_init();

	if (err)
		return err;
	err = sim_codec_init();
	if (err)
		goto err_log;
	err = sim_engine_init();
	if (err)
		goto err_codec;
	err = sim_register();
	if (err)
		goto err_engine;
	sim_debugfs_init();
	return 0;

err_engine:
	sim_engine_exit();
err_codec:
	sim_codec_exit();
err_log:
	sim_log_exit();
	return err;
}

/* Every transform holds a reference on the module: there is no request left when this runs. */
static void __exit sim_exit(void)
{
	sim_debugfs_exit();
	crypto_unregister_acomp(&sim_alg);
	sim_engine_exit();
	sim_codec_exit();
	sim_log_exit();
}

module_init(sim_init);
module_exit(sim_exit);

/* No MODULE_ALIAS_CRYPTO: a guest without an accelerator must be able to stay without one. */
MODULE_DESCRIPTION("Asynchronous acomp provider with a log, for tests of a tracer");
MODULE_LICENSE("GPL");
/* The crypto core refuses an asynchronous algorithm without a synchronous one of its name. */
MODULE_SOFTDEP("pre: deflate");
