#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# boot: own
# timeout: 600
# The lab's guest as its users see it: what it has, and how each way in which a run can end is told apart.
# Runs on the host, with the guest in build/lab (or the folder given) and the program in $ACCELBENCH.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../check.sh"
root=$(cd "$here/../../.." && pwd)
lab=$(cd "${1:-$root/build/lab}" && pwd)
accelbench=${ACCELBENCH:-$root/build/accelbench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run [OPTION...] -- COMMAND...: in the guest, into the files out and err, with $status and $took.
run()
{
	local start=$SECONDS
	status=0
	"$accelbench" -v lab -b "$lab" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
	took=$((SECONDS - start))
}

value() { sed -n "s/^$1=//p" "$work/out"; }

test_guest()
{
	mkdir -p "$work/share/in"
	cp "$here/in_guest.sh" "$work/share/in/"
	run -s "$work/share" -C /usr/share -e LAB_TEST='a b' -t 90s run -- bash /lab/in/in_guest.sh 'one two' '' $'new\nline'
	check "a command that succeeds" equal "$status" 0
	check "arguments arrive as they are" equal "$(value arguments) $(sed -n '/^line/p' "$work/out")" \
		'<one two><><new line>'
	check "environment" equal "$(value environment)" 'a b'
	check "folder" equal "$(value folder)" /usr/share
	check "the kernel that was built for" equal "$(value kernel)" "$(<"$lab/kernel")"
	check "two processors" equal "$(value processors)" 2
	check "EROFS knows accelerators" equal "$(value accel)" there
	check "EROFS has its types" equal "$(value btf)" function
	check "functions of EROFS can be traced" equal "$(value ftrace)" '[erofs]'
	check "all file systems are mounted" equal "$(value mounts)" ''
	check "the time-stamp counter is the clock" equal "$(value clock)" tsc
	check "an EROFS image with deflate reads back the same" equal "$(value hash)" same
	check "its decoder was seen by a kprobe" equal "$(value decoded)" yes
	check "standard error apart" equal "$(grep -c 'on stderr' "$work/err")" 1
	check "nothing of stderr on stdout" equal "$(grep -c 'on stderr' "$work/out" || true)" 0
	check "results come back" equal "$(<"$work/share/out/result")" 'a result'
}

test_statuses()
{
	run -t 90s run -- bash -c 'accelbench --version; exit 3'
	check "status 3 of the command" equal "$status $(wc -l <"$work/out")" '3 1'
	run -t 90s run -- bash -c 'kill -KILL $$'
	check "a command that dies of a signal" equal "$status" 137
	run -t 90s run -- /no/such/program
	check "a command that does not exist" equal "$status" 127
	run -b "$work" run -- true
	check "no guest was built" equal "$status" 4
	status=0
	"$root/lab/boot.sh" -b "$lab" -t 90 -- bash -c 'echo out; echo err >&2; exit 7' >"$work/out" 2>"$work/err" || status=$?
	check "the same by the script" equal "$status $(<"$work/out") $(<"$work/err")" '7 out err'
	status=0
	"$root/lab/boot.sh" -b "$lab" -t 90 -k "$work/console" -- bash -c 'echo c >/proc/sysrq-trigger' 2>"$work/err" || status=$?
	check "a panic by the script" equal "$status $(grep -c 'Kernel panic' "$work/console")" '3 1'
}

# The emulator of QEMU before 8.1 dies of this in two seconds; see lab/README.md.
test_patching()
{
	rm -rf "$work/share"
	mkdir -p "$work/share/in"
	cp "$here/patch_code.sh" "$work/share/in/"
	run -s "$work/share" -t 90s run -- bash /lab/in/patch_code.sh 10
	check "functions can be hooked while they run" equal "$status $(value rounds | grep -c '^[1-9]')" '0 1'
}

test_crash()
{
	run -t 90s -k "$work/console" run -- bash -c 'echo before; echo c >/proc/sysrq-trigger; sleep 60'
	check "a panic ends with status 3" equal "$status" 3
	check "at once" test "$took" -lt 30
	check "what came before it was printed" equal "$(<"$work/out")" before
	check "and is called a crash" grep -q 'the guest crashed .*Kernel panic' "$work/err"
	check "its console is kept" grep -q 'sysrq: Trigger a crash' "$work/console"
}

test_hang()
{
	run -t 12s -k "$work/console" run -- bash -c 'echo before; exec sleep 1000'
	check "a hang ends with status 3" equal "$status" 3
	check "in time" test "$took" -le 18
	check "and is called a hang" grep -q 'did not end in time' "$work/err"
	check "the console has the tasks' stacks" grep -q 'sysrq: Show Blocked State' "$work/console"
	run --boot-timeout 1s -k "$work/console" run -- true
	check "a guest that does not start ends with status 3" equal "$status $(grep -c 'did not start' "$work/err")" '3 1'
}

# The command gets the signal, cleans up, and its results are there; our own status is that of the signal.
test_interrupt()
{
	rm -rf "$work/share"
	mkdir "$work/share"
	# Job control gives the program the default action for SIGINT back, which a background command has not.
	set -m
	"$accelbench" lab -b "$lab" -s "$work/share" -t 90s run -- bash -c \
		'trap "echo cleaned >/lab/out/trap; exit 9" INT; touch /lab/out/ready; while :; do sleep 0.2; done' \
		2>"$work/err" &
	local pid=$!
	set +m
	check "a command starts" wait_for_command
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	check "an interrupt ends with the signal's status" equal "$status" 130
	check "the command could clean up" equal "$(cat "$work/share/out/trap" 2>&1)" cleaned
}

wait_for()
{
	local seconds=$1
	shift
	for ((i = 0; i < seconds * 10; i++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

wait_for_command()
{
	wait_for 60 test -e "$work/share/out/ready" || { cat "$work/err" "$work/share/console.log"; return 1; }
}

qemu_of() { pgrep -f "path=$1,mount_tag=lab" || true; }

gone() { [[ -z $(qemu_of "$1") ]]; }

test_death()
{
	rm -rf "$work/share"
	mkdir "$work/share"
	"$accelbench" lab -b "$lab" -s "$work/share" -t 90s run -- sh -c 'touch /lab/out/ready; sleep 1000' 2>"$work/err" &
	local pid=$!
	check "another command starts" wait_for_command
	check "a guest runs" test -n "$(qemu_of "$work/share")"
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null || true
	check "and dies with the program" wait_for 3 gone "$work/share"
}

test_cache_disk()
{
	mkdir "$work/cache"
	echo "from the host" >"$work/cache/host"
	mke2fs -q -F -t ext4 -d "$work/cache" "$work/cache.img" 16M >/dev/null
	run --cache-disk "$work/cache.img" -t 90s run -- sh -c 'cat /cache/host && echo "from the guest" >/cache/guest'
	check "the cache disk is seen" equal "$status $(<"$work/out")" '0 from the host'
	check "and written" equal "$(debugfs -R 'cat /guest' "$work/cache.img" 2>/dev/null)" 'from the guest'
	check "and left clean" e2fsck -fn "$work/cache.img"
}

# The same instructions take the same time in two guests, however busy this machine is. The quickest of four rounds: the
# kernel has work left from its start.
test_deterministic()
{
	# shellcheck disable=SC2016  # for the guest's shell
	local rounds='nproc; for round in 1 2 3 4; do s=${EPOCHREALTIME/./}
		for ((i = 0; i < 20000; i++)); do :; done; echo $((${EPOCHREALTIME/./} - s)); done'
	local first second
	run --deterministic -t 180s run -- bash -c "$rounds"
	first=$(sed 1d "$work/out" | sort -n | sed -n 1p)
	check "a deterministic guest has one processor" equal "$(sed -n 1p "$work/out")" 1
	run --deterministic -t 180s run -- bash -c "$rounds"
	second=$(sed 1d "$work/out" | sort -n | sed -n 1p)
	check "its time is repeatable: $first us, $second us" awk -v a="$first" -v b="$second" \
		'BEGIN { exit !(a > 0 && (a - b) / a < 0.01 && (b - a) / a < 0.01) }'
}

test_guest
test_statuses
test_patching
test_crash
test_hang
test_interrupt
test_death
test_cache_disk
test_deterministic
finish
