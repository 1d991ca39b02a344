// SPDX-License-Identifier: GPL-2.0-only
/*
 * Superblock of an EROFS image. Offsets are those of struct erofs_super_block (kernel 7.3,
 * fs/erofs/erofs_fs.h).
 */
#include "run/erofs_disk.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/fs.h>
#include "base/cleanup.h"
#include "base/fsutil.h"

#define SUPER_OFFSET	    1024
#define SUPER_BYTES	    128
#define SUPER_MAGIC	    0xe0f5e1e2u
#define COMPAT_CHECKSUM	    0x1u
#define INCOMPAT_0PADDING   0x1u
#define INCOMPAT_COMPR_CFGS 0x2u /* also: physical clusters larger than a block */
#define INCOMPAT_48BIT	    0x80u
#define INCOMPAT_KNOWN	    0x1ffu

const char *const erofs_algorithm_names[EROFS_ALGORITHMS] = {
	[EROFS_LZ4] = "lz4",
	[EROFS_LZMA] = "lzma",
	[EROFS_DEFLATE] = "deflate",
	[EROFS_ZSTD] = "zstd",
};

int erofs_read(const struct erofs_image *img, uint64_t offset, void *buf, size_t len)
{
	char *to = buf;

	if (offset > img->file_bytes || len > img->file_bytes - offset)
		return -EUCLEAN;
	while (len) {
		ssize_t n = pread(img->fd, to, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EUCLEAN;
		to += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* CRC-32C as EROFS uses it: no final inversion. */
static uint32_t crc32c(uint32_t crc, const unsigned char *p, size_t len)
{
	while (len--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
	}
	return crc;
}

/* The checksum covers the superblock's block from the superblock on, its own field as zero. */
static int check_sum(const struct erofs_image *img, uint32_t expected, const char *name,
		     struct diag *d)
{
	size_t block = (size_t)1 << img->block_bits;
	size_t len = block > SUPER_OFFSET ? block - SUPER_OFFSET : block;
	AB_FREE unsigned char *bytes = malloc(len);
	uint32_t sum;
	int ret;

	if (!bytes)
		return diag_errno(d, -ENOMEM, "%s", name);
	ret = erofs_read(img, SUPER_OFFSET, bytes, len);
	if (ret)
		return diag_set(d, ret, "%s: cut short inside the superblock's block", name);
	memset(bytes + 4, 0, 4);
	sum = crc32c(~0u, bytes, len);
	if (sum != expected)
		return diag_set(d, -EUCLEAN,
				"%s: superblock damaged: its checksum is %08x, it says %08x", name,
				sum, expected);
	return 0;
}

static int file_size(int fd, uint64_t *bytes)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	*bytes = (uint64_t)st.st_size;
	if (S_ISBLK(st.st_mode) && ioctl(fd, BLKGETSIZE64, bytes))
		return -errno;
	return 0;
}

static int parse_super(struct erofs_image *img, const unsigned char *sb, const char *name,
		       struct diag *d)
{
	uint32_t compat = erofs_le32(sb + 8), incompat = erofs_le32(sb + 80);
	bool wide = incompat & INCOMPAT_48BIT;
	int ret;

	if (incompat & ~INCOMPAT_KNOWN)
		return diag_set(d, -EOPNOTSUPP, "%s: EROFS with features unknown here (%#x)", name,
				incompat & ~INCOMPAT_KNOWN);
	img->block_bits = sb[12];
	if (img->block_bits < 9 || img->block_bits > 16)
		return diag_set(d, -EUCLEAN, "%s: superblock damaged: block size 2^%u", name,
				img->block_bits);
	img->blocks = erofs_le32(sb + 36) | (wide ? (uint64_t)erofs_le16(sb + 14) << 32 : 0);
	if (img->blocks > img->file_bytes >> img->block_bits)
		return diag_set(d, -EUCLEAN,
				"%s: cut short: the superblock says %" PRIu64
				" blocks of %u bytes, the file has %" PRIu64
				" bytes; build it again",
				name, img->blocks, 1u << img->block_bits, img->file_bytes);
	if (compat & COMPAT_CHECKSUM) {
		ret = check_sum(img, erofs_le32(sb + 4), name, d);
		if (ret)
			return ret;
	}
	img->root_nid = wide ? erofs_le64(sb + 112) : erofs_le16(sb + 14);
	img->meta_bytes = (uint64_t)erofs_le32(sb + 40) << img->block_bits;
	img->dir_bits = img->block_bits + sb[90];
	if (img->dir_bits > 16)
		return diag_set(d, -EUCLEAN, "%s: superblock damaged: folder blocks of 2^%u bytes",
				name, img->dir_bits);
	img->big_clusters = incompat & INCOMPAT_COMPR_CFGS;
	/* Before the bitmap existed (kernel 5.13) LZ4 was the only algorithm. */
	if (incompat & INCOMPAT_COMPR_CFGS)
		img->algorithms = erofs_le16(sb + 84);
	else if (incompat & INCOMPAT_0PADDING)
		img->algorithms = 1u << EROFS_LZ4;
	memcpy(img->uuid, sb + 48, sizeof(img->uuid));
	return 0;
}

int erofs_image_open(struct erofs_image *img, int fd, const char *name, struct diag *d)
{
	unsigned char sb[SUPER_BYTES];
	int ret;

	*img = (struct erofs_image){.fd = fd};
	ret = file_size(fd, &img->file_bytes);
	if (ret)
		return diag_errno(d, ret, "%s", name);
	ret = erofs_read(img, SUPER_OFFSET, sb, sizeof(sb));
	if (ret == -EUCLEAN)
		return diag_set(d, ret, "%s: not an EROFS image: only %" PRIu64 " bytes", name,
				img->file_bytes);
	if (ret)
		return diag_errno(d, ret, "%s: cannot be read", name);
	if (erofs_le32(sb) != SUPER_MAGIC)
		return diag_set(d, -EUCLEAN, "%s: not an EROFS image: wrong magic number", name);
	return parse_super(img, sb, name, d);
}

void erofs_algorithms_text(unsigned int algorithms, char *buf, size_t size)
{
	size_t used = 0;

	fs_path(buf, size, "none");
	for (unsigned int i = 0; i < 16 && used < size; i++) {
		if (!(algorithms & 1u << i))
			continue;
		if (i < EROFS_ALGORITHMS)
			fs_path(buf + used, size - used, "%s%s", used ? " " : "",
				erofs_algorithm_names[i]);
		else
			fs_path(buf + used, size - used, "%sunknown-%u", used ? " " : "", i);
		used += strlen(buf + used);
	}
}
