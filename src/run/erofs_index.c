// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cluster indexes of a compressed EROFS file: which algorithm, and how large each physical cluster
 * is. One index stands for one logical cluster; its type says whether a physical cluster begins in
 * it (struct z_erofs_map_header, _lcluster_index and the packed forms of the kernel's
 * fs/erofs/zmap.c).
 */
#include "run/erofs_disk.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define HEADER_BYTES	  8
#define ADVISE_COMPACT_2B 0x0001 /* compact indexes only */
#define ADVISE_EXTENTS \
	0x0001 /* full indexes only (kernel 6.15): a table of extents instead of indexes */
#define WHOLE_IN_FRAGMENT 0x80	/* in the cluster bits: the file has no clusters of its own */
#define BLOCK_COUNT	  0x800 /* in the first index after a head: it holds the size in blocks */
#define FULL_HOLE	  0x4000

enum index_type { INDEX_PLAIN, INDEX_HEAD1, INDEX_NONHEAD, INDEX_HEAD2 };

struct walk {
	const struct erofs_image *img;
	struct erofs_file *file;
	unsigned int algorithms[2]; /* of HEAD1 and HEAD2 */
	bool open;		    /* a cluster has begun */
	enum index_type head;
	uint64_t blocks; /* of the cluster that is open */
	/* What was read last. */
	unsigned char buf[4096];
	uint64_t buf_offset;
	size_t buf_len;
};

/*
 * @len bytes at @offset, through the buffer: indexes are read in ascending order. NULL: outside of
 * the image.
 */
static const unsigned char *fetch(struct walk *w, uint64_t offset, size_t len)
{
	uint64_t left;

	if (offset >= w->buf_offset && offset - w->buf_offset <= w->buf_len &&
	    len <= w->buf_len - (offset - w->buf_offset))
		return w->buf + (offset - w->buf_offset);
	if (offset > w->img->file_bytes || len > w->img->file_bytes - offset)
		return NULL;
	left = w->img->file_bytes - offset;
	w->buf_len = 0;
	if (erofs_read(w->img, offset, w->buf, left < sizeof(w->buf) ? left : sizeof(w->buf)))
		return NULL;
	w->buf_offset = offset;
	w->buf_len = left < sizeof(w->buf) ? (size_t)left : sizeof(w->buf);
	return w->buf;
}

static void close_cluster(struct walk *w)
{
	uint64_t bytes = w->blocks << w->img->block_bits;

	if (!w->open)
		return;
	w->open = false;
	if (w->head == INDEX_PLAIN) {
		w->file->stored++;
		return;
	}
	w->file->clusters++;
	w->file->algorithms |= 1u << w->algorithms[w->head == INDEX_HEAD2];
	if (bytes > w->file->largest_cluster_bytes)
		w->file->largest_cluster_bytes = bytes;
}

/* @low: block count or distance of an index that is no head. */
static int take_index(struct walk *w, enum index_type type, unsigned int low)
{
	if (type != INDEX_NONHEAD) {
		close_cluster(w);
		w->open = true;
		w->head = type;
		w->blocks = 1;
		return 0;
	}
	if (!w->open)
		return -EUCLEAN;
	if (low & BLOCK_COUNT)
		w->blocks = low & ~(unsigned int)BLOCK_COUNT;
	return 0;
}

static int walk_full(struct walk *w, uint64_t offset, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++, offset += 8) {
		const unsigned char *index = fetch(w, offset, 8);
		unsigned int advise;
		int ret;

		if (!index)
			return -EUCLEAN;
		advise = erofs_le16(index);
		if ((advise & 3) != INDEX_NONHEAD && (advise & FULL_HOLE)) {
			close_cluster(w);
			continue;
		}
		ret = take_index(w, advise & 3, erofs_le16(index + 4));
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Packs of @per_pack indexes, each pack of @pack_bytes with a block address in its last 4 bytes; an
 * index is @low_bits of offset or distance and 2 bits of type.
 */
static int walk_packs(struct walk *w, uint64_t *offset, uint64_t count, unsigned int per_pack,
		      size_t pack_bytes, unsigned int low_bits)
{
	unsigned int index_bits = (unsigned int)(pack_bytes - 4) * 8 / per_pack;

	for (uint64_t i = 0; i < count; i += per_pack, *offset += pack_bytes) {
		const unsigned char *pack = fetch(w, *offset, pack_bytes);

		if (!pack)
			return -EUCLEAN;
		for (unsigned int k = 0; k < per_pack && i + k < count; k++) {
			unsigned int bit = k * index_bits;
			uint32_t value = erofs_le32(pack + bit / 8) >> (bit & 7);
			int ret = take_index(w, value >> low_bits & 3,
					     value & ((1u << low_bits) - 1));

			if (ret)
				return ret;
		}
	}
	return 0;
}

/*
 * 4-byte indexes up to a multiple of 32 bytes, 2-byte ones as far as whole packs go, 4-byte ones
 * for the rest.
 */
static int walk_compact(struct walk *w, uint64_t offset, uint64_t count, unsigned int cluster_bits,
			bool with_2b)
{
	uint64_t first = (32 - offset % 32) / 4 & 7, middle = 0;
	unsigned int low_bits = cluster_bits > 12 ? cluster_bits : 12;
	int ret;

	if (cluster_bits > 14)
		return -EUCLEAN;
	if (first > count)
		first = count;
	if (with_2b && cluster_bits <= 12)
		middle = (count - first) / 16 * 16;
	ret = walk_packs(w, &offset, first, 2, 8, low_bits);
	if (!ret)
		ret = walk_packs(w, &offset, middle, 16, 32, low_bits);
	if (!ret)
		ret = walk_packs(w, &offset, count - first - middle, 2, 8, low_bits);
	return ret;
}

int erofs_index_walk(const struct erofs_image *img, const struct erofs_inode *inode,
		     struct erofs_file *file, struct diag *d)
{
	struct walk w = {.img = img, .file = file};
	uint64_t header = (inode->tail_bytes + 7) & ~(uint64_t)7, count;
	unsigned int advise, cluster_bits;
	unsigned char raw[HEADER_BYTES];
	int ret;

	ret = erofs_read(img, header, raw, sizeof(raw));
	if (ret)
		return diag_set(d, ret, "cluster indexes lie outside of the image");
	advise = erofs_le16(raw + 4);
	if (raw[7] & WHOLE_IN_FRAGMENT)
		return diag_set(d, -EOPNOTSUPP, "stored as a fragment: has no clusters of its own");
	if (inode->layout == EROFS_LAYOUT_FULL && (advise & ADVISE_EXTENTS))
		return diag_set(d, -EOPNOTSUPP, "has a table of extents, which is not known here");
	w.algorithms[0] = raw[6] & 15;
	w.algorithms[1] = raw[6] >> 4;
	cluster_bits = img->block_bits + (raw[7] & 15);
	count = inode->size_bytes ? ((inode->size_bytes - 1) >> cluster_bits) + 1 : 0;
	if (inode->layout == EROFS_LAYOUT_FULL)
		ret = walk_full(&w, header + HEADER_BYTES + 8, count);
	else
		ret = walk_compact(&w, header + HEADER_BYTES, count, cluster_bits,
				   advise & ADVISE_COMPACT_2B);
	close_cluster(&w);
	return ret ? diag_set(d, ret, "cluster indexes are damaged") : 0;
}

int erofs_file_inspect(const struct erofs_image *img, const char *path, struct erofs_file *file,
		       struct diag *d)
{
	struct erofs_inode inode;
	int ret;

	*file = (struct erofs_file){0};
	ret = erofs_inode_find(img, path, &inode, d);
	if (ret)
		return ret;
	if (!S_ISREG(inode.mode))
		return diag_set(d, -EUCLEAN, "%s: in the image: not a regular file", path);
	file->size_bytes = inode.size_bytes;
	file->compressed =
		inode.layout == EROFS_LAYOUT_FULL || inode.layout == EROFS_LAYOUT_COMPACT;
	if (!file->compressed)
		return 0;
	ret = erofs_index_walk(img, &inode, file, d);
	return ret ? diag_prefix(d, ret, "%s: in the image", path) : 0;
}
