// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tracer costs before it measures: seconds to load and attach all hooks, and the instructions of each program as
 * the verifier counted them, against tests/guest/instructions.txt ("NAME COUNT" a line). A program that grew is either
 * justified in that file or a regression: every traced request pays for it.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <bpf/bpf.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "probe/session.h"

#define BASELINE     "tests/guest/instructions.txt"
#define MAX_PROGRAMS 64
/* The count moves a little with the verifier of each kernel release. */
#define MAX_GROWTH_RATIO 0.1
/* The limit is one second on an idle machine, which `make bench` checks; here others may be working. */
#define MAX_START_NS 3000000000ull
#define TRIES	     3

struct program {
	char name
		[BPF_OBJ_NAME_LEN]; /* without the number of the slot: all slots of a role have one body */
	uint32_t instructions;
};

struct programs {
	struct program list[MAX_PROGRAMS];
	size_t count;
};

static void add_program(struct programs *p, const struct bpf_prog_info *info)
{
	struct program new = {.instructions = info->verified_insns};
	size_t len = 0;

	for (const char *c = info->name; *c; c++)
		if (*c < '0' || *c > '9')
			new.name[len++] = *c;
	for (size_t i = 0; i < p->count; i++) {
		struct program *old = &p->list[i];

		if (strcmp(old->name, new.name))
			continue;
		if (old->instructions < new.instructions)
			old->instructions = new.instructions;
		return;
	}
	assert_true(p->count < MAX_PROGRAMS);
	p->list[p->count++] = new;
}

static int by_name(const void *a, const void *b)
{
	const struct program *p = a, *q = b;

	return strcmp(p->name, q->name);
}

/* All programs in the kernel with an identity above @after. */
static struct programs loaded_since(uint32_t after)
{
	struct programs found = {0};

	for (uint32_t id = after; !bpf_prog_get_next_id(id, &id);) {
		struct bpf_prog_info info = {0};
		uint32_t size = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &size), 0);
		add_program(&found, &info);
		close(fd);
	}
	qsort(found.list, found.count, sizeof(*found.list), by_name);
	return found;
}

static uint32_t last_id(void)
{
	uint32_t last = 0;

	for (uint32_t id = 0; !bpf_prog_get_next_id(id, &id);)
		last = id;
	return last;
}

static struct session *start(enum session_mechanism mechanism, uint64_t *took_ns)
{
	const struct session_opts opts = {.filesystem = "erofs",
					  .mechanism = mechanism,
					  .record_every = 1};
	struct session *s = NULL;
	struct diag d = {0};
	uint64_t begin = clock_mono_ns();

	if (session_open(&s, &opts, &d) || session_attach(s, &d))
		fail_msg("%s", d.text);
	*took_ns = clock_mono_ns() - begin;
	return s;
}

static void check_start(enum session_mechanism mechanism, const char *name)
{
	uint64_t best = UINT64_MAX, took;

	for (int i = 0; i < TRIES; i++) {
		struct result r = {0};
		struct session *s = start(mechanism, &took);

		assert_int_equal(session_describe(s, &r.tracer), 0);
		print_message(
			"# open, load and attach all hooks by %s: %.2f s (%.2f + %.2f + %.2f)\n",
			name, (double)took / 1e9, (double)r.tracer.open_ns / 1e9,
			(double)r.tracer.load_ns / 1e9, (double)r.tracer.attach_ns / 1e9);
		result_free(&r);
		session_close(s);
		best = took < best ? took : best;
	}
	if (best > MAX_START_NS)
		fail_msg("that took %.2f s, at most %.2f", (double)best / 1e9, MAX_START_NS / 1e9);
}

/* What a run does unless it is told otherwise; `make bench` judges this one. */
static void test_start_as_chosen(void **state)
{
	check_start(MECHANISM_AUTO, "auto");
}

static void test_start_by_fentry(void **state)
{
	check_start(MECHANISM_FENTRY, "fentry");
}

static void test_start_by_fprobe(void **state)
{
	check_start(MECHANISM_FPROBE, "fprobe");
}

static void test_start_by_kprobe(void **state)
{
	check_start(MECHANISM_KPROBE, "kprobe");
}

/* The recorded count of a program, or 0. */
static uint32_t recorded(const char *name)
{
	AB_FCLOSE FILE *file = fopen(BASELINE, "re");
	char line[128], is[64];
	uint32_t count;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %" SCNu32, is, &count) == 2 && !strcmp(is, name))
			return count;
	return 0;
}

static void check_instructions(enum session_mechanism mechanism)
{
	uint32_t before = last_id();
	unsigned int grown = 0;
	uint64_t took;
	struct session *s = start(mechanism, &took);
	struct programs p = loaded_since(before);

	assert_true(p.count > 4);
	for (size_t i = 0; i < p.count; i++) {
		uint32_t want = recorded(p.list[i].name);

		print_message("# instructions %s %" PRIu32 "\n", p.list[i].name,
			      p.list[i].instructions);
		if (p.list[i].instructions <= want * (1 + MAX_GROWTH_RATIO))
			continue;
		grown++;
		print_message("%s: %" PRIu32 " instructions, recorded: %" PRIu32 "\n",
			      p.list[i].name, p.list[i].instructions, want);
	}
	session_close(s);
	if (grown)
		fail_msg("%u programs cost more than " BASELINE " says", grown);
}

static void test_instructions_by_fentry(void **state)
{
	check_instructions(MECHANISM_FENTRY);
}

static void test_instructions_by_fprobe(void **state)
{
	check_instructions(MECHANISM_FPROBE);
}

static void test_instructions_by_kprobe(void **state)
{
	check_instructions(MECHANISM_KPROBE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start_as_chosen),
		cmocka_unit_test(test_start_by_fentry),
		cmocka_unit_test(test_start_by_fprobe),
		cmocka_unit_test(test_start_by_kprobe),
		cmocka_unit_test(test_instructions_by_fentry),
		cmocka_unit_test(test_instructions_by_fprobe),
		cmocka_unit_test(test_instructions_by_kprobe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
