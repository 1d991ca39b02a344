// SPDX-License-Identifier: GPL-2.0-only
/*
 * Feeds a fuzz target with files instead of a fuzzer: `fuzz_NAME FILE_OR_FOLDER...`, one TAP line
 * per file. Which file a crash belongs to is the last line that was printed.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fsutil.h"

#define MAX_FILE_BYTES (4u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned int count;

static int replay_file(const char *path)
{
	AB_STRBUF struct strbuf text = {0};
	struct diag d;
	char *exact;

	printf("# %s\n", path);
	fflush(stdout);
	count++;
	if (fs_read_file(path, MAX_FILE_BYTES, &text, &d)) {
		printf("not ok %u - %s\n# %s\n", count, path, d.text);
		return -1;
	}
	/* A block of exactly this size: a read beyond its end is seen. */
	exact = malloc(text.len ? text.len : 1);
	if (!exact)
		abort();
	memcpy(exact, strbuf_str(&text), text.len);
	LLVMFuzzerTestOneInput((const uint8_t *)exact, text.len);
	free(exact);
	printf("ok %u - %s\n", count, path);
	return 0;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int replay(const char *path)
{
	struct dirent **entries;
	char file[4096];
	int result = 0;
	int n = scandir(path, &entries, is_visible, alphasort);

	if (n < 0 && errno == ENOTDIR)
		return replay_file(path);
	if (n <= 0) {
		printf("not ok %u - %s\n# there is nothing to replay\n", ++count, path);
		return -1;
	}
	for (int i = 0; i < n; i++) {
		if (fs_path(file, sizeof(file), "%s/%s", path, entries[i]->d_name) ||
		    replay_file(file))
			result = -1;
		free(entries[i]);
	}
	free(entries);
	return result;
}

int main(int argc, char **argv)
{
	int result = argc > 1 ? 0 : -1;

	for (int i = 1; i < argc; i++)
		if (replay(argv[i]))
			result = -1;
	printf("1..%u\n", count);
	return result ? 1 : 0;
}
