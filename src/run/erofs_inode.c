// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inodes and folders of an EROFS image (struct erofs_inode_compact, _extended and erofs_dirent of
 * the kernel).
 */
#include "run/erofs_disk.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"

#define NID_SHIFT      5 /* inodes lie on multiples of 32 bytes */
#define COMPACT_BYTES  32
#define EXTENDED_BYTES 64
#define DIRENT_BYTES   12
/* No folder of a dataset is larger; a hostile image could claim one that takes years. */
#define MAX_FOLDER_BYTES ((uint64_t)64 << 20)

static int inode_read(const struct erofs_image *img, uint64_t nid, struct erofs_inode *inode)
{
	unsigned char raw[EXTENDED_BYTES];
	unsigned int format, attributes;
	uint64_t offset, bytes;
	int ret;

	if (nid > UINT64_MAX >> (NID_SHIFT + 1))
		return -EUCLEAN;
	offset = img->meta_bytes + (nid << NID_SHIFT);
	ret = erofs_read(img, offset, raw, COMPACT_BYTES);
	if (ret)
		return ret;
	format = erofs_le16(raw);
	attributes = erofs_le16(raw + 2);
	bytes = format & 1 ? EXTENDED_BYTES : COMPACT_BYTES;
	ret = erofs_read(img, offset, raw, bytes);
	if (ret)
		return ret;
	inode->layout = format >> 1 & 7;
	inode->mode = erofs_le16(raw + 4);
	inode->size_bytes = format & 1 ? erofs_le64(raw + 8) : erofs_le32(raw + 8);
	inode->start_block = erofs_le32(raw + 16);
	/*
	 * Inline attributes: a header of 12 bytes, which counts as the first of i_xattr_icount,
	 * then 4 bytes each.
	 */
	inode->tail_bytes = offset + bytes + (attributes ? 12 + 4 * (attributes - 1) : 0);
	return 0;
}

/* Bytes of an uncompressed file. */
static int flat_read(const struct erofs_image *img, const struct erofs_inode *inode,
		     uint64_t offset, void *buf, size_t len)
{
	uint64_t whole = inode->size_bytes >> img->block_bits << img->block_bits;

	if (inode->layout == EROFS_LAYOUT_INLINE && offset >= whole)
		return erofs_read(img, inode->tail_bytes + (offset - whole), buf, len);
	if (inode->layout != EROFS_LAYOUT_PLAIN && inode->layout != EROFS_LAYOUT_INLINE)
		return -EOPNOTSUPP;
	return erofs_read(img, (inode->start_block << img->block_bits) + offset, buf, len);
}

/* Looks for @name in one block of a folder. 0: @nid is filled; -ENOENT: not in this one. */
static int block_find(const unsigned char *block, size_t len, const char *name, size_t name_len,
		      uint64_t *nid)
{
	size_t first, count;

	if (len < DIRENT_BYTES)
		return -EUCLEAN;
	first = erofs_le16(block + 8);
	count = first / DIRENT_BYTES;
	if (!count || first % DIRENT_BYTES || first > len)
		return -EUCLEAN;
	for (size_t i = 0; i < count; i++) {
		const unsigned char *entry = block + i * DIRENT_BYTES;
		size_t start = erofs_le16(entry + 8);
		size_t end = i + 1 < count ? erofs_le16(entry + DIRENT_BYTES + 8) : len;

		if (start < first || end < start || end > len)
			return -EUCLEAN;
		/* The last name of a block ends at its end or at a zero byte. */
		if (i + 1 == count)
			end = start + strnlen((const char *)block + start, end - start);
		if (end - start == name_len && !memcmp(block + start, name, name_len)) {
			*nid = erofs_le64(entry);
			return 0;
		}
	}
	return -ENOENT;
}

static int folder_find(const struct erofs_image *img, const struct erofs_inode *folder,
		       const char *name, size_t name_len, uint64_t *nid)
{
	size_t block_bytes = (size_t)1 << img->dir_bits;
	AB_FREE unsigned char *block = malloc(block_bytes);
	int ret;

	if (!block)
		return -ENOMEM;
	if (!S_ISDIR(folder->mode))
		return -ENOTDIR;
	if (folder->size_bytes > MAX_FOLDER_BYTES)
		return -EUCLEAN;
	for (uint64_t offset = 0; offset < folder->size_bytes; offset += block_bytes) {
		uint64_t left = folder->size_bytes - offset;
		size_t len = left < block_bytes ? (size_t)left : block_bytes;

		ret = flat_read(img, folder, offset, block, len);
		if (!ret)
			ret = block_find(block, len, name, name_len, nid);
		if (ret != -ENOENT)
			return ret;
	}
	return -ENOENT;
}

int erofs_inode_find(const struct erofs_image *img, const char *path, struct erofs_inode *inode,
		     struct diag *d)
{
	uint64_t nid = img->root_nid;
	const char *name = path;
	int ret;

	for (;;) {
		size_t len;

		ret = inode_read(img, nid, inode);
		if (ret)
			break;
		name += strspn(name, "/");
		if (!*name)
			return 0;
		len = strcspn(name, "/");
		ret = folder_find(img, inode, name, len, &nid);
		if (ret)
			break;
		name += len;
	}
	return diag_errno(d, ret, "%s: in the image", path);
}
