// SPDX-License-Identifier: GPL-2.0-only
/* The doctor on EROFS, loop devices and the accelerator. */
#include "run/doctor_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "run/accel.h"
#include "run/host.h"
#include "run/mount.h"
#include "run/verify.h"

#define MODPROBE_TIMEOUT_NS (UINT64_C(60) * 1000000000)
#define READ_TIMEOUT_NS	    (UINT64_C(20) * 1000000000)

static bool erofs_registered(void)
{
	AB_STRBUF struct strbuf text = {0};

	return !fs_read_file("/proc/filesystems", 65536, &text, NULL) &&
	       strstr(strbuf_str(&text), "\terofs\n");
}

static int load_module(const char *name, struct diag *d)
{
	const char *const argv[] = {"modprobe", name, NULL};
	struct spawn_opts opts = {.timeout_ns = MODPROBE_TIMEOUT_NS};
	AB_SPAWN_RESULT struct spawn_result res = {0};
	int err = spawn_run(argv, &opts, &res, d);

	return err ? err : spawn_check("modprobe", &res, d);
}

void check_erofs(struct doctor *dr, unsigned int which, struct finding *f)
{
	const char *option = host_option(&dr->report->host.kernel_options, "EROFS_FS");
	struct diag why = {0};
	bool loaded = false;
	int err;

	dr->erofs = erofs_registered();
	if (!dr->erofs && dr->opts->intrusive) {
		err = load_module("erofs", &why);
		dr->erofs = loaded = !err && erofs_registered();
		if (err) {
			refused(f, err, &why);
			return;
		}
	}
	if (dr->erofs) {
		found(f, FINDING_OK, "%s",
		      loaded ? "was loaded just now, and stays" : "registered");
		return;
	}
	if (option && !strcmp(option, "n")) {
		found(f, FINDING_NO, "this kernel was built without it");
		return;
	}
	found(f, FINDING_UNTRIED, "not loaded");
	advise(f,
	       "load it (modprobe erofs), or let the doctor do it: accelbench doctor --intrusive");
}

/* Whatever keeps images from being mounted is said once for all rows. */
static bool may_mount(const struct doctor *dr, struct finding *f)
{
	if (!dr->erofs)
		found(f, FINDING_UNTRIED, "EROFS is not loaded");
	else if (!dr->private_mounts)
		found(f, FINDING_UNTRIED,
		      "without a mount namespace of its own nothing is mounted");
	else if (!*dr->folder)
		no_folder(dr, f);
	else
		return true;
	return false;
}

/*
 * Is the file in the mounted image what was put there? Read by a child, since a broken accelerator
 * may never answer.
 */
static int read_back(const struct mounted *m, struct diag *d)
{
	unsigned char content[EROFS_TINY_FILE_BYTES];
	char path[4200], sha256[SHA256_HEX_SIZE];
	struct result_verify v = {.ok = false};
	int err = fs_path(path, sizeof(path), "%s/" EROFS_TINY_FILE, m->dir);

	if (err)
		return diag_errno(d, err, "%s", m->dir);
	erofs_tiny_content(content);
	err = fs_sha256_bytes(content, sizeof(content), sha256);
	if (err)
		return diag_errno(d, err, "hash");
	err = verify_file(path, sha256, READ_TIMEOUT_NS, &v, d);
	if (!err && !v.ok)
		return diag_set(d, -EBADMSG, "%s", v.reason);
	return err;
}

/* @disk_bytes: read from its block device meanwhile; may be NULL. */
static int try_image(struct doctor *dr, unsigned int algorithm, enum backing_kind backing,
		     uint64_t *disk_bytes, struct diag *d)
{
	unsigned char image[EROFS_TINY_MAX_BYTES];
	size_t len = erofs_tiny_image(algorithm, image);
	struct diag unmounting = {0};
	struct mounted m;
	char path[128];
	int err, failed;

	snprintf(path, sizeof(path), "%s/tiny-%u.erofs", dr->folder, algorithm);
	err = fs_write_atomic(path, image, len, d);
	if (!err)
		err = mount_image(dr->undo, path, backing, dr->folder, &m, d);
	if (err)
		return err;
	err = read_back(&m, d);
	if (!err && disk_bytes)
		err = mount_disk_read_bytes(&m, disk_bytes);
	failed = unmount_image(dr->undo, &m, &unmounting);
	if (!err && failed)
		return diag_set(d, failed, "%s", unmounting.text);
	return err;
}

/*
 * An image without compression, so that only the way to its bytes is tried. @which: enum
 * backing_kind.
 */
void check_backing(struct doctor *dr, unsigned int which, struct finding *f)
{
	struct diag why = {0};
	int err;

	if (!may_mount(dr, f))
		return;
	dr->mounted = true;
	err = try_image(dr, EROFS_TINY_STORED, (enum backing_kind)which, NULL, &why);
	dr->mounts[which] = !err;
	dr->reads[EROFS_TINY_STORED] |= !err;
	if (err)
		refused(f, err, &why);
	else
		found(f, FINDING_OK, "an image was mounted and read");
}

static int first_backing(const struct doctor *dr)
{
	for (int i = 0; i < BACKINGS; i++)
		if (dr->mounts[i])
			return i;
	return -1;
}

void check_block_statistics(struct doctor *dr, unsigned int which, struct finding *f)
{
	struct diag why = {0};
	uint64_t bytes = 0;
	int backing = first_backing(dr);
	int err;

	if (!may_mount(dr, f))
		return;
	if (backing < 0 || backing == BACKING_FILE) {
		found(f, FINDING_UNTRIED, "no image can be mounted on a block device");
		return;
	}
	err = try_image(dr, EROFS_TINY_STORED, (enum backing_kind)backing, &bytes, &why);
	if (err == -ENODATA)
		diag_set(&why, err, "/sys/block/<device>/stat cannot be read");
	else if (!err && bytes < EROFS_TINY_FILE_BYTES)
		err = diag_set(&why, -ENODATA, "they count %llu of %d bytes read",
			       (unsigned long long)bytes, EROFS_TINY_FILE_BYTES);
	if (err)
		refused(f, err, &why);
	else
		found(f, FINDING_OK, "/sys/block/<device>/stat counts what is read");
}

/* @which: enum erofs_algorithm, or EROFS_TINY_STORED. */
void check_algorithm(struct doctor *dr, unsigned int which, struct finding *f)
{
	struct diag why = {0};
	int backing = first_backing(dr);
	int err;

	if (!may_mount(dr, f))
		return;
	if (backing < 0) {
		found(f, FINDING_UNTRIED, "no image can be mounted");
		return;
	}
	err = try_image(dr, which, (enum backing_kind)backing, NULL, &why);
	dr->reads[which] = !err;
	if (err)
		refused(f, err, &why);
	else
		found(f, FINDING_OK, "an image was mounted and read");
}

void check_switch(struct doctor *dr, unsigned int which, struct finding *f)
{
	struct diag why = {0};
	struct accel a;
	int err;

	if (!dr->erofs) {
		found(f, FINDING_UNTRIED, "EROFS is not loaded");
		return;
	}
	err = accel_open(&a, dr->undo, &why);
	if (err)
		refused(f, err, &why);
	else if (!a.known)
		found(f, FINDING_NO, "there is no /sys/fs/erofs/accel");
	else
		found(f, FINDING_OK, "/sys/fs/erofs/accel, %s%s",
		      *a.original ? "set to " : "not set", a.original);
	dr->has_switch = !err && a.known;
	memcpy(dr->accelerator_set, a.original, sizeof(dr->accelerator_set));
}

static bool find_driver(const char *name, struct crypto_driver *driver)
{
	AB_STRBUF struct strbuf text = {0};
	const char *at;

	if (host_crypto_text(&text, NULL))
		return false;
	for (at = strbuf_str(&text); host_parse_crypto(&at, driver);)
		if (!strcmp(driver->driver, name))
			return true;
	return false;
}

/* Switches it on, has the kernel read an image meanwhile, puts back what was set. */
static int try_accelerator(struct doctor *dr, const char *driver, struct diag *d)
{
	struct diag putting_back = {0};
	struct accel a;
	int err, failed;

	if (!dr->undo)
		return diag_set(d, -EACCES, "%s", dr->no_folder);
	err = accel_open(&a, dr->undo, d);
	if (!err)
		err = accel_set(&a, driver, d);
	if (!err && first_backing(dr) >= 0)
		err = try_image(dr, EROFS_DEFLATE, (enum backing_kind)first_backing(dr), NULL, d);
	failed = accel_restore(&a, &putting_back);
	if (!err && failed)
		return diag_set(d, failed, "%s", putting_back.text);
	return err;
}

static void describe_driver(const struct crypto_driver *c, char *buf, size_t size)
{
	snprintf(buf, size, "%s from module %s (%s), priority %d, self-test %s", c->type, c->module,
		 host_accelerator_kind(c->module), c->priority, c->selftest);
}

static void examine_driver(struct doctor *dr, const char *name, struct finding *f)
{
	bool intrusive = dr->opts->intrusive;
	struct crypto_driver c;
	struct diag why = {0};
	char facts[320];
	int err;

	if (!find_driver(name, &c)) {
		found(f, FINDING_NO, "no such driver in /proc/crypto");
		return;
	}
	describe_driver(&c, facts, sizeof(facts));
	if (!dr->has_switch) {
		found(f, FINDING_UNTRIED, "%s; EROFS has no switch for it", facts);
		return;
	}
	err = accel_explain(name, &why);
	if (!err && intrusive)
		err = try_accelerator(dr, name, &why);
	if (err) {
		refused(f, err, &why);
		return;
	}
	if (intrusive || !strcmp(dr->accelerator_set, name)) {
		found(f, FINDING_OK, "%s; switched on%s", facts,
		      intrusive ? ", an image read, and back" : "");
		return;
	}
	found(f, FINDING_UNTRIED, "%s; not switched on", facts);
	advise(f, "let the doctor switch it on and back: accelbench doctor --intrusive");
}

/* @which: row of engine_table. One without accelerator gives no finding. */
void check_driver(struct doctor *dr, unsigned int which, struct finding *f)
{
	f->name = engine_table[which].accel_driver;
	if (!f->name)
		return;
	examine_driver(dr, f->name, f);
	dr->accelerators[which] = f->state;
}
