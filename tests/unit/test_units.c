// SPDX-License-Identifier: GPL-2.0-only
#include "base/units.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/cleanup.h"

struct parsed {
	const char *text;
	int err;
	uint64_t value;
};

static void test_parse_bytes(void **state)
{
	static const struct parsed cases[] = {
		{"0", 0, 0},
		{"4096", 0, 4096},
		{"4096B", 0, 4096},
		{"4k", 0, 4096},
		{"4K", 0, 4096},
		{"4KiB", 0, 4096},
		{"4 KiB", 0, 4096},
		{"14m", 0, 14680064},
		{"285MiB", 0, 298844160},
		{"2G", 0, 1ull << 31},
		{"1TiB", 0, 1ull << 40},
		{"9223372036854775807", 0, INT64_MAX},
		{"9223372036854775808", -ERANGE, 0},
		{"18446744073709551616", -ERANGE, 0},
		{"99999999999999999999999", -ERANGE, 0},
		{"8388608T", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"K", -EINVAL, 0},
		{"-4096", -EINVAL, 0},
		{"+4096", -EINVAL, 0},
		{" 4096", -EINVAL, 0},
		{"4096 ", -EINVAL, 0},
		{"4  KiB", -EINVAL, 0},
		{"4kB", -EINVAL, 0},
		{"4KB", -EINVAL, 0},
		{"4MB", -EINVAL, 0},
		{"4kib", -EINVAL, 0},
		{"0x1000", -EINVAL, 0},
		{"1.5M", -EINVAL, 0},
		{"4Kx", -EINVAL, 0},
		{"1e3", -EINVAL, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = 0;

		if (units_parse_bytes(cases[i].text, &value) != cases[i].err ||
		    value != cases[i].value)
			fail_msg("\"%s\" gave %llu", cases[i].text, (unsigned long long)value);
	}
}

static void test_parse_ns(void **state)
{
	static const struct parsed cases[] = {
		{"0", 0, 0},
		{"90", 0, 90000000000},
		{"90s", 0, 90000000000},
		{"1.5s", 0, 1500000000},
		{"0.000000001s", 0, 1},
		{"0.0000000019s", 0, 1},
		{"5m", 0, 300000000000},
		{"5min", 0, 300000000000},
		{"1.5m", 0, 90000000000},
		{"2h", 0, 7200000000000},
		{"250ms", 0, 250000000},
		{"10us", 0, 10000},
		{"7ns", 0, 7},
		{"9223372036s", 0, 9223372036000000000},
		{"9223372037s", -ERANGE, 0},
		{"9223372036.9s", -ERANGE, 0},
		{"3000000h", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{"-1s", -EINVAL, 0},
		{"1.s", -EINVAL, 0},
		{".5s", -EINVAL, 0},
		{"1.5.5s", -EINVAL, 0},
		{"4KiB", -EINVAL, 0},
		{"5M", -EINVAL, 0},
		{"1e3s", -EINVAL, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = 0;

		if (units_parse_ns(cases[i].text, &value) != cases[i].err ||
		    value != cases[i].value)
			fail_msg("\"%s\" gave %llu", cases[i].text, (unsigned long long)value);
	}
}

static void test_parse_ratio(void **state)
{
	static const struct {
		const char *text;
		double value; /* below 0: refused */
	} cases[] = {
		{"0", 0},
		{"5%", 0.05},
		{"0.05", 0.05},
		{"0.99", 0.99},
		{"99%", 0.99},
		{"12.5%", 0.125},
		{"1", 1},
		{"150%", 1.5},
		{"100.5", 100.5},
		{"123456789012345", 123456789012345},
		{"12345678901234567", -1},
		{"9007199254740992", -1},
		{"9007199254740991", 9007199254740991},
		{"0.12345678901234567", -1},
		{"0.123456789012345", 0.123456789012345},
		{"0.000000000000001", 1e-15},
		{"", -1},
		{"%", -1},
		{".5", -1},
		{"5.", -1},
		{"5.%", -1},
		{"1.2.3", -1},
		{"-5%", -1},
		{"5 %", -1},
		{"5%%", -1},
		{"inf", -1},
		{"nan", -1},
		{"0x1p3", -1},
		{"1e2", -1},
		{"0,5", -1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double value = -1;
		int err = units_parse_ratio(cases[i].text, &value);

		if (err != (cases[i].value < 0 ? -EINVAL : 0) || value != cases[i].value)
			fail_msg("\"%s\" gave %g", cases[i].text, value);
	}
}

static void test_format_bytes(void **state)
{
	char buf[32];

	assert_string_equal(units_bytes(buf, sizeof(buf), 0), "0 B");
	assert_string_equal(units_bytes(buf, sizeof(buf), 1234), "1234 B");
	assert_string_equal(units_bytes(buf, sizeof(buf), 4096), "4 KiB");
	assert_string_equal(units_bytes(buf, sizeof(buf), 14 << 20), "14 MiB");
	assert_string_equal(units_bytes(buf, sizeof(buf), 1ull << 50), "1024 TiB");
	assert_string_equal(units_bytes_compact(buf, sizeof(buf), 262144), "256KiB");
	assert_string_equal(units_bytes_compact(buf, sizeof(buf), 1000), "1000B");
}

/* What is printed compactly reads back to the same number. */
static void test_bytes_round_trip(void **state)
{
	for (uint64_t bytes = 1; bytes < 1ull << 62; bytes = bytes * 3 + 1) {
		char buf[32];
		uint64_t back;

		assert_int_equal(units_parse_bytes(units_bytes_compact(buf, sizeof(buf), bytes),
						   &back),
				 0);
		assert_true(back == bytes);
		assert_int_equal(units_parse_bytes(units_bytes(buf, sizeof(buf), bytes), &back), 0);
		assert_true(back == bytes);
	}
}

static void test_format_ns(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} cases[] = {
		{0, "0 ns"},	    {7, "7 ns"},	 {999, "999 ns"},      {999.4, "999 ns"},
		{999.5, "1.00 us"}, {1000, "1.00 us"},	 {9100, "9.10 us"},    {9994, "9.99 us"},
		{9996, "10.0 us"},  {18200, "18.2 us"},	 {99940, "99.9 us"},   {99960, "100 us"},
		{241000, "241 us"}, {999600, "1.00 ms"}, {1200000, "1.20 ms"}, {2.5e9, "2.50 s"},
		{6e11, "600 s"},    {6e12, "6000 s"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[32];

		assert_string_equal(units_ns(buf, sizeof(buf), cases[i].ns), cases[i].text);
	}
}

static void test_format_count(void **state)
{
	char buf[32];
	char tiny[4];

	assert_string_equal(units_count(buf, sizeof(buf), 0), "0");
	assert_string_equal(units_count(buf, sizeof(buf), 999), "999");
	assert_string_equal(units_count(buf, sizeof(buf), 1204), "1,204");
	assert_string_equal(units_count(buf, sizeof(buf), 1234567), "1,234,567");
	assert_string_equal(units_count(buf, sizeof(buf), UINT64_MAX),
			    "18,446,744,073,709,551,615");
	/* Never beyond the buffer. */
	assert_string_equal(units_count(tiny, sizeof(tiny), 1234567), "1,2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_bytes),	 cmocka_unit_test(test_parse_ns),
		cmocka_unit_test(test_parse_ratio),	 cmocka_unit_test(test_format_bytes),
		cmocka_unit_test(test_bytes_round_trip), cmocka_unit_test(test_format_ns),
		cmocka_unit_test(test_format_count),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
