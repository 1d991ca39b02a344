// SPDX-License-Identifier: GPL-2.0-only
/* YAML to tree, on libyaml's event interface. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>
#include "base/cleanup.h"
#include "base/utf8.h"
#include "model/doc_private.h"

struct loader {
	yaml_parser_t parser;
	struct doc *doc;
	const char *source;
	bool one_line;
	struct diag *d;
};

static struct doc_where where_at(const struct loader *l, size_t line, size_t column)
{
	return (struct doc_where){
		.source = l->source,
		.line = l->one_line ? 0 : line,
		.column = column,
	};
}

static struct doc_where where_is(const struct loader *l, yaml_mark_t mark)
{
	return where_at(l, mark.line + 1, mark.column + 1);
}

static int refuse(const struct loader *l, yaml_mark_t mark, const char *what)
{
	struct doc_where where = where_is(l, mark);

	return doc_error(&where, l->d, "%s", what);
}

static int no_memory(const struct loader *l)
{
	return diag_set(l->d, -ENOMEM, "%s: out of memory", l->source);
}

/* Characters that control a terminal, or hide or reorder what a reader sees. */
static bool is_harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x2069) || c == 0xfeff;
}

/* The raw text. libyaml would find most of this too, but cannot say where. */
static int check_text(const struct loader *l, const char *text, size_t len)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < len;) {
		struct doc_where where = where_at(l, line, column);
		uint32_t c;
		size_t bytes = utf8_decode(text + i, len - i, &c);

		if (!bytes)
			return doc_error(&where, l->d, "byte 0x%02x is not part of UTF-8 text",
					 (unsigned char)text[i]);
		i += bytes;
		column++;
		if (c == '\n') {
			line++;
			column = 1;
		} else if (is_harmful(c) && c != '\t' && c != '\r') {
			return doc_error(&where, l->d, "character U+%04X is not allowed", c);
		}
	}
	return 0;
}

/* A value after its escapes were read: "\0" and "\e" can smuggle in what check_text() keeps out. */
static int check_value(const struct loader *l, const yaml_event_t *e)
{
	const char *text = (const char *)e->data.scalar.value;
	size_t len = e->data.scalar.length;
	uint32_t c;

	if (len > DOC_MAX_TEXT)
		return refuse(l, e->start_mark, "this value is too long");
	/* A block of text ends in a line break. */
	if (len && text[len - 1] == '\n')
		len--;
	for (size_t i = 0; i < len;) {
		size_t bytes = utf8_decode(text + i, len - i, &c);

		if (!bytes || is_harmful(c))
			return refuse(l, e->start_mark,
				      "this value contains control characters or line breaks");
		i += bytes;
	}
	return 0;
}

static int next_event(struct loader *l, yaml_event_t *e)
{
	const yaml_parser_t *p = &l->parser;
	struct doc_where where;

	if (yaml_parser_parse(&l->parser, e))
		return 0;
	if (p->error == YAML_MEMORY_ERROR)
		return no_memory(l);
	where = where_is(l, p->problem_mark);
	return doc_error(&where, l->d, "%s%s%s", p->context ? p->context : "",
			 p->context ? ": " : "", p->problem ? p->problem : "not YAML");
}

#define AB_EVENT AB_CLEANUP(yaml_event_delete)

static int read_value(struct loader *l, yaml_event_t *e, unsigned int depth,
		      struct doc_node **node);

static int new_node(struct loader *l, const yaml_event_t *e, enum doc_kind kind,
		    struct doc_node **node)
{
	if (++l->doc->nodes > DOC_MAX_NODES)
		return refuse(l, e->start_mark, "too many values");
	*node = doc_alloc(l->doc, sizeof(**node));
	if (!*node)
		return no_memory(l);
	(*node)->kind = kind;
	(*node)->where = where_is(l, e->start_mark);
	return 0;
}

static int refuse_properties(const struct loader *l, const yaml_event_t *e,
			     const yaml_char_t *anchor, const yaml_char_t *tag)
{
	if (anchor)
		return refuse(l, e->start_mark, "anchors are not allowed");
	if (tag)
		return refuse(l, e->start_mark, "tags are not allowed");
	return 0;
}

static int read_text(struct loader *l, const yaml_event_t *e, struct doc_node **node)
{
	const char *text = (const char *)e->data.scalar.value;
	size_t len = e->data.scalar.length;
	int err = refuse_properties(l, e, e->data.scalar.anchor, e->data.scalar.tag);

	if (!err)
		err = check_value(l, e);
	if (!err)
		err = new_node(l, e, DOC_TEXT, node);
	if (err)
		return err;
	if (len && text[len - 1] == '\n')
		len--;
	(*node)->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	(*node)->text = doc_strndup(l->doc, text, len);
	return (*node)->text ? 0 : no_memory(l);
}

static int read_list(struct loader *l, const yaml_event_t *begin, unsigned int depth,
		     struct doc_node **node)
{
	struct doc_node **tail;
	int err = refuse_properties(l, begin, begin->data.sequence_start.anchor,
				    begin->data.sequence_start.tag);

	if (!err)
		err = new_node(l, begin, DOC_LIST, node);
	if (err)
		return err;
	for (tail = &(*node)->first;; tail = &(*tail)->next) {
		AB_EVENT yaml_event_t e = {0};

		err = next_event(l, &e);
		if (err || e.type == YAML_SEQUENCE_END_EVENT)
			return err;
		err = read_value(l, &e, depth + 1, tail);
		if (err)
			return err;
	}
}

/* A member's name into @key. */
static int read_key(struct loader *l, const struct doc_node *map, const yaml_event_t *e,
		    struct doc_node *key)
{
	const struct doc_node *twin;
	struct doc_node *text;
	char quoted[DOC_QUOTE_SIZE];
	int err;

	if (e->type == YAML_ALIAS_EVENT)
		return refuse(l, e->start_mark, "aliases are not allowed");
	if (e->type != YAML_SCALAR_EVENT)
		return refuse(l, e->start_mark, "a key must be a name");
	err = read_text(l, e, &text);
	if (err)
		return err;
	if (!text->text[0] || strlen(text->text) > DOC_MAX_KEY)
		return refuse(l, e->start_mark, "a key must have 1 to 127 characters");
	twin = doc_member(map, text->text, strlen(text->text));
	if (twin && l->one_line)
		return doc_error(&text->where, l->d, "duplicate key %s",
				 doc_quote(quoted, text->text));
	if (twin)
		return doc_error(&text->where, l->d, "duplicate key %s, already in line %zu",
				 doc_quote(quoted, text->text), twin->key_where.line);
	*key = *text;
	return 0;
}

static int read_map(struct loader *l, const yaml_event_t *begin, unsigned int depth,
		    struct doc_node **node)
{
	struct doc_node **tail;
	int err = refuse_properties(l, begin, begin->data.mapping_start.anchor,
				    begin->data.mapping_start.tag);

	if (!err)
		err = new_node(l, begin, DOC_MAP, node);
	if (err)
		return err;
	for (tail = &(*node)->first;; tail = &(*tail)->next) {
		AB_EVENT yaml_event_t name = {0}, value = {0};
		struct doc_node *member = NULL;
		struct doc_node key = {0};

		err = next_event(l, &name);
		if (err || name.type == YAML_MAPPING_END_EVENT)
			return err;
		err = read_key(l, *node, &name, &key);
		if (!err)
			err = next_event(l, &value);
		if (!err)
			err = read_value(l, &value, depth + 1, &member);
		if (err)
			return err;
		member->key = key.text;
		member->key_where = key.where;
		*tail = member;
	}
}

static int read_value(struct loader *l, yaml_event_t *e, unsigned int depth, struct doc_node **node)
{
	if (depth > DOC_MAX_DEPTH)
		return refuse(l, e->start_mark, "nested too deeply");
	switch (e->type) {
	case YAML_SCALAR_EVENT:
		return read_text(l, e, node);
	case YAML_SEQUENCE_START_EVENT:
		return read_list(l, e, depth, node);
	case YAML_MAPPING_START_EVENT:
		return read_map(l, e, depth, node);
	case YAML_ALIAS_EVENT:
		return refuse(l, e->start_mark, "aliases are not allowed");
	default:
		return refuse(l, e->start_mark, "a value is missing");
	}
}

static int read_document(struct loader *l, struct doc_node **root)
{
	AB_EVENT yaml_event_t stream = {0}, begin = {0}, value = {0}, end = {0}, last = {0};
	int err = next_event(l, &stream);

	if (!err)
		err = next_event(l, &begin);
	if (err)
		return err;
	if (begin.type != YAML_DOCUMENT_START_EVENT)
		return refuse(l, begin.start_mark, "there is nothing in it");
	if (begin.data.document_start.version_directive ||
	    begin.data.document_start.tag_directives.start !=
		    begin.data.document_start.tag_directives.end)
		return refuse(l, begin.start_mark, "directives are not allowed");
	err = next_event(l, &value);
	if (!err)
		err = read_value(l, &value, 0, root);
	if (!err)
		err = next_event(l, &end);
	if (!err)
		err = next_event(l, &last);
	if (err)
		return err;
	if (last.type != YAML_STREAM_END_EVENT)
		return refuse(l, last.start_mark, "a second document is not allowed");
	return 0;
}

int doc_parse(struct doc *doc, const char *source, bool one_line, const char *text, size_t len,
	      struct doc_node **root, struct diag *d)
{
	struct loader l = {.doc = doc, .source = source, .one_line = one_line, .d = d};
	int err;

	if (len > DOC_MAX_BYTES)
		return diag_set(d, -EINVAL, "%.200s: larger than the %u bytes allowed", source,
				DOC_MAX_BYTES);
	err = check_text(&l, text, len);
	if (err)
		return err;
	if (!yaml_parser_initialize(&l.parser))
		return no_memory(&l);
	yaml_parser_set_encoding(&l.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&l.parser, (const unsigned char *)text, len);
	err = read_document(&l, root);
	yaml_parser_delete(&l.parser);
	return err;
}
