// SPDX-License-Identifier: GPL-2.0-only
#include "run/result_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/fsutil.h"

int result_folder_name(const struct scenario *s, char name[RESULT_FOLDER_NAME_SIZE], struct diag *d)
{
	unsigned char salt[2];
	time_t now = time(NULL);
	char stamp[32];
	struct tm tm;

	if (getrandom(salt, sizeof(salt), 0) != sizeof(salt))
		return diag_errno(d, -errno, "random bytes for the name of the result folder");
	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
	snprintf(name, RESULT_FOLDER_NAME_SIZE, "%s-%s-%02x%02x", stamp, s->name, salt[0], salt[1]);
	return 0;
}

/* Cuts the last component off: "a/b/" becomes "a", "a" becomes ".", "/a" becomes "/". */
static void go_up(char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	while (len && path[len - 1] != '/')
		len--;
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (!len)
		path[len++] = '.';
	path[len] = '\0';
}

int result_folder_parent_check(const char *parent, struct diag *d)
{
	struct stat st;
	char path[4096];
	int err = *parent ? fs_path(path, sizeof(path), "%s", parent) : -ENOENT;

	while (!err && stat(path, &st)) {
		err = -errno;
		/* What is a link and leads nowhere cannot be made a folder. */
		if (err != -ENOENT || !lstat(path, &st))
			break;
		err = 0;
		go_up(path);
	}
	if (!err && !S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	if (!err && access(path, W_OK | X_OK))
		err = -errno;
	return err ? diag_errno(d, err, "%s: no result folder can be made there", parent) : 0;
}

int result_folder_claim(const char *path, struct diag *d)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	if (fd < 0)
		return diag_errno(d, -errno, "%s", path);
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	err = -errno;
	close(fd);
	if (err == -EWOULDBLOCK)
		return diag_set(d, -EBUSY, "%s: a run is still going on in that folder", path);
	return diag_errno(d, err, "%s: cannot be locked", path);
}
