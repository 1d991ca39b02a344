// SPDX-License-Identifier: GPL-2.0-only
/* Keys that occur twice. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/json_string.h"

/* Keys of larger objects are sorted to find equal ones, those of smaller ones compared. */
#define FEW_KEYS 32

static int compare_keys(const void *a, const void *b, void *doc)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct json_doc *d = doc;
	int order = json_compare(d, &d->tokens[i], &d->tokens[k]);

	return order ? order : (i > k) - (i < k);
}

/*
 * The same key again: refused unless it says the same, as dataset.file does in every result of format 1.0. Of arrays and objects nothing
 * is the same.
 */
static bool says_the_same(const struct json_doc *doc, const struct json_token *first,
			  const struct json_token *again)
{
	const struct json_token *a = first + 1, *b = again + 1;

	return a->type == b->type && a->type < JSON_ARRAY && a->size == b->size &&
	       !memcmp(doc->text + a->at, doc->text + b->at, a->size);
}

static int check_many(const struct json_doc *doc, const struct json_token *object, size_t count,
		      const struct json_token **bad)
{
	AB_FREE uint32_t *keys = calloc(count, sizeof(*keys));
	const struct json_token *t = json_first(object), *all = doc->tokens;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++, t = json_next(t + 1))
		keys[i] = (uint32_t)(t - all);
	qsort_r(keys, count, sizeof(*keys), compare_keys, (void *)doc);
	for (size_t i = 1; i < count; i++) {
		*bad = &all[keys[i]];
		if (!json_compare(doc, &all[keys[i - 1]], *bad) &&
		    !says_the_same(doc, &all[keys[i - 1]], *bad))
			return -EINVAL;
	}
	return 0;
}

/* Whether the key @t is among those before it with another value. No escapes in any of them. */
static bool occurs_before(const struct json_doc *doc, const struct json_token *object,
			  const struct json_token *t)
{
	for (const struct json_token *u = json_first(object); u < t; u = json_next(u + 1))
		if (u->size == t->size && !memcmp(doc->text + u->at, doc->text + t->at, t->size) &&
		    !says_the_same(doc, u, t))
			return true;
	return false;
}

/* A bit for each length and a few bytes says which keys need no look. */
static int check_few(const struct json_doc *doc, const struct json_token *object,
		     const struct json_token **bad)
{
	const struct json_token *end = json_end(object);
	uint64_t seen = 0;

	for (const struct json_token *t = json_first(object); t < end; t = json_next(t + 1)) {
		const unsigned char *chars = (const unsigned char *)doc->text + t->at;
		unsigned int hash = t->size * 11u;
		uint64_t bit;

		if (t->size)
			hash += chars[0] * 3u + chars[t->size / 2] + chars[t->size - 1] * 5u;
		bit = (uint64_t)1 << (hash % 64);
		*bad = t;
		if (seen & bit && occurs_before(doc, object, t))
			return -EINVAL;
		seen |= bit;
	}
	return 0;
}

int json_check_keys(const struct json_doc *doc, const struct json_token *object, size_t count,
		    bool escaped, const struct json_token **bad)
{
	return escaped || count > FEW_KEYS ? check_many(doc, object, count, bad)
					   : check_few(doc, object, bad);
}
