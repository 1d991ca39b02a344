// SPDX-License-Identifier: GPL-2.0-only
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int diag_set(struct diag *d, int err, const char *fmt, ...)
{
	va_list ap;

	if (!d)
		return err;
	va_start(ap, fmt);
	vsnprintf(d->text, sizeof(d->text), fmt, ap);
	va_end(ap);
	return err;
}

int diag_errno(struct diag *d, int err, const char *fmt, ...)
{
	size_t len;
	va_list ap;

	if (!d)
		return err;
	va_start(ap, fmt);
	vsnprintf(d->text, sizeof(d->text), fmt, ap);
	va_end(ap);
	len = strlen(d->text);
	snprintf(d->text + len, sizeof(d->text) - len, ": %s", strerror(-err));
	return err;
}

int diag_prefix(struct diag *d, int err, const char *fmt, ...)
{
	char rest[sizeof(d->text)];
	size_t len;
	va_list ap;

	if (!d)
		return err;
	memcpy(rest, d->text, sizeof(rest));
	va_start(ap, fmt);
	vsnprintf(d->text, sizeof(d->text), fmt, ap);
	va_end(ap);
	len = strlen(d->text);
	snprintf(d->text + len, sizeof(d->text) - len, ": %s", rest);
	return err;
}
