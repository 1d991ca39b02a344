/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The smallest EROFS images that still make the kernel decompress something: two or three blocks
 * with one file. They need no mkfs.erofs, so that what the kernel can read is known even where no
 * tool can build such images.
 */
#ifndef AB_RUN_EROFS_TINY_H
#define AB_RUN_EROFS_TINY_H

#include "run/erofs_disk.h"

#define EROFS_TINY_BLOCK      4096
#define EROFS_TINY_FILE	      "probe"
#define EROFS_TINY_FILE_BYTES 8192
#define EROFS_TINY_MAX_BYTES  12288
#define EROFS_TINY_STORED     EROFS_ALGORITHMS /* in place of an algorithm: not compressed */

/* Fills @image; returns the image's size in bytes. */
size_t erofs_tiny_image(unsigned int algorithm, unsigned char image[EROFS_TINY_MAX_BYTES]);

/* What the file holds. */
void erofs_tiny_content(unsigned char content[EROFS_TINY_FILE_BYTES]);

#endif
