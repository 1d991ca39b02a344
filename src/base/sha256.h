/* SPDX-License-Identifier: GPL-2.0-only */
/* SHA-256 piece by piece (libcrypto, which uses the processor's instructions). */
#ifndef AB_BASE_SHA256_H
#define AB_BASE_SHA256_H

#include <stddef.h>
#include "base/cleanup.h"
#include "base/fsutil.h"

struct sha256 {
	void *ctx; /* EVP_MD_CTX; NULL after an error, which sha256_final() then reports */
};

#define AB_SHA256 AB_CLEANUP(sha256_free)

void sha256_init(struct sha256 *s);
void sha256_update(struct sha256 *s, const void *bytes, size_t len);
/*
 * Text form of the hash. -ENOMEM, or -EIO when libcrypto refuses; @hex is "" then. Ends the use of
 * @s.
 */
int sha256_final(struct sha256 *s, char hex[SHA256_HEX_SIZE]);
void sha256_free(struct sha256 *s);

#endif
