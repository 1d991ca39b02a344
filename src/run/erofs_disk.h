/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An EROFS image read without the kernel and without erofs-utils: what algorithms and physical
 * clusters it really has. A second opinion on what mkfs was asked for, and a check before a mount.
 * Images are hostile until proven otherwise: every read is inside the file, every loop ends.
 */
#ifndef AB_RUN_EROFS_DISK_H
#define AB_RUN_EROFS_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"

/* On-disk numbers of algorithms. */
enum erofs_algorithm { EROFS_LZ4, EROFS_LZMA, EROFS_DEFLATE, EROFS_ZSTD, EROFS_ALGORITHMS };
extern const char *const erofs_algorithm_names[EROFS_ALGORITHMS];

struct erofs_image {
	int fd;
	uint64_t file_bytes; /* size of the image file or device */
	/* From the superblock: */
	unsigned int block_bits;
	uint64_t blocks;
	uint64_t root_nid;
	uint64_t meta_bytes;	 /* offset of the inodes */
	unsigned int dir_bits;	 /* of a folder's blocks */
	unsigned int algorithms; /* bit per enum erofs_algorithm: those that files may use */
	bool big_clusters;	 /* physical clusters may be larger than a block */
	unsigned char uuid[16];
};

/*
 * Reads and checks the superblock of @fd (which must stay open). -EUCLEAN: no EROFS, damaged, or
 * cut short; -EOPNOTSUPP: a newer format. @name stands for the file in messages.
 */
int erofs_image_open(struct erofs_image *img, int fd, const char *name, struct diag *d);

/* How one regular file is stored. */
struct erofs_file {
	uint64_t size_bytes;
	bool compressed;		/* has cluster indexes at all */
	uint64_t clusters;		/* compressed physical clusters */
	uint64_t stored;		/* physical clusters that were left uncompressed */
	uint64_t largest_cluster_bytes; /* compressed size of the largest of @clusters */
	unsigned int algorithms; /* bit per enum erofs_algorithm: those that its clusters use */
};

/*
 * Looks at the file @path (relative to the root). -ENOENT, -EUCLEAN, -EOPNOTSUPP (index format
 * unknown to this reader).
 */
int erofs_file_inspect(const struct erofs_image *img, const char *path, struct erofs_file *file,
		       struct diag *d);

/* "lz4", "lz4 deflate", "none". */
void erofs_algorithms_text(unsigned int algorithms, char *buf, size_t size);

/*
 * For erofs_*.c only: reads all of @len bytes at @offset, or -EUCLEAN when they are not inside the
 * file.
 */
int erofs_read(const struct erofs_image *img, uint64_t offset, void *buf, size_t len);

static inline unsigned int erofs_le16(const unsigned char *p)
{
	return p[0] | (unsigned int)p[1] << 8;
}

static inline uint32_t erofs_le32(const unsigned char *p)
{
	return erofs_le16(p) | (uint32_t)erofs_le16(p + 2) << 16;
}

static inline uint64_t erofs_le64(const unsigned char *p)
{
	return erofs_le32(p) | (uint64_t)erofs_le32(p + 4) << 32;
}

/* An inode, as far as its data are concerned. */
struct erofs_inode {
	unsigned int mode;
	unsigned int layout; /* EROFS_LAYOUT_* */
	uint64_t size_bytes;
	uint64_t start_block; /* of flat files */
	uint64_t tail_bytes;  /* offset of what follows inode and attributes */
};

#define EROFS_LAYOUT_PLAIN   0 /* uncompressed */
#define EROFS_LAYOUT_FULL    1 /* compressed, indexes of 8 bytes */
#define EROFS_LAYOUT_INLINE  2 /* uncompressed, the last part of a block follows the inode */
#define EROFS_LAYOUT_COMPACT 3 /* compressed, indexes of 2 and 4 bytes */

int erofs_inode_find(const struct erofs_image *img, const char *path, struct erofs_inode *inode,
		     struct diag *d);
/* Walks the cluster indexes of a compressed file; fills everything but size_bytes. */
int erofs_index_walk(const struct erofs_image *img, const struct erofs_inode *inode,
		     struct erofs_file *file, struct diag *d);

#endif
