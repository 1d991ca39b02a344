// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input: what fio printed. Whatever it is: -EBADMSG with words, or a sample whose numbers make
 * sense.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "run/fio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct result_sample s = {0};
	struct diag d = {""};
	int err = fio_parse((const char *)data, size, &s, &d);
	bool sane = s.io_bytes && s.runtime_ns && s.bandwidth_bytes_per_s > 0 &&
		    isfinite(s.bandwidth_bytes_per_s) && isfinite(s.latency_mean_ns);

	if (err ? err != -EBADMSG || !d.text[0] : !sane)
		abort();
	return 0;
}
