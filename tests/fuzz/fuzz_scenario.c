// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input: a scenario; after a NUL, further parts are --set arguments. Whatever it is: an error with
 * words, or a scenario that prints, reads back to the same text, and can be planned.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "model/plan.h"

#define MAX_SETS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* Splits what follows the scenario at its NULs. Returns the scenario's length. */
static size_t split(const char *text, size_t size, const char *sets[MAX_SETS], size_t *count)
{
	size_t len = strnlen(text, size);

	for (const char *p = text + len; p < text + size && *count < MAX_SETS;) {
		p++;
		sets[(*count)++] = p; /* a NUL was put behind the last part */
		p += strlen(p);
	}
	return len;
}

static void check_valid(const struct scenario *s)
{
	AB_STRBUF struct strbuf first = {0}, second = {0}, text = {0};
	AB_CLEANUP(plan_free) struct plan plan = {0};
	static struct scenario back;
	struct diag d = {0};

	scenario_print(s, &first);
	require(!scenario_parse("printed", strbuf_str(&first), first.len, NULL, &back, &d));
	scenario_print(&back, &second);
	require(!strcmp(strbuf_str(&first), strbuf_str(&second)));
	require(!plan_build(s, &plan, &d));
	if (plan.step_count < 1000)
		plan_print(&plan, &text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *sets[MAX_SETS];
	struct scenario_opts opts = {.sets = sets};
	AB_FREE char *text = malloc(size + 1);
	static struct scenario s;
	struct diag d = {0};
	size_t len;
	int err;

	require(text);
	memcpy(text, data, size);
	text[size] = '\0';
	len = split(text, size, sets, &opts.set_count);
	for (int quick = 0; quick < 2; quick++) {
		opts.quick = quick;
		err = scenario_parse("fuzz.yaml", text, len, &opts, &s, &d);
		require(!err || err == -EINVAL || err == -ENOMEM);
		require(!err || d.text[0]);
		if (!err)
			check_valid(&s);
	}
	return 0;
}
