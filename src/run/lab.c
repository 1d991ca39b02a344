// SPDX-License-Identifier: GPL-2.0-only
#include "run/lab.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/child.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fsutil.h"
#include "base/interrupt.h"
#include "run/lab_qemu.h"
#include "run/lab_share.h"

#define NS_PER_S UINT64_C(1000000000)
/* For the guest to write the stacks of its tasks to the console before it is ended. */
#define STACKS_NS (2 * NS_PER_S)
/* For QEMU to take what is left in the pipes when it has ended; all is there already. */
#define CHUNK 65536

/* Pipes from QEMU: the guest's two ports, and the control port, on which it says that the command started. */
enum stream { STREAM_OUT, STREAM_ERR, STREAM_CONTROL, STREAM_COUNT };

struct guest {
	const struct lab_opts *opts;
	struct lab_result *res;
	struct child child;
	int from[STREAM_COUNT]; /* our ends; -1: closed */
	int to[STREAM_COUNT];	/* QEMU's ends */
	int control[2];		/* pipe to the control port: QEMU's end, ours */
	uint64_t start_ns;
	uint64_t stop_ns;   /* when to end QEMU, decided before; 0: nobody wants it to end */
	bool output_failed; /* nobody takes our output any more */
};

int lab_accel(const char *dir, char *buf, size_t size)
{
	char path[PATH_MAX];
	int err = fs_path(path, sizeof(path), "%s/accel", dir);

	return err ? err : fs_read_line(path, buf, size);
}

int lab_check(const char *dir, struct diag *d)
{
	static const char *const parts[] = {"vmlinux",		"initrd.img", "disk.img",
					    "kit/modules/load", "accel",      LAB_QEMU_PROGRAM};
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (fs_path(path, sizeof(path), "%s/%s", dir, parts[i]) || !fs_exists(path))
			return diag_set(
				d, -ENOENT,
				"%s: no complete guest there (%s is missing); `sudo make lab` in the source tree builds one, or, "
				"of what is installed, `sudo PREFIX/share/accelbench/lab/build.sh DIR`; "
				"--lab-dir=DIR (of `accelbench lab`: --dir=DIR) says where it is",
				dir, parts[i]);
	return 0;
}

static void close_end(int *fd)
{
	ab_close_fd(fd);
	*fd = -1;
}

static void guest_close(struct guest *g)
{
	for (int i = 0; i < STREAM_COUNT; i++) {
		close_end(&g->from[i]);
		close_end(&g->to[i]);
	}
	close_end(&g->control[0]);
	close_end(&g->control[1]);
}

static int open_pipes(struct guest *g, struct diag *d)
{
	int ends[2];

	for (int i = 0; i < STREAM_COUNT; i++) {
		if (pipe2(ends, O_CLOEXEC))
			return diag_errno(d, -errno, "cannot make a pipe");
		g->from[i] = ends[0];
		g->to[i] = ends[1];
		fcntl(g->from[i], F_SETFL, O_NONBLOCK);
	}
	if (pipe2(g->control, O_CLOEXEC))
		return diag_errno(d, -errno, "cannot make a pipe");
	return 0;
}

/* In the child. QEMU's own words go where the console's go. */
static _Noreturn void become_qemu(struct guest *g, const char *program, struct words *w,
				  int console)
{
	/* QEMU passes on only what it is told about, but it must inherit these two. */
	fcntl(g->to[STREAM_OUT], F_SETFD, 0);
	fcntl(g->to[STREAM_ERR], F_SETFD, 0);
	if (dup2(g->control[0], 0) >= 0 && dup2(g->to[STREAM_CONTROL], 1) >= 0 &&
	    dup2(console, 2) >= 0)
		execv(program, w->word);
	dprintf(2, LAB_QEMU_PROGRAM ": %s\n", strerror(errno));
	_exit(127);
}

static int start(struct guest *g, struct diag *d)
{
	LAB_WORDS struct words w = {0};
	AB_CLOSE int console = -1;
	char program[PATH_MAX];
	pid_t pid;
	int err = lab_qemu_words(g->opts, g->to[STREAM_OUT], g->to[STREAM_ERR], &w, d);

	if (err)
		return err;
	err = fs_path(program, sizeof(program), "%s/" LAB_QEMU_PROGRAM, g->opts->dir);
	if (err)
		return diag_errno(d, err, "%s", g->opts->dir);
	console = open(g->opts->console, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (console < 0)
		return diag_errno(d, -errno, "%s: cannot be written", g->opts->console);
	g->start_ns = clock_mono_ns();
	/* The pipes were made one after the other, in this order. */
	int keep[] = {g->to[STREAM_OUT], g->to[STREAM_ERR], g->to[STREAM_CONTROL], g->control[0],
		      console};
	pid = child_fork(&g->child, 0, keep, ARRAY_SIZE(keep));
	if (pid < 0)
		return diag_errno(d, (int)pid, "cannot start " LAB_QEMU_PROGRAM);
	if (pid == 0)
		become_qemu(g, program, &w, console);
	g->child.ignore_interrupt = true;
	for (int i = 0; i < STREAM_COUNT; i++)
		close_end(&g->to[i]);
	close_end(&g->control[0]);
	return 0;
}

/* A full pipe means a guest that hears nothing: not an error of ours. */
static void tell_guest(struct guest *g, const char *line)
{
	if (write(g->control[1], line, strlen(line)) < 0)
		return;
}

static void write_out(struct guest *g, int fd, const char *bytes, ssize_t len)
{
	while (len > 0 && !g->output_failed) {
		ssize_t n = write(fd, bytes, (size_t)len);

		if (n < 0 && errno != EINTR && errno != EAGAIN) {
			g->output_failed = true;
			/* As a pipe's reader that went away would do to a program on this side. */
			tell_guest(g, "signal 13\n");
		}
		if (n > 0) {
			bytes += n;
			len -= n;
		}
	}
}

/* Takes what is there. False: the stream ended. */
static bool take(struct guest *g, enum stream s)
{
	char chunk[CHUNK];
	ssize_t n = read(g->from[s], chunk, sizeof(chunk));

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0)
		return false;
	if (s == STREAM_CONTROL) {
		if (!g->res->boot_ns)
			g->res->boot_ns = clock_mono_ns() - g->start_ns;
	} else {
		write_out(g, s == STREAM_OUT ? STDOUT_FILENO : STDERR_FILENO, chunk, n);
	}
	return true;
}

/* Decides once that the guest has to end, and why; QEMU follows after @patience_ns. */
static void give_up(struct guest *g, enum lab_outcome why, const char *line, uint64_t patience_ns)
{
	g->res->outcome = why;
	tell_guest(g, line);
	g->stop_ns = clock_mono_ns() + patience_ns;
}

static void check_clock(struct guest *g)
{
	const struct lab_opts *o = g->opts;
	uint64_t boot_ns = o->boot_timeout_ns ? o->boot_timeout_ns : LAB_DEFAULT_BOOT_S * NS_PER_S;
	uint64_t limit_ns = o->timeout_ns ? o->timeout_ns : LAB_DEFAULT_TIMEOUT_S * NS_PER_S;
	uint64_t now = clock_mono_ns();
	char line[32];

	if (g->stop_ns) {
		if (now >= g->stop_ns)
			child_stop(&g->child);
	} else if (ab_interrupted()) {
		snprintf(line, sizeof(line), "signal %d\n", ab_interrupt_signal());
		give_up(g, LAB_INTERRUPTED, line, g->res->boot_ns ? LAB_GRACE_S * NS_PER_S : 0);
	} else if (!g->res->boot_ns && now >= g->start_ns + boot_ns) {
		give_up(g, LAB_NOT_STARTED, "", 0);
	} else if (now >= g->start_ns + limit_ns) {
		give_up(g, LAB_TIMED_OUT, "stacks\n", STACKS_NS);
	}
}

static void watch(struct guest *g)
{
	while (!child_check(&g->child)) {
		struct pollfd ready[STREAM_COUNT + 1] = {
			[STREAM_COUNT] = {.fd = g->child.pidfd, .events = POLLIN},
		};

		for (int i = 0; i < STREAM_COUNT; i++)
			ready[i] = (struct pollfd){.fd = g->from[i], .events = POLLIN};
		if (poll(ready, ARRAY_SIZE(ready), child_poll_ms(&g->child)) > 0)
			for (int i = 0; i < STREAM_COUNT; i++)
				if (ready[i].revents && !take(g, i))
					close_end(&g->from[i]);
		check_clock(g);
	}
	/* QEMU has ended: what is in the pipes is all that comes. */
	for (int i = 0; i < STREAM_COUNT; i++) {
		struct pollfd left = {.fd = g->from[i], .events = POLLIN};

		while (left.fd >= 0 && poll(&left, 1, 0) == 1 && take(g, i))
			;
	}
}

/* What happened, in words. */
static void explain(const struct guest *g, struct diag *d)
{
	static const char *const words[] = {
		[LAB_CRASHED] = "the guest crashed",
		[LAB_TIMED_OUT] = "the guest did not end in time",
		[LAB_NOT_STARTED] = "the guest did not start",
		[LAB_INTERRUPTED] = "interrupted; the guest was ended",
	};
	char reason[256];

	lab_console_reason(g->opts, reason, sizeof(reason));
	diag_set(d, -EIO, "%s after %.1f s%s%s (its console: %s)", words[g->res->outcome],
		 (double)g->res->wall_ns / NS_PER_S, reason[0] ? ": " : "", reason,
		 g->opts->console_kept ? g->opts->console_kept : g->opts->console);
}

static int judge(struct guest *g, struct diag *d)
{
	struct lab_result *res = g->res;
	int err;

	res->wall_ns = clock_mono_ns() - g->start_ns;
	/* A status counts even when we had given up: it came while the guest was being asked to end. */
	err = lab_share_status(g->opts, &res->exit_status);
	if (!err)
		res->outcome = LAB_EXITED;
	else if (!g->stop_ns)
		res->outcome = LAB_CRASHED;
	if (res->outcome != LAB_EXITED)
		explain(g, d);
	else if (g->output_failed)
		return diag_set(d, -EPIPE, "cannot write what the guest's command printed");
	return 0;
}

int lab_run(const char *const argv[], const struct lab_opts *o, struct lab_result *res,
	    struct diag *d)
{
	struct guest g = {.opts = o,
			  .res = res,
			  .from = {-1, -1, -1},
			  .to = {-1, -1, -1},
			  .control = {-1, -1}};
	int err;

	*res = (struct lab_result){0};
	err = lab_check(o->dir, d);
	if (!err)
		err = lab_share_fill(argv, o, d);
	if (!err)
		err = open_pipes(&g, d);
	if (!err)
		err = start(&g, d);
	if (!err) {
		watch(&g);
		err = judge(&g, d);
	}
	guest_close(&g);
	return err;
}
