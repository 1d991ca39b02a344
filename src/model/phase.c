// SPDX-License-Identifier: GPL-2.0-only
#include "model/phase.h"

#include <string.h>

const struct phase_info phase_table[AB_PHASES] = {
	[AB_SETUP] = {"setup", "setup", PHASE_PARTITION,
		      "from the request's entry to the accelerator or to the first decoder call"},
	[AB_SUBMIT] = {"submit", "submit", PHASE_PARTITION,
		       "inside crypto_acomp_(de)compress, when it leaves the request pending"},
	[AB_WAIT] =
		{"wait", "wait", PHASE_PARTITION,
		 "from submit's return until the task runs again; in software: blocked off CPU"},
	[AB_DECODE] = {"decode", "decode", PHASE_PARTITION,
		       "decoder calls in software, or a transform that finishes before it returns"},
	[AB_COPY] = {"copy", "copy", PHASE_PARTITION,
		     "after the wait until the request's exit; in software: the copy functions"},
	[AB_OTHER] = {"other", "other", PHASE_PARTITION,
		      "what the phases before leave of the request's wall time"},
	[AB_TOTAL] = {"total", "total", PHASE_TOTAL, "from the request's entry to its exit"},
	[AB_SERVICE] = {"service", "service", PHASE_SPAN,
			"from the entry of submit to the final crypto_req_done"},
	[AB_BACKLOG] = {"backlog", "backlog", PHASE_SPAN,
			"from the entry of submit until a backlogged request entered the ring"},
	[AB_WAKEUP] =
		{"wakeup", "wake-up", PHASE_SPAN,
		 "from crypto_req_done (or submit's return, if later) until the task runs again"},
	[AB_ON_CPU] = {"on_cpu", "on CPU", PHASE_SPAN,
		       "time of the request during which its task ran"},
	[AB_OFF_CPU] = {"off_cpu", "off CPU", PHASE_SPAN,
			"time of the request during which its task did not run"},
};

const char *const algorithm_names[AB_ALGORITHMS] = {
	[AB_ALG_STORED] = "stored",   [AB_ALG_LZ4] = "lz4",   [AB_ALG_LZMA] = "lzma",
	[AB_ALG_DEFLATE] = "deflate", [AB_ALG_ZSTD] = "zstd", [AB_ALG_LZO] = "lzo",
};

const char *const direction_names[2] = {
	[AB_DECOMPRESS] = "decompress",
	[AB_COMPRESS] = "compress",
};

const struct served_info served_table[AB_SERVED] = {
	[AB_SERVED_OFFLOADED] = {"offloaded",
				 "an asynchronous driver completed it through its callback"},
	[AB_SERVED_SYNC] = {"sync_transform",
			    "a transform finished before it returned: no accelerator"},
	[AB_SERVED_NO_ENGINE] =
		{"no_engine",
		 "never submitted: no accelerator is set, or the file system declined"},
	[AB_SERVED_PARTIAL] = {"partial_decode",
			       "never submitted: only a part of the cluster was wanted"},
	[AB_SERVED_FALLBACK] = {"fallback",
				"submitted, and the driver handed it to a synchronous transform"},
	[AB_SERVED_REJECTED] = {"rejected", "the submit failed at once, software took over"},
	[AB_SERVED_FAILED] = {"failed", "it ended with an error"},
	[AB_SERVED_STORED] = {"stored", "an uncompressed cluster: nothing to decompress"},
};

const struct counter_info counter_table[AB_COUNTERS] = {
	[AB_CNT_ENTRIES] = {"entries", "requests begun inside the window", COUNTER_FACT},
	[AB_CNT_EXITS] = {"exits", "requests ended", COUNTER_FACT},
	[AB_CNT_ORPHAN_EXITS] = {"orphan_exits",
				 "requests in flight when the window opened; left out",
				 COUNTER_ANOMALY},
	[AB_CNT_OVERWRITTEN] = {"overwritten",
				"requests begun while one of the same task was still open",
				COUNTER_LOSS},
	[AB_CNT_OTHER_DEVICE] = {"other_device", "requests of other file systems, left alone",
				 COUNTER_FACT},
	[AB_CNT_SUBMITS] = {"submits", "outermost crypto_acomp_(de)compress calls inside a request",
			    COUNTER_FACT},
	[AB_CNT_NESTED_SUBMITS] = {"nested_submits", "such calls inside one another: fallbacks",
				   COUNTER_FACT},
	[AB_CNT_SUBMIT_SYNC] = {"submit_sync", "submits that returned 0", COUNTER_FACT},
	[AB_CNT_SUBMIT_ASYNC] = {"submit_async", "submits that returned -EINPROGRESS",
				 COUNTER_FACT},
	[AB_CNT_SUBMIT_BUSY] = {"submit_busy", "submits that returned -EBUSY: backlogged",
				COUNTER_FACT},
	[AB_CNT_SUBMIT_ERRORS] = {"submit_errors", "submits that returned another error",
				  COUNTER_ANOMALY},
	[AB_CNT_COMPLETIONS] = {"completions", "first final completions of requests in flight",
				COUNTER_FACT},
	[AB_CNT_COMPLETION_ERRORS] = {"completion_errors", "of those, with a status other than 0",
				      COUNTER_ANOMALY},
	[AB_CNT_EARLY] = {"early_completions", "of those, before submit returned", COUNTER_FACT},
	[AB_CNT_NOTIFICATIONS] = {"notifications",
				  "-EINPROGRESS callbacks of backlogged requests in flight",
				  COUNTER_FACT},
	[AB_CNT_LATE_NOTIFICATIONS] = {"late_notifications",
				       "-EINPROGRESS callbacks after the final completion",
				       COUNTER_ANOMALY},
	[AB_CNT_DUPLICATES] = {"duplicates", "further final completions of the same request",
			       COUNTER_ANOMALY},
	[AB_CNT_RESUMES] = {"resumes", "waits that ended", COUNTER_FACT},
	[AB_CNT_INFLIGHT_FULL] = {"inflight_full",
				  "requests that the in-flight table had no room for",
				  COUNTER_LOSS},
	[AB_CNT_INFLIGHT_STALE] = {"inflight_stale", "in-flight keys met while still live",
				   COUNTER_LOSS},
	[AB_CNT_STATE_FAILED] = {"state_failed", "requests without memory for their task's state",
				 COUNTER_LOSS},
	[AB_CNT_NEGATIVE] = {"negative", "differences below zero, clamped to zero",
			     COUNTER_ANOMALY},
	[AB_CNT_SETS_FULL] = {"sets_full", "requests without a histogram set left", COUNTER_LOSS},
	[AB_CNT_ENTRY_NS] = {"entry_ns", "sum of begin times since the window opened",
			     COUNTER_FACT},
	[AB_CNT_EXIT_NS] = {"exit_ns", "sum of end times since the window opened", COUNTER_FACT},
	[AB_CNT_RECORDS] = {"records", "sampled records written", COUNTER_FACT},
	[AB_CNT_RECORDS_LOST] = {"records_lost", "sampled records dropped, ring buffer full",
				 COUNTER_ANOMALY},
};

int phase_find(const char *name)
{
	for (int i = 0; i < AB_PHASES; i++)
		if (!strcmp(phase_table[i].name, name))
			return i;
	return -1;
}
