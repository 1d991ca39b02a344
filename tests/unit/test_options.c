// SPDX-License-Identifier: GPL-2.0-only
#include "base/options.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/cleanup.h"

struct values {
	bool dry_run;
	unsigned int verbose;
	const char *output;
	struct option_list sets;
	unsigned int jobs;
	uint64_t size;
	uint64_t timeout;
	double share;
	int color;
};

static const char *const colors[] = {"auto", "always", "never", NULL};

static const struct option_info table[] = {
	{"dry-run", 'n', OPTION_FLAG, offsetof(struct values, dry_run), NULL, NULL,
	 "change nothing"},
	{"verbose", 'v', OPTION_COUNT, offsetof(struct values, verbose), NULL, NULL, "say more"},
	{"output", 'o', OPTION_STRING, offsetof(struct values, output), "FILE", NULL, "write here"},
	{"set", 0, OPTION_LIST, offsetof(struct values, sets), "PATH=VALUE", NULL, "override"},
	{"jobs", 'j', OPTION_UINT, offsetof(struct values, jobs), "N", NULL, "how many"},
	{"size", 0, OPTION_SIZE, offsetof(struct values, size), "SIZE", NULL, "how much"},
	{"timeout", 0, OPTION_TIME, offsetof(struct values, timeout), "TIME", NULL, "how long"},
	{"share", 0, OPTION_RATIO, offsetof(struct values, share), "SHARE", NULL, "which part"},
	{"color", 0, OPTION_ENUM, offsetof(struct values, color), NULL, colors, "colours"},
};

#define MAX_ARGS 80

struct parsed {
	int err;
	struct values v;
	char *argv[MAX_ARGS];
	size_t operands;
	struct diag d;
};

static void parse(struct parsed *p, bool stop, const char *const *args)
{
	struct option_set set = {table, ARRAY_SIZE(table), &p->v};
	int argc = 1;

	memset(p, 0, sizeof(*p));
	p->argv[0] = (char *)"program";
	for (; *args; args++)
		p->argv[argc++] = (char *)*args;
	p->err = options_parse(&set, 1, stop, argc, p->argv, &p->operands, &p->d);
}

#define PARSE(p, ...) parse(p, false, (const char *const[]){__VA_ARGS__, NULL})

static void test_all_types(void **state)
{
	struct parsed p;

	PARSE(&p, "--dry-run", "-vv", "--verbose", "-o", "file", "--set", "a=1", "--set=b=2", "-j4",
	      "--size", "64KiB", "--timeout=90s", "--share", "5%", "--color=never");
	assert_int_equal(p.err, 0);
	assert_true(p.v.dry_run);
	assert_int_equal(p.v.verbose, 3);
	assert_string_equal(p.v.output, "file");
	assert_int_equal(p.v.sets.count, 2);
	assert_string_equal(p.v.sets.items[0], "a=1");
	assert_string_equal(p.v.sets.items[1], "b=2");
	assert_int_equal(p.v.jobs, 4);
	assert_int_equal(p.v.size, 65536);
	assert_true(p.v.timeout == 90000000000);
	assert_true(p.v.share == 0.05);
	assert_int_equal(p.v.color, 2);
	assert_int_equal(p.operands, 0);
	assert_string_equal(p.d.text, "");
}

static void test_operands(void **state)
{
	struct parsed p;

	PARSE(&p, "one", "-n", "two", "-", "--output", "file", "--", "-v", "--set");
	assert_int_equal(p.err, 0);
	assert_int_equal(p.operands, 5);
	assert_string_equal(p.argv[0], "one");
	assert_string_equal(p.argv[1], "two");
	assert_string_equal(p.argv[2], "-");
	assert_string_equal(p.argv[3], "-v");
	assert_string_equal(p.argv[4], "--set");
	assert_true(p.v.dry_run);
	assert_int_equal(p.v.verbose, 0);
}

static void test_stop_at_operand(void **state)
{
	static const char *const args[] = {"-v", "plan", "-v", "--unknown", NULL};
	struct parsed p;

	parse(&p, true, args);
	assert_int_equal(p.err, 0);
	assert_int_equal(p.v.verbose, 1);
	assert_int_equal(p.operands, 3);
	assert_string_equal(p.argv[0], "plan");
	assert_string_equal(p.argv[2], "--unknown");
}

static void test_last_wins(void **state)
{
	struct parsed p;

	PARSE(&p, "-o", "a", "--output=b", "-oc", "--color=never", "--color", "always");
	assert_int_equal(p.err, 0);
	assert_string_equal(p.v.output, "c");
	assert_int_equal(p.v.color, 1);
}

static void test_value_may_look_like_an_option(void **state)
{
	struct parsed p;

	PARSE(&p, "--output", "--dry-run", "-o", "-");
	assert_int_equal(p.err, 0);
	assert_string_equal(p.v.output, "-");
	assert_false(p.v.dry_run);
	PARSE(&p, "--output=");
	assert_int_equal(p.err, 0);
	assert_string_equal(p.v.output, "");
}

static void test_errors(void **state)
{
	static const struct {
		const char *args[3];
		const char *message;
	} cases[] = {
		{{"--colour=auto"}, "unknown option '--colour'; did you mean '--color'?"},
		{{"--dryrun"}, "unknown option '--dryrun'; did you mean '--dry-run'?"},
		{{"--dry"}, "unknown option '--dry'"}, /* no abbreviations */
		{{"--xyzzy"}, "unknown option '--xyzzy'"},
		{{"-x"}, "unknown option '-x'"},
		{{"-nx"}, "unknown option '-x'"},
		{{"--="}, "unknown option '--'"},
		{{"--output"}, "option '--output' needs a value"},
		{{"-no"}, "option '-o' needs a value"},
		{{"--dry-run=yes"}, "option '--dry-run' takes no value"},
		{{"-j", "many"}, "option '-j': 'many' is not a whole number"},
		{{"-j", "-1"}, "option '-j': '-1' is not a whole number"},
		{{"-j", ""}, "option '-j': '' is not a whole number"},
		{{"-j4294967296"}, "option '-j': '4294967296' is not a whole number"},
		{{"--size=4s"}, "option '--size': '4s' is not a size, such as 64KiB or 1M"},
		{{"--timeout=4K"}, "option '--timeout': '4K' is not a time, such as 90s or 250ms"},
		{{"--share=x"}, "option '--share': 'x' is not a share, such as 5% or 0.05"},
		{{"--color=alwys"},
		 "option '--color': 'alwys' is not one of: auto, always, never; did you mean 'always'?"},
		{{"--color="}, "option '--color': '' is not one of: auto, always, never"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed p;

		parse(&p, false, cases[i].args);
		assert_int_equal(p.err, -EINVAL);
		assert_string_equal(p.d.text, cases[i].message);
	}
}

static void test_list_is_bounded(void **state)
{
	const char *args[MAX_ARGS] = {0};
	struct parsed p;

	for (int i = 0; i < OPTION_LIST_MAX; i++)
		args[i] = "--set=a=1";
	parse(&p, false, args);
	assert_int_equal(p.err, 0);
	assert_int_equal(p.v.sets.count, OPTION_LIST_MAX);
	args[OPTION_LIST_MAX] = "--set=a=1";
	parse(&p, false, args);
	assert_int_equal(p.err, -EINVAL);
	assert_string_equal(p.d.text, "option '--set' may be given 64 times at most");
}

static void test_two_sets(void **state)
{
	static const struct option_info other_table[] = {
		{"help", 'h', OPTION_FLAG, 0, NULL, NULL, "show help"},
	};
	struct values v = {0};
	bool help = false;
	struct option_set sets[] = {{table, ARRAY_SIZE(table), &v},
				    {other_table, ARRAY_SIZE(other_table), &help}};
	char *argv[] = {(char *)"program", (char *)"-nh"};
	struct diag d;
	size_t operands;

	assert_int_equal(options_parse(sets, 2, false, 2, argv, &operands, &d), 0);
	assert_true(help && v.dry_run);
}

static void test_help(void **state)
{
	AB_STRBUF struct strbuf out = {0};

	options_help(table, ARRAY_SIZE(table), &out);
	assert_string_equal(strbuf_str(&out), "  -n, --dry-run                  change nothing\n"
					      "  -v, --verbose                  say more\n"
					      "  -o, --output=FILE              write here\n"
					      "      --set=PATH=VALUE           override\n"
					      "  -j, --jobs=N                   how many\n"
					      "      --size=SIZE                how much\n"
					      "      --timeout=TIME             how long\n"
					      "      --share=SHARE              which part\n"
					      "      --color=auto|always|never  colours\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_types),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_stop_at_operand),
		cmocka_unit_test(test_last_wins),
		cmocka_unit_test(test_value_may_look_like_an_option),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_list_is_bounded),
		cmocka_unit_test(test_two_sets),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
