/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by doc.c and doc_parse.c only. */
#ifndef AB_MODEL_DOC_PRIVATE_H
#define AB_MODEL_DOC_PRIVATE_H

#include "model/doc.h"

/* Zeroed memory that lives as long as the document. NULL: none left. */
void *doc_alloc(struct doc *doc, size_t size);
const char *doc_strndup(struct doc *doc, const char *text, size_t len);

#endif
