// SPDX-License-Identifier: GPL-2.0-only
#include "run/lab_qemu.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/strbuf.h"

static void add(struct words *w, const char *fmt, ...) AB_PRINTF(2, 3);

static void add(struct words *w, const char *fmt, ...)
{
	AB_STRBUF struct strbuf text = {0};
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&text, fmt, ap);
	va_end(ap);
	if (text.failed || w->count + 1 >= ARRAY_SIZE(w->word)) {
		w->failed = true;
		return;
	}
	w->word[w->count] = strdup(strbuf_str(&text));
	w->failed |= !w->word[w->count];
	w->count++;
}

/* An option and its value, which may be several words' worth of key=value. */
#define add_option(w, option, ...)    \
	do {                          \
		add(w, "%s", option); \
		add(w, __VA_ARGS__);  \
	} while (0)

static void add_list(struct words *w, const char *const *list)
{
	for (; list && *list; list++)
		add(w, "%s", *list);
}

void words_free(struct words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->word[i]);
	*w = (struct words){0};
}

/* A comma in a value of a key=value list is written twice. */
static const char *escaped(const char *path, char buf[2 * PATH_MAX])
{
	char *to = buf;

	for (; *path && to < buf + 2 * PATH_MAX - 2; path++) {
		if (*path == ',')
			*to++ = ',';
		*to++ = *path;
	}
	*to = '\0';
	return buf;
}

static void add_machine(struct words *w, const struct lab_opts *o)
{
	unsigned int cpus = o->cpus ? o->cpus : LAB_DEFAULT_CPUS;
	char accel[16];

	/* q35: its interrupts are routed without four slow evaluations of ACPI code that the older machine needs. */
	add_option(w, "-machine", "q35");
	if (o->deterministic) {
		cpus = 1;
		add_option(w, "-accel", "tcg,thread=single");
		add_option(w, "-icount", "shift=1,sleep=off");
		add_option(w, "-rtc", "clock=vm,base=2026-01-01");
		add_option(w, "-seed", "1");
	} else {
		if (!lab_accel(o->dir, accel, sizeof(accel)) && !strcmp(accel, "kvm"))
			add_option(w, "-accel", "kvm");
		/* Where the one above cannot even be opened, QEMU takes this. */
		add_option(w, "-accel", "tcg,thread=multi");
	}
	add_option(w, "-cpu", "max");
	add_option(w, "-smp", "%u", cpus);
	add_option(w, "-m", "%u", o->memory_mib ? o->memory_mib : LAB_DEFAULT_MEMORY_MIB);
	add(w, "-nodefaults");
	add(w, "-no-reboot");
	add_option(w, "-display", "none");
	add_option(w, "-net", "none");
}

static void add_kernel(struct words *w, const struct lab_opts *o)
{
	AB_STRBUF struct strbuf options = {0};

	/* A panic reboots at once, which -no-reboot turns into QEMU's end. */
	strbuf_puts(&options, "console=ttyS0 quiet panic=-1 nowatchdog");
	if (!o->survive_oops)
		strbuf_puts(&options, " oops=panic");
	for (const char *const *k = o->kernel_options; k && *k; k++)
		strbuf_printf(&options, " %s", *k);
	w->failed |= options.failed;
	add_option(w, "-kernel", "%s/vmlinux", o->dir);
	add_option(w, "-initrd", "%s/initrd.img", o->dir);
	add_option(w, "-append", "%s", strbuf_str(&options));
}

static void add_disks(struct words *w, const struct lab_opts *o)
{
	char buf[2 * PATH_MAX];

	add_option(w, "-drive", "if=none,id=root,format=raw,snapshot=on,file=%s/disk.img",
		   escaped(o->dir, buf));
	add_option(w, "-device", "virtio-blk-pci,drive=root,serial=root");
	add_option(w, "-virtfs",
		   "local,id=kit,path=%s/kit,mount_tag=kit,security_model=none,readonly=on",
		   escaped(o->dir, buf));
	add_option(w, "-virtfs", "local,id=lab,path=%s,mount_tag=lab,security_model=none",
		   escaped(o->share, buf));
	if (!o->cache_disk)
		return;
	add_option(w, "-drive", "if=none,id=cache,format=raw,file=%s", escaped(o->cache_disk, buf));
	add_option(w, "-device", "virtio-blk-pci,drive=cache,serial=cache");
}

static void add_port(struct words *w, const char *name, int fd)
{
	add_option(w, "-add-fd", "fd=%d,set=%d", fd, fd);
	/* append: without it QEMU would truncate, which a pipe refuses. */
	add_option(w, "-chardev", "file,id=%s,path=/dev/fdset/%d,append=on", name, fd);
	add_option(w, "-device", "virtserialport,chardev=%s,name=accelbench.%s", name, name);
}

int lab_qemu_words(const struct lab_opts *o, int out_fd, int err_fd, struct words *w,
		   struct diag *d)
{
	char buf[2 * PATH_MAX];

	add(w, "%s", LAB_QEMU_PROGRAM);
	add_machine(w, o);
	add_kernel(w, o);
	add_disks(w, o);
	add_option(w, "-chardev", "file,id=console,append=on,path=%s", escaped(o->console, buf));
	add_option(w, "-serial", "chardev:console");
	add_option(w, "-device", "virtio-serial-pci");
	add_port(w, "stdout", out_fd);
	add_port(w, "stderr", err_fd);
	add_option(w, "-chardev", "stdio,id=control,signal=off");
	add_option(w, "-device", "virtserialport,chardev=control,name=accelbench.control");
	add_list(w, o->qemu_options);
	if (w->failed)
		return diag_set(d, -ENOMEM, "the guest's command line is too long");
	return 0;
}
