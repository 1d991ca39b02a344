// SPDX-License-Identifier: GPL-2.0-only
/*
 * Offsets are those of the kernel's fs/erofs/erofs_fs.h; the layout is one that every kernel
 * since 5.16 reads.
 */
#include "run/erofs_tiny.h"

#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"

#define BLOCK	    ((size_t)EROFS_TINY_BLOCK)
#define BLOCK_BITS  12
#define SUPER	    1024u
#define CONFIGS	    (SUPER + 128) /* parameters of the algorithms follow the superblock */
#define ROOT_INODE  1280u
#define FILE_INODE  1408u
#define INODE_BYTES 32u
#define SLOT_BYTES  32u /* inode numbers count in these */
#define DATA_BLOCK  1

#define FEATURE_0PADDING 1u /* compressed data end where their block ends */
#define FEATURE_CONFIGS	 2u
#define INDEX_HEAD	 1
#define INDEX_NONHEAD	 2
#define TYPE_FILE	 1
#define TYPE_FOLDER	 2

#define PHRASE "accelbench "

struct bytes {
	const char *p;
	size_t len;
};
#define BYTES(s) ((struct bytes){s, sizeof(s) - 1})

/* What the superblock says about each algorithm, and the content compressed by it. */
static const struct {
	struct bytes config, data;
} recipes[EROFS_ALGORITHMS] = {
	/* Matches reach 65535 bytes back, clusters are one block. */
	[EROFS_LZ4] = {BYTES("\xff\xff\x01\0\0\0\0\0\0\0\0\0\0\0"),
		       BYTES("\xbf" PHRASE "\x0b\0"
			     "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
			     "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfc"
			     "\x50"
			     "elben")},
	/* A dictionary of 32 KiB. */
	[EROFS_LZMA] = {BYTES("\0\x80\0\0\0\0\0\0\0\0\0\0\0\0"),
			BYTES("\xa2\x30\x98\xec\xca\x6e\xd5\x4c\xbe\x89\xb8\x64\x98\x37\x20\xb1\xfe"
			      "\xd7\xf9\xb6\xaa\xcc\x04\x9f\x2e\xd9\x6e\xff\x44\xbc\x5a\xb3\x33\xc1"
			      "\x39\x21\xf0\xd4\xf4\xf1\x1d\xb2\xf4\xa5\x2d\xb5\x7f\x0e\x32\x58"
			      "\x6b")},
	/* A window of 2^15 bytes. */
	[EROFS_DEFLATE] =
		{BYTES("\x0f\0\0\0\0\0"),
		 BYTES("\xed\xc6\xc1\x09\0\x20\x0c\x04\xb0\x55\x5c\xad\x1e\x05\x1f\xd2\xfd"
		       "\x9f\xce\x21\x24\xaf\x54\xd2\x77\xf7\xe4\xac\x52\x55\x55\x55\x55"
		       "\x55\x55\x55\x55\x55\x55\x55\x55\x55\x55\xd5\x3f\xfb\0")},
	/* A window of 2^(10 + 5) bytes. */
	[EROFS_ZSTD] = {BYTES("\0\x05\0\0\0\0"),
			BYTES("\x28\xb5\x2f\xfd\x60\0\x1f\x9d\0\0\x58" PHRASE
			      "\x01\0\xf2\xef\xbe\x78\x01")},
};

static void put16(unsigned char *p, unsigned int value)
{
	p[0] = (unsigned char)value;
	p[1] = (unsigned char)(value >> 8);
}

static void put32(unsigned char *p, uint32_t value)
{
	put16(p, value & 0xffff);
	put16(p + 2, value >> 16);
}

static void put_super(unsigned char *image, unsigned int algorithm, uint32_t blocks)
{
	unsigned char *sb = image + SUPER;

	put32(sb, 0xe0f5e1e2);
	sb[12] = BLOCK_BITS;
	put16(sb + 14, ROOT_INODE / SLOT_BYTES);
	put32(sb + 16, 2); /* inodes */
	put32(sb + 36, blocks);
	if (algorithm == EROFS_TINY_STORED)
		return;
	put32(sb + 80, FEATURE_0PADDING | FEATURE_CONFIGS);
	put16(sb + 84, 1u << algorithm);
	put16(image + CONFIGS, (unsigned int)recipes[algorithm].config.len);
	memcpy(image + CONFIGS + 2, recipes[algorithm].config.p, recipes[algorithm].config.len);
}

/* The short form of an inode. @where: meaning depends on the layout. */
static void put_inode(unsigned char *inode, unsigned int layout, unsigned int mode, uint32_t size,
		      uint32_t where, uint32_t number)
{
	put16(inode, layout << 1);
	put16(inode + 4, mode);
	put16(inode + 6, S_ISDIR(mode) ? 2 : 1);
	put32(inode + 8, size);
	put32(inode + 16, where);
	put32(inode + 20, number);
}

/* A folder's entries, in the order of their names, with the names behind them. */
static void put_root(unsigned char *image)
{
	static const struct {
		const char *name;
		unsigned int inode, type;
	} entries[] = {
		{".", ROOT_INODE, TYPE_FOLDER},
		{"..", ROOT_INODE, TYPE_FOLDER},
		{EROFS_TINY_FILE, FILE_INODE, TYPE_FILE},
	};
	unsigned char *folder = image + ROOT_INODE + INODE_BYTES;
	unsigned int name_at = 12 * ARRAY_SIZE(entries);

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		unsigned char *entry = folder + 12 * i;
		size_t len = strlen(entries[i].name);

		put32(entry, entries[i].inode / SLOT_BYTES);
		put16(entry + 8, name_at);
		entry[10] = (unsigned char)entries[i].type;
		memcpy(folder + name_at, entries[i].name, len);
		name_at += (unsigned int)len;
	}
	put_inode(image + ROOT_INODE, EROFS_LAYOUT_INLINE, S_IFDIR | 0755, name_at, ~0u, 1);
}

/*
 * One physical cluster for all of the file; its first index says where, the second how far back
 * that is.
 */
static void put_compressed(unsigned char *image, unsigned int algorithm)
{
	const struct bytes *data = &recipes[algorithm].data;
	unsigned char *header = image + FILE_INODE + INODE_BYTES, *index = header + 16;

	put_inode(image + FILE_INODE, EROFS_LAYOUT_FULL, S_IFREG | 0444, EROFS_TINY_FILE_BYTES, 1,
		  2);
	header[6] = (unsigned char)algorithm;
	put16(index, INDEX_HEAD);
	put32(index + 4, DATA_BLOCK);
	put16(index + 8, INDEX_NONHEAD);
	put16(index + 12, 1);
	put16(index + 14, 1);
	memcpy(image + (DATA_BLOCK + 1) * BLOCK - data->len, data->p, data->len);
}

size_t erofs_tiny_image(unsigned int algorithm, unsigned char image[EROFS_TINY_MAX_BYTES])
{
	uint32_t blocks = algorithm == EROFS_TINY_STORED ? 3 : 2;

	memset(image, 0, EROFS_TINY_MAX_BYTES);
	put_super(image, algorithm, blocks);
	put_root(image);
	if (algorithm == EROFS_TINY_STORED) {
		put_inode(image + FILE_INODE, EROFS_LAYOUT_PLAIN, S_IFREG | 0444,
			  EROFS_TINY_FILE_BYTES, DATA_BLOCK, 2);
		erofs_tiny_content(image + DATA_BLOCK * BLOCK);
	} else {
		put_compressed(image, algorithm);
	}
	return blocks * BLOCK;
}

void erofs_tiny_content(unsigned char content[EROFS_TINY_FILE_BYTES])
{
	for (size_t i = 0; i < EROFS_TINY_FILE_BYTES; i++)
		content[i] = (unsigned char)PHRASE[i % (sizeof(PHRASE) - 1)];
}
