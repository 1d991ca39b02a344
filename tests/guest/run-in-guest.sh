#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs the programs of /lab/in/tests.list inside the guest, one after the other, for tests/run on the host.
# A line there: name, time-out in seconds, path. Output goes to /lab/out/NAME.log; standard output says
# "end NAME STATUS SECONDS" after each. What a test leaves changed, or the kernel's complaints meanwhile, go to
# /lab/out/NAME.left.*; either fails the test, and like a time-out makes this guest unfit for the next: the host boots another.

set -euo pipefail

cd /lab/in
export ACCELBENCH=$PWD/build/accelbench CMOCKA_MESSAGE_OUTPUT=TAP TZ=UTC

# What a test has to leave as it found it.
state()
{
	grep -v -e ' cgroup' -e ' autofs' /proc/mounts || true
	losetup -nO NAME,BACK-FILE
	cat /sys/fs/erofs/accel /sys/kernel/tracing/kprobe_events 2>/dev/null || true
	local module
	for module in /kit/modules/*.ko; do
		awk -v name="$(basename "$module" .ko)" '$1 == name { print name }' /proc/modules
	done
}

complaints()
{
	dmesg | grep -E 'WARNING:|BUG:|Oops|blocked for more than|lockup|rcu.*stall|corruption|refcount_t:|KASAN' || true
}

while read -r name timeout path <&3; do
	log=/lab/out/$name.log
	mkdir -p "${log%/*}"
	dmesg --clear
	state >/run/before
	start=$EPOCHREALTIME
	status=0
	TMPDIR=$(mktemp -d) timeout -k 10 "$timeout" "$path" >"$log" 2>&1 </dev/null || status=$?
	end=$EPOCHREALTIME
	state >/run/after
	left=${log%.log}.left
	diff /run/before /run/after >"$left.state" && rm "$left.state"
	complaints >"$left.kernel-log"
	[[ -s $left.kernel-log ]] || rm "$left.kernel-log"
	rm -rf /tmp/tmp.*
	awk -v name="$name" -v status=$status -v start="$start" -v end="$end" \
		'BEGIN { printf "end %s %d %.1f\n", name, status, end - start }'
	if [[ $status == 124 || $status == 137 ]] || compgen -G "$left.*" >/dev/null; then
		break
	fi
done 3<tests.list
