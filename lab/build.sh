#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Builds the lab's guest into a folder: lab/build.sh DIR [--newest-kernel]
#
# Every step keeps a stamp of what it was made from and is skipped while that stays the same. What a guest uses is
# replaced by renaming, so that one that is starting meanwhile sees the old or the new.
# A new kernel is looked for only when the root is built or --newest-kernel asks for it.
#
#   DIR/kbuild     compiler, kernel headers, kernel source: where modules are built
#   DIR/root       the guest's root, usable from the host too (chroot DIR/root mkfs.erofs ...)
#   DIR/disk.img   the same as an ext4 file system
#   DIR/qemu       QEMU, started by DIR/qemu-system-x86_64
#   DIR/kit        what the guest sees as /kit: the modules built here
#   DIR/vmlinux, DIR/initrd.img, DIR/accel (kvm or tcg), DIR/kernel (its version)

set -euo pipefail
umask 022

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SUITE=trixie
program=qemu-system-x86_64
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
DISK_SIZE=2G
# What the guest's disk gets of the kernel's modules.
MODULE_DIRS='arch block crypto fs lib mm net/9p drivers/block drivers/crypto/intel drivers/md drivers/virtio'
# What the guest loads before anything of ours, with what that depends on.
BOOT_MODULES='virtio_blk ext4 9pnet_virtio 9p loop deflate'

die()
{
	echo "lab: $*" >&2
	exit 1
}

# step NAME "AFTER..." KEY FUNCTION [ARG...]: runs FUNCTION unless it already ran for the same KEY and
# none of the steps AFTER ran since. Its output is kept in log/NAME and shown when it fails.
step()
{
	local name=$1 after=$2 key=$3 start=$SECONDS status fresh='' other
	shift 3
	[[ -f stamp/$name && $(<"stamp/$name") == "$key" ]] && fresh=1
	for other in $after; do
		[[ stamp/$other -nt stamp/$name ]] && fresh=''
	done
	[[ -z $fresh ]] || return 0
	rm -f "stamp/$name"
	printf 'lab: %-20s' "$name" >&2
	# Not as a condition: bash would ignore 'set -e' in the function.
	set +e
	(set -e; "$@") >"log/$name" 2>&1
	status=$?
	set -e
	if [[ $status != 0 ]]; then
		echo 'failed' >&2
		tail -n 30 "log/$name" >&2
		die "step '$name' failed; all of its output is in $PWD/log/$name"
	fi
	echo "$key" >"stamp/$name"
	printf '%3d s\n' $((SECONDS - start)) >&2
}

# Hash of the names and contents of the files given.
hash_of() { sha256sum "$@" | sha256sum | cut -c1-16; }

hash_of_tree() { (cd "$1" && find . -type f -print0 | sort -z | xargs -0r sha256sum) | sha256sum | cut -c1-16; }

# Packages of one section of packages.list, comma-separated.
packages() { awk -v s="[$1]" '/^\[/ { on = $0 == s; next } on && NF && !/^#/' "$here/packages.list" | paste -sd,; }

# The Debian archive that this machine uses, whatever the format of its list of sources.
mirror()
{
	local uri=${LAB_MIRROR-}
	# shellcheck disable=SC2016  # the dollar signs are apt's
	[[ -n $uri ]] || uri=$(apt-get indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed -n 1p)
	[[ -n $uri ]] || die "apt on this machine knows no Debian archive: 'apt-get update' if it should, or LAB_MIRROR=URI"
	echo "$uri"
}

# bootstrap VARIANT DIR PACKAGES: a root with the kernel's packages preferred from backports.
bootstrap()
{
	local variant=$1 dir=$2 include=$3 uri
	uri=$(mirror)
	rm -rf "$dir"
	# shellcheck disable=SC2016  # $1 is the hook's
	mmdebstrap --variant="$variant" --include="$include" --keyring="$KEYRING" \
		--aptopt='APT::Install-Recommends "false"' \
		--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/info/*' \
		--setup-hook='mkdir -p "$1/etc/apt/preferences.d" && cp "'"$here"'/kernel.pref" "$1/etc/apt/preferences.d/kernel"' \
		"$SUITE" "$dir" "deb $uri $SUITE main" "deb $uri $SUITE-backports main"
}

make_kbuild()
{
	bootstrap extract kbuild "$(packages kbuild)"
	# Nothing was configured, so what maintainer scripts set up is missing; the kernel's build needs this of it.
	ln -s mawk kbuild/usr/bin/awk
	mkdir kbuild/build
	local dirs=(kbuild/usr/lib/modules/*)
	[[ ${#dirs[@]} == 1 ]] || die "one kernel expected, found: ${dirs[*]##*/}"
	echo "${dirs[0]##*/}" >kernel
}

# number FILE OFFSET BYTES: the little-endian number there.
number() { od -An -t"u$3" -j"$2" -N"$3" "$1" | tr -d ' '; }

# The kernel without its decompressor, which QEMU can start by its PVH note: 1.4 s less under emulation.
# Offsets are those of the x86 boot protocol: setup_sects, payload_offset, payload_length (with a size of 4 bytes behind).
make_vmlinux()
{
	local image=kbuild/usr/lib/modules/$version/vmlinuz start size unpack
	start=$((($(number "$image" 497 1) + 1) * 512 + $(number "$image" 584 4)))
	size=$(($(number "$image" 588 4) - 4))
	case $(od -An -tx1 -j"$start" -N4 "$image" | tr -d ' ') in
	28b52ffd) unpack='zstd -dc --long=31' ;;
	fd377a58) unpack='xz -dc' ;;
	1f8b*) unpack='gzip -dc' ;;
	*) die "$image: unknown compression" ;;
	esac
	# shellcheck disable=SC2086  # words
	dd if="$image" iflag=skip_bytes,count_bytes skip="$start" count="$size" bs=1M status=none |
		in_kbuild $unpack >vmlinux.new
	mv vmlinux.new vmlinux
}

make_root()
{
	bootstrap apt root "$(packages root)"
	mkdir -p root/kit root/lab root/cache
	echo lab >root/etc/hostname
}

# A QEMU of our own: 7.2, which Debian 12 has, and others before 8.1 lose what the kernel patches into its own code while another
# emulated CPU translates it ("Oops: int3" when functions are hooked).
make_qemu()
{
	bootstrap extract qemu "$(packages qemu)"
	install -m 755 "$here/qemu.sh" "$program.new"
	mv "$program.new" "$program"
}

# The folders of the kernel's source that recipes name.
make_source()
{
	local tars=(kbuild/usr/src/linux-source-*.tar.xz) dirs=() dir
	for dir; do
		dirs+=("*/$dir")
	done
	rm -rf source
	mkdir source
	tar -C source -xJf "${tars[0]}" --strip-components=1 --wildcards "${dirs[@]}"
}

# in_kbuild COMMAND...: in the build root, with the /proc that objtool asks for.
in_kbuild()
{
	# shellcheck disable=SC2016  # $0 and $@ are the inner shell's
	unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$PWD/kbuild" "$@"
}

# kbuild FOLDER MODULE RESULT [MAKE VARIABLE...]
# Debugging sections go (BTF stays): the guest loads the result through a slow path.
kbuild()
{
	local folder=$1 module=$2 result=$3
	shift 3
	in_kbuild make -j"$(nproc)" -C "/lib/modules/$version/build" M="/build/$folder" "$@" modules
	mkdir -p kit/modules
	in_kbuild strip --strip-debug -o "/build/$folder/$module.stripped" "/build/$folder/$module.ko"
	mv "kbuild/build/$folder/$module.stripped" "kit/modules/$result.ko"
}

make_recipe()
{
	local name=$1 folder=$2 module=$3 option flags=()
	shift 3
	for option; do
		case $option in
		*=y) flags+=("-D${option%=y}=1") ;;
		*=m) flags+=("-D${option%=m}_MODULE=1") ;;
		*) flags+=("-D$option") ;;
		esac
	done
	rm -rf "kbuild/build/$name"
	cp -r "source/$folder" "kbuild/build/$name"
	kbuild "$name" "$module" "$name" "$@" KCFLAGS="${flags[*]}"
}

# A module of ours: objects of the last build stay, so that a change costs only itself.
make_module()
{
	local name=$1
	mkdir -p "kbuild/build/$name"
	cp -r --preserve=timestamps --update "$here/modules/$name/." "kbuild/build/$name/"
	kbuild "$name" "$name" "$name"
}

make_modules()
{
	local from=kbuild/usr/lib/modules/$version to=root/usr/lib/modules/$version dir
	rm -rf root/usr/lib/modules
	mkdir -p "$to"
	cp "$from"/modules.{order,builtin,builtin.modinfo} "$from/config" "$to"
	for dir in $MODULE_DIRS; do
		mkdir -p "$to/kernel/$dir"
		cp -r "$from/kernel/$dir/." "$to/kernel/$dir/"
	done
	find "$to" -name '*.ko.xz' -print0 | xargs -0r -P"$(nproc)" -n32 xz -d
	chroot root depmod "$version"
}

make_load()
{
	printf '%s\n' "$@" >kit/modules/load.new
	mv kit/modules/load.new kit/modules/load
}

# Signatures go: checking them takes the guest longer than all else about these modules.
make_initrd()
{
	local tree=initrd module path
	rm -rf "$tree"
	mkdir -p "$tree"/{dev,proc,sys,root,modules}
	mkdir -p kbuild/build/guest
	cp "$here"/guest/*.[ch] kbuild/build/guest/
	# shellcheck disable=SC2016  # the inner shell's
	in_kbuild sh -c 'cd /build/guest && gcc -std=gnu11 -Wall -Wextra -O2 -static -s -o init "$@"' sh \
		init.c command.c util.c
	cp kbuild/build/guest/init "$tree/init"
	for module; do
		chroot root modprobe -S "$version" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
		while read -r path; do
			cp "root$path" kbuild/build/boot.ko
			in_kbuild strip --strip-debug /build/boot.ko
			mv kbuild/build/boot.ko "$tree/modules/${path##*/}"
			echo "${path##*/}"
		done >"$tree/modules/order"
	(cd "$tree" && find . | sort | cpio --quiet -o -H newc -R 0:0) >initrd.new
	mv initrd.new initrd.img
}

make_disk()
{
	rm -f disk.new
	mke2fs -q -t ext4 -L labroot -O ^has_journal -m 0 -d root disk.new "$DISK_SIZE"
	mv disk.new disk.img
}

# Is there an acceleration under which this kernel really starts? /dev/kvm that opens proves nothing.
make_accel()
{
	echo tcg >accel
	[[ -w /dev/kvm ]] || return 0
	timeout --kill-after=1 5 "./$program" -accel kvm -cpu host -m 512 -smp 1 -nodefaults -nographic \
		-no-reboot -net none -serial stdio -kernel vmlinux -initrd initrd.img \
		-append 'console=ttyS0 quiet panic=-1 lab.probe' </dev/null | grep -m1 'lab: alive' && echo kvm >accel
	return 0
}

main()
{
	local build=${1:?"usage: lab/build.sh DIR [--newest-kernel]"} tool key line name folder module options
	[[ $(uname -m) == x86_64 ]] || die "the guest is built on x86_64 only"
	[[ $(id -u) == 0 ]] || die "building the guest needs root (it makes Debian roots)"
	for tool in mmdebstrap mke2fs cpio xz; do
		command -v "$tool" >/dev/null || die "$tool is missing: 'make deps' installs it"
	done
	mkdir -p "$build"/{stamp,log,kit}
	cd "$build"
	exec 9>lock
	flock 9
	[[ ${2-} != --newest-kernel ]] || rm -f stamp/kbuild

	step kbuild '' "$SUITE $(packages kbuild) $(hash_of "$here/kernel.pref")" make_kbuild
	version=$(<kernel)
	step qemu '' "$SUITE $(packages qemu) $(hash_of "$here/qemu.sh")" make_qemu
	step vmlinux kbuild '' make_vmlinux
	step root '' "$SUITE $(packages root)" make_root
	step modules 'kbuild root' "$MODULE_DIRS config" make_modules
	step disk modules "$DISK_SIZE" make_disk

	local -a rows=() dirs=() load=() boot=()
	read -ra boot <<<"$BOOT_MODULES"
	mapfile -t rows < <(grep -v -e '^#' -e '^[[:space:]]*$' "$here/recipes.list")
	for line in "${rows[@]}"; do
		read -r name folder module options <<<"$line"
		dirs+=("$folder")
	done
	step source kbuild "${dirs[*]}" make_source "${dirs[@]}"
	for line in "${rows[@]}"; do
		read -r name folder module options <<<"$line"
		# shellcheck disable=SC2086  # options are words
		step "$name.ko" source "$line" make_recipe "$name" "$folder" "$module" $options
		[[ $name == "$module" ]] || continue
		load+=("$name.ko")
		# shellcheck disable=SC2207  # module names are words
		boot+=($(in_kbuild modinfo -F depends "/build/$name/$module.ko" | tr ',' ' '))
	done
	step load '' "${load[*]}" make_load "${load[@]}"
	step initrd modules "${boot[*]} $(hash_of_tree "$here/guest")" make_initrd "${boot[@]}"
	step accel 'vmlinux qemu' "$(uname -r) $(stat -c %i /dev/kvm 2>/dev/null || echo none)" make_accel

	for folder in "$here"/modules/*/; do
		[[ -f $folder/Kbuild ]] || continue
		name=$(basename "$folder")
		step "$name.ko" kbuild "$(hash_of_tree "$folder")" make_module "$name"
	done
}

main "$@"
