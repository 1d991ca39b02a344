#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2054  # the commas are QEMU's
# Boots the guest and runs one command in it: for developers and tests. The protocol is in lab/README.md.

set -euo pipefail

usage()
{
	cat <<'EOF'
usage: lab/boot.sh [OPTION...] [--] [COMMAND [ARG...]]
Runs COMMAND in the guest, with its output on this one's; without a command: a shell on the guest's console.

  -b DIR      the built lab (default: build/lab beside the script's folder)
  -s DIR      folder shared with the guest as /lab (default: a temporary one, removed at the end)
  -c N        CPUs (default 2)
  -m MIB      memory (default 4096)
  -C FILE     raw ext4 image mounted read-write at /cache
  -e N=VALUE  environment variable for the command (repeat)
  -w DIR      working folder in the guest (default /)
  -t SECONDS  time-out of the whole run (default 300)
  -k FILE     console log (default: console.log in the shared folder; kept when the run fails)
  -a ACCEL    kvm or tcg (default: what the build found to work)
  -x OPTION   further kernel option (repeat)
  -q OPTION   further word for QEMU (repeat)
  -d          deterministic: one CPU, guest time is an instruction count
  -o          an oops does not end the guest

Exit status: the command's; 3 when the guest panicked, hung or did not start (the console log says more).
EOF
}

die()
{
	echo "boot.sh: $*" >&2
	exit 2
}

build=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build/lab
share='' cpus=2 memory=4096 cache='' env=() cwd=/ timeout=300 console='' accel='' kernel=() extra=()
deterministic='' oops='oops=panic'
while getopts b:s:c:m:C:e:w:t:k:a:x:q:doh option; do
	case $option in
	b) build=$OPTARG ;;
	s) share=$OPTARG ;;
	c) cpus=$OPTARG ;;
	m) memory=$OPTARG ;;
	C) cache=$OPTARG ;;
	e) env+=("$OPTARG") ;;
	w) cwd=$OPTARG ;;
	t) timeout=$OPTARG ;;
	k) console=$OPTARG ;;
	a) accel=$OPTARG ;;
	x) kernel+=("$OPTARG") ;;
	q) extra+=("$OPTARG") ;;
	d) deterministic=1 ;;
	o) oops='' ;;
	h) usage && exit 0 ;;
	*) usage >&2 && exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[[ -f $build/disk.img ]] || die "$build: no built guest there; 'make lab' builds it"

temporary=''
if [[ -z $share ]]; then
	temporary=$(mktemp -d "${TMPDIR:-/tmp}/lab.XXXXXX")
	share=$temporary
fi
mkdir -p "$share/in" "$share/out"
rm -f "$share/in/argv" "$share/in/env" "$share/out/status"
console=${console:-$share/console.log}

if [[ -n $deterministic ]]; then
	cpus=1
	machine=(-accel 'tcg,thread=single' -icount 'shift=1,sleep=off' -rtc 'clock=vm,base=2026-01-01' -seed 1 -cpu max)
	kernel+=(nokaslr)
elif [[ ${accel:=$(<"$build/accel")} == kvm ]]; then
	machine=(-accel kvm -cpu host)
else
	machine=(-accel 'tcg,thread=multi' -cpu max)
fi

qemu=("$build/qemu-system-x86_64" "${machine[@]}" -machine q35 -m "$memory" -smp "$cpus" -nodefaults -display none -no-reboot -net none
	-kernel "$build/vmlinux" -initrd "$build/initrd.img"
	-append "console=ttyS0 quiet panic=-1 $oops nowatchdog ${kernel[*]}"
	-drive "if=none,id=root,format=raw,snapshot=on,file=$build/disk.img"
	-device 'virtio-blk-pci,drive=root,serial=root'
	-virtfs "local,id=kit,path=$build/kit,mount_tag=kit,security_model=none,readonly=on"
	-virtfs "local,id=lab,path=$share,mount_tag=lab,security_model=none")
[[ -z $cache ]] || qemu+=(-drive "if=none,id=cache,format=raw,cache=writeback,file=$cache"
	-device 'virtio-blk-pci,drive=cache,serial=cache')
qemu+=("${extra[@]}")

if [[ $# == 0 ]]; then
	exec "${qemu[@]}" -serial stdio
fi

printf '%s\0' "$@" >"$share/in/argv"
[[ ${#env[@]} == 0 ]] || printf '%s\0' "${env[@]}" >"$share/in/env"
printf %s "$cwd" >"$share/in/cwd"
qemu+=(-serial "file:$console" -device virtio-serial-pci
	-add-fd fd=3,set=3 -chardev file,id=stdout,path=/dev/fdset/3,append=on
	-device virtserialport,chardev=stdout,name=accelbench.stdout
	-add-fd fd=4,set=4 -chardev file,id=stderr,path=/dev/fdset/4,append=on
	-device virtserialport,chardev=stderr,name=accelbench.stderr
	-chardev stdio,id=control,signal=off
	-device virtserialport,chardev=control,name=accelbench.control)

# The guest's ports are pipes (QEMU wants them write-only); its own words go to the console log's neighbour.
ended=0
(
	{
		timeout --foreground --kill-after=5 "$timeout" "${qemu[@]}" 3>&5 4>&1 </dev/null \
			>"$console.qemu" 2>&1 5>&-
	} | cat >&2
	exit "${PIPESTATUS[0]}"
) 5> >(cat) || ended=$?
wait

if [[ -f $share/out/status ]]; then
	status=$(<"$share/out/status")
	[[ -z $temporary ]] || rm -rf "$temporary"
	exit "$status"
fi
{
	if [[ $ended == 124 || $ended == 137 ]]; then
		echo "boot.sh: the guest was ended after $timeout s"
	else
		echo "boot.sh: the guest ended without an exit status (panic, or it did not start)"
	fi
	cat "$console.qemu"
	tail -n 20 "$console" 2>/dev/null || true
	echo "boot.sh: console log: $console"
} >&2
[[ -z $temporary || $console == "$temporary"/* ]] || rm -rf "$temporary"
exit 3
