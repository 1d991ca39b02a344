/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs programs by argument array, never through a shell. The child dies with us and leads a
 * process group of its own.
 */
#ifndef AB_BASE_SPAWN_H
#define AB_BASE_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "base/strbuf.h"

struct spawn_opts {
	const char *cwd;	    /* NULL: ours */
	const char *const *env_add; /* NULL-terminated NAME=VALUE, added to ours; or NULL */
	uint64_t timeout_ns;	    /* 0: none. Then SIGTERM, 2 s later SIGKILL to the group */
	size_t max_output_bytes;    /* kept of each stream; 0: 64 MiB; see truncated */
	bool inherit_stderr;	    /* stderr is ours instead of captured */
	int stdin_fd;		    /* 0: /dev/null (default); else this descriptor becomes stdin */
};

struct spawn_result {
	struct strbuf out; /* standard output */
	struct strbuf err; /* standard error */
	int exit_status;   /* 0..255, valid when !signalled */
	int signal;	   /* the signal that ended it, valid when signalled */
	bool signalled;
	bool timed_out;
	bool interrupted; /* ab_interrupted() became true while it ran; it was ended */
	bool truncated;	  /* more output than max_output_bytes: read and dropped */
	bool unkillable; /* SIGKILL did not end it within 5 s: blocked in the kernel, left behind */
	uint64_t wall_ns;
	uint64_t user_ns; /* CPU time of the child and of its waited-for children */
	uint64_t system_ns;
};

/*
 * Runs argv[0] (looked up in PATH) and waits. 0: it ran, look at @res; -ENOENT: no such program;
 * other -errno. What it left running in its process group ends with it. After a signal for us
 * (ab_interrupted()) nothing runs any more: it is ended at once. @res must be freed with
 * spawn_result_free() in every case.
 */
int spawn_run(const char *const argv[], const struct spawn_opts *opts, struct spawn_result *res,
	      struct diag *d);
void spawn_result_free(struct spawn_result *res);
#define AB_SPAWN_RESULT AB_CLEANUP(spawn_result_free)

/*
 * 0 when it exited with status 0; otherwise -EIO, -ETIME or -EINTR with "<program>: exit status 3:
 * <last lines of stderr>".
 */
int spawn_check(const char *program, const struct spawn_result *res, struct diag *d);

/* Full path of @program in PATH into @buf, or -ENOENT. */
int spawn_find(const char *program, char *buf, size_t size);

#endif
