/* SPDX-License-Identifier: GPL-2.0-only */
/* Folders of results: their names, where they can be, and who writes into one. */
#ifndef AB_RUN_RESULT_FOLDER_H
#define AB_RUN_RESULT_FOLDER_H

#include "base/diag.h"
#include "model/scenario.h"

#define RESULT_FOLDER_NAME_SIZE 160

/* Name for a new one: "20261130T204500Z-erofs-seq-9f3a". */
int result_folder_name(const struct scenario *s, char name[RESULT_FOLDER_NAME_SIZE],
		       struct diag *d);

/*
 * Can result folders be made in @parent, which may have to be made too? Asked before hours of work, and nothing is made.
 * -ENOTDIR, -EACCES, -EROFS, ...
 */
int result_folder_parent_check(const char *parent, struct diag *d);

/*
 * Makes this process the only one that writes into the existing folder @path, until the descriptor that it returns is
 * closed. -EBUSY: another run goes on in it.
 */
int result_folder_claim(const char *path, struct diag *d);

#endif
