// SPDX-License-Identifier: GPL-2.0-only
#include "base/undo_act.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"

typedef int act_fn(const char *path, const char *value, struct diag *d);

/* mountinfo writes blank, tab, newline and backslash as three octal digits. Decodes in place. */
static void decode_octal(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* Source of the topmost mount on @path. 0, -ENOENT: nothing is mounted there, other -errno. */
static int mount_source(const char *path, char *source, size_t size)
{
	AB_FCLOSE FILE *file = fopen("/proc/self/mountinfo", "re");
	AB_FREE char *line = NULL;
	size_t cap = 0;
	int ret = -ENOENT;

	if (!file)
		return -errno;
	while (getline(&line, &cap, file) > 0) {
		char *save, *word = strtok_r(line, " \n", &save);

		/* id parent major:minor root MOUNT-POINT options... - type SOURCE super-options */
		for (int i = 0; word && i < 4; i++)
			word = strtok_r(NULL, " \n", &save);
		if (!word)
			continue;
		decode_octal(word);
		if (strcmp(word, path))
			continue;
		while (word && strcmp(word, "-"))
			word = strtok_r(NULL, " \n", &save);
		for (int i = 0; word && i < 2; i++)
			word = strtok_r(NULL, " \n", &save);
		if (!word)
			continue;
		decode_octal(word);
		ret = fs_path(source, size, "%s", word);
	}
	return ret;
}

static int act_umount(const char *path, const char *value, struct diag *d)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
	char source[4096];
	int ret = mount_source(path, source, sizeof(source));

	if (ret == -ENOENT)
		return 0;
	if (ret)
		return diag_errno(d, ret, "%s: mounts cannot be listed", path);
	if (value && strcmp(source, value))
		return 0;
	/* A reader that was just ended may take a moment to let go. */
	for (int tries = 0; tries < 10; tries++) {
		if (!umount2(path, UMOUNT_NOFOLLOW))
			return 0;
		if (errno != EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	if (errno == EBUSY && !umount2(path, UMOUNT_NOFOLLOW | MNT_DETACH))
		return 0;
	return diag_errno(d, -errno, "%s: cannot be unmounted", path);
}

/*
 * Asked of the device, since /sys may be hidden. A file that was deleted or replaced meanwhile is not known
 * again; its device frees itself (LO_FLAGS_AUTOCLEAR) when it is closed here.
 */
static bool attached_to(int fd, const char *file)
{
	struct loop_info64 info;
	struct stat st;

	return !ioctl(fd, LOOP_GET_STATUS64, &info) && !stat(file, &st) &&
	       info.lo_device == st.st_dev && info.lo_inode == st.st_ino;
}

static int act_loop(const char *path, const char *value, struct diag *d)
{
	const char *name = strrchr(path, '/');

	if (!name || !value || strncmp(name, "/loop", 5))
		return diag_set(d, -EINVAL, "%s: not a loop device with a backing file", path);

	AB_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && (errno == ENOENT || errno == ENXIO))
		return 0;
	if (fd < 0)
		return diag_errno(d, -errno, "%s: cannot be opened", path);
	/* Detached already (LO_FLAGS_AUTOCLEAR), or taken by somebody else since. */
	if (!attached_to(fd, value))
		return 0;
	/* A device in use is detached by the kernel when its last user closes it. */
	if (ioctl(fd, LOOP_CLR_FD) && errno != ENXIO)
		return diag_errno(d, -errno, "%s: cannot be detached", path);
	return 0;
}

static int act_write(const char *path, const char *value, struct diag *d)
{
	if (!fs_exists(path))
		return 0;
	return fs_write_sysfs(path, value ? value : "", d);
}

static int act_rmdir(const char *path, const char *value, struct diag *d)
{
	if (rmdir(path) && errno != ENOENT)
		return diag_errno(d, -errno, "%s: folder cannot be removed", path);
	return 0;
}

/* Has the path a component that only we would choose? */
static bool named_after_us(const char *path)
{
	const char *ours = strstr(path, "/accelbench");

	return *path == '/' && ours && !strstr(path, "/../");
}

int undo_identity(const char *path, char *buf, size_t size)
{
	struct statx stx;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &stx))
		return -errno;
	/*
	 * The time of birth tells it from a later one that got the same number; 0 where the file
	 * system keeps none.
	 */
	return fs_path(buf, size, "%x:%x:%llx:%lld.%09u", stx.stx_dev_major, stx.stx_dev_minor,
		       (unsigned long long)stx.stx_ino, (long long)stx.stx_btime.tv_sec,
		       stx.stx_btime.tv_nsec);
}

static int act_rmtree(const char *path, const char *value, struct diag *d)
{
	char now[128];
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : diag_errno(d, -errno, "%s", path);
	if (value) {
		/* Another one took its place: not ours to delete. */
		if (undo_identity(path, now, sizeof(now)) || strcmp(now, value))
			return 0;
	} else if (!named_after_us(path) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid()) {
		return diag_set(d, -EPERM, "%s: does not look like a folder of ours; left alone",
				path);
	}
	return fs_remove_tree(path, d);
}

static int act_unlink(const char *path, const char *value, struct diag *d)
{
	if (unlink(path) && errno != ENOENT)
		return diag_errno(d, -errno, "%s: cannot be removed", path);
	return 0;
}

static int act_move(const char *path, const char *value, struct diag *d)
{
	if (!value)
		return diag_set(d, -EINVAL, "%s: nobody said where it belongs", path);
	return fs_exists(path) ? fs_move_into(path, value, d) : 0;
}

static const struct {
	const char *name;
	act_fn *act;
} kinds[] = {
	[UNDO_UMOUNT] = {"umount", act_umount}, [UNDO_LOOP] = {"loop", act_loop},
	[UNDO_WRITE] = {"write", act_write},	[UNDO_RMDIR] = {"rmdir", act_rmdir},
	[UNDO_RMTREE] = {"rmtree", act_rmtree}, [UNDO_UNLINK] = {"unlink", act_unlink},
	[UNDO_MOVE] = {"move", act_move},
};

const char *undo_kind_name(enum undo_kind kind)
{
	return (size_t)kind < ARRAY_SIZE(kinds) ? kinds[kind].name : NULL;
}

bool undo_others_wait(enum undo_kind kind)
{
	return kind == UNDO_MOVE;
}

int undo_act(enum undo_kind kind, const char *path, const char *value, struct diag *d)
{
	return kinds[kind].act(path, value, d);
}
