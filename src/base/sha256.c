// SPDX-License-Identifier: GPL-2.0-only
#include "base/sha256.h"

#include <errno.h>
#include <openssl/evp.h>

void sha256_init(struct sha256 *s)
{
	s->ctx = EVP_MD_CTX_new();
	if (s->ctx && EVP_DigestInit_ex(s->ctx, EVP_sha256(), NULL) != 1)
		sha256_free(s);
}

void sha256_update(struct sha256 *s, const void *bytes, size_t len)
{
	if (s->ctx && EVP_DigestUpdate(s->ctx, bytes, len) != 1)
		sha256_free(s);
}

int sha256_final(struct sha256 *s, char hex[SHA256_HEX_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned int len = 0;
	int ok;

	*hex = '\0';
	if (!s->ctx)
		return -ENOMEM;
	ok = EVP_DigestFinal_ex(s->ctx, sum, &len);
	sha256_free(s);
	if (ok != 1 || len != (SHA256_HEX_SIZE - 1) / 2)
		return -EIO;
	for (unsigned int i = 0; i < len; i++) {
		*hex++ = digits[sum[i] >> 4];
		*hex++ = digits[sum[i] & 15];
	}
	*hex = '\0';
	return 0;
}

void sha256_free(struct sha256 *s)
{
	EVP_MD_CTX_free(s->ctx);
	s->ctx = NULL;
}
