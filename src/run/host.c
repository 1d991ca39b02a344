// SPDX-License-Identifier: GPL-2.0-only
#include "run/host.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/mount.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>
#include <bpf/libbpf.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "model/targets.h"
#include "run/fio.h"

#define PROC_MAX   ((size_t)4 << 20)
#define CONFIG_MAX ((size_t)4 << 20)

/* Text of a file of the kernel, "" when it cannot be read. */
static const char *text_of(const char *path, struct strbuf *text)
{
	strbuf_reset(text);
	if (fs_read_file(path, PROC_MAX, text, NULL))
		strbuf_reset(text);
	return strbuf_str(text);
}

/* gzread() takes plain files as they are. */
static int read_config(const char *path, struct strbuf *text)
{
	gzFile file = gzopen(path, "rbe");
	char chunk[16384];
	int n = -1;

	if (!file)
		return -ENOENT;
	while (text->len < CONFIG_MAX && (n = gzread(file, chunk, sizeof(chunk))) > 0)
		strbuf_add(text, chunk, (size_t)n);
	gzclose(file);
	return n ? -EIO : 0;
}

static int kernel_options(const char *release, struct string_list *options)
{
	AB_STRBUF struct strbuf text = {0};
	char paths[3][512] = {"/proc/config.gz"};

	snprintf(paths[1], sizeof(paths[1]), "/boot/config-%s", release);
	snprintf(paths[2], sizeof(paths[2]), "/usr/lib/modules/%s/config", release);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		strbuf_reset(&text);
		if (!read_config(paths[i], &text))
			return host_parse_config(strbuf_str(&text), options);
	}
	return 0;
}

/*
 * A module that was not built with the kernel (the lab's EROFS) may have been built with other
 * options than the kernel's configuration says.
 */
static int note_foreign_module(const char *module, struct string_list *options)
{
	char path[128], taint[32];

	snprintf(path, sizeof(path), "/sys/module/%s/taint", module);
	if (fs_read_line(path, taint, sizeof(taint)) || !strchr(taint, 'O'))
		return 0;
	return string_list_add(options, "module %s: built out of tree, with options of its own",
			       module);
}

int host_crypto_text(struct strbuf *text, struct diag *d)
{
	return fs_read_file("/proc/crypto", PROC_MAX, text, d);
}

/*
 * Is a device made by Intel bound to one of the modules that use intel_qat (qat_4xxx, qat_c62x,
 * ...)?
 */
static bool intel_device_bound(void)
{
	bool found = false;
	glob_t devices;

	if (glob("/sys/module/intel_qat/holders/*/drivers/pci:*/*:*/vendor", 0, NULL, &devices))
		return false;
	for (size_t i = 0; i < devices.gl_pathc; i++) {
		char vendor[16];

		found |= !fs_read_line(devices.gl_pathv[i], vendor, sizeof(vendor)) &&
			 !strcmp(vendor, "0x8086");
	}
	globfree(&devices);
	return found;
}

const char *host_accelerator_kind(const char *module)
{
	static const char *const lab_modules[] = {"acomp_sim"};

	for (size_t i = 0; i < ARRAY_SIZE(lab_modules); i++)
		if (!strcmp(module, lab_modules[i]))
			return "simulated";
	if (!strcmp(module, "intel_qat"))
		return intel_device_bound() ? "qat" : "simulated";
	return HOST_UNKNOWN;
}

static bool is_accelerator(const char *driver)
{
	for (size_t i = 0; i < engine_count; i++)
		if (engine_table[i].accel_driver && !strcmp(engine_table[i].accel_driver, driver))
			return true;
	return false;
}

/* What a device does by nature, a simulated one does by its parameters. */
static int note_parameters(struct result_host *h, const char *module)
{
	char pattern[256];
	glob_t files;
	int err = 0;

	snprintf(pattern, sizeof(pattern), "/sys/module/%s/parameters/*", module);
	if (glob(pattern, 0, NULL, &files))
		return 0;
	for (size_t i = 0; !err && i < files.gl_pathc; i++) {
		char value[64];

		if (!fs_read_line(files.gl_pathv[i], value, sizeof(value)))
			err = string_list_add(&h->accelerator_parameters, "%s=%s",
					      strrchr(files.gl_pathv[i], '/') + 1, value);
	}
	globfree(&files);
	return err;
}

static int note_accelerator(struct result_host *h, const char *module)
{
	const char *kind = host_accelerator_kind(module);

	snprintf(h->accelerator_kind, sizeof(h->accelerator_kind), "%s", kind);
	return strcmp(kind, "simulated") ? 0 : note_parameters(h, module);
}

static int crypto_drivers(struct result_host *h)
{
	AB_STRBUF struct strbuf text = {0};
	struct crypto_driver c;
	const char *at;

	if (host_crypto_text(&text, NULL))
		return 0;
	for (at = strbuf_str(&text); host_parse_crypto(&at, &c);) {
		if (strcmp(c.type, "acomp") != 0 && strcmp(c.type, "scomp") != 0)
			continue;
		if (string_list_add(&h->crypto_drivers, "%s %s %s priority=%d selftest=%s", c.name,
				    c.driver, c.module, c.priority, c.selftest))
			return -ENOMEM;
		if (is_accelerator(c.driver) && !h->accelerator_kind[0] &&
		    note_accelerator(h, c.module))
			return -ENOMEM;
	}
	return 0;
}

/* One governor for all processors, or "mixed". */
static void governor(char *name, size_t size)
{
	glob_t files;

	if (glob("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor", 0, NULL, &files))
		return;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		char one[32];

		if (fs_read_line(files.gl_pathv[i], one, sizeof(one)))
			continue;
		if (*name && strcmp(name, one) != 0) {
			snprintf(name, size, "mixed");
			break;
		}
		snprintf(name, size, "%s", one);
	}
	globfree(&files);
}

/* A securityfs of our own that is mounted nowhere: gone with its descriptor. */
static int open_securityfs(void)
{
	AB_CLOSE int fs = (int)syscall(SYS_fsopen, "securityfs", FSOPEN_CLOEXEC);

	if (fs < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return -errno;
	return (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
}

void host_lockdown(char *mode, size_t size)
{
	char line[128] = "";

	if (fs_read_line("/sys/kernel/security/lockdown", line, sizeof(line))) {
		AB_CLOSE int fs = open_securityfs();
		AB_CLOSE int file = fs < 0 ? -1 : openat(fs, "lockdown", O_RDONLY | O_CLOEXEC);
		ssize_t n = file < 0 ? -1 : read(file, line, sizeof(line) - 1);

		line[n > 0 ? n : 0] = '\0';
	}
	host_parse_choice(line, mode, size);
}

#if defined(__x86_64__) || defined(__i386__)
/*
 * CPUID leaf 0x40000000, which hypervisors answer with their name (and QEMU's emulation with its
 * own).
 */
static bool ask_processor(char *name, size_t size)
{
	unsigned int eax, ebx, ecx, edx;
	char signature[12];

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return false;
	if (!(ecx & 1u << 31)) {
		snprintf(name, size, "none");
		return true;
	}
	__cpuid(0x40000000, eax, ebx, ecx, edx);
	memcpy(signature, &ebx, 4);
	memcpy(signature + 4, &ecx, 4);
	memcpy(signature + 8, &edx, 4);
	host_hypervisor_name(signature, name, size);
	return strcmp(name, HOST_UNKNOWN) != 0;
}
#else
static bool ask_processor(char *name, size_t size)
{
	return false;
}
#endif

/*
 * @hypervisor: the processor's flags say so. A machine whose processor is silent may still have
 * QEMU's name on it; whether QEMU emulates the processor or a hypervisor runs it cannot be seen
 * then.
 */
static void virtualization(struct result_host *h, bool hypervisor)
{
	char vendor[64];

	if (ask_processor(h->virtualization, sizeof(h->virtualization))) {
		h->emulated = !strcmp(h->virtualization, HOST_EMULATED);
		return;
	}
	/* "QEMU TCG CPU version 2.5+" is the model that QEMU invents for its emulation. */
	if (strstr(h->cpu_model, "QEMU TCG")) {
		snprintf(h->virtualization, sizeof(h->virtualization), HOST_EMULATED);
		h->emulated = true;
		return;
	}
	if (!fs_read_line("/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor)) &&
	    strstr(vendor, "QEMU"))
		snprintf(h->virtualization, sizeof(h->virtualization), "qemu");
	else
		snprintf(h->virtualization, sizeof(h->virtualization), "%s",
			 hypervisor ? "hypervisor" : HOST_UNKNOWN);
}

int host_facts(struct result_host *h, struct diag *d)
{
	AB_STRBUF struct strbuf text = {0};
	struct utsname uts;
	bool hypervisor;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*h = (struct result_host){0};
	if (!uname(&uts)) {
		snprintf(h->kernel_release, sizeof(h->kernel_release), "%s", uts.release);
		snprintf(h->kernel_version, sizeof(h->kernel_version), "%s", uts.version);
		snprintf(h->machine, sizeof(h->machine), "%.31s", uts.machine);
	}
	host_parse_cpuinfo(text_of("/proc/cpuinfo", &text), h->cpu_model, sizeof(h->cpu_model),
			   &hypervisor);
	h->cpus_online = cpus > 0 ? (unsigned int)cpus : 0;
	h->memory_bytes = host_parse_memory(text_of("/proc/meminfo", &text));
	fs_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		     h->clocksource, sizeof(h->clocksource));
	governor(h->governor, sizeof(h->governor));
	host_lockdown(h->lockdown, sizeof(h->lockdown));
	virtualization(h, hypervisor);
	if (fio_version(h->fio_version, sizeof(h->fio_version), NULL))
		h->fio_version[0] = '\0';
	snprintf(h->libbpf_version, sizeof(h->libbpf_version), "%u.%u", libbpf_major_version(),
		 libbpf_minor_version());
	if (kernel_options(h->kernel_release, &h->kernel_options) ||
	    note_foreign_module("erofs", &h->kernel_options) || crypto_drivers(h))
		return diag_errno(d, -ENOMEM, "facts about the host");
	return 0;
}
