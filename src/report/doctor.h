/* SPDX-License-Identifier: GPL-2.0-only */
/* What the doctor found, for people and for programs. */
#ifndef AB_REPORT_DOCTOR_H
#define AB_REPORT_DOCTOR_H

#include "model/doctor.h"

/* Grouped and aligned; @columns is the width of a line, 0: 100. */
void doctor_text(const struct doctor_report *r, bool color, unsigned int columns,
		 struct strbuf *out);

/* One JSON document, schema DOCTOR_SCHEMA. What is empty in the report is null. */
void doctor_json(const struct doctor_report *r, struct strbuf *out);

#endif
