// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process 1 of the lab's guest, from the initramfs on: load the boot modules, go over to the root disk, mount, load our
 * modules, run the command that the host left in /lab/in, write its exit status to /lab/out/status, end the guest.
 * The protocol is described in lab/README.md.
 *
 * A program and not a script because a fork is dear under emulation: scripts took two seconds of every start.
 * Whatever fails is said on the console and ends the guest without a status, which the host takes for what it is.
 */
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

int main(void)
{
	char *options;

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
	run();
	end_guest();
}
