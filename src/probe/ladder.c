// SPDX-License-Identifier: GPL-2.0-only
#include "probe/ladder.h"

#include <string.h>
#include <sys/utsname.h>
#include "base/cleanup.h"
#include "base/fsutil.h"

bool ladder_preempts(const char *text)
{
	static const char *const words[] = {"(full)", "(lazy)", "PREEMPT_RT", "PREEMPT "};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* Chosen at boot or later where the kernel is built with PREEMPT_DYNAMIC, else fixed. Not to be found out: taken for no. */
static bool kernel_preempts(void)
{
	struct utsname uts;
	char line[64];

	if (!fs_read_line("/sys/kernel/debug/sched/preempt", line, sizeof(line)))
		return ladder_preempts(line);
	return !uname(&uts) && ladder_preempts(uts.version);
}

/*
 * fentry costs least. But its programs can be preempted, and while one is, the kernel skips it for every other task of that
 * CPU: with more tasks than CPUs that is more than can be tolerated. Programs of fprobes run with preemption off. Before 6.14,
 * when they went over to the function graph tracer, their return probes were few, and many requests at once lost their ends.
 */
size_t ladder_order(const struct btf_index *index, enum session_mechanism asked,
		    enum mechanism order[MECHANISMS])
{
	static const enum mechanism by_cost[] = {BY_FENTRY, BY_FPROBE, BY_KPROBE};
	static const enum mechanism exact[] = {BY_FPROBE, BY_FENTRY, BY_KPROBE};
	static const enum mechanism alone[] = {
		[MECHANISM_FENTRY] = BY_FENTRY,
		[MECHANISM_FPROBE] = BY_FPROBE,
		[MECHANISM_KPROBE] = BY_KPROBE,
	};

	if (asked != MECHANISM_AUTO) {
		order[0] = alone[asked];
		return 1;
	}
	memcpy(order, index->graph_fprobes && kernel_preempts() ? exact : by_cost, sizeof(by_cost));
	return MECHANISMS;
}
