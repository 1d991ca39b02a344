// SPDX-License-Identifier: GPL-2.0-only
#include "model/doctor.h"

#include <stdlib.h>
#include <string.h>

const char *const finding_state_names[FINDING_STATES] = {
	[FINDING_OK] = "ok",
	[FINDING_NO] = "no",
	[FINDING_UNTRIED] = "untried",
};

void doctor_report_free(struct doctor_report *r)
{
	string_list_free(&r->host.kernel_options);
	string_list_free(&r->host.crypto_drivers);
	string_list_free(&r->engines);
	free(r->findings);
	free(r->hooks);
	*r = (struct doctor_report){0};
}

const struct finding *doctor_find(const struct doctor_report *r, const char *group,
				  const char *name)
{
	for (size_t i = 0; i < r->finding_count; i++)
		if (!strcmp(r->findings[i].group, group) && !strcmp(r->findings[i].name, name))
			return &r->findings[i];
	return NULL;
}
