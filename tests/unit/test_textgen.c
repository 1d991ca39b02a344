// SPDX-License-Identifier: GPL-2.0-only
#include "run/textgen.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include <zlib.h>
#include "base/cleanup.h"

#define SAMPLE_PIECES 16
#define SAMPLE_BYTES  (SAMPLE_PIECES * TEXTGEN_PIECE)

static char *sample; /* SAMPLE_BYTES of seed 1 */

static int make_sample(void **state)
{
	struct textgen *g = textgen_new(1);

	sample = malloc(SAMPLE_BYTES + TEXTGEN_SLACK);
	if (!g || !sample)
		return -1;
	for (size_t i = 0; i < SAMPLE_PIECES; i++)
		textgen_piece(g, i, sample + i * TEXTGEN_PIECE);
	textgen_free(g);
	return 0;
}

static int free_sample(void **state)
{
	free(sample);
	return 0;
}

static void hash_of(uint64_t size, uint64_t seed, char hex[SHA256_HEX_SIZE])
{
	AB_CLOSE int fd = memfd_create("text", MFD_CLOEXEC);
	struct diag d = {""};

	assert_true(fd >= 0);
	if (textgen_write(fd, "text", size, seed, hex, &d))
		fail_msg("%s", d.text);
	assert_int_equal(lseek(fd, 0, SEEK_END), size);
}

/*
 * A change here changes every dataset and every key of the store: raise TEXT_VERSION in dataset.c
 * with it.
 */
static void test_golden_hashes(void **state)
{
	static const struct {
		uint64_t size, seed;
		const char *sha256;
	} golden[] = {
		{1, 1, "8ce86a6ae65d3692e7305e2c58ac62eebd97d3d943e093f577da25c36988246b"},
		{4096, 1, "16ee8769abbdced77ce1e3b09c6b72680a89fa1fbd12dfb20b09e3ac6e7a1a07"},
		{(1 << 20) - 1, 7,
		 "cea8999a6056a76b0b06678cd8a072011fcbbad467aa93ca0c325c0592db3b84"},
		{(1 << 20) + 1, 7,
		 "32bbfe62790388d3cb718cbe45a95b6e4267f1c261aaaf6d30afbaf0d641bdbb"},
		{16 << 20, 1, "60c4adcbd7c2232fb5a185ee68dc4831264b8fd5e7b34ac8b0fc63f2b91815f2"},
		{65536, 0, "2cfd5a390568de330f8c9564ea78d82890b3f922fc0380488dfdc3dbecb20438"},
		{65536, UINT64_MAX,
		 "1dea80af7876cb46702782fcb76fe2df1295fdd44625dd50500e8e352ef0e40d"},
	};
	char hex[SHA256_HEX_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(golden); i++) {
		hash_of(golden[i].size, golden[i].seed, hex);
		assert_string_equal(hex, golden[i].sha256);
	}
}

static void test_hash_is_that_of_the_bytes_written(void **state)
{
	AB_CLOSE int fd = memfd_create("text", MFD_CLOEXEC);
	char path[64], said[SHA256_HEX_SIZE], read_back[SHA256_HEX_SIZE];

	assert_int_equal(textgen_write(fd, "text", 3000000, 5, said, NULL), 0);
	fs_path(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(fs_sha256_file(path, read_back, NULL, NULL), 0);
	assert_string_equal(said, read_back);
}

static void test_shorter_is_a_prefix(void **state)
{
	AB_CLOSE int fd = memfd_create("text", MFD_CLOEXEC);
	char hex[SHA256_HEX_SIZE], byte;

	assert_int_equal(textgen_write(fd, "text", TEXTGEN_PIECE + 12345, 1, hex, NULL), 0);
	for (off_t i = 0; i < (off_t)TEXTGEN_PIECE + 12345; i += 997) {
		assert_int_equal(pread(fd, &byte, 1, i), 1);
		assert_int_equal(byte, sample[i]);
	}
}

static void test_seeds_differ(void **state)
{
	char one[SHA256_HEX_SIZE], two[SHA256_HEX_SIZE];

	hash_of(4096, 1, one);
	hash_of(4096, 2, two);
	assert_string_not_equal(one, two);
}

static void test_looks_like_text(void **state)
{
	size_t line = 0, longest = 0, letters = 0, paragraphs = 0;

	for (size_t i = 0; i < SAMPLE_BYTES; i++) {
		unsigned char c = (unsigned char)sample[i];

		assert_true(c == '\n' || (c >= ' ' && c < 0x7f));
		letters += (c | 32) >= 'a' && (c | 32) <= 'z';
		paragraphs += i && c == '\n' && sample[i - 1] == '\n';
		line = c == '\n' ? 0 : line + 1;
		longest = line > longest ? line : longest;
	}
	assert_true(longest >= 72 && longest < 100);
	assert_true(letters > SAMPLE_BYTES / 100 * 80);
	assert_true(paragraphs > SAMPLE_BYTES / 2000);
}

/* About as much as fits into a physical cluster of 64 KiB; every single one, not only the mean. */
static void test_compresses_like_prose(void **state)
{
	const size_t len = 192 << 10;
	AB_FREE unsigned char *out = malloc(compressBound(len));

	assert_non_null(out);
	for (size_t at = 0; at + len < SAMPLE_BYTES; at += len) {
		uLongf used = compressBound(len);

		assert_int_equal(compress2(out, &used, (unsigned char *)sample + at, len, 9), Z_OK);
		assert_in_range(used, len / 4 + 1, len * 2 / 5 - 1);
	}
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static size_t duplicates(uint64_t *hashes, size_t n)
{
	size_t found = 0;

	qsort(hashes, n, sizeof(*hashes), compare_u64);
	for (size_t i = 1; i < n; i++)
		found += hashes[i] == hashes[i - 1];
	return found;
}

/*
 * Every window of 64 bytes of 8 MiB, at every position: rolling polynomial hash modulo 2^64, mixed.
 */
static void test_no_long_repeats(void **state)
{
	const size_t window = 64, n = SAMPLE_BYTES / 2 - window;
	const uint64_t base = UINT64_C(0x100000001b3);
	AB_FREE uint64_t *hashes = malloc(n * sizeof(*hashes));
	uint64_t hash = 0, top = 1;

	assert_non_null(hashes);
	for (size_t i = 0; i < window; i++) {
		hash = hash * base + (unsigned char)sample[i];
		top *= base;
	}
	for (size_t i = 0; i < n; i++) {
		hashes[i] = hash;
		hash = hash * base + (unsigned char)sample[i + window] -
		       top * (unsigned char)sample[i];
	}
	assert_int_equal(duplicates(hashes, n), 0);
}

static void test_no_identical_blocks(void **state)
{
	const size_t n = SAMPLE_BYTES / 4096;
	uint64_t hashes[SAMPLE_BYTES / 4096];

	for (size_t i = 0; i < n; i++) {
		char hex[SHA256_HEX_SIZE];

		fs_sha256_bytes(sample + i * 4096, 4096, hex);
		hex[16] = '\0';
		hashes[i] = strtoull(hex, NULL, 16);
	}
	assert_int_equal(duplicates(hashes, n), 0);
}

static void test_full_disk_is_reported(void **state)
{
	AB_CLOSE int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	char hex[SHA256_HEX_SIZE];
	struct diag d = {""};

	assert_true(fd >= 0);
	assert_int_equal(textgen_write(fd, "the file", 4096, 1, hex, &d), -ENOSPC);
	assert_string_equal(hex, "");
	assert_non_null(strstr(d.text, "the file: cannot be written at byte 0: No space left"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_hashes),
		cmocka_unit_test(test_hash_is_that_of_the_bytes_written),
		cmocka_unit_test(test_shorter_is_a_prefix),
		cmocka_unit_test(test_seeds_differ),
		cmocka_unit_test(test_looks_like_text),
		cmocka_unit_test(test_compresses_like_prose),
		cmocka_unit_test(test_no_long_repeats),
		cmocka_unit_test(test_no_identical_blocks),
		cmocka_unit_test(test_full_disk_is_reported),
	};

	return cmocka_run_group_tests(tests, make_sample, free_sample);
}
