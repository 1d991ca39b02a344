/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab's guest: one command in a QEMU guest with a kernel of its own, its output on ours while it runs. The protocol is
 * described in lab/README.md; lab/boot.sh speaks it too. The guest never outlives this process.
 */
#ifndef AB_RUN_LAB_H
#define AB_RUN_LAB_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"

#define LAB_DEFAULT_DIR	 "build/lab"	      /* of the folder that the program is called in */
#define LAB_QEMU_PROGRAM "qemu-system-x86_64" /* in the folder that `make lab` built */

#define LAB_DEFAULT_CPUS       2
#define LAB_DEFAULT_MEMORY_MIB 4096
#define LAB_DEFAULT_BOOT_S     60 /* 4 s where nothing else runs; deterministic mode takes 10 s */
#define LAB_DEFAULT_TIMEOUT_S  600
#define LAB_GRACE_S	       15 /* for the command to clean up after an interrupt */

struct lab_opts {
	const char *dir; /* what `make lab` built */
	const char *
		share; /* an existing folder; the guest sees it as /lab. Its in/ and out/ are made when missing */
	const char
		*console; /* file that gets the kernel's console and QEMU's own words; replaced */
	const char *
		console_kept; /* where the caller will keep that file, for messages; NULL: where it is */
	const char *cache_disk; /* raw ext4 image, read-write at /cache in the guest; NULL: none */
	const char *cwd;	/* in the guest; NULL: / */
	const char *const *env; /* NAME=VALUE for the command, NULL-terminated, or NULL */
	const char *const *
		kernel_options; /* further words for the kernel's command line, NULL-terminated, or NULL */
	const char *const *qemu_options; /* further words for QEMU, NULL-terminated, or NULL */
	unsigned int cpus;		 /* 0: the default; 1 in deterministic mode */
	unsigned int memory_mib;	 /* 0: the default */
	bool deterministic;		 /* guest time is a count of instructions (2 ns each) */
	bool survive_oops;	  /* an oops ends only the task that caused it, not the guest */
	uint64_t boot_timeout_ns; /* until the command starts; 0: the default */
	uint64_t timeout_ns;	  /* of the whole run; 0: the default */
};

enum lab_outcome {
	LAB_EXITED,    /* the command ended, exit_status says how */
	LAB_CRASHED,   /* the guest ended without a status: a panic, or QEMU failed */
	LAB_TIMED_OUT, /* it did not end in time; what its tasks waited for is in the console log */
	LAB_NOT_STARTED, /* the command did not even start within the boot time-out */
	LAB_INTERRUPTED, /* ab_interrupted(), and the command did not end on the signal within LAB_GRACE_S */
};

struct lab_result {
	enum lab_outcome outcome;
	int exit_status;  /* valid for LAB_EXITED; 128 + n: the command died of signal n */
	uint64_t boot_ns; /* until the command started; 0: it did not */
	uint64_t wall_ns;
};

/*
 * Can a guest be started from @dir? 0; -ENOENT: nothing (complete) was built there, @d says how to; -ENOENT too when
 * QEMU is missing.
 */
int lab_check(const char *dir, struct diag *d);

/* How @dir's guest will run: "kvm", "tcg" (emulated); into @buf. -ENOENT. */
int lab_accel(const char *dir, char *buf, size_t size);

/*
 * Puts this very program into the shared folder @share, where the guest finds it as /lab/in/accelbench (a hard link when
 * they are on one file system). Its libraries are in the guest's root.
 */
int lab_share_program(const char *share, struct diag *d);

/*
 * Runs argv in the guest and copies its standard output and error to ours as they come. On an interrupt the command gets
 * the same signal first. 0: look at @res, and for any outcome but LAB_EXITED at @d, which says what happened and where the
 * console log is; -errno: the guest could not be tried.
 */
int lab_run(const char *const argv[], const struct lab_opts *o, struct lab_result *res,
	    struct diag *d);

#endif
