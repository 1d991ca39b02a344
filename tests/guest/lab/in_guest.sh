#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What test_boot.sh runs inside the guest: prints "NAME=VALUE" lines for it to look at.

set -euo pipefail

say() { printf '%s=%s\n' "$1" "$2"; }

# A file that compresses, in an EROFS image with 64 KiB deflate clusters, read back through the mounted image; the
# kernel's decoder is counted by a kprobe on a function of the module.
erofs()
{
	local tracing=/sys/kernel/tracing
	mkdir -p /tmp/e/in /tmp/e/mnt
	for ((i = 0; i < 40000; i++)); do echo "line $i of a file that compresses"; done >/tmp/e/in/file
	mkfs.erofs -zdeflate,level=9 -C65536 /tmp/e/image /tmp/e/in >/dev/null 2>&1
	echo 'p:lab/decode z_erofs_deflate_decompress' >"$tracing/kprobe_events"
	echo 1 >"$tracing/events/lab/decode/enable"
	mount -t erofs -o loop,ro /tmp/e/image /tmp/e/mnt
	say hash "$(cmp /tmp/e/in/file /tmp/e/mnt/file && echo same)"
	say decoded "$(awk '$1 == "decode" && $2 > 0 { print "yes" }' "$tracing/kprobe_profile")"
	umount /tmp/e/mnt
	echo 0 >"$tracing/events/lab/decode/enable"
	echo >"$tracing/kprobe_events"
}

say arguments "$(printf '<%s>' "$@")"
say environment "${LAB_TEST-unset}"
say folder "$PWD"
say kernel "$(uname -r)"
say processors "$(nproc)"
say accel "$(test -w /sys/fs/erofs/accel && echo there)"
say btf "$(bpftool btf dump file /sys/kernel/btf/erofs 2>/dev/null |
	awk '/FUNC .z_erofs_deflate_decompress/ { print "function" }')"
# What fentry attaches to.
say ftrace "$(awk '$1 == "z_erofs_deflate_decompress" { print $2 }' /sys/kernel/tracing/available_filter_functions)"
say mounts "$(for dir in /sys/fs/bpf /sys/kernel/debug /sys/kernel/tracing /sys/fs/cgroup /tmp /lab; do
	mountpoint -q "$dir" || echo "$dir"; done)"
say clock "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)"
erofs
echo "on stderr" >&2
echo "a result" >/lab/out/result
