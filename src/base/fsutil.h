/* SPDX-License-Identifier: GPL-2.0-only */
/* Files: whole reads, atomic writes, folders, hashes. */
#ifndef AB_BASE_FSUTIL_H
#define AB_BASE_FSUTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "base/strbuf.h"

#define SHA256_HEX_SIZE 65 /* with the NUL */

/* Appends the whole of a regular file, a sysfs or a proc file. -EFBIG beyond @max_bytes. */
int fs_read_file(const char *path, size_t max_bytes, struct strbuf *out, struct diag *d);
/* First line of a sysfs/proc file without the newline. -errno. */
int fs_read_line(const char *path, char *buf, size_t size);
/* Writes the bytes in one write(2) call, as sysfs wants it. */
int fs_write_sysfs(const char *path, const char *value, struct diag *d);
/* All of the bytes, in as many write(2) calls as it takes. 0, -errno. */
int fs_write_all(int fd, const void *bytes, size_t len);
/*
 * Written beside (O_EXCL, random name), fsync'ed, renamed; the folder fsync'ed. "-" is standard
 * output.
 */
int fs_write_atomic(const char *path, const void *bytes, size_t len, struct diag *d);
/*
 * The same for who writes piece by piece: a new file under a name that nobody can foresee, which
 * @temp receives.
 */
int fs_open_beside(const char *path, char *temp, size_t size);
/* Makes it the file @path; removes it when that fails. @fd stays open. */
int fs_commit_beside(int fd, const char *temp, const char *path, struct diag *d);
/* Copies @from to @to, a new file of that mode; a copy that fails is removed. -EEXIST: @to is there. */
int fs_copy_file(const char *from, const char *to, unsigned int mode, struct diag *d);
/* mkdir -p. */
int fs_mkdir_p(const char *path, unsigned int mode, struct diag *d);
/* Removes a tree without following links or crossing file systems. */
int fs_remove_tree(const char *path, struct diag *d);
/*
 * Renames @from to @to. Where @to is a folder that has something in it, the entries of @from move into it one by one, those of
 * sub-folders first; files there are replaced, others stay, and @from is removed. Both on one file system.
 */
int fs_move_into(const char *from, const char *to, struct diag *d);
bool fs_exists(const char *path);
bool fs_is_folder(const char *path);
/* Hash of a file's content as long as it is now, read through the page cache in 1 MiB pieces. @size may be NULL. */
int fs_sha256_file(const char *path, char hex[SHA256_HEX_SIZE], uint64_t *size, struct diag *d);
int fs_sha256_bytes(const void *bytes, size_t len, char hex[SHA256_HEX_SIZE]);
/* snprintf for paths: -ENAMETOOLONG instead of a cut path. */
int fs_path(char *buf, size_t size, const char *fmt, ...) AB_PRINTF(3, 4);

#endif
