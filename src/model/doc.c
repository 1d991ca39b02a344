// SPDX-License-Identifier: GPL-2.0-only
/* The tree: memory, look-up, change, messages. Reading YAML: doc_parse.c. */
#include "model/doc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/doc_private.h"

#define CHUNK_BYTES 16384

struct doc_chunk {
	struct doc_chunk *next;
	size_t used, size;
	_Alignas(max_align_t) char bytes[];
};

void *doc_alloc(struct doc *doc, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	struct doc_chunk *c = doc->chunks;
	void *p;

	size = (size + align - 1) / align * align;
	if (!c || c->size - c->used < size) {
		size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;

		c = calloc(1, sizeof(*c) + bytes);
		if (!c)
			return NULL;
		c->size = bytes;
		c->next = doc->chunks;
		doc->chunks = c;
	}
	p = c->bytes + c->used;
	c->used += size;
	return p;
}

void doc_free(struct doc *doc)
{
	struct doc_chunk *next;

	for (struct doc_chunk *c = doc->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	*doc = (struct doc){0};
}

const char *doc_strndup(struct doc *doc, const char *text, size_t len)
{
	char *copy = doc_alloc(doc, len + 1);

	if (copy)
		memcpy(copy, text, len); /* the NUL is there: chunks are zeroed */
	return copy;
}

const char *doc_strdup(struct doc *doc, const char *text)
{
	return doc_strndup(doc, text, strlen(text));
}

struct doc_node *doc_member(const struct doc_node *node, const char *key, size_t key_len)
{
	if (node->kind != DOC_MAP)
		return NULL;
	for (struct doc_node *n = node->first; n; n = n->next)
		if (strlen(n->key) == key_len && !memcmp(n->key, key, key_len))
			return n;
	return NULL;
}

/*
 * Walks down @path as far as it exists. *@rest: what is left of the path, "" when all of it exists.
 */
static struct doc_node *walk(struct doc_node *node, const char *path, const char **rest)
{
	while (*path) {
		size_t len = strcspn(path, ".");
		struct doc_node *member = doc_member(node, path, len);

		if (!member)
			break;
		node = member;
		path += len;
		path += *path == '.';
	}
	*rest = path;
	return node;
}

const struct doc_node *doc_find(const struct doc_node *root, const char *path)
{
	const char *rest;
	const struct doc_node *node = walk((struct doc_node *)root, path, &rest);

	return *rest ? NULL : node;
}

const struct doc_node *doc_nearest(const struct doc_node *root, const char *path)
{
	const char *rest;

	return walk((struct doc_node *)root, path, &rest);
}

static int add_member(struct doc *doc, struct doc_node *map, const char *key, size_t key_len,
		      struct doc_where where, struct doc_node **member)
{
	struct doc_node **tail = &map->first;
	struct doc_node *n = doc_alloc(doc, sizeof(*n));

	if (!n)
		return -ENOMEM;
	n->kind = DOC_MAP;
	n->where = where;
	n->key_where = where;
	n->key = doc_strndup(doc, key, key_len);
	if (!n->key)
		return -ENOMEM;
	while (*tail)
		tail = &(*tail)->next;
	*tail = n;
	*member = n;
	return 0;
}

static bool is_path(const char *path)
{
	for (unsigned int parts = 1;; parts++) {
		size_t len = strcspn(path, ".");

		if (!len || len > DOC_MAX_KEY || parts > DOC_MAX_DEPTH)
			return false;
		if (!path[len])
			return true;
		path += len + 1;
	}
}

int doc_put(struct doc *doc, struct doc_node *root, const char *path, struct doc_where where,
	    const struct doc_node *value, struct diag *d)
{
	struct doc_node *node;
	char quoted[DOC_QUOTE_SIZE];
	const char *rest;

	if (!is_path(path))
		return doc_error(&where, d, "%s is not a path of keys, such as image.level",
				 doc_quote(quoted, path));
	node = walk(root, path, &rest);
	while (*rest) {
		size_t len = strcspn(rest, ".");

		if (node->kind != DOC_MAP)
			return doc_error(&where, d, "%s: what it is in is not a map",
					 doc_quote(quoted, path));
		if (add_member(doc, node, rest, len, where, &node))
			return diag_set(d, -ENOMEM, "out of memory");
		rest += len;
		rest += *rest == '.';
	}
	node->kind = value->kind;
	node->plain = value->plain;
	node->where = value->where;
	node->key_where = where;
	node->text = value->text;
	node->first = value->first;
	return 0;
}

int doc_error(const struct doc_where *where, struct diag *d, const char *fmt, ...)
{
	char message[sizeof(d->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	if (!where->line)
		return diag_set(d, -EINVAL, "%.120s: %s", where->source, message);
	return diag_set(d, -EINVAL, "%s:%zu:%zu: %s", where->source, where->line, where->column,
			message);
}

const char *doc_quote(char buf[DOC_QUOTE_SIZE], const char *text)
{
	size_t len = strlen(text);
	size_t cut = len;

	if (len > 60) {
		cut = 60;
		while (cut && (text[cut] & 0xc0) == 0x80) /* not inside a UTF-8 character */
			cut--;
	}
	snprintf(buf, DOC_QUOTE_SIZE, "'%.*s%s'", (int)cut, text, cut < len ? "..." : "");
	return buf;
}
