/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the machine that belong to a result. Nothing is tried out and nothing is changed:
 * that is the doctor's part.
 */
#ifndef AB_RUN_HOST_H
#define AB_RUN_HOST_H

#include "base/diag.h"
#include "model/result.h"
#include "run/host_parse.h"

/*
 * Fills @h from what the kernel says. What cannot be found out stays empty; mkfs_version is left to
 * who builds images. -ENOMEM is the only error.
 *
 * virtualization: "none" when the processor says that nothing is in between, "unknown" when it
 * cannot be asked (other than x86 without DMI). emulated is set only when it is known.
 */
int host_facts(struct result_host *h, struct diag *d);

/* The whole of /proc/crypto. -errno. */
int host_crypto_text(struct strbuf *text, struct diag *d);

/*
 * What stands behind an acomp driver that module @module provides: "simulated" a provider of the
 * lab, "qat" Intel's driver with an Intel device bound to it, "simulated" too when it has another
 * device; "unknown" for every other module.
 */
const char *host_accelerator_kind(const char *module);

/*
 * Mode of kernel lockdown: "none", "integrity", "confidentiality"; "" unknown. Mounts nothing that
 * others could see.
 */
void host_lockdown(char *mode, size_t size);

#endif
