# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034  # the variables are shared with test_provider.sh
# What the tests of the provider are written with.

refuses() { ! (echo "$2" >"$1"); }

# set_params NAME=VALUE...
set_params()
{
	local pair
	for pair; do
		echo "${pair#*=}" >"$params/${pair%%=*}"
	done
}

# Everything as after loading.
defaults()
{
	local name
	for name in "$params"/*_every "$params"/*_ns "$params"/{hold,ns_per_kib,spread_pct}; do
		echo 0 >"$name"
	done
	set_params engines=2 ring_depth=256 completion=workqueue spread_kind=uniform early_cpu=same \
		error_status=EIO submit_delay_mode=busy submit_delay_where=before
}

reset() { echo reset >"$debug/control"; }

stat_of() { awk -v name="$1" '$1 == name { print $2 }' "$debug/stats"; }

# await STAT OPERATOR VALUE: until that is so, ten seconds at most.
await()
{
	local tries
	for ((tries = 0; tries < 100; tries++)); do
		test "$(stat_of "$1")" "$2" "$3" && return 0
		sleep 0.1
	done
	echo "# waited in vain for $*, it is $(stat_of "$1")"
}

# count CONDITION: how many rows of the log meet it, an awk expression of f("column"), has("column"), kind("kind").
count()
{
	awk -F, '
	function f(name) {
		if (!(name in column)) { print "no column " name >"/dev/stderr"; exit }
		return $column[name]
	}
	function has(name) { return f(name) != "" }
	function kind(name) { return index("|" f("kinds") "|", "|" name "|") }
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	'"$1"' { n++ }
	END { print n + 0 }' "$debug/log"
}

# The service times planned, in the order of the requests' numbers.
service_times()
{
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ print $c["service_ns"] }' "$debug/log"
}

# How many requests were begun while another was being served.
overlaps()
{
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ print $c["start_ns"], $c["final_ns"] }' "$debug/log" | sort -n |
		awk '$1 < last { n++ } $2 > last { last = $2 } END { print n + 0 }'
}

probe_hits() { awk '$1 == "provider_requests" { print $2 }' "$tracing/kprobe_profile"; }

mount_image()
{
	mount -t erofs -o ro,loop "$1" "$work/mnt"
	# Requests of up to 12 KiB are decompressed by the reader itself: as many at once as there are readers.
	echo 1 >"/sys/fs/erofs/$(basename "$(findmnt -no SOURCE "$work/mnt")")/sync_decompress"
}

# Read the large file of an image: $got is its hash, $hits the number of requests, $errors 1 if it failed.
read_image()
{
	local before
	mount_image "$1"
	before=$(probe_hits)
	errors=0
	got=$(sha256sum <"$work/mnt/big" 2>/dev/null) || errors=1
	hits=$(($(probe_hits) - before))
	umount "$work/mnt"
}

read_big() { read_image "$work/$1.img"; }

# Read that many small files, one after the other: $hits as above, $errors is how many failed with EIO.
read_small()
{
	local i before said
	mount_image "$work/16.img"
	before=$(probe_hits)
	errors=0
	for ((i = 0; i < $1; i++)); do
		said=$(cksum "$work/mnt/small/$i" 2>&1 >/dev/null) || true
		[[ $said != *'Input/output error'* ]] || errors=$((errors + 1))
	done
	hits=$(($(probe_hits) - before))
	umount "$work/mnt"
}

# Read that many small files at the same time, in the background: each is one request.
start_readers()
{
	local i
	mount_image "$work/16.img"
	readers=()
	for ((i = 0; i < $1; i++)); do
		cmp "$work/data/small/$i" "$work/mnt/small/$i" &
		readers+=($!)
	done
}

# They end, and each has read the right bytes.
readers_right()
{
	local pid status=0
	for pid in "${readers[@]}"; do
		wait "$pid" || status=1
	done
	umount "$work/mnt"
	return $status
}

prepare()
{
	local i kib
	mkdir -p "$work/data/small" "$work/mnt"
	od -An -tx1 -v -N1500000 /dev/urandom >"$work/data/big"
	for ((i = 0; i < 48; i++)); do
		seq -f "file $i line %05.0f" 1 1000 | head -c 12288 >"$work/data/small/$i" || true
	done
	want=$(sha256sum <"$work/data/big")
	for kib in 4 16 64 256; do
		mkfs.erofs --quiet -zdeflate,level=6 -C$((kib * 1024)) "$work/$kib.img" "$work/data" 2>/dev/null
	done
	# The file's own data fill the middle of the image.
	cp "$work/16.img" "$work/bad.img"
	printf '\xff%.0s' {1..64} |
		dd of="$work/bad.img" bs=1 seek=$(($(stat -c %s "$work/16.img") / 2)) conv=notrunc status=none
	echo 'p:provider_requests crypto_acomp_decompress' >"$tracing/kprobe_events"
	echo 1 >"$tracing/events/kprobes/provider_requests/enable"
}

cleanup()
{
	echo 0 >"$tracing/events/kprobes/provider_requests/enable" 2>/dev/null || true
	: >"$tracing/kprobe_events" || true
	if [[ -d $debug ]]; then
		defaults
		echo release_lost >"$debug/control"
	fi
	umount "$work/mnt" 2>/dev/null || true
	echo >"$accel"
	rm -rf "$work"
}
