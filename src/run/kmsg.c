// SPDX-License-Identifier: GPL-2.0-only
#include "run/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINES	     3
#define LINE_BYTES   200
#define RECORD_BYTES 8192 /* the kernel's own limit for one record */

int kmsg_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	/* Only what comes next. */
	lseek(fd, 0, SEEK_END);
	return fd;
}

void kmsg_words(int fd, const char *word, char *buf, size_t size)
{
	char lines[LINES][LINE_BYTES], record[RECORD_BYTES + 1];
	unsigned int count = 0;
	size_t used = 0;
	ssize_t n;

	*buf = '\0';
	if (fd < 0)
		return;
	/*
	 * One record a read: "priority,sequence,time,flags;text", then further lines with keys.
	 * EPIPE: some were lost.
	 */
	while ((n = read(fd, record, RECORD_BYTES)) > 0 || (n < 0 && errno == EPIPE)) {
		char *text;

		if (n < 0)
			continue;
		record[n] = '\0';
		text = strchr(record, ';');
		if (!text || !strstr(text, word))
			continue;
		snprintf(lines[count++ % LINES], LINE_BYTES, "%.*s", (int)strcspn(text + 1, "\n"),
			 text + 1);
	}
	close(fd);
	for (unsigned int i = count > LINES ? count - LINES : 0; i < count && used < size; i++) {
		int len = snprintf(buf + used, size - used, "%s%s", used ? "; " : "",
				   lines[i % LINES]);

		used += len > 0 ? (size_t)len : 0;
	}
}
