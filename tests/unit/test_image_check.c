// SPDX-License-Identifier: GPL-2.0-only
/*
 * Images of tests/fuzz/corpus/erofs whose index is made to say that a cluster has another size, as
 * the image of a larger file would have it.
 */
#include "run/image_check.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "base/fsutil.h"

#define COMPAT 1032 /* in it the flag that there is a checksum */
#define KIB    ((uint64_t)1024)

/* A packed index that is no head and holds a size of @blocks (run/erofs_index.c). */
static void put_blocks(char *at, unsigned int blocks)
{
	unsigned int index = 2u << 12 | 0x800 | blocks;

	at[0] = (char)index;
	at[1] = (char)(index >> 8);
}

/* A file with the image @name, whose only cluster of two blocks has @blocks instead. */
static int make_image(const char *name, unsigned int blocks)
{
	AB_STRBUF struct strbuf bytes = {0};
	int fd = memfd_create("image", MFD_CLOEXEC);
	char path[256], two[2], *found = NULL;
	struct diag d = {""};

	assert_true(fd >= 0);
	fs_path(path, sizeof(path), "tests/fuzz/corpus/erofs/%s", name);
	if (fs_read_file(path, 1 << 20, &bytes, &d))
		fail_msg("%s (tests run in the top folder)", d.text);
	bytes.data[COMPAT] &= (char)~1;
	put_blocks(two, 2);
	for (size_t at = 1152; at < 4096 && !found; at += 2)
		if (!memcmp(bytes.data + at, two, 2))
			found = bytes.data + at;
	assert_non_null(found);
	put_blocks(found, blocks);
	assert_int_equal(write(fd, bytes.data, bytes.len), bytes.len);
	return fd;
}

struct size_case {
	const char *image, *engine;
	uint64_t asked_bytes;
	unsigned int blocks;
	const char *reason; /* NULL: it is as asked */
};

static void check_case(const struct size_case *c)
{
	struct dataset ds = {.file = "testfile"};
	struct plan_image pi = {.engine = engine_find(c->engine), .cluster_bytes = c->asked_bytes};
	struct image_found found;
	struct diag d = {""};
	int fd = make_image(c->image, c->blocks);

	if (image_check(fd, &pi, &ds, &found, &d))
		fail_msg("%s", d.text);
	close(fd);
	assert_int_equal(found.cluster_bytes, c->blocks * 4 * KIB);
	if (found.ok != !c->reason || (c->reason && !strstr(found.reason, c->reason)))
		fail_msg("%s, %u blocks: %s", c->engine, c->blocks, found.reason);
}

static void test_sizes(void **state)
{
	static const struct size_case cases[] = {
		{"deflate-8k", "deflate", 8 * KIB, 2, NULL},
		/* The encoder of DEFLATE overran its target: one block more, no two. */
		{"deflate-8k", "deflate", 8 * KIB, 3, NULL},
		{"deflate-8k", "deflate", 256 * KIB, 65, NULL},
		{"deflate-8k", "qat_deflate", 256 * KIB, 65, NULL},
		{"deflate-8k", "deflate", 8 * KIB, 4,
		 "asked for clusters of 8 KiB, but the largest of its 1 is of 16 KiB"},
		{"deflate-8k", "deflate", 256 * KIB, 66, "is of 264 KiB"},
		/* Clusters of one block have no size that could be larger. */
		{"deflate-8k", "deflate", 4 * KIB, 2, "is of 8 KiB"},
		/* No kernel reads it. */
		{"deflate-8k", "deflate", 1024 * KIB, 256, NULL},
		{"deflate-8k", "deflate", 1024 * KIB, 257, "no kernel reads"},
		/* The others keep to what they are given. */
		{"lz4hc-8k", "lz4hc", 8 * KIB, 2, NULL},
		{"lz4hc-8k", "lz4hc", 8 * KIB, 3, "is of 12 KiB"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_case(&cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
