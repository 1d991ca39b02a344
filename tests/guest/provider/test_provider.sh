#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The acomp provider (lab/modules/acomp_sim) by itself: runs inside the lab's guest, as root.
#
#   test_provider.sh [MODULE.ko [CLIENT.ko]]
#
# Prints "ok N - name" or "not ok N - name" for each test; ends with status 1 if one failed.

set -euo pipefail

module=${1:-/kit/modules/acomp_sim.ko}
client=${2:-${module%/*}/acomp_client.ko}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
params=/sys/module/acomp_sim/parameters
debug=/sys/kernel/debug/acomp_sim
tracing=/sys/kernel/tracing
accel=/sys/fs/erofs/accel
work=$(mktemp -d)

source "$here/../../check.sh"
source "$here/lib.sh"

trap cleanup EXIT
# What the kernel said before is not ours.
dmesg --clear

test_registration()
{
	local entry
	entry=$(awk -v RS= '/driver *: qat_deflate/' /proc/crypto)
	check "registered under the name deflate" grep -q '^name *: deflate$' <<<"$entry"
	check "registered by this module" grep -q '^module *: acomp_sim$' <<<"$entry"
	check "type acomp" grep -q '^type *: acomp$' <<<"$entry"
	check "self-test passed" grep -q '^selftest *: passed$' <<<"$entry"
	check "the self-test really ran" test "$(stat_of selftest_requests)" -gt 0
	check "the self-test is not in the log" equal "$(count 1)" 0
}

test_parameters()
{
	local try name value accepted=''
	for try in engines=0 engines=17 ring_depth=0 spread_pct=101 hold=2 completion=irq \
		early_cpu=both error_status=EPERM service_ns=1000000001 late_delay_ns=-1 sync_every=x; do
		name=${try%%=*} value=${try#*=}
		if (echo "$value" >"$params/$name") 2>/dev/null; then
			accepted+=" $try"
		fi
	done
	check "values out of range are refused:$accepted" equal "$accepted" ''
	set_params completion=softirq error_status=E2BIG engines=16
	check "values in range are taken" equal \
		"$(cat $params/{completion,error_status,engines} | paste -sd,)" softirq,E2BIG,16
	check "unknown commands are refused" refuses "$debug/control" nonsense
	defaults
}

test_accel()
{
	echo -n qat_deflate >$accel
	check "EROFS takes the driver" equal "$(cat $accel)" qat_deflate
	check "unloading is refused while EROFS holds it" fails rmmod acomp_sim
}

# Every request in the log, with what an ordinary request has.
check_plain_log()
{
	local name=$1 hits=$2
	check "$name: the log has every request ($hits)" equal "$(count 1)" "$hits"
	check "$name: counters agree" equal "$(stat_of requests) $(stat_of in_flight)" "$hits 0"
	check "$name: all accepted, completed, full length" equal "$hits" \
		"$(count 'f("ret") == -115 && f("status") == "0" && f("out_bytes") == f("dst_bytes")')"
	check "$name: times in order" equal "$hits" "$(count 'f("submit_ns") <= f("ring_ns") &&
		f("ring_ns") <= f("start_ns") && f("start_ns") < f("final_ns") &&
		f("submit_ns") < f("return_ns") && !has("notify_ns") && !has("dup_ns")')"
	check "$name: numbered without a gap" equal "$hits" "$(count 'f("seq") == NR - 1')"
}

test_clusters()
{
	local kib
	for kib in 4 16 64 256; do
		reset
		read_big $kib
		check "$kib KiB clusters: the data is right" equal "$got" "$want"
		check_plain_log "$kib KiB clusters" "$hits"
		check "$kib KiB clusters: none marked" equal "$(count 'has("kinds")')" 0
	done
}

test_completion()
{
	local kinds=0
	reset
	set_params completion=softirq service_ns=200000
	read_big 16
	kinds=$(count 'f("kinds") == "softirq"')
	check "softirq: the data is right" equal "$got" "$want"
	check_plain_log softirq "$hits"
	check "softirq: every completion came from one" equal "$kinds" "$hits"
	defaults
}

test_service_time()
{
	local first
	reset
	set_params service_ns=1000000 ns_per_kib=10000 engines=1
	read_big 16
	check "service time: base and bandwidth" equal "$hits" \
		"$(count 'f("service_ns") == 1000000 + int(f("out_bytes") * 10000 / 1024)')"
	check "service time: nobody is served faster" equal "$hits" \
		"$(count 'f("final_ns") - f("start_ns") >= f("service_ns")')"
	check "one engine: served one after the other" equal "$(overlaps)" 0
	reset
	set_params ns_per_kib=0 engines=4 spread_pct=50
	read_big 16
	check "four engines: served in parallel" test "$(overlaps)" -gt 0
	check "uniform spread: within its range" equal "$hits" \
		"$(count 'f("service_ns") >= 500000 && f("service_ns") <= 1500000')"
	check "uniform spread: all over its range" test "$(count 'f("service_ns") < 750000')" -gt $((hits / 8)) -a \
		"$(count 'f("service_ns") > 1250000')" -gt $((hits / 8))
	reset
	set_params spread_kind=lognormal
	read_big 16
	first=$(service_times)
	check "lognormal spread: half below the base" test "$(count 'f("service_ns") < 1000000')" -gt $((hits / 3)) -a \
		"$(count 'f("service_ns") > 1000000')" -gt $((hits / 3))
	check "lognormal spread: sigma is half an octave" test "$(count 'f("service_ns") < 707107')" -gt $((hits / 12)) -a \
		"$(count 'f("service_ns") > 1414214')" -gt $((hits / 12)) -a "$(count 'f("service_ns") > 4000000')" -eq 0
	reset
	read_big 16
	check "the same numbers, the same service times" equal "$(service_times)" "$first"
	reset
	set_params seed=2
	read_big 16
	check "another seed, other service times" fails equal "$(service_times)" "$first"
	set_params seed=1
	defaults
}

test_submit_delay()
{
	reset
	set_params service_ns=20000000 submit_delay_ns=3000000 submit_delay_mode=sleep
	read_small 4
	check "sleeping delay before the ring" equal "$hits" \
		"$(count 'f("ring_ns") - f("submit_ns") >= 3000000 && f("return_ns") < f("final_ns")')"
	reset
	set_params submit_delay_mode=busy submit_delay_where=after
	read_small 4
	check "busy delay after the ring" equal "$hits" \
		"$(count 'f("return_ns") - f("ring_ns") >= 3000000 && f("ring_ns") - f("submit_ns") < 3000000')"
	reset
	set_params service_ns=0 submit_delay_ns=10000000 submit_delay_mode=sleep
	read_small 4
	check "a delay longer than the service: completed before the submit returns" equal "$hits" \
		"$(count 'f("final_ns") < f("return_ns") && f("ret") == -115')"
	defaults
}

test_sync()
{
	reset
	set_params sync_every=3
	read_big 16
	check "every 3rd synchronous: the data is right" equal "$got" "$want"
	check "every 3rd synchronous: exactly those" equal "$((hits / 3)) $(stat_of sync)" \
		"$(count 'kind("sync") && f("ret") == 0 && f("seq") % 3 == 0 && !has("final_ns") &&
			f("out_bytes") == f("dst_bytes")') $((hits / 3))"
	check "every 3rd synchronous: the others are not" equal "$((hits - hits / 3))" \
		"$(count 'f("ret") == -115 && has("final_ns")')"
	reset
	set_params sync_every=0 fallback_every=1
	read_big 16
	check "passed on to the fallback: the data is right" equal "$got" "$want"
	check "passed on to the fallback: one nested call for each" equal "$hits" \
		"$((2 * $(count 'kind("fallback") && f("ret") == 0')))"
	defaults
}

test_early()
{
	local cpu
	for cpu in same other; do
		reset
		set_params early_every=2 early_cpu=$cpu
		read_big 16
		check "early, $cpu CPU: the data is right" equal "$got" "$want"
		check "early, $cpu CPU: every 2nd completed before it returned" equal "$((hits / 2))" \
			"$(count 'kind("early") && f("ret") == -115 && f("final_ns") < f("return_ns") && !has("ring_ns")')"
	done
	check "early, other CPU: really another, where there is one" equal "$(($(nproc) > 1 ? hits / 2 : 0))" \
		"$(count 'kind("early") && f("final_cpu") != f("submit_cpu")')"
	defaults
}

# Readers of small files, of which the ring takes two and the backlog the others.
test_backlog()
{
	local late
	for late in 0 2; do
		reset
		set_params hold=1 ring_depth=2 late_every=$late late_delay_ns=200000
		start_readers 10
		await in_backlog -eq 8
		check "backlog, late $late: two in the ring" equal "$(stat_of in_ring)" 2
		check "backlog, late $late: none in flight is completed" equal "$(count 'has("final_ns")')" 0
		set_params hold=0
		check "backlog, late $late: all readers have the right data" readers_right
		check "backlog, late $late: eight were answered EBUSY" equal \
			"$(count 'f("ret") == -16 && kind("backlog") && has("notify_ns") && f("status") == 0')" 8
		check "backlog, late $late: two were not" equal \
			"$(count 'f("ret") == -115 && !has("kinds") && !has("notify_ns")')" 2
		check "backlog, late $late: notified late" equal \
			"$(count 'kind("late") && f("notify_ns") - f("final_ns") >= 200000')" $((late ? 4 : 0))
		check "backlog, late $late: notified in time, before the ring" equal \
			"$(count 'kind("backlog") && !kind("late") && f("notify_ns") <= f("ring_ns")')" $((late ? 4 : 8))
		defaults
	done
}

test_duplicates()
{
	local context
	for context in workqueue softirq; do
		reset
		set_params dup_every=2 completion=$context
		read_big 16
		check "duplicated, $context: the data is right" equal "$got" "$want"
		check "duplicated, $context: every 2nd, exactly" equal "$((hits / 2)) $hits" \
			"$(count 'kind("dup") && f("dup_ns") >= f("final_ns") && f("seq") % 2 == 0') $(count 'f("status") == 0')"
	done
	check "duplicated: those come from no softirq, the others do" equal "$((hits - hits / 2))" \
		"$(count 'f("kinds") == "softirq"')"
	defaults
}

test_errors()
{
	local try name value
	for try in EIO=-5 EBADMSG=-74 E2BIG=-7; do
		name=${try%%=*} value=${try#*=}
		reset
		set_params error_every=1 error_status="$name"
		read_small 4
		check "$name from the callback: the readers get EIO" equal "$errors" 4
		check "$name from the callback: in the log" equal "$hits" \
			"$(count "kind(\"error\") && f(\"ret\") == -115 && f(\"status\") == $value")"
		reset
		set_params error_every=0 sync_error_every=1
		read_small 4
		check "$name at once: the readers get EIO" equal "$errors" 4
		check "$name at once: in the log" equal "$hits" \
			"$(count "kind(\"sync_error\") && f(\"ret\") == $value && !has(\"final_ns\")")"
		defaults
	done
	reset
	set_params error_every=5
	read_big 16
	check "every 5th fails: exactly those" equal "$((hits / 5)) $((hits - hits / 5))" \
		"$(count 'kind("error") && f("seq") % 5 == 0') $(count 'f("status") == 0')"
	defaults
	reset
	read_image "$work/bad.img"
	check "damaged data: the reader gets an error" equal "$errors" 1
	check "damaged data: found by the codec" test "$(count 'kind("bad_data") && f("status") < 0')" -gt 0
}

test_lost()
{
	reset
	set_params lost_every=1
	start_readers 3
	await lost_now -eq 3
	sleep 0.2
	check "lost: the readers hang" equal "$(jobs -rp | wc -l)" 3
	check "lost: their age is known" test "$(stat_of lost_oldest_ns)" -gt 200000000
	check "lost: no reset with requests in flight" refuses "$debug/control" reset
	set_params lost_every=0
	echo release_lost >$debug/control
	check "released: all readers have the right data" readers_right
	check "released: in the log" equal "$(count 'f("kinds") == "lost|released" && f("status") == 0 &&
		f("final_ns") - f("start_ns") > 200000000')" 3
	check "released: nothing left" equal "$(stat_of lost_now) $(stat_of in_flight)" "0 0"
	defaults
}

# Everything at once, on all CPUs: nobody may be left waiting, nothing may be wrong.
test_mixture()
{
	local i
	reset
	set_params sync_every=11 fallback_every=13 early_every=7 early_cpu=other dup_every=5 late_every=2 \
		ring_depth=1 engines=3 completion=softirq service_ns=100000 spread_pct=80 spread_kind=lognormal
	for i in 1 2 3; do
		set_params hold=1
		start_readers 48
		await in_backlog -gt 4
		set_params hold=0
		check "mixture, round $i: all readers have the right data" readers_right
	done
	check "mixture: every request ended once" equal "$(count 1) 0" \
		"$(count 'f("ret") == 0 || f("status") == "0"') $(stat_of in_flight)"
	check "mixture: backlogged, of them every 2nd notified late" equal \
		"$(stat_of late)" "$(($(stat_of backlog) / 2))"
	defaults
}

# What EROFS never asks, see acomp_client.c: of its requests 2 + 1 compressions and 2 + 1 decompressions succeed,
# one compression and two decompressions find no room or no end, five are impossible.
test_client()
{
	local answer
	reset
	set_params hold=1 ring_depth=2 dup_every=1
	insmod "$client" &
	await ring_full -eq 3
	set_params hold=0
	wait $! && answer=right || answer=wrong
	check "another caller: all its requests are answered right" equal "$answer" right
	check "another caller: full ring without backlog" equal "$(count 'kind("ring_full") && f("ret") == -28')" 3
	check "another caller: compressions and decompressions" equal "3 3" \
		"$(count 'f("op") == "compress" && f("status") == "0"') $(count 'f("op") == "decompress" && f("status") == "0"')"
	check "another caller: no room, no end" equal "$(count 'kind("bad_data") && f("status") < 0')" 3
	check "another caller: impossible requests" equal "$(count 'kind("rejected") && f("ret") == -22')" 5
	check "another caller: its callback is never called twice" equal \
		"$(stat_of dup) $(stat_of skipped)" "0 $(count 'has("final_ns")')"
	rmmod acomp_client || true
	defaults
}

test_unload()
{
	echo >$accel
	check "unloads when nobody holds it" rmmod acomp_sim
	check "nothing is left of it" equal "$(grep -c qat_deflate /proc/crypto || true)$(ls -d $debug 2>/dev/null)" 0
	read_image "$work/16.img"
	check "EROFS goes on in software" equal "$got" "$want"
	# Neither may disturb the self-test: on hold it would never end.
	insmod "$module" log_entries=10 sync_every=1 hold=1
	echo -n qat_deflate >$accel
	read_image "$work/16.img"
	check "parameters hold from loading on" equal "$(stat_of sync)" "$hits"
	check "full log: ten rows, the others are counted" equal "$(count 1) $(stat_of log_dropped)" "10 $((hits - 10))"
	echo >$accel
	rmmod acomp_sim
}

test_kernel_log()
{
	local found
	found=$(dmesg | grep -Ei 'WARNING:|BUG:|KASAN|Oops|blocked for more than|lockup|stall|corruption|refcount_t' || true)
	check "the kernel's log has no complaint: $found" equal "$found" ''
}

prepare
insmod "$module"
test_registration
test_parameters
test_accel
test_clusters
test_completion
test_service_time
test_submit_delay
test_sync
test_early
test_backlog
test_duplicates
test_errors
test_lost
test_mixture
test_client
test_unload
test_kernel_log
finish
