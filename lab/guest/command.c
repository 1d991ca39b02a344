// SPDX-License-Identifier: GPL-2.0-only
/* Runs the command that the host left in /lab/in, while listening to the host. The protocol is in lab/README.md. */
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* The words of a file that holds them with a NUL behind each, as a NULL-ended array; NULL when there is no file. */
static char **read_words(const char *path)
{
	size_t size, count = 0;
	char *text = read_file(path, &size), **words;

	if (!text)
		return NULL;
	for (size_t i = 0; i < size; i++)
		count += !text[i];
	words = calloc(count + 1, sizeof(*words));
	if (!words)
		fail("%s", path);
	for (size_t i = 0; i < count; i++) {
		words[i] = text;
		text += strlen(text) + 1;
	}
	return words;
}

static int open_port(const char *name, int flags)
{
	char node[300];
	int fd;

	if (!find_device("/sys/class/virtio-ports", "name", name, node, sizeof(node)))
		fail("no port %s", name);
	fd = open(node, flags | O_CLOEXEC);
	if (fd < 0)
		fail("%s", node);
	return fd;
}

static _Noreturn void run_command(char **argv, int in, int out, int err)
{
	char *cwd = read_file("/lab/in/cwd", NULL), **env = read_words("/lab/in/env");
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* A session of its own: what the host signals goes to all that the command started. */
	setsid();
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	for (; env && *env; env++)
		putenv(*env);
	if (cwd && *cwd && chdir(cwd)) {
		dprintf(2, "lab: %s: %s\n", cwd, strerror(errno));
		_exit(126);
	}
	execvp(argv[0], argv);
	dprintf(2, "lab: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Reaps children until 'child' has ended. Returns true and its exit status as a shell would give it. */
static bool reap(pid_t child, int *status)
{
	int raw;
	pid_t pid;

	while ((pid = waitpid(-1, &raw, WNOHANG)) > 0) {
		if (pid != child)
			continue;
		*status = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
		return true;
	}
	return false;
}

/* Stacks of blocked tasks and of what the CPUs run, to the console. */
static void show_stacks(void)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "w", 1) != 1 || write(fd, "l", 1) != 1)
		say("no stacks: %s", strerror(errno));
	close(fd);
}

/*
 * Obeys the lines "signal N" and "stacks" of the control port. Returns false when nobody holds the port's other end,
 * as in a start by hand: it would read as ready for ever.
 */
static bool obey(int control, pid_t child)
{
	char text[256], *rest, *line;
	ssize_t got = read(control, text, sizeof(text) - 1);
	int number;

	if (got <= 0)
		return got < 0 && errno == EAGAIN;
	text[got] = '\0';
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "signal %d", &number) == 1)
			kill(-child, number);
		else if (!strcmp(line, "stacks"))
			show_stacks();
	}
	return true;
}

/* Waits for the command while obeying the host. */
static int supervise(pid_t child, int control, const sigset_t *watched)
{
	struct pollfd polled[] = {
		{.fd = signalfd(-1, watched, SFD_CLOEXEC | SFD_NONBLOCK), .events = POLLIN},
		{.fd = control, .events = POLLIN},
	};
	struct signalfd_siginfo info;
	int status;

	while (!reap(child, &status)) {
		if (poll(polled, COUNT(polled), -1) < 0 && errno != EINTR)
			fail("poll");
		if (polled[1].revents && !obey(control, child))
			polled[1].fd = -1;
		while (read(polled[0].fd, &info, sizeof(info)) > 0)
			;
	}
	return status;
}

static void write_status(int status)
{
	FILE *file = fopen("/lab/out/status.new", "we");

	if (!file || fprintf(file, "%d\n", status) < 0 || fclose(file) ||
	    rename("/lab/out/status.new", "/lab/out/status"))
		fail("/lab/out/status");
}

/* Without a command the console becomes a terminal with a shell. */
static void run_shell(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		setsid();
		ioctl(0, TIOCSCTTY, 1);
		execl("/bin/bash", "-bash", "-l", NULL);
		_exit(127);
	}
	while (waitpid(-1, &status, 0) != child)
		;
}

static void run_and_report(char **argv)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int out = open_port("accelbench.stdout", O_WRONLY),
	    err = open_port("accelbench.stderr", O_WRONLY);
	int control = open_port("accelbench.control", O_RDWR | O_NONBLOCK);
	sigset_t watched;
	pid_t child;
	int status;

	sigemptyset(&watched);
	sigaddset(&watched, SIGCHLD);
	sigprocmask(SIG_BLOCK, &watched, NULL);
	child = fork();
	if (child < 0)
		fail("fork");
	if (!child)
		run_command(argv, null, out, err);
	dprintf(control, "up\n");
	status = supervise(child, control, &watched);
	/* All of the command's work is done when the host sees the status. */
	end_tasks();
	write_status(status);
}

void run(void)
{
	char **argv = read_words("/lab/in/argv");

	if (argv && argv[0])
		run_and_report(argv);
	else
		run_shell();
}
