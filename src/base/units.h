/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes (IEC), durations and percentages: text to number and back, free of the locale. */
#ifndef AB_BASE_UNITS_H
#define AB_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/*
 * "4096", "4k", "4K", "4KiB", "1M", "1MiB", "2G"... all powers of 1024; "4kB" is refused. -EINVAL,
 * -ERANGE: beyond 2^63-1.
 */
int units_parse_bytes(const char *text, uint64_t *bytes);

/*
 * "90s", "1.5s", "5m", "250ms", "2h", "10us", "7ns"; a bare number is seconds. -EINVAL or -ERANGE.
 */
int units_parse_ns(const char *text, uint64_t *ns);

/* "5%" gives 0.05, "0.05" gives 0.05; at most 16 digits, no exponent. -EINVAL. */
int units_parse_ratio(const char *text, double *ratio);

/* "4 KiB", "14 MiB", "1234 B": the largest unit that divides @bytes. Returns @buf. */
const char *units_bytes(char *buf, size_t size, uint64_t bytes);
/* The same without the blank, as scenarios write it: "4KiB". */
const char *units_bytes_compact(char *buf, size_t size, uint64_t bytes);
/* "9.10 us", "241 us", "1.20 ms": three significant digits. Returns @buf. */
const char *units_ns(char *buf, size_t size, double ns);
/* "1,204": with thousands separators. Returns @buf. */
const char *units_count(char *buf, size_t size, uint64_t count);

#endif
