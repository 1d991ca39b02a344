// SPDX-License-Identifier: GPL-2.0-only
#include "base/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "base/units.h"

/* Everything about the option that is being read. */
struct found {
	const struct option_info *option;
	void *target;
	char spelled[80]; /* as the user wrote it, without the value: for messages */
};

static const struct option_info *find(const struct option_set *set, const char *name, size_t len,
				      char letter)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct option_info *o = &set->options[i];

		if (letter ? o->letter == letter
			   : strlen(o->name) == len && !memcmp(o->name, name, len))
			return o;
	}
	return NULL;
}

static bool takes_value(const struct option_info *o)
{
	return o->type != OPTION_FLAG && o->type != OPTION_COUNT;
}

static int unknown(const struct option_set *sets, size_t set_count, const struct found *f,
		   struct diag *d)
{
	struct nearest nearest;

	nearest_begin(&nearest, f->spelled + 2);
	/* One letter resembles every other: no hint for short options. */
	for (size_t s = 0; f->spelled[1] == '-' && s < set_count; s++)
		for (size_t i = 0; i < sets[s].count; i++)
			nearest_offer(&nearest, sets[s].options[i].name);
	if (nearest.best[0])
		return diag_set(d, -EINVAL, "unknown option '%s'; did you mean '--%s'?", f->spelled,
				nearest.best);
	return diag_set(d, -EINVAL, "unknown option '%s'", f->spelled);
}

static int bad_value(const struct found *f, const char *value, const char *expected, struct diag *d)
{
	return diag_set(d, -EINVAL, "option '%s': '%s' is not %s", f->spelled, value, expected);
}

static int store_choice(const struct found *f, const char *value, int *target, struct diag *d)
{
	struct nearest nearest;
	char hint[NEAREST_HINT_SIZE];
	AB_STRBUF struct strbuf known = {0};

	nearest_begin(&nearest, value);
	for (int i = 0; f->option->choices[i]; i++) {
		if (!strcmp(f->option->choices[i], value)) {
			*target = i;
			return 0;
		}
		nearest_offer(&nearest, f->option->choices[i]);
		strbuf_printf(&known, "%s%s", i ? ", " : "", f->option->choices[i]);
	}
	return diag_set(d, -EINVAL, "option '%s': '%s' is not one of: %s%s", f->spelled, value,
			strbuf_str(&known), nearest_hint(&nearest, hint));
}

static int store_uint(const struct found *f, const char *value, unsigned int *target,
		      struct diag *d)
{
	unsigned long long v = 0;
	const char *p = value;

	for (; *p >= '0' && *p <= '9' && v <= UINT_MAX; p++)
		v = v * 10 + (unsigned long long)(*p - '0');
	if (p == value || *p || v > UINT_MAX)
		return bad_value(f, value, "a whole number", d);
	*target = (unsigned int)v;
	return 0;
}

static int store_list(const struct found *f, const char *value, struct option_list *target,
		      struct diag *d)
{
	if (target->count == OPTION_LIST_MAX)
		return diag_set(d, -EINVAL, "option '%s' may be given %d times at most", f->spelled,
				OPTION_LIST_MAX);
	target->items[target->count++] = value;
	return 0;
}

/* Each type's values are stored here and nowhere else. @value: NULL for flags. */
static int store(const struct found *f, const char *value, struct diag *d)
{
	void *target = (char *)f->target + f->option->offset;

	switch (f->option->type) {
	case OPTION_FLAG:
		*(bool *)target = true;
		return 0;
	case OPTION_COUNT:
		(*(unsigned int *)target)++;
		return 0;
	case OPTION_STRING:
		*(const char **)target = value;
		return 0;
	case OPTION_LIST:
		return store_list(f, value, target, d);
	case OPTION_UINT:
		return store_uint(f, value, target, d);
	case OPTION_SIZE:
		return units_parse_bytes(value, target)
			       ? bad_value(f, value, "a size, such as 64KiB or 1M", d)
			       : 0;
	case OPTION_TIME:
		return units_parse_ns(value, target)
			       ? bad_value(f, value, "a time, such as 90s or 250ms", d)
			       : 0;
	case OPTION_RATIO:
		return units_parse_ratio(value, target)
			       ? bad_value(f, value, "a share, such as 5% or 0.05", d)
			       : 0;
	case OPTION_ENUM:
		return store_choice(f, value, target, d);
	}
	return -EINVAL;
}

static bool lookup(const struct option_set *sets, size_t set_count, const char *name, size_t len,
		   char letter, struct found *f)
{
	for (size_t s = 0; s < set_count; s++) {
		f->option = find(&sets[s], name, len, letter);
		f->target = sets[s].target;
		if (f->option)
			return true;
	}
	return false;
}

/*
 * @arg: "--name", "--name=value". @next: the argument after it or NULL; *@used_next: it was the
 * value.
 */
static int parse_long(const struct option_set *sets, size_t set_count, const char *arg,
		      const char *next, bool *used_next, struct diag *d)
{
	const char *equals = strchr(arg, '=');
	size_t len = equals ? (size_t)(equals - arg) : strlen(arg);
	struct found f;

	snprintf(f.spelled, sizeof(f.spelled), "%.*s", (int)(len < INT_MAX ? len : INT_MAX), arg);
	if (!lookup(sets, set_count, arg + 2, len - 2, 0, &f))
		return unknown(sets, set_count, &f, d);
	if (!takes_value(f.option)) {
		if (equals)
			return diag_set(d, -EINVAL, "option '%s' takes no value", f.spelled);
		return store(&f, NULL, d);
	}
	if (equals)
		return store(&f, equals + 1, d);
	if (!next)
		return diag_set(d, -EINVAL, "option '%s' needs a value", f.spelled);
	*used_next = true;
	return store(&f, next, d);
}

/* @arg: "-v", "-vvq", "-oFILE", "-o" with the value in @next. */
static int parse_short(const struct option_set *sets, size_t set_count, const char *arg,
		       const char *next, bool *used_next, struct diag *d)
{
	for (const char *p = arg + 1; *p; p++) {
		struct found f;
		int err;

		snprintf(f.spelled, sizeof(f.spelled), "-%c", *p);
		if (!lookup(sets, set_count, NULL, 0, *p, &f))
			return unknown(sets, set_count, &f, d);
		if (takes_value(f.option)) {
			if (p[1])
				return store(&f, p + 1, d);
			if (!next)
				return diag_set(d, -EINVAL, "option '%s' needs a value", f.spelled);
			*used_next = true;
			return store(&f, next, d);
		}
		err = store(&f, NULL, d);
		if (err)
			return err;
	}
	return 0;
}

int options_parse(const struct option_set *sets, size_t set_count, bool stop_at_operand, int argc,
		  char **argv, size_t *operands, struct diag *d)
{
	bool only_operands = false;
	size_t count = 0;

	for (int i = 1; i < argc; i++) {
		char *arg = argv[i];
		const char *next = i + 1 < argc ? argv[i + 1] : NULL;
		bool used_next = false;
		int err;

		if (only_operands || arg[0] != '-' || !arg[1]) {
			argv[count++] = arg;
			only_operands |= stop_at_operand;
			continue;
		}
		if (!strcmp(arg, "--")) {
			only_operands = true;
			continue;
		}
		err = arg[1] == '-' ? parse_long(sets, set_count, arg, next, &used_next, d)
				    : parse_short(sets, set_count, arg, next, &used_next, d);
		if (err)
			return err;
		i += used_next;
	}
	*operands = count;
	return 0;
}

static void spell(const struct option_info *o, struct strbuf *out)
{
	if (o->letter)
		strbuf_printf(out, "  -%c, --%s", o->letter, o->name);
	else
		strbuf_printf(out, "      --%s", o->name);
	for (size_t i = 0; o->type == OPTION_ENUM && o->choices[i]; i++)
		strbuf_printf(out, "%c%s", i ? '|' : '=', o->choices[i]);
	if (o->value)
		strbuf_printf(out, "=%s", o->value);
}

void options_help(const struct option_info *options, size_t count, struct strbuf *out)
{
	size_t width = 0;

	for (size_t i = 0; i < count; i++) {
		AB_STRBUF struct strbuf left = {0};

		spell(&options[i], &left);
		if (left.len > width)
			width = left.len;
	}
	for (size_t i = 0; i < count; i++) {
		size_t start = out->len;

		spell(&options[i], out);
		strbuf_pad(out, ' ', width + 2 - (out->len - start));
		strbuf_printf(out, "%s\n", options[i].help);
	}
}
