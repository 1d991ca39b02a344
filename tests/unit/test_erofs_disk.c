// SPDX-License-Identifier: GPL-2.0-only
/*
 * The images are those of tests/fuzz/corpus/erofs: a text of 24,000 bytes, written by erofs-utils
 * 1.8 with known options.
 */
#include "run/erofs_disk.h"

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
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/strbuf.h"

#define SUPER	   1024
#define CHECKSUM   (SUPER + 4)
#define COMPAT	   (SUPER + 8)
#define BLOCK_BITS (SUPER + 12)
#define BLOCKS	   (SUPER + 36)
#define META	   (SUPER + 40)
#define INCOMPAT   (SUPER + 80)
#define DIR_BITS   (SUPER + 90)

/* An image in memory that may be spoilt. */
struct image {
	struct strbuf bytes;
	int fd;
};

static void load(struct image *image, const char *name)
{
	char path[256];
	struct diag d = {""};

	*image = (struct image){.fd = memfd_create("image", MFD_CLOEXEC)};
	assert_true(image->fd >= 0);
	fs_path(path, sizeof(path), "tests/fuzz/corpus/erofs/%s", name);
	if (fs_read_file(path, 1 << 20, &image->bytes, &d))
		fail_msg("%s (tests run in the top folder)", d.text);
}

static void unload(struct image *image)
{
	strbuf_free(&image->bytes);
	close(image->fd);
}

static void put32(struct image *image, size_t at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		image->bytes.data[at + i] = (char)(value >> 8 * i);
}

static uint32_t get32(const struct image *image, size_t at)
{
	return erofs_le32((const unsigned char *)image->bytes.data + at);
}

/* A damage that the checksum does not notice, as a hostile image would have it. */
static void without_checksum(struct image *image)
{
	put32(image, COMPAT, get32(image, COMPAT) & ~1u);
}

static int open_image(struct image *image, struct erofs_image *img, struct diag *d)
{
	assert_int_equal(ftruncate(image->fd, 0), 0);
	assert_int_equal(pwrite(image->fd, image->bytes.data, image->bytes.len, 0),
			 image->bytes.len);
	return erofs_image_open(img, image->fd, "image", d);
}

static void test_what_the_images_are(void **state)
{
	static const struct {
		const char *name;
		unsigned int algorithm;
		uint64_t clusters, stored, largest;
	} expected[] = {
		{"lz4hc-8k", EROFS_LZ4, 2, 1, 8192}, {"lz4-full", EROFS_LZ4, 4, 1, 4096},
		{"lz4-tail", EROFS_LZ4, 5, 0, 4096}, {"deflate-8k", EROFS_DEFLATE, 1, 2, 8192},
		{"zstd-4k", EROFS_ZSTD, 3, 1, 4096}, {"lzma-16k", EROFS_LZMA, 1, 1, 12288},
	};

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		struct erofs_image img;
		struct erofs_file file;
		struct image image;
		struct diag d = {""};

		load(&image, expected[i].name);
		if (open_image(&image, &img, &d) || erofs_file_inspect(&img, "testfile", &file, &d))
			fail_msg("%s: %s", expected[i].name, d.text);
		assert_int_equal(img.block_bits, 12);
		assert_int_equal(file.size_bytes, 24000);
		assert_true(file.compressed);
		assert_int_equal(file.algorithms, 1u << expected[i].algorithm);
		assert_int_equal(file.clusters, expected[i].clusters);
		assert_int_equal(file.stored, expected[i].stored);
		assert_int_equal(file.largest_cluster_bytes, expected[i].largest);
		unload(&image);
	}
}

static void test_paths(void **state)
{
	struct erofs_image img;
	struct erofs_file file;
	struct image image;
	struct diag d = {""};

	load(&image, "deflate-8k");
	assert_int_equal(open_image(&image, &img, &d), 0);
	assert_int_equal(erofs_file_inspect(&img, "/folder/testfile", &file, &d), 0);
	assert_int_equal(file.size_bytes, 3000);
	assert_false(file.compressed);
	assert_int_equal(erofs_file_inspect(&img, "folder/none", &file, &d), -ENOENT);
	assert_int_equal(erofs_file_inspect(&img, "testfil", &file, &d), -ENOENT);
	assert_int_equal(erofs_file_inspect(&img, "testfile/x", &file, &d), -ENOTDIR);
	assert_int_equal(erofs_file_inspect(&img, "folder", &file, &d), -EUCLEAN);
	unload(&image);
}

static void test_fragment_is_said_to_be_one(void **state)
{
	struct erofs_image img;
	struct erofs_file file;
	struct image image;
	struct diag d = {""};

	load(&image, "deflate-fragments");
	assert_int_equal(open_image(&image, &img, &d), 0);
	assert_int_equal(erofs_file_inspect(&img, "testfile", &file, &d), -EOPNOTSUPP);
	assert_non_null(strstr(d.text, "testfile: in the image: stored as a fragment"));
	unload(&image);
}

static void test_refused_superblocks(void **state)
{
	static const struct {
		const char *what;
		size_t at;
		uint32_t value;
		bool keep_checksum;
		int err;
		const char *words;
	} bad[] = {
		{"magic", SUPER, 0x12345678, false, -EUCLEAN, "wrong magic number"},
		{"checksum", CHECKSUM, 1, true, -EUCLEAN, "its checksum is"},
		{"content", META, 7, true, -EUCLEAN, "its checksum is"},
		{"blocks", BLOCKS, 0xffffffff, false, -EUCLEAN, "cut short"},
		{"newer", INCOMPAT, 0x80000000, false, -EOPNOTSUPP, "features unknown"},
		{"block size", BLOCK_BITS, 0x00002020, false, -EUCLEAN, "block size 2^32"},
		{"folder blocks", DIR_BITS, 0xff, false, -EUCLEAN, "folder blocks of 2^267"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct erofs_image img;
		struct image image;
		struct diag d = {""};

		load(&image, "lz4hc-8k");
		if (!bad[i].keep_checksum)
			without_checksum(&image);
		put32(&image, bad[i].at, bad[i].value);
		if (open_image(&image, &img, &d) != bad[i].err || !strstr(d.text, bad[i].words))
			fail_msg("%s: %s", bad[i].what, d.text);
		unload(&image);
	}
}

static void test_cut_anywhere_is_noticed(void **state)
{
	struct erofs_image img;
	struct image image;
	struct diag d = {""};
	size_t whole;

	load(&image, "deflate-8k");
	whole = image.bytes.len;
	for (size_t len = 0; len < whole; len += 511) {
		image.bytes.len = len;
		assert_int_equal(open_image(&image, &img, &d), -EUCLEAN);
	}
	image.bytes.len = whole;
	assert_int_equal(open_image(&image, &img, &d), 0);
	unload(&image);
}

/* Every single byte behind the superblock spoilt in turn: refused or read, never more. */
static void test_no_byte_can_do_harm(void **state)
{
	struct erofs_image img;
	struct erofs_file file;
	struct image image;
	struct diag d = {""};

	load(&image, "zstd-4k");
	without_checksum(&image);
	for (size_t at = SUPER; at < 8192 && at < image.bytes.len; at++) {
		char kept = image.bytes.data[at];

		image.bytes.data[at] = (char)~kept;
		if (!open_image(&image, &img, &d))
			erofs_file_inspect(&img, "testfile", &file, &d);
		image.bytes.data[at] = kept;
	}
	unload(&image);
}

static void test_algorithm_names(void **state)
{
	char text[64];

	erofs_algorithms_text(0, text, sizeof(text));
	assert_string_equal(text, "none");
	erofs_algorithms_text(1u << EROFS_LZ4 | 1u << EROFS_ZSTD, text, sizeof(text));
	assert_string_equal(text, "lz4 zstd");
	erofs_algorithms_text(1u << 9, text, sizeof(text));
	assert_string_equal(text, "unknown-9");
	erofs_algorithms_text(0xffff, text, 12);
	assert_true(strlen(text) < 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_the_images_are),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_fragment_is_said_to_be_one),
		cmocka_unit_test(test_refused_superblocks),
		cmocka_unit_test(test_cut_anywhere_is_noticed),
		cmocka_unit_test(test_no_byte_can_do_harm),
		cmocka_unit_test(test_algorithm_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
