// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as an EROFS image: read to the end or refused, never out of bounds, never for ever. */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "run/erofs_disk.h"

#define COMPAT_OFFSET (1024 + 8)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(int fd)
{
	struct erofs_image img;
	struct erofs_file file;
	struct diag d = {""};

	if (erofs_image_open(&img, fd, "image", &d))
		return;
	if (!erofs_file_inspect(&img, "testfile", &file, &d) && file.clusters && !file.algorithms)
		abort();
	erofs_file_inspect(&img, "/folder//testfile", &file, &d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	look(fd);
	/* A fuzzer cannot guess a checksum: once more without one. */
	if (size > COMPAT_OFFSET && (data[COMPAT_OFFSET] & 1)) {
		uint8_t compat = data[COMPAT_OFFSET] & (uint8_t)~1u;

		if (pwrite(fd, &compat, 1, COMPAT_OFFSET) != 1)
			abort();
		look(fd);
	}
	close(fd);
	return 0;
}
