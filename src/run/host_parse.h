/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own texts about the machine, read without asking the machine. Absent stays empty. */
#ifndef AB_RUN_HOST_PARSE_H
#define AB_RUN_HOST_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include "model/result.h"

/* One registered algorithm of /proc/crypto. */
struct crypto_driver {
	char name[64];	   /* algorithm: "deflate" */
	char driver[64];   /* who serves it: "qat_deflate" */
	char module[64];   /* "kernel": built in */
	char type[32];	   /* "acomp", "scomp", "shash", ... */
	char selftest[16]; /* "passed", "unknown" */
	int priority;	   /* the highest of an algorithm is used */
};

/* Takes the next entry off *@text. false: there is none. */
bool host_parse_crypto(const char **text, struct crypto_driver *driver);

/*
 * Looks in the text of a kernel configuration for the options that matter here and adds them as
 * "CONFIG_NAME=value", those "not set" as "CONFIG_NAME=n", in the order of the table. An option
 * that the text does not mention is left out. -ENOMEM.
 */
int host_parse_config(const char *text, struct string_list *options);

/* Value that host_parse_config() noted for CONFIG_@name, NULL: not known. */
const char *host_option(const struct string_list *options, const char *name);

/*
 * Name of the first processor of /proc/cpuinfo; where the kernel gives numbers only (arm64), those:
 * "implementer 0x41 part 0xd0c". @hypervisor: the flag of that name is there, so something
 * virtualizes this (x86).
 */
void host_parse_cpuinfo(const char *text, char *model, size_t size, bool *hypervisor);

/* "none [integrity] confidentiality": what stands in brackets. Empty when nothing does. */
void host_parse_choice(const char *text, char *chosen, size_t size);

/* Bytes of "MemTotal:" in /proc/meminfo, 0: not there. */
uint64_t host_parse_memory(const char *text);

/*
 * What the 12 bytes of CPUID leaf 0x40000000 stand for: "kvm", "qemu-tcg"; unknown ones as they
 * are.
 */
void host_hypervisor_name(const char signature[12], char *name, size_t size);
#define HOST_EMULATED "qemu-tcg"
#define HOST_UNKNOWN  "unknown"

#endif
