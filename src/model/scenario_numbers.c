// SPDX-License-Identifier: GPL-2.0-only
/* Kinds of values that are numbers: counts, sizes, times, shares. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "model/scenario_keys.h"

#define EXPECTED_SIZE "a size, such as 64KiB"
#define EXPECTED_TIME "a time, such as 90s or 250ms"

static int bad(const struct reading *r, const struct doc_node *n, const char *path,
	       const char *expected)
{
	char quoted[DOC_QUOTE_SIZE];

	return key_error(r, n, path, "%s is not %s", doc_quote(quoted, n->text), expected);
}

/* Counts */

static int parse_number(const char *text, uint64_t *value)
{
	uint64_t v = 0;

	for (const char *p = text; *p; p++) {
		if (*p < '0' || *p > '9' || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return -EINVAL;
	}
	*value = v;
	return *text ? 0 : -EINVAL;
}

int key_read_number(const struct reading *r, const struct doc_node *n, const char *path,
		    uint64_t min, uint64_t max, uint64_t *value)
{
	int err = key_want_text(r, n, path, "a whole number");

	if (err)
		return err;
	if (!n->plain || parse_number(n->text, value))
		return bad(r, n, path, "a whole number");
	if (*value < min || *value > max)
		return key_error(r, n, path, "%s is out of range, expected %llu to %llu", n->text,
				 (unsigned long long)min, (unsigned long long)max);
	return 0;
}

static int read_uint(const struct reading *r, const struct key_info *k, const char *path,
		     const struct doc_node *n, void *base)
{
	uint64_t value;
	int err = key_read_number(r, n, path, k->min, k->max, &value);

	if (!err)
		*(unsigned int *)key_field(k, base) = (unsigned int)value;
	return err;
}

static int read_u64(const struct reading *r, const struct key_info *k, const char *path,
		    const struct doc_node *n, void *base)
{
	return key_read_number(r, n, path, k->min, k->max, key_field(k, base));
}

static uint64_t u64_at(const struct key_info *k, const void *base)
{
	return *(const uint64_t *)key_value(k, base);
}

static uint64_t uint_at(const struct key_info *k, const void *base)
{
	return *(const unsigned int *)key_value(k, base);
}

static void print_uint(const struct key_info *k, const void *base, unsigned int indent,
		       struct strbuf *out)
{
	strbuf_printf(out, " %llu\n", (unsigned long long)uint_at(k, base));
}

static void print_u64(const struct key_info *k, const void *base, unsigned int indent,
		      struct strbuf *out)
{
	strbuf_printf(out, " %llu\n", (unsigned long long)u64_at(k, base));
}

static void schema_number(const struct key_info *k, const uint64_t *value, struct json_out *j)
{
	json_string(j, "type", "integer");
	json_u64(j, "minimum", k->min);
	json_u64(j, "maximum", k->max);
	if (value)
		json_u64(j, "default", *value);
}

static void schema_uint(const struct key_info *k, const void *base, struct json_out *j)
{
	uint64_t value = base ? uint_at(k, base) : 0;

	schema_number(k, base ? &value : NULL, j);
}

static void schema_u64(const struct key_info *k, const void *base, struct json_out *j)
{
	uint64_t value = base ? u64_at(k, base) : 0;

	schema_number(k, base ? &value : NULL, j);
}

const struct key_type key_uint = {read_uint, print_uint, NULL, schema_uint};
const struct key_type key_u64 = {read_u64, print_u64, NULL, schema_u64};

/* Sizes and times: 0 is "not given", unless the row's range has it */

int key_read_size(const struct reading *r, const struct key_info *k, const char *path,
		  const struct doc_node *n, uint64_t *value)
{
	char min[32], max[32];
	int err = key_want_text(r, n, path, EXPECTED_SIZE);

	if (err)
		return err;
	err = units_parse_bytes(n->text, value);
	if (err == -EINVAL)
		return bad(r, n, path, EXPECTED_SIZE);
	if (err || *value < k->min || *value > k->max)
		return key_error(r, n, path, "%.40s is out of range, expected %s to %s", n->text,
				 units_bytes_compact(min, sizeof(min), k->min),
				 units_bytes_compact(max, sizeof(max), k->max));
	return 0;
}

static int read_size(const struct reading *r, const struct key_info *k, const char *path,
		     const struct doc_node *n, void *base)
{
	return key_read_size(r, k, path, n, key_field(k, base));
}

static int read_time(const struct reading *r, const struct key_info *k, const char *path,
		     const struct doc_node *n, void *base)
{
	uint64_t value = 0;
	int err = key_want_text(r, n, path, EXPECTED_TIME);

	if (err)
		return err;
	err = units_parse_ns(n->text, &value);
	if (err == -EINVAL)
		return bad(r, n, path, EXPECTED_TIME);
	if (err || value < k->min || value > k->max)
		return key_error(r, n, path, "%.40s is out of range, expected %llus to %llus",
				 n->text, (unsigned long long)(k->min / 1000000000),
				 (unsigned long long)(k->max / 1000000000));
	*(uint64_t *)key_field(k, base) = value;
	return 0;
}

static bool u64_absent(const struct key_info *k, const void *base)
{
	return u64_at(k, base) < k->min;
}

static void print_size(const struct key_info *k, const void *base, unsigned int indent,
		       struct strbuf *out)
{
	char buf[32];

	strbuf_printf(out, " %s\n", units_bytes_compact(buf, sizeof(buf), u64_at(k, base)));
}

const char *key_exact_time(char buf[32], uint64_t ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && ns && ns % 1000 == 0) {
		ns /= 1000;
		i++;
	}
	snprintf(buf, 32, "%llu%s", (unsigned long long)ns, units[i]);
	return buf;
}

static void print_time(const struct key_info *k, const void *base, unsigned int indent,
		       struct strbuf *out)
{
	char buf[32];

	strbuf_printf(out, " %s\n", key_exact_time(buf, u64_at(k, base)));
}

static void schema_unit(struct json_out *j, const char *pattern, const char *value)
{
	json_flat_array_begin(j, "type");
	json_string(j, NULL, "string");
	json_string(j, NULL, "integer");
	json_array_end(j);
	json_string(j, "pattern", pattern);
	if (value)
		json_string(j, "default", value);
}

static void schema_size(const struct key_info *k, const void *base, struct json_out *j)
{
	char buf[32];
	bool given = base && !u64_absent(k, base);

	if (given)
		units_bytes_compact(buf, sizeof(buf), u64_at(k, base));
	schema_unit(j, KEY_SIZE_PATTERN, given ? buf : NULL);
}

static void schema_time(const struct key_info *k, const void *base, struct json_out *j)
{
	char buf[32];
	bool given = base && !u64_absent(k, base);

	schema_unit(j, KEY_TIME_PATTERN, given ? key_exact_time(buf, u64_at(k, base)) : NULL);
}

const struct key_type key_size = {read_size, print_size, u64_absent, schema_size};
const struct key_type key_time = {read_time, print_time, u64_absent, schema_time};

/* Shares, only in rules: given or not; the row's max is in percent */

static int read_ratio(const struct reading *r, const struct key_info *k, const char *path,
		      const struct doc_node *n, void *base)
{
	double *value = key_field(k, base);
	int err = key_want_text(r, n, path, "a share, such as 5%");

	if (err)
		return err;
	if (units_parse_ratio(n->text, value))
		return bad(r, n, path, "a share, such as 5% or 0.05");
	if (*value * 100 > (double)k->max)
		return key_error(r, n, path, "%.40s is out of range, expected 0%% to %llu%%",
				 n->text, (unsigned long long)k->max);
	key_set_flag(k, base);
	return 0;
}

static void print_ratio(const struct key_info *k, const void *base, unsigned int indent,
			struct strbuf *out)
{
	strbuf_putc(out, ' ');
	key_print_double(out, *(const double *)key_value(k, base));
	strbuf_putc(out, '\n');
}

static bool ratio_absent(const struct key_info *k, const void *base)
{
	return !key_flag(k, base);
}

static void schema_ratio(const struct key_info *k, const void *base, struct json_out *j)
{
	json_flat_array_begin(j, "type");
	json_string(j, NULL, "string");
	json_string(j, NULL, "number");
	json_array_end(j);
	json_string(j, "pattern", "^[0-9]+(\\.[0-9]+)?%?$");
}

const struct key_type key_ratio = {read_ratio, print_ratio, ratio_absent, schema_ratio};

void key_print_double(struct strbuf *out, double value)
{
	char buf[64];
	double back;

	/*
	 * Not %g: scenarios know no exponents. Values were read from at most 16 digits and a '%'.
	 */
	for (int digits = 0; digits <= 18; digits++) {
		snprintf(buf, sizeof(buf), "%.*f", digits, value);
		if (!units_parse_ratio(buf, &back) && back == value)
			break;
	}
	strbuf_puts(out, buf);
}
