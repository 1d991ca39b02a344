/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log-linear histogram, the same code in BPF and in user space.
 *
 * Values below 2 * SUB are exact. Above, every power of two is cut into SUB = 32 equal buckets, so a bucket is at most
 * 1/32 of its lower bound wide and its midpoint is at most 1/64 (1.6 %) away from any value in it. Values of 2^36 ns
 * (68.7 s) and more land in the last bucket and are counted in `saturated`.
 */
#ifndef AB_HIST_H
#define AB_HIST_H

#define AB_HIST_SUB_BITS 5
#define AB_HIST_SUB	 (1u << AB_HIST_SUB_BITS)
#define AB_HIST_MAX_BITS 36
#define AB_HIST_BUCKETS	 ((AB_HIST_MAX_BITS - AB_HIST_SUB_BITS + 1) * AB_HIST_SUB)

/*
 * Position of the highest set bit; @v > 0. BPF has no such instruction. All bits below are set, then a de Bruijn
 * multiplication leaves a number of its own for each position in the top six bits. Without branches, because the
 * verifier would follow each combination of them to the end of the program.
 */
static inline __attribute__((always_inline)) unsigned int ab_msb64(unsigned long long v)
{
	static const unsigned char position[64] = {
		0,  47, 1,  56, 48, 27, 2,  60, 57, 49, 41, 37, 28, 16, 3,  61,
		54, 58, 35, 52, 50, 42, 21, 44, 38, 32, 29, 23, 17, 11, 4,  62,
		46, 55, 26, 59, 40, 36, 15, 53, 34, 51, 20, 43, 31, 22, 10, 45,
		25, 39, 14, 33, 19, 30, 9,  24, 13, 18, 8,  12, 7,  6,	5,  63,
	};

	v |= v >> 1;
	v |= v >> 2;
	v |= v >> 4;
	v |= v >> 8;
	v |= v >> 16;
	v |= v >> 32;
	return position[v * 0x03f79d71b4cb0a89ull >> 58];
}

static inline __attribute__((always_inline)) unsigned int ab_hist_index(unsigned long long v)
{
	unsigned int shift;

	if (v < 2 * AB_HIST_SUB)
		return (unsigned int)v;
	if (v >> AB_HIST_MAX_BITS)
		return AB_HIST_BUCKETS - 1;
	shift = ab_msb64(v) - AB_HIST_SUB_BITS;
	return (shift << AB_HIST_SUB_BITS) + (unsigned int)(v >> shift);
}

/* Smallest value that falls into bucket @index. */
static inline unsigned long long ab_hist_low(unsigned int index)
{
	unsigned int shift;

	if (index < 2 * AB_HIST_SUB)
		return index;
	shift = (index >> AB_HIST_SUB_BITS) - 1;
	return (unsigned long long)((index & (AB_HIST_SUB - 1)) + AB_HIST_SUB) << shift;
}

/* How many values fall into bucket @index. */
static inline unsigned long long ab_hist_width(unsigned int index)
{
	return index < 2 * AB_HIST_SUB ? 1ull : 1ull << ((index >> AB_HIST_SUB_BITS) - 1);
}

#endif
