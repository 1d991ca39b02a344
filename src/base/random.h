/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers that are the same on every machine, for draws that two people must be able to repeat. */
#ifndef AB_BASE_RANDOM_H
#define AB_BASE_RANDOM_H

#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood 2014): the next of a sequence that the first value of @state stands for. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

#endif
