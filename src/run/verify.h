/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a file back and hashing it, in a child process: a read that hangs in the kernel must not
 * hang us.
 */
#ifndef AB_RUN_VERIFY_H
#define AB_RUN_VERIFY_H

#include <stdint.h>
#include "base/diag.h"
#include "model/result.h"

/*
 * Reads @path to its end, hashes it and compares with @sha256. Fills v->sha256, v->ok and v->reason
 * (wrong hash, or a read error with its offset: then v->ok is false and 0 is returned). -ETIME: the
 * time-out, -EINTR, other -errno: nothing could be said.
 */
int verify_file(const char *path, const char *sha256, uint64_t timeout_ns, struct result_verify *v,
		struct diag *d);

/* Only reads, to warm the cache. */
int verify_read(const char *path, uint64_t timeout_ns, struct diag *d);

#endif
