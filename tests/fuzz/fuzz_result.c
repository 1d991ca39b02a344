// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input: a result.json. Whatever it is: an error with words, or a result that writes JSON which
 * reads back to the same JSON, and whose report is free of control characters.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "model/result.h"
#include "report/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_report(const struct result *r)
{
	const struct report_opts opts = {.beside = r, .columns = 80};
	AB_STRBUF struct strbuf out = {0};
	struct diag d = {""};
	int err = report_text(r, &opts, &out, &d);

	require(!err || (err == -E2BIG && d.text[0]));
	for (size_t i = 0; i < out.len; i++)
		require((unsigned char)out.data[i] >= 0x20 || out.data[i] == '\n');
}

static void check_valid(const struct result *r)
{
	AB_STRBUF struct strbuf first = {0}, second = {0};
	AB_CLEANUP(result_free) struct result back = {0};
	struct diag d = {""};

	require(!result_to_json(r, &first, &d));
	require(!result_from_json("written", first.data, first.len, &back, &d));
	require(!result_to_json(&back, &second, &d));
	require(!strcmp(first.data, second.data));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AB_CLEANUP(result_free) struct result r = {0};
	struct diag d = {""};
	int err;

	err = result_from_json("fuzz.json", (const char *)data, size, &r, &d);
	require(!err || d.text[0]);
	if (err)
		return 0;
	check_valid(&r);
	check_report(&r);
	return 0;
}
