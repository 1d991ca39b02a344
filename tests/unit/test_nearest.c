// SPDX-License-Identifier: GPL-2.0-only
#include "base/nearest.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void test_distance(void **state)
{
	assert_int_equal(nearest_distance("", ""), 0);
	assert_int_equal(nearest_distance("plan", "plan"), 0);
	assert_int_equal(nearest_distance("", "plan"), 4);
	assert_int_equal(nearest_distance("plan", ""), 4);
	assert_int_equal(nearest_distance("pln", "plan"), 1);
	assert_int_equal(nearest_distance("plaan", "plan"), 1);
	assert_int_equal(nearest_distance("plam", "plan"), 1);
	assert_int_equal(nearest_distance("paln", "plan"), 1); /* a swap is one mistake, not two */
	assert_int_equal(nearest_distance("kitten", "sitting"), 3);
	assert_int_equal(nearest_distance("abcdef", "badcfe"), 3);
	assert_int_equal(nearest_distance("QAT-Deflate", "qat_deflate"), 0);
}

static void test_long_words(void **state)
{
	char longest[NEAREST_WORD_MAX + 1], longer[NEAREST_WORD_MAX + 2];

	memset(longest, 'a', sizeof(longest));
	longest[NEAREST_WORD_MAX] = '\0';
	memset(longer, 'a', sizeof(longer));
	longer[NEAREST_WORD_MAX + 1] = '\0';
	assert_int_equal(nearest_distance(longest, longest), 0);
	assert_int_equal(nearest_distance(longest, ""), NEAREST_WORD_MAX);
	assert_int_equal(nearest_distance(longer, longest), UINT_MAX);
	assert_int_equal(nearest_distance("a", longer), UINT_MAX);
}

static const char *hint(const char *word, char buf[NEAREST_HINT_SIZE])
{
	static const char *const names[] = {"none", "lz4", "lz4hc", "deflate", "qat_deflate"};
	struct nearest n;

	nearest_begin(&n, word);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		nearest_offer(&n, names[i]);
	return nearest_hint(&n, buf);
}

static void test_hint(void **state)
{
	char buf[NEAREST_HINT_SIZE];

	assert_string_equal(hint("deflat", buf), "; did you mean 'deflate'?");
	assert_string_equal(hint("lz4hd", buf), "; did you mean 'lz4hc'?");
	assert_string_equal(hint("lz5", buf), "; did you mean 'lz4'?");
	assert_string_equal(hint("qatdeflate", buf), "; did you mean 'qat_deflate'?");
	assert_string_equal(hint("btrfs", buf), "");
	assert_string_equal(hint("", buf), "");
	assert_string_equal(hint("x", buf), "");
}

/* The candidate may be a buffer that is used again. */
static void test_candidate_is_copied(void **state)
{
	char buf[NEAREST_HINT_SIZE], name[16] = "deflate";
	struct nearest n;

	nearest_begin(&n, "deflat");
	nearest_offer(&n, name);
	strcpy(name, "xxxxxxx");
	assert_string_equal(nearest_hint(&n, buf), "; did you mean 'deflate'?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_long_words),
		cmocka_unit_test(test_hint),
		cmocka_unit_test(test_candidate_is_copied),
	};

	return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
