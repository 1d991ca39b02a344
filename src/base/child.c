// SPDX-License-Identifier: GPL-2.0-only
#include "base/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/interrupt.h"

#define NS_PER_MS	 UINT64_C(1000000)
#define NS_PER_S	 UINT64_C(1000000000)
#define TERM_GRACE_NS	 (2 * NS_PER_S)
#define KILL_PATIENCE_NS (5 * NS_PER_S)
#define TICK_MS		 100

static void close_gap(unsigned int first, unsigned int last)
{
	if (first > last)
		return;
	if (!syscall(SYS_close_range, first, last, 0))
		return;
	/* close_range(2) is there since 5.9 and denied by some sandboxes. */
	if (last > 65535)
		last = 65535;
	for (unsigned int fd = first; fd <= last; fd++)
		close((int)fd);
}

static void close_others(const int *keep, unsigned int keep_count)
{
	unsigned int first = 3;

	for (unsigned int i = 0; i < keep_count; i++) {
		if (keep[i] < 3)
			continue;
		close_gap(first, (unsigned int)keep[i] - 1);
		first = (unsigned int)keep[i] + 1;
	}
	close_gap(first, ~0u);
}

/* As they were when this program began. */
static void restore_signals(void)
{
	static const int interrupts[] = {AB_INTERRUPT_SIGNALS};
	struct sigaction now;

	/* Handlers end with exec; until then they must not take a signal that is the child's own. */
	for (unsigned int i = 0; i < sizeof(interrupts) / sizeof(interrupts[0]); i++)
		if (!sigaction(interrupts[i], NULL, &now) && now.sa_handler != SIG_IGN)
			signal(interrupts[i], SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

static void become_child(pid_t parent, const int *keep, unsigned int keep_count)
{
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have died before the line above. */
	if (getppid() != parent)
		_exit(127);
	restore_signals();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Above all the journal's: its lock must not outlive us in a child (base/undo.h). */
	close_others(keep, keep_count);
}

pid_t child_fork(struct child *c, uint64_t timeout_ns, const int *keep, unsigned int keep_count)
{
	pid_t parent = getpid();

	*c = (struct child){.pidfd = -1};
	/* Inherited as ignored it would lose every exit status. */
	signal(SIGCHLD, SIG_DFL);
	c->pid = fork();
	if (c->pid < 0)
		return -errno;
	if (c->pid == 0) {
		become_child(parent, keep, keep_count);
		return 0;
	}
	/* Here too, so that a signal to the group finds it whoever runs first. */
	setpgid(c->pid, c->pid);
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (timeout_ns)
		c->deadline_ns = clock_mono_ns() + timeout_ns;
	return c->pid;
}

static bool reap(struct child *c)
{
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && !info.si_pid)
		return false;
	/*
	 * It is a zombie yet, so the number of its group cannot have been given to somebody else.
	 */
	kill(-c->pid, SIGKILL);
	while (wait4(c->pid, &c->wait_status, 0, &c->usage) < 0 && errno == EINTR)
		;
	return true;
}

static void finish(struct child *c)
{
	c->done = true;
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->pidfd = -1;
}

void child_stop(struct child *c)
{
	if (c->done || c->kill_ns)
		return;
	c->kill_ns = clock_mono_ns() + TERM_GRACE_NS;
	kill(-c->pid, SIGTERM);
	/* A stopped process would not see it. */
	kill(-c->pid, SIGCONT);
}

bool child_check(struct child *c)
{
	uint64_t now;

	if (c->done)
		return true;
	if (reap(c)) {
		finish(c);
		return true;
	}
	now = clock_mono_ns();
	if (c->give_up_ns) {
		if (now >= c->give_up_ns) {
			c->unkillable = true;
			finish(c);
		}
	} else if (c->kill_ns) {
		if (now >= c->kill_ns) {
			kill(-c->pid, SIGKILL);
			c->give_up_ns = now + KILL_PATIENCE_NS;
		}
	} else if (c->deadline_ns && now >= c->deadline_ns) {
		c->timed_out = true;
		child_stop(c);
	} else if (ab_interrupted() && !c->ignore_interrupt) {
		c->interrupted = true;
		child_stop(c);
	}
	return c->done;
}

int child_poll_ms(const struct child *c)
{
	uint64_t next = c->give_up_ns ? c->give_up_ns : c->kill_ns ? c->kill_ns : c->deadline_ns;
	uint64_t now = clock_mono_ns();

	/* The tick bounds how late a signal is seen that came just before poll(2). */
	if (!next || next > now + TICK_MS * NS_PER_MS)
		return TICK_MS;
	return next <= now ? 0 : (int)((next - now) / NS_PER_MS) + 1;
}

void child_wait(struct child *c)
{
	while (!child_check(c)) {
		struct pollfd ready = {.fd = c->pidfd, .events = POLLIN};

		poll(&ready, 1, child_poll_ms(c));
	}
}
