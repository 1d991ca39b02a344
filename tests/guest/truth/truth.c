// SPDX-License-Identifier: GPL-2.0-only
/* truth [-m MECHANISM] [-n NUMBER] DIR CASE...: runs in the guest, started by tests/guest/test_truth.sh. */
#include "truth.h"

#include <sched.h>

static unsigned int checks, failures;

static const struct {
	const char *name;
	void (*run)(struct truth *t);
} case_table[] = {
	{"plain", case_plain},
	{"accuracy", case_accuracy},
	{"sync", case_sync},
	{"fallback", case_fallback},
	{"early", case_early},
	{"errors", case_errors},
	{"backlog", case_backlog},
	{"duplicates", case_duplicates},
	{"lost", case_lost},
	{"mixture", case_mixture},
	{"overflow", case_overflow},
	{"submit_delay", case_submit_delay},
	{"setup_delay", case_setup_delay},
	{"wakeup_delay", case_wakeup_delay},
	{"software", case_software},
	{"streams", case_streams},
	{"other_device", case_other_device},
	{"before_window", case_before_window},
	{"attach", case_attach},
	{"mechanisms", case_mechanisms},
};

static void print_result(bool ok, const char *format, va_list ap)
{
	printf("%sok %u - ", ok ? "" : "not ", ++checks);
	vprintf(format, ap);
	printf("\n");
	fflush(stdout);
	failures += !ok;
}

bool check(bool ok, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	print_result(ok, format, ap);
	va_end(ap);
	return ok;
}

bool check_equal(uint64_t got, uint64_t want, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	print_result(got == want, format, ap);
	va_end(ap);
	if (got != want)
		note("got %" PRIu64 ", want %" PRIu64, got, want);
	return got == want;
}

void note(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	printf("#   ");
	vprintf(format, ap);
	printf("\n");
	va_end(ap);
	fflush(stdout);
}

void give_up(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	print_result(false, format, ap);
	va_end(ap);
	exit(1);
}

static bool run_case(struct truth *t, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(case_table); i++) {
		uint64_t start = clock_mono_ns();

		if (strcmp(case_table[i].name, name) != 0)
			continue;
		case_table[i].run(t);
		printf("# case %s: %.1f s\n", name, (double)(clock_mono_ns() - start) / 1e9);
		return true;
	}
	return false;
}

static enum session_mechanism mechanism_named(const char *name)
{
	for (int i = 0; session_mechanism_names[i]; i++)
		if (!strcmp(session_mechanism_names[i], name))
			return (enum session_mechanism)i;
	give_up("no mechanism %s", name);
}

int main(int argc, char **argv)
{
	struct truth t = {.mechanism = MECHANISM_AUTO,
			  .one_cpu = sysconf(_SC_NPROCESSORS_ONLN) == 1};
	int option;

	while ((option = getopt(argc, argv, "m:n:")) != -1) {
		if (option == 'm')
			t.mechanism = mechanism_named(optarg);
		else if (option == 'n')
			checks = (unsigned int)atoi(optarg);
		else
			return 2;
	}
	if (optind + 1 >= argc) {
		fprintf(stderr, "usage: truth [-m MECHANISM] [-n NUMBER] DIR CASE...\n");
		return 2;
	}
	snprintf(t.dir, sizeof(t.dir), "%s", argv[optind]);
	for (int i = optind + 1; i < argc; i++)
		if (!run_case(&t, argv[i]))
			give_up("no case %s", argv[i]);
	session_close(t.session);
	return failures ? 1 : 0;
}
