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

/* Position of the highest set bit; @v > 0. BPF has no such instruction: five compares and shifts. */
static inline __attribute__((always_inline)) unsigned int ab_msb64(unsigned long long v)
{
	unsigned int r = 0;

	if (v >> 32) {
		v >>= 32;
		r += 32;
	}
	if (v >> 16) {
		v >>= 16;
		r += 16;
	}
	if (v >> 8) {
		v >>= 8;
		r += 8;
	}
	if (v >> 4) {
		v >>= 4;
		r += 4;
	}
	if (v >> 2) {
		v >>= 2;
		r += 2;
	}
	return r + (unsigned int)(v >> 1);
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
