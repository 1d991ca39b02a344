// SPDX-License-Identifier: GPL-2.0-only
/* The hook half of THE TABLE. Names move between kernels: resolve by trying, in order of preference, never by version. */
#include "model/targets.h"

const char *const hook_role_names[HOOK_ROLES] = {
	[HOOK_REQUEST] = "request", [HOOK_DECODE] = "decode", [HOOK_COPY] = "copy",
	[HOOK_SUBMIT] = "submit",   [HOOK_DONE] = "done",     [HOOK_RESUME] = "resume",
	[HOOK_SCHED] = "sched",
};

#define NO_ALGORITHM (-1)

const struct hook_info hook_table[] = {
	/*
	 * Reached through struct z_erofs_decompressor, so never inlined. (rq, pgpl); in 5.15 the second argument is the
	 * output buffer. Return type: int, in 7.x `const char *` (an error string or ERR_PTR).
	 */
	{"erofs.lz4", HOOK_REQUEST, {"z_erofs_lz4_decompress"}, "erofs", AB_ALG_LZ4, 2, true,
	 "requests of lz4 and lz4hc images"},
	{"erofs.lzma", HOOK_REQUEST, {"z_erofs_lzma_decompress"}, "erofs", AB_ALG_LZMA, 2, true,
	 "requests of lzma images"}, /* 5.16: commit 622ceaddb764 */
	{"erofs.deflate", HOOK_REQUEST, {"z_erofs_deflate_decompress"}, "erofs", AB_ALG_DEFLATE, 2, true,
	 "requests of deflate images"}, /* 6.6: commit ffa09b3bd024 */
	{"erofs.zstd", HOOK_REQUEST, {"z_erofs_zstd_decompress"}, "erofs", AB_ALG_ZSTD, 2, true,
	 "requests of zstd images"}, /* 6.10: commit 7c35de4df105 */
	/* Uncompressed clusters; the older name is that of kernels before 6.0. */
	{"erofs.stored", HOOK_REQUEST, {"z_erofs_transform_plain", "z_erofs_shifted_transform"}, "erofs",
	 AB_ALG_STORED, 2, false, "uncompressed clusters"},

	/* Exported library functions: never inlined into a module. */
	{"lib.zlib", HOOK_DECODE, {"zlib_inflate"}, NULL, AB_ALG_DEFLATE, 2, false,
	 "decode of deflate in software"},
	{"lib.zstd", HOOK_DECODE, {"zstd_decompress_stream"}, "zstd_decompress", AB_ALG_ZSTD, 3, false,
	 "decode of zstd in software"},
	{"lib.lz4", HOOK_DECODE, {"LZ4_decompress_safe"}, "lz4_decompress", AB_ALG_LZ4, 4, false,
	 "decode of whole lz4 clusters"},
	{"lib.lz4-partial", HOOK_DECODE, {"LZ4_decompress_safe_partial"}, "lz4_decompress", AB_ALG_LZ4, 5, false,
	 "decode of partial lz4 clusters"},
	{"lib.lzma", HOOK_DECODE, {"xz_dec_microlzma_run"}, "xz_dec", AB_ALG_LZMA, 2, false,
	 "decode of lzma in software"},

	/* Maps the next page of in- and output and copies through a bounce page where they overlap (6.10 and newer). */
	{"erofs.switch-bufs", HOOK_COPY, {"z_erofs_stream_switch_bufs"}, "erofs", NO_ALGORITHM, 4, false,
	 "copies through bounce pages (deflate, zstd, lzma)"},
	{"erofs.lz4-overlap", HOOK_COPY, {"z_erofs_lz4_handle_overlap"}, "erofs", NO_ALGORITHM, 7, false,
	 "copies of overlapping lz4 input"},

	/* Functions since the acomp rework of 6.15 and 6.16 (see commit 31b20bc22f68); inline in the header before. */
	{"crypto.decompress", HOOK_SUBMIT, {"crypto_acomp_decompress"}, NULL, NO_ALGORITHM, 1, false,
	 "submit and wait of accelerated requests"},
	{"crypto.done", HOOK_DONE, {"crypto_req_done"}, NULL, NO_ALGORITHM, 2, false,
	 "service and wake-up time of accelerated requests"},
	{"crypto.resume", HOOK_RESUME, {"wait_for_completion"}, NULL, NO_ALGORITHM, 1, false,
	 "the end of wait: what follows it would be counted as wait"},

	{"sched.switch", HOOK_SCHED, {"sched_switch"}, NULL, NO_ALGORITHM, 0, false,
	 "blocked time, on-CPU and off-CPU time, CPU of kernel threads"},
};
const size_t hook_count = sizeof(hook_table) / sizeof(hook_table[0]);
