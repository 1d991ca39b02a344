// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE /* syncfs() */
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <unistd.h>

/* Not sync(): it waits for every file system, also for one whose unmount hangs because a request of it was lost. */
static void save_cache(void)
{
	int fd;

	if (!umount("/cache"))
		return;
	fd = open("/cache", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	syncfs(fd);
	close(fd);
}

void end_tasks(void)
{
	kill(-1, SIGKILL);
	save_cache();
}

_Noreturn void end_guest(void)
{
	end_tasks();
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

void say(const char *format, ...)
{
	va_list args;

	printf("lab: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

_Noreturn void fail(const char *format, ...)
{
	int error = errno;
	va_list args;

	printf("lab: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(": %s\n", strerror(error));
	fflush(stdout);
	end_guest();
}

char *read_file(const char *path, size_t *size)
{
	size_t used = 0, room = 4096;
	char *text = malloc(room + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0 || !text) {
		free(text);
		return NULL;
	}
	while ((got = read(fd, text + used, room - used)) > 0) {
		used += got;
		if (used < room)
			continue;
		room *= 2;
		text = realloc(text, room + 1);
		if (!text)
			fail("%s", path);
	}
	close(fd);
	text[used] = '\0';
	if (size)
		*size = used;
	return text;
}

bool find_device(const char *class, const char *attribute, const char *wanted, char *node,
		 size_t size)
{
	DIR *dir = opendir(class);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		char path[512], *value;

		snprintf(path, sizeof(path), "%s/%s/%s", class, entry->d_name, attribute);
		value = read_file(path, NULL);
		if (!value)
			continue;
		value[strcspn(value, "\n")] = '\0';
		found = !strcmp(value, wanted);
		if (found)
			snprintf(node, size, "/dev/%s", entry->d_name);
		free(value);
	}
	if (dir)
		closedir(dir);
	return found;
}
