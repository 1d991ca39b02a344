// SPDX-License-Identifier: GPL-2.0-only
#include "run/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child.h"
#include "base/cleanup.h"
#include "base/sha256.h"
#include "base/strbuf.h"

#define PIECE ((size_t)1 << 20)

/* What the reader says through the pipe, smaller than PIPE_BUF: whole or not at all. */
struct read_report {
	int err;		      /* -errno of the read that failed, 0: none */
	uint64_t offset;	      /* bytes read without an error */
	char sha256[SHA256_HEX_SIZE]; /* "" when not asked for */
};

/* In the child: reads everything. */
static void read_all(const char *path, bool hash, struct read_report *report)
{
	AB_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	AB_FREE char *piece = malloc(PIECE);
	AB_SHA256 struct sha256 sum = {0};
	ssize_t n = 0;

	if (hash)
		sha256_init(&sum);
	if (fd < 0 || !piece) {
		report->err = fd < 0 ? -errno : -ENOMEM;
		return;
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	while ((n = read(fd, piece, PIECE)) > 0) {
		if (hash)
			sha256_update(&sum, piece, (size_t)n);
		report->offset += (uint64_t)n;
	}
	if (n < 0)
		report->err = -errno;
	else if (hash)
		report->err = sha256_final(&sum, report->sha256);
}

static int explain_end(const char *path, const struct child *c, struct diag *d)
{
	if (c->interrupted)
		return diag_set(d, -EINTR, "%s: interrupted while it was read back", path);
	if (c->unkillable)
		return diag_set(d, -ETIME,
				"%s: reading it back hangs in the kernel and cannot be ended",
				path);
	if (c->timed_out)
		return diag_set(d, -ETIME, "%s: reading it back took too long and was ended", path);
	return diag_set(d, -EIO, "%s: the process that reads it back ended with %s %d", path,
			WIFSIGNALED(c->wait_status) ? "signal" : "status",
			WIFSIGNALED(c->wait_status) ? WTERMSIG(c->wait_status)
						    : WEXITSTATUS(c->wait_status));
}

static int run_reader(const char *path, bool hash, uint64_t timeout_ns, struct read_report *report,
		      struct diag *d)
{
	struct child c;
	int ends[2];
	ssize_t n;
	pid_t pid;

	*report = (struct read_report){0};
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return diag_errno(d, -errno, "pipe");
	pid = child_fork(&c, timeout_ns, &ends[1], 1);
	if (pid == 0) {
		read_all(path, hash, report);
		n = write(ends[1], report, sizeof(*report));
		_exit(n == (ssize_t)sizeof(*report) ? 0 : 1);
	}
	close(ends[1]);
	if (pid > 0)
		child_wait(&c);
	n = pid > 0 ? read(ends[0], report, sizeof(*report)) : 0;
	close(ends[0]);
	if (pid < 0)
		return diag_errno(d, (int)pid, "a process to read %s back", path);
	/* A report that came is worth more than the reason why its writer was ended afterwards. */
	return n == (ssize_t)sizeof(*report) ? 0 : explain_end(path, &c, d);
}

int verify_file(const char *path, const char *sha256, uint64_t timeout_ns, struct result_verify *v,
		struct diag *d)
{
	struct read_report report;
	int ret;

	v->ok = false;
	*v->sha256 = '\0';
	*v->reason = '\0';
	ret = run_reader(path, true, timeout_ns, &report, d);
	if (ret)
		return ret;
	if (report.err) {
		snprintf(v->reason, sizeof(v->reason), "reading failed at byte %" PRIu64 ": %s",
			 report.offset, strerror(-report.err));
		return 0;
	}
	memcpy(v->sha256, report.sha256, sizeof(v->sha256));
	v->ok = !strcmp(report.sha256, sha256);
	if (!v->ok)
		snprintf(v->reason, sizeof(v->reason),
			 "wrong data: sha256 of the %" PRIu64
			 " bytes read is %s, the dataset's is %s",
			 report.offset, report.sha256, sha256);
	return 0;
}

int verify_read(const char *path, uint64_t timeout_ns, struct diag *d)
{
	struct read_report report;
	int ret;

	ret = run_reader(path, false, timeout_ns, &report, d);
	if (!ret && report.err)
		ret = diag_errno(d, report.err, "%s: reading failed at byte %" PRIu64, path,
				 report.offset);
	return ret;
}
