// SPDX-License-Identifier: GPL-2.0-only
#include "run/erofs_tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>
#include "base/cleanup.h"

static void test_our_reader_finds_what_was_asked_for(void **state)
{
	unsigned char image[EROFS_TINY_MAX_BYTES];

	for (unsigned int a = 0; a <= EROFS_TINY_STORED; a++) {
		AB_CLOSE int fd = memfd_create("tiny", MFD_CLOEXEC);
		size_t len = erofs_tiny_image(a, image);
		bool compressed = a != EROFS_TINY_STORED;
		struct erofs_image img;
		struct erofs_file file;
		struct diag d = {""};

		assert_true(len <= sizeof(image));
		assert_int_equal(write(fd, image, len), len);
		assert_int_equal(erofs_image_open(&img, fd, "tiny", &d), 0);
		assert_int_equal(img.algorithms, compressed ? 1u << a : 0);
		assert_int_equal(img.blocks * 4096, len);
		assert_int_equal(erofs_file_inspect(&img, EROFS_TINY_FILE, &file, &d), 0);
		assert_int_equal(file.size_bytes, EROFS_TINY_FILE_BYTES);
		assert_int_equal(file.compressed, compressed);
		assert_int_equal(file.clusters, compressed ? 1 : 0);
		assert_int_equal(file.algorithms, compressed ? 1u << a : 0);
	}
}

/* The one decoder that is linked anyway; the doctor's tests have the kernel decode all of them. */
static void test_deflate_data_is_the_content(void **state)
{
	unsigned char image[EROFS_TINY_MAX_BYTES], content[EROFS_TINY_FILE_BYTES];
	unsigned char out[EROFS_TINY_FILE_BYTES + 1];
	size_t len = erofs_tiny_image(EROFS_DEFLATE, image), at = 4096;
	z_stream z = {0};

	while (at < len && !image[at])
		at++;
	z.next_in = image + at;
	z.avail_in = (unsigned int)(len - at);
	z.next_out = out;
	z.avail_out = sizeof(out);
	assert_int_equal(inflateInit2(&z, -15), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.total_out, sizeof(content));
	inflateEnd(&z);
	erofs_tiny_content(content);
	assert_memory_equal(out, content, sizeof(content));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_our_reader_finds_what_was_asked_for),
		cmocka_unit_test(test_deflate_data_is_the_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
