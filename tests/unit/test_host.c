// SPDX-License-Identifier: GPL-2.0-only
#include "run/host_parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/cleanup.h"

static const char crypto[] = "name         : crc32c\n"
			     "driver       : crc32c-lib\n"
			     "module       : kernel\n"
			     "priority     : 100\n"
			     "refcnt       : 1\n"
			     "selftest     : passed\n"
			     "internal     : no\n"
			     "type         : shash\n"
			     "blocksize    : 1\n"
			     "\n"
			     "name         : deflate\n"
			     "driver       : qat_deflate\n"
			     "module       : intel_qat\n"
			     "priority     : 4001\n"
			     "selftest     : unknown\n"
			     "type         : acomp\n"
			     "\n"
			     "\n"
			     "name         : lzo-rle\n"
			     "priority     : -1\n"
			     "type         : scomp";

static void test_crypto_entries(void **state)
{
	const char *at = crypto;
	struct crypto_driver c;

	assert_true(host_parse_crypto(&at, &c));
	assert_string_equal(c.driver, "crc32c-lib");
	assert_string_equal(c.type, "shash");
	assert_true(host_parse_crypto(&at, &c));
	assert_string_equal(c.name, "deflate");
	assert_string_equal(c.driver, "qat_deflate");
	assert_string_equal(c.module, "intel_qat");
	assert_string_equal(c.selftest, "unknown");
	assert_string_equal(c.type, "acomp");
	assert_int_equal(c.priority, 4001);
	/*
	 * Two empty lines do not make an entry; the last one has no newline, and nothing of the one
	 * before.
	 */
	assert_true(host_parse_crypto(&at, &c));
	assert_string_equal(c.name, "lzo-rle");
	assert_string_equal(c.driver, "");
	assert_string_equal(c.type, "scomp");
	assert_int_equal(c.priority, -1);
	assert_false(host_parse_crypto(&at, &c));
}

static void test_crypto_empty_and_odd(void **state)
{
	static const char odd[] =
		"no colon here\nname:deflate\nnamespace    : other\nname         :\n";
	const char *at = "";
	struct crypto_driver c;
	char longer[300] = "driver : ";

	assert_false(host_parse_crypto(&at, &c));
	at = "\n\n\n";
	assert_false(host_parse_crypto(&at, &c));
	at = odd;
	assert_true(host_parse_crypto(&at, &c));
	assert_string_equal(c.name, "");
	/* Cut, never overrun. */
	memset(longer + strlen(longer), 'x', 200);
	at = longer;
	assert_true(host_parse_crypto(&at, &c));
	assert_int_equal(strlen(c.driver), sizeof(c.driver) - 1);
}

static const char *nth(const struct string_list *list, size_t i)
{
	return i < list->count ? list->items[i] : "(none)";
}

static void test_config_options(void **state)
{
	static const char text[] = "# CONFIG_KPROBES is not set\n"
				   "CONFIG_EROFS_FS=m\n"
				   "CONFIG_EROFS_FS_XATTR=y\n"
				   "CONFIG_EROFS_FS_ZIP_LZMA=y\n"
				   "CONFIG_EROFS_FS_ZIP_LZMA_DEFAULT_MAX_STREAMS=16\n"
				   "# CONFIG_EROFS_FS_ZIP_ACCEL is not set\n"
				   "# CONFIG_EROFS_FS_DEBUG is a matter of taste\n"
				   "#CONFIG_FPROBE=y\n"
				   "CONFIG_BLK_DEV_LOOP_MIN_COUNT=8\n"
				   "CONFIG_HZ_250=y\n"
				   "CONFIG_HZ=250";
	struct string_list options = {0};

	assert_int_equal(host_parse_config(text, &options), 0);
	/*
	 * In the table's order; an option whose name another one begins with does not take its
	 * value.
	 */
	assert_int_equal(options.count, 5);
	assert_string_equal(nth(&options, 0), "CONFIG_EROFS_FS=m");
	assert_string_equal(nth(&options, 1), "CONFIG_EROFS_FS_ZIP_LZMA=y");
	assert_string_equal(nth(&options, 2), "CONFIG_EROFS_FS_ZIP_ACCEL=n");
	assert_string_equal(nth(&options, 3), "CONFIG_KPROBES=n");
	assert_string_equal(nth(&options, 4), "CONFIG_HZ=250");

	assert_string_equal(host_option(&options, "EROFS_FS_ZIP_ACCEL"), "n");
	assert_string_equal(host_option(&options, "EROFS_FS"), "m");
	assert_null(host_option(&options, "EROFS_FS_ZIP"));
	assert_null(host_option(&options, "FPROBE"));
	string_list_free(&options);

	assert_int_equal(host_parse_config("", &options), 0);
	assert_int_equal(options.count, 0);
}

static void test_cpuinfo_x86(void **state)
{
	static const char text[] = "processor\t: 0\n"
				   "vendor_id\t: GenuineIntel\n"
				   "model\t\t: 106\n"
				   "model name\t: Intel(R) Xeon(R) Processor @ 2.60GHz\n"
				   "flags\t\t: fpu vme hypervisor lahf_lm\n"
				   "bugs\t\t: spectre_v1\n"
				   "\n"
				   "processor\t: 1\n"
				   "model name\t: another\n";
	char model[128];
	bool hypervisor;

	host_parse_cpuinfo(text, model, sizeof(model), &hypervisor);
	assert_string_equal(model, "Intel(R) Xeon(R) Processor @ 2.60GHz");
	assert_true(hypervisor);
	host_parse_cpuinfo("model name\t: x\nflags\t: fpu nohypervisor hypervisors\n", model, 2,
			   &hypervisor);
	assert_string_equal(model, "x");
	assert_false(hypervisor);
	host_parse_cpuinfo("", model, sizeof(model), &hypervisor);
	assert_string_equal(model, "");
	assert_false(hypervisor);
}

static void test_cpuinfo_arm64(void **state)
{
	static const char text[] = "processor\t: 0\n"
				   "BogoMIPS\t: 243.75\n"
				   "Features\t: fp asimd\n"
				   "CPU implementer\t: 0x41\n"
				   "CPU architecture: 8\n"
				   "CPU variant\t: 0x3\n"
				   "CPU part\t: 0xd0c\n";
	char model[128];
	bool hypervisor;

	host_parse_cpuinfo(text, model, sizeof(model), &hypervisor);
	assert_string_equal(model, "implementer 0x41 part 0xd0c");
	assert_false(hypervisor);
}

static void test_choice(void **state)
{
	char chosen[32];

	host_parse_choice("none [integrity] confidentiality", chosen, sizeof(chosen));
	assert_string_equal(chosen, "integrity");
	host_parse_choice("[none] integrity confidentiality\n", chosen, sizeof(chosen));
	assert_string_equal(chosen, "none");
	host_parse_choice("none integrity", chosen, sizeof(chosen));
	assert_string_equal(chosen, "");
	host_parse_choice("none [integrity", chosen, sizeof(chosen));
	assert_string_equal(chosen, "");
	host_parse_choice("[confidentiality]", chosen, 5);
	assert_string_equal(chosen, "conf");
}

static void test_memory(void **state)
{
	assert_int_equal(host_parse_memory("MemTotal:       24683656 kB\nMemFree: 1 kB\n"),
			 UINT64_C(24683656) << 10);
	assert_int_equal(host_parse_memory("MemFree:        1 kB\n"), 0);
	assert_int_equal(host_parse_memory("MemTotal:       much\n"), 0);
	assert_int_equal(host_parse_memory(""), 0);
}

static void test_hypervisors(void **state)
{
	static const struct {
		char signature[13];
		const char *name;
	} cases[] = {
		{"TCGTCGTCGTCG", HOST_EMULATED},
		{"KVMKVMKVM\0\0\0", "kvm"},
		{"Microsoft Hv", "hyper-v"},
		{" lrpepyh  vr", "?lrpepyh??vr"},
		{"\0\0\0\0\0\0\0\0\0\0\0\0", HOST_UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char name[32];

		host_hypervisor_name(cases[i].signature, name, sizeof(name));
		assert_string_equal(name, cases[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crypto_entries), cmocka_unit_test(test_crypto_empty_and_odd),
		cmocka_unit_test(test_config_options), cmocka_unit_test(test_cpuinfo_x86),
		cmocka_unit_test(test_cpuinfo_arm64),  cmocka_unit_test(test_choice),
		cmocka_unit_test(test_memory),	       cmocka_unit_test(test_hypervisors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
