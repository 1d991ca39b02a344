#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 180
# The doctor where everything works: the lab's guest with its accelerator; then without EROFS.

set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/../check.sh"
accelbench=${ACCELBENCH:-build/accelbench}
work=$(mktemp -d)

# run NAME ARGUMENT...: leaves NAME.out, NAME.err and NAME.status.
run()
{
	local name=$1 status=0
	shift
	"$accelbench" doctor "$@" >"$work/$name.out" 2>"$work/$name.err" || status=$?
	echo "$status" >"$work/$name.status"
}

status_is() { [[ $(<"$work/$1.status") == "$2" ]] || { cat "$work/$1.out" "$work/$1.err"; return 1; }; }
says() { grep -Eq -- "$2" "$work/$1.out" || { cat "$work/$1.out"; return 1; }; }

# state FILE NAME...: the lines of these needs or hooks say "ok".
all_ok()
{
	local name
	for name in "${@:2}"; do
		says "$1" "^  ok  $name " || { echo "# not ok: $name"; return 1; }
	done
}

# Hooks that are not there must really be absent: the kernel's own list of functions does not have them.
absent_hooks()
{
	local name
	awk '/^hooks/ { on = 1 } on && $1 == "no" { print }' "$work/$1.out" >"$work/no"
	while read -r name; do
		grep -q 'no function' <<<"$name" || { echo "refused: $name"; return 1; }
		name=$(sed -E 's/.*no function ([^ ]+).*/\1/' <<<"$name")
		! grep -Eq "^$name( |\$)" /sys/kernel/tracing/available_filter_functions ||
			{ echo "$name exists"; return 1; }
	done <"$work/no"
}

restore()
{
	rmmod acomp_sim 2>/dev/null || true
	rmmod erofs 2>/dev/null || true
	insmod /kit/modules/erofs.ko 2>/dev/null || true
	rm -rf "$work"
}
trap restore EXIT

insmod /kit/modules/acomp_sim.ko
run plain
check 'requests can be traced: status 0' status_is plain 0
check 'every kind of need that a run has is met' all_ok plain root 'private mounts' fio mkfs.erofs EROFS loop-direct \
	loop file 'block statistics' lz4 lzma deflate zstd switch BTF 'BPF programs' 'task storage' 'ring buffer' \
	fentry fprobe kprobe tp_btf tracer
check 'every hook is attached, by both mechanisms where there are two, or is absent from this kernel' absent_hooks plain
check 'no hook is left with one mechanism' says plain '^  ok  erofs.deflate .* by fentry, fprobe, kprobe$'
check 'emulation is named' says plain 'emulated'
check 'a registered driver is not switched on unasked' says plain '^  -   qat_deflate +.*simulated'
run intrusive --intrusive --json
check 'with --intrusive an image is read through it' says intrusive \
	'"detail": "acomp from module acomp_sim \(simulated\),.* switched on, an image read, and back"'
check 'and its engine counts' says intrusive '^ +"qat_deflate"$'
check 'the kernel was asked for its options' says intrusive '"CONFIG_EROFS_FS=m"'
check 'EROFS says that it was not built with the kernel' says intrusive 'module erofs: built out of tree'
check 'the switch is back' test "$(cat /sys/fs/erofs/accel)" == ''
rmmod acomp_sim

rmmod erofs
run unloaded
check 'without the module: status 4' status_is unloaded 4
check 'the module is not loaded unasked' test ! -d /sys/module/erofs
check 'it says what to do' says unloaded 'modprobe erofs'
run loads --intrusive
check 'with --intrusive it is loaded' status_is loads 0
check 'and named' says loads '^  ok  EROFS +was loaded'
finish
