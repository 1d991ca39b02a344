#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# accelbench trace in the lab's guest, as root: what it counts against the accelerator's own log, the files' sizes and the block layer.
# timeout: 120

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../check.sh"
accelbench=${ACCELBENCH:-build/accelbench}
work=$(mktemp -d)
debug=/sys/kernel/debug/acomp_sim

cleanup()
{
	umount "$work/a" "$work/b" 2>/dev/null || true
	echo >/sys/fs/erofs/accel || true
	rmmod acomp_sim 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT

prepare()
{
	local name
	mkdir -p "$work/data" "$work/a" "$work/b"
	od -An -tx1 -v -N2000000 /dev/urandom >"$work/data/big"
	size=$(stat -c %s "$work/data/big")
	insmod /kit/modules/acomp_sim.ko
	for name in a b; do
		mkfs.erofs --quiet -zdeflate,level=1 -C16384 "$work/$name.img" "$work/data" 2>/dev/null
		mount -t erofs -o ro,loop "$work/$name.img" "$work/$name"
	done
}

# start NAME ARG...: a trace in the background; it has begun when this returns.
start()
{
	local name=$1 i
	shift
	# A shell's background processes ignore SIGINT otherwise, and what is ignored from the start stays so.
	env --default-signal=INT "$accelbench" trace "$@" >"$work/$name.out" 2>"$work/$name.err" &
	tracer=$!
	for ((i = 0; i < 300; i++)); do
		! grep -q '^tracing' "$work/$name.err" || return 0
		kill -0 $tracer 2>/dev/null || return 0
		sleep 0.1
	done
}

# end SIGNAL: to the tracer; its status.
end()
{
	kill -"$1" $tracer
	wait $tracer && status=0 || status=$?
}

read_cold()
{
	echo 3 >/proc/sys/vm/drop_caches
	cat "$1/big" >/dev/null
}

# number NAME FIELD: of the summary line.
number() { grep '"kind": "summary"' "$work/$1.out" | grep -o "\"$2\": [0-9]*" | head -n 1 | cut -d' ' -f2; }
# sum NAME FIELD: over the interval lines; the mount's own stands before its engines.
sum()
{
	sed -nE "/\"kind\": \"interval\"/s/^[^[]*\"$2\": ([0-9]+).*/\1/p" "$work/$1.out" | awk '{ n += $1 } END { print n + 0 }'
}
# engine NAME ENGINE FIELD: of an engine in the summary.
engine()
{
	sed -nE "/\"kind\": \"summary\"/s/.*\"engine_observed\": \"$2\",[^{]*\"$3\": ([0-9]+).*/\1/p" "$work/$1.out"
}
# about BYTES SIZE: all of them; clusters at the ends of what is read ahead are decoded twice.
about() { [[ $1 -ge $2 && $1 -le $(($2 + $2 / 50)) ]] || { echo "$1 bytes, expected $2 and at most 2 % more" && return 1; }; }
in_log() { awk -F, 'NR > 1' "$debug/log" | wc -l; }

prepare

start software "$work/a" --json --interval 300ms
for _ in 1 2 3; do
	read_cold "$work/a"
	read_cold "$work/b"
done
sleep 0.7
end INT
check "Ctrl-C is how it ends: with a summary, status 0" equal "$status" 0
check "in software: all bytes of one file system, and of no other" about "$(number software out_bytes)" $((3 * size))
check "the intervals make up the summary" equal "$(sum software requests)" "$(number software requests)"
check "their bytes too" equal "$(sum software out_bytes)" "$(number software out_bytes)"
check "more than one interval had requests" test \
	"$(grep '"kind": "interval"' "$work/software.out" | grep -vc '"requests": 0, *"in' || true)" -ge 1
check "the engine is named" grep -q '"engine_observed": "sw:deflate"' "$work/software.out"
check "nothing was lost" equal "$(number software lost)" 0

echo -n qat_deflate >/sys/fs/erofs/accel
echo reset >"$debug/control"
start offload "$work/a" --json --duration 4s
read_cold "$work/a"
read_cold "$work/a"
wait $tracer && status=0 || status=$?
check "--duration ends it: status 0" equal "$status" 0
check "requests of the accelerator as in its log" equal "$(engine offload qat_deflate requests)" "$(in_log)"
check "and all bytes" about "$(number offload out_bytes)" $((2 * size))

start early "$work/a" --duration 1h
end INT
check "before --duration is over: the signal's status, with the summary" equal "$status $(grep -c ' requests in ' "$work/early.out")" "130 1"

start both --interval 500ms --columns 80
read_cold "$work/a"
read_cold "$work/b"
sleep 1.2
end TERM
check "without a path: every file system" equal "$status $(grep -c ' requests in ' "$work/both.out")" "0 2"
check "no line is longer than asked for" fails grep -qE '^.{81}' "$work/both.out"

# Attached and detached under load.
while true; do read_cold "$work/a"; done &
load=$!
lost=0
for _ in {1..5}; do
	start again "$work/a" --json --duration 300ms
	wait $tracer || lost=$((lost + 1))
	[[ $(number again lost) == 0 ]] || lost=$((lost + 1))
done
kill $load
wait $load 2>/dev/null || true
check "attached and detached under load, nothing lost" equal "$lost" 0

check "a path that is not there: status 2" equal "$("$accelbench" trace "$work/none" 2>&1 >/dev/null | grep -c none; echo "${PIPESTATUS[0]}")" $'1\n2'
check "a path on another file system: status 2, with its type" matches \
	"$("$accelbench" trace /proc 2>&1 >/dev/null; echo $?)" "*on proc, and only erofs can be traced*2"
umount "$work/a" "$work/b"
check "nothing mounted: status 4" matches "$("$accelbench" trace 2>&1 >/dev/null; echo $?)" "*no erofs file system is mounted*4"

finish
