/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small, strict YAML document as a tree whose every node knows where it stands. What scenarios
 * have no use for is refused while reading: aliases, anchors, tags, directives, second documents,
 * duplicate keys, deep nesting, control characters. Text that gets this far can be shown on a
 * terminal as it is.
 */
#ifndef AB_MODEL_DOC_H
#define AB_MODEL_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"

#define DOC_MAX_BYTES (1u << 20)
#define DOC_MAX_DEPTH 6
#define DOC_MAX_NODES 4096
#define DOC_MAX_TEXT  4095 /* bytes of one value */
#define DOC_MAX_KEY   127

enum doc_kind { DOC_TEXT, DOC_LIST, DOC_MAP };

struct doc_where {
	const char *source; /* file, or the whole "--set path=value" */
	size_t line;	    /* from 1; 0: the source is one line that speaks for itself */
	size_t column;	    /* from 1, in characters */
};

struct doc_node {
	enum doc_kind kind;
	bool plain; /* DOC_TEXT: written without quotes */
	struct doc_where where;
	const char *key; /* member of a map: its name; else NULL */
	struct doc_where key_where;
	const char *text;	/* DOC_TEXT */
	struct doc_node *first; /* DOC_LIST, DOC_MAP: in the order of the text */
	struct doc_node *next;
};

/* Owns nodes and text. Starts all zero. */
struct doc {
	struct doc_chunk *chunks;
	size_t nodes;
};

/*
 * Reads one document. @source is kept by reference; with @one_line errors name it alone, without
 * line and column. -EINVAL: not acceptable, @d says where and why; -ENOMEM.
 */
int doc_parse(struct doc *doc, const char *source, bool one_line, const char *text, size_t len,
	      struct doc_node **root, struct diag *d);
void doc_free(struct doc *doc);

/* Copies a string into the document. NULL: no memory. */
const char *doc_strdup(struct doc *doc, const char *text);

/* Member @key (of @key_len bytes) of a map; NULL: not there, or @node is no map. */
struct doc_node *doc_member(const struct doc_node *node, const char *key, size_t key_len);

/* "image.level" from @root down; NULL: not there. */
const struct doc_node *doc_find(const struct doc_node *root, const char *path);

/*
 * The same, or the deepest node on the way that exists: where to point when something is missing or
 * does not fit.
 */
const struct doc_node *doc_nearest(const struct doc_node *root, const char *path);

/*
 * Puts @value at the dotted @path, in place of what is there; maps on the way are made. @where: of
 * the path. -EINVAL: not a path, or a value on the way that is no map; -ENOMEM.
 */
int doc_put(struct doc *doc, struct doc_node *root, const char *path, struct doc_where where,
	    const struct doc_node *value, struct diag *d);

/* "file:12:3: <message>" into @d; returns -EINVAL. */
int doc_error(const struct doc_where *where, struct diag *d, const char *fmt, ...) AB_PRINTF(3, 4);

#define DOC_QUOTE_SIZE 96

/* 'text', cut after some 60 bytes. Returns @buf. */
const char *doc_quote(char buf[DOC_QUOTE_SIZE], const char *text);

#endif
