#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The QEMU in the folder beside this file, with the libraries that are there too.

set -eu

root=$(dirname "$(readlink -f "$0")")/qemu
export QEMU_MODULE_DIR="$root/usr/lib/x86_64-linux-gnu/qemu"
exec "$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" --argv0 "$(basename "$0")" \
	"$root/usr/bin/qemu-system-x86_64" -L "$root/usr/share/qemu" -L "$root/usr/share/seabios" "$@"
