#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The tracer against the log of the simulated accelerator: runs inside the lab's guest, as root.
# timeout: 400
#
#   test_truth.sh [CASE...]
#
# Makes and mounts the images that tests/guest/truth reads.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
truth=$here/../../build/tests/guest/truth/truth
work=$(mktemp -d)
mounted=()
status=0
number=0

mount_image()
{
	mkdir -p "$work/$1"
	mounted+=("$work/$1")
	mount -t erofs -o ro,loop "$work/$1.img" "$work/$1"
	# The reader decompresses small files itself, not a kernel thread.
	echo 1 >"/sys/fs/erofs/$(basename "$(findmnt -no SOURCE "$work/$1")")/sync_decompress"
}

unmount_all()
{
	[[ ${#mounted[@]} == 0 ]] || umount "${mounted[@]}"
	mounted=()
}

# make_image NAME ALGORITHM CLUSTER_KIB
make_image()
{
	mkfs.erofs --quiet -z"$2" -C$(($3 * 1024)) "$work/$1.img" "$work/data" 2>/dev/null
	mount_image "$1"
}

# What the kernel runs to load a module, see case_delays.c.
make_modprobe()
{
	cat >"$work/$1" <<-SCRIPT
		#!/bin/sh
		sleep 0.4
		$2
	SCRIPT
	chmod +x "$work/$1"
}

prepare()
{
	local i
	mkdir -p "$work/data/small"
	od -An -tx1 -v -N1000000 /dev/urandom >"$work/data/big"
	# One cluster each.
	for ((i = 0; i < 48; i++)); do
		seq -f "file $i line %05.0f" 1 1000 | head -c 12288 >"$work/data/small/$i" || true
	done
	make_image deflate4 deflate,level=1 4
	make_image deflate64 deflate,level=1 64
	make_modprobe modprobe-late 'exec /sbin/insmod /kit/modules/acomp_sim.ko'
	make_modprobe modprobe-never 'exit 1'
}

load_provider()
{
	insmod /kit/modules/acomp_sim.ko
	echo -n qat_deflate >/sys/fs/erofs/accel
}

unload_provider()
{
	echo >/sys/fs/erofs/accel
	rmmod acomp_sim 2>/dev/null || true
}

cleanup()
{
	unload_provider
	unmount_all || true
	rm -rf "$work"
}
trap cleanup EXIT

# EROFS makes its streams at the first mount of an algorithm: with one there is something to wait for.
with_one_stream()
{
	unmount_all
	rmmod erofs
	insmod /kit/modules/erofs.ko deflate_streams=1
	mount_image deflate64
	run streams
	unmount_all
	rmmod erofs
	insmod /kit/modules/erofs.ko
}

# One after the other, numbered through.
run()
{
	"$truth" ${MECHANISM:+-m "$MECHANISM"} -n "$number" "$work" "$@" | tee "$work/results" || status=1
	number=$((number + $(grep -cE '^(not )?ok ' "$work/results")))
}

all='plain accuracy sync fallback early errors backlog duplicates lost mixture overflow submit_delay wakeup_delay
	other_device before_window attach mechanisms setup_delay software streams'
read -rd '' -a cases <<<"${*:-$all}" || true
wanted() { [[ " ${cases[*]} " == *" $1 "* ]]; }

prepare
# These have the accelerator, and share a tracer.
accelerated=()
for case in "${cases[@]}"; do
	[[ $case == software || $case == streams ]] || accelerated+=("$case")
done
if [[ ${#accelerated[@]} -gt 0 ]]; then
	load_provider
	run "${accelerated[@]}"
	unload_provider
fi
if wanted software; then
	for algorithm in deflate,level=1 lz4 zstd,level=1 lzma,level=0; do
		make_image "${algorithm%,*}" "$algorithm" 16
	done
	run software
fi
if wanted streams; then
	with_one_stream
fi
echo "1..$number"
exit $status
