// SPDX-License-Identifier: GPL-2.0-only
#include "base/units.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"

struct unit {
	const char *name;
	uint64_t factor;
};

/*
 * Lower-case letters as fio and dd write them. "kB" and "MB" are powers of 1000 to some: refused.
 */
static const struct unit byte_units[] = {
	{"", 1},
	{"B", 1},
	{"k", 1ull << 10},
	{"K", 1ull << 10},
	{"KiB", 1ull << 10},
	{"m", 1ull << 20},
	{"M", 1ull << 20},
	{"MiB", 1ull << 20},
	{"g", 1ull << 30},
	{"G", 1ull << 30},
	{"GiB", 1ull << 30},
	{"t", 1ull << 40},
	{"T", 1ull << 40},
	{"TiB", 1ull << 40},
};

static const struct unit time_units[] = {
	{"", 1000000000},  {"ns", 1},	       {"us", 1000},	     {"ms", 1000000},
	{"s", 1000000000}, {"m", 60000000000}, {"min", 60000000000}, {"h", 3600000000000},
};

#define UNITS_MAX INT64_MAX /* results go through signed fields of other formats: JSON, sysfs */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads digits at *@p. -EINVAL: there are none. -ERANGE: too many. */
static int read_digits(const char **p, uint64_t *value)
{
	uint64_t v = 0;

	if (!is_digit(**p))
		return -EINVAL;
	for (; is_digit(**p); (*p)++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(**p - '0'), &v) || v > UNITS_MAX)
			return -ERANGE;
	}
	*value = v;
	return 0;
}

int units_parse_bytes(const char *text, uint64_t *bytes)
{
	uint64_t count, product;
	const char *p = text;
	int err = read_digits(&p, &count);

	if (err)
		return err;
	if (*p == ' ' && p[1])
		p++;
	for (size_t i = 0; i < ARRAY_SIZE(byte_units); i++) {
		if (strcmp(p, byte_units[i].name))
			continue;
		if (__builtin_mul_overflow(count, byte_units[i].factor, &product) ||
		    product > UNITS_MAX)
			return -ERANGE;
		*bytes = product;
		return 0;
	}
	return -EINVAL;
}

int units_parse_ns(const char *text, uint64_t *ns)
{
	uint64_t count, total, digit_ns;
	const char *fraction = NULL;
	const char *p = text;
	int err = read_digits(&p, &count);

	if (err)
		return err;
	if (*p == '.') {
		fraction = ++p;
		if (!is_digit(*p))
			return -EINVAL;
		p += strspn(p, "0123456789");
	}
	if (*p == ' ' && p[1])
		p++;
	for (size_t i = 0; i < ARRAY_SIZE(time_units); i++) {
		if (strcmp(p, time_units[i].name))
			continue;
		if (__builtin_mul_overflow(count, time_units[i].factor, &total) ||
		    total > UNITS_MAX)
			return -ERANGE;
		digit_ns = time_units[i].factor;
		for (; fraction && is_digit(*fraction); fraction++) {
			/*
			 * Exact while units are powers of ten; of minutes and hours what is below 1
			 * ns is dropped.
			 */
			digit_ns /= 10;
			total += digit_ns * (uint64_t)(*fraction - '0');
		}
		if (total > UNITS_MAX)
			return -ERANGE;
		*ns = total;
		return 0;
	}
	return -EINVAL;
}

int units_parse_ratio(const char *text, double *ratio)
{
	const char *p = text;
	unsigned int digits = 0;
	double value = 0, scale = 1;
	bool fraction = false;

	/*
	 * Not strtod(): that follows the locale and takes "inf", "nan" and hexadecimal. Below 2^53,
	 * and to the powers of ten that can come up here, a double is exact: one division rounds
	 * correctly.
	 */
	for (; is_digit(*p) || (*p == '.' && !fraction && digits); p++) {
		if (*p == '.') {
			fraction = true;
			continue;
		}
		value = value * 10 + (*p - '0');
		if (++digits > 16 || value >= 9007199254740992.0)
			return -EINVAL;
		if (fraction)
			scale *= 10;
	}
	if (!digits || p[-1] == '.')
		return -EINVAL;
	if (*p == '%') {
		scale *= 100;
		p++;
	}
	if (*p)
		return -EINVAL;
	*ratio = value / scale;
	return 0;
}

static const char *format_bytes(char *buf, size_t size, uint64_t bytes, const char *blank)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(names) && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		i++;
	}
	snprintf(buf, size, "%llu%s%s", (unsigned long long)bytes, blank, names[i]);
	return buf;
}

const char *units_bytes(char *buf, size_t size, uint64_t bytes)
{
	return format_bytes(buf, size, bytes, " ");
}

const char *units_bytes_compact(char *buf, size_t size, uint64_t bytes)
{
	return format_bytes(buf, size, bytes, "");
}

const char *units_ns(char *buf, size_t size, double ns)
{
	static const char *const names[] = {"ns", "us", "ms", "s"};
	size_t i = 0;
	int decimals;

	/* 999.5 would print as "1000": move on as soon as rounding reaches the next unit. */
	while (i + 1 < ARRAY_SIZE(names) && ns >= 999.5) {
		ns /= 1000;
		i++;
	}
	decimals = ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0;
	if (i == 0)
		decimals = 0;
	snprintf(buf, size, "%.*f %s", decimals, ns, names[i]);
	return buf;
}

const char *units_count(char *buf, size_t size, uint64_t count)
{
	char digits[24];
	size_t len, out = 0;

	len = (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
	for (size_t i = 0; i < len && out + 1 < size; i++) {
		if (i && (len - i) % 3 == 0 && out + 2 < size)
			buf[out++] = ',';
		buf[out++] = digits[i];
	}
	if (size)
		buf[out] = '\0';
	return buf;
}
