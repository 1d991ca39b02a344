// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process 1 of the lab's guest, from the initramfs on: load the boot modules, go over to the root disk, mount, load our
 * modules, run the command that the host left in /lab/in, write its exit status to /lab/out/status, end the guest.
 * The protocol is described in lab/README.md.
 *
 * A program and not a script because a fork is dear under emulation: scripts took two seconds of every start.
 * Whatever fails is said on the console and ends the guest without a status, which the host takes for what it is.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define P9_OPTIONS "trans=virtio,version=9p2000.L,msize=512000"

/* What kind of failure a mount may have. */
enum need { MUST, MAY };

struct mount_point {
	const char *type, *source, *target, *options;
	enum need need;
};

static const struct mount_point first_mounts[] = {
	{"devtmpfs", "dev", "/dev", NULL, MUST},
	{"proc", "proc", "/proc", NULL, MUST},
	{"sysfs", "sys", "/sys", NULL, MUST},
};

static const struct mount_point root_mounts[] = {
	{"devpts", "devpts", "/dev/pts", "ptmxmode=666", MUST},
	{"tmpfs", "shm", "/dev/shm", NULL, MUST},
	{"tmpfs", "run", "/run", "mode=755", MUST},
	{"tmpfs", "tmp", "/tmp", "size=75%", MUST},
	{"cgroup2", "cgroup2", "/sys/fs/cgroup", NULL, MAY},
	{"bpf", "bpf", "/sys/fs/bpf", NULL, MUST},
	{"debugfs", "debugfs", "/sys/kernel/debug", NULL, MUST},
	{"tracefs", "tracefs", "/sys/kernel/tracing", NULL, MUST},
	{"9p", "lab", "/lab", P9_OPTIONS, MUST},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Ends QEMU too: it runs with -no-reboot. */
static _Noreturn void end_guest(void)
{
	kill(-1, SIGKILL);
	umount("/cache");
	sync();
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static _Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
	va_list args;

	printf("lab: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

static _Noreturn void fail(const char *format, ...)
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

/* Contents of a small file with a NUL behind them, or NULL; *size may be NULL. The caller frees. */
static char *read_file(const char *path, size_t *size)
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

static void mount_all(const struct mount_point *points, size_t count)
{
	for (const struct mount_point *p = points; p < points + count; p++) {
		mkdir(p->target, 0755);
		if (mount(p->source, p->target, p->type, 0, p->options) && p->need == MUST)
			fail("%s: cannot mount %s", p->target, p->type);
	}
}

/* Loads the modules that the file 'list' names, one a line, from the folder 'dir'. */
static void load_modules(const char *dir, const char *list)
{
	char path[256], *rest, *name, *names;

	snprintf(path, sizeof(path), "%s/%s", dir, list);
	names = read_file(path, NULL);
	if (!names)
		fail("%s", path);
	for (name = strtok_r(names, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest)) {
		int fd;

		snprintf(path, sizeof(path), "%s/%s", dir, name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST))
			fail("%s: cannot be loaded", path);
		close(fd);
	}
	free(names);
}

/*
 * Finds the entry of a sysfs class folder whose attribute has the value wanted, and writes the path of its device
 * node. Returns false when there is none.
 */
static bool find_device(const char *class, const char *attribute, const char *wanted, char *node,
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

static void go_to_root_disk(void)
{
	char disk[300];

	if (!find_device("/sys/block", "serial", "root", disk, sizeof(disk)))
		fail("no disk with the serial number 'root'");
	if (mount(disk, "/root", "ext4", MS_NOATIME, NULL))
		fail("%s: cannot be mounted", disk);
	if (mount("kit", "/root/kit", "9p", MS_RDONLY, P9_OPTIONS ",cache=loose"))
		fail("the host's folder 'kit' cannot be mounted");
	for (size_t i = 0; i < COUNT(first_mounts); i++) {
		char target[64];

		snprintf(target, sizeof(target), "/root%s", first_mounts[i].target);
		if (mount(first_mounts[i].target, target, NULL, MS_MOVE, NULL))
			fail("%s: cannot be moved", first_mounts[i].target);
	}
	if (chdir("/root") || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		fail("cannot go over to the root disk");
}

static void mount_cache(void)
{
	char disk[300];

	if (find_device("/sys/block", "serial", "cache", disk, sizeof(disk)) &&
	    mount(disk, "/cache", "ext4", MS_NOATIME, NULL))
		fail("%s: cannot mount the cache disk", disk);
}

static void set_limits(void)
{
	static const struct rlimit files = {65536, 1048576},
				   memory = {RLIM_INFINITY, RLIM_INFINITY};
	static const char report_hangs_s[] = "20";
	int fd = open("/proc/sys/kernel/hung_task_timeout_secs", O_WRONLY | O_CLOEXEC);

	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_MEMLOCK, &memory);
	/* A task that waits for ever shows its stack in the console log, before the host's time-out ends the guest. */
	if (fd >= 0 && write(fd, report_hangs_s, strlen(report_hangs_s)) < 0)
		say("hung tasks are reported late: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

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

static void run(char **argv)
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
	kill(-1, SIGKILL);
	umount("/cache");
	sync();
	write_status(status);
}

int main(void)
{
	char *options, **argv;

	mount_all(first_mounts, COUNT(first_mounts));
	for (int fd = 0; fd <= 2; fd++) {
		close(fd);
		open("/dev/console", O_RDWR);
	}
	options = read_file("/proc/cmdline", NULL);
	/* A start that only asks whether this machine can run the kernel ends here. */
	if (options && strstr(options, "lab.probe")) {
		say("alive");
		end_guest();
	}
	free(options);
	load_modules("/modules", "order");
	go_to_root_disk();
	mount_all(root_mounts, COUNT(root_mounts));
	mount_cache();
	load_modules("/kit/modules", "load");
	set_limits();
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("TERM", "linux", 1);
	umask(022);

	argv = read_words("/lab/in/argv");
	if (argv && argv[0])
		run(argv);
	else
		run_shell();
	end_guest();
}
