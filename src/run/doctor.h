/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What works on this host and what does not, found out by doing it: programs are loaded and
 * attached, images built, mounted and read. Everything is undone before doctor_run() returns.
 */
#ifndef AB_RUN_DOCTOR_H
#define AB_RUN_DOCTOR_H

#include "model/doctor.h"

struct doctor_opts {
	const char *lab_dir; /* where `make lab` puts the guest */
	const char
		*tools_root; /* another root whose mkfs.erofs may be used, NULL: <lab_dir>/root */
	/*
	 * Do also what others could notice: load kernel modules (they stay loaded), switch EROFS'
	 * accelerator on and back.
	 */
	bool intrusive;
};

/*
 * Fills @r; free it with doctor_report_free() in every case. Whatever does not work is a finding,
 * not an error: -ENOMEM, -EINTR alone, and what could not be undone.
 */
int doctor_run(const struct doctor_opts *opts, struct doctor_report *r, struct diag *d);

#endif
