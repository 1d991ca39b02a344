/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One child process in a process group of its own: begun, watched, ended for certain. spawn.h is
 * built on it.
 */
#ifndef AB_BASE_CHILD_H
#define AB_BASE_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	int pidfd;	      /* becomes readable when it ends; -1: this kernel has none */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC; 0: none */
	uint64_t kill_ns;     /* when SIGKILL is due; 0: nobody asked it to end */
	uint64_t give_up_ns;  /* when to leave it behind; 0: SIGKILL was not sent */
	bool timed_out;
	bool interrupted;
	bool ignore_interrupt; /* set by the caller: it sees to ab_interrupted() itself */
	bool unkillable; /* SIGKILL did not end it within 5 s: blocked in the kernel, left behind */
	bool done;	 /* it ended and was waited for (or is unkillable) */
	int wait_status; /* of wait4(), valid when done and not unkillable */
	struct rusage usage;
};

/*
 * fork(). Returns the pid in the parent, 0 in the child, -errno. The child leads a new process
 * group, is killed when we die, has the default signal handlers and no descriptor open except 0, 1,
 * 2 and the @keep_count ascending ones in @keep. It must end with _exit() or exec.
 */
pid_t child_fork(struct child *c, uint64_t timeout_ns, const int *keep, unsigned int keep_count);

/*
 * Call often (child_poll_ms() says when at the latest): notices its end, the time-out and
 * ab_interrupted(), sends SIGTERM and 2 s later SIGKILL to the group. Returns c->done. What the
 * child left running in its group is killed with it.
 */
bool child_check(struct child *c);

/* Time-out for poll(2) until the next child_check(), at most 100 ms. */
int child_poll_ms(const struct child *c);

/* Waits for its end. */
void child_wait(struct child *c);

/* Asks it to end now, as a time-out would; child_wait() follows. */
void child_stop(struct child *c);

#endif
