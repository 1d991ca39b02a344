#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The doctor on whatever host the tests run on: what it says is well-formed, agrees with itself, and nothing is left behind.

set -euo pipefail

here=$(realpath "$(dirname "$0")")
source "$here/../check.sh"
accelbench=$(realpath "${ACCELBENCH:-$here/../../build/accelbench}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 711 "$work"
cd "$work"

# run NAME ARGUMENT...: leaves NAME.out, NAME.err and NAME.status.
run()
{
	local name=$1 status=0
	shift
	"$@" >"$name.out" 2>"$name.err" || status=$?
	echo "$status" >"$name.status"
}

judge() { python3 "$here/doctor_check.py" "$@"; }
silent() { [[ ! -s $1 ]] || { cat "$1"; return 1; }; }
# What the doctor could leave behind: everything of it has to do with its folder.
state() { { losetup -nO NAME,BACK-FILE; cat /proc/mounts; ls -d /var/tmp/*; } | grep /var/tmp/accelbench- || true; }

state >before
run json "$accelbench" doctor --json --lab-dir "$work/none"
run text "$accelbench" doctor --lab-dir "$work/none"
state >after
check 'JSON is well-formed and agrees with itself and with the exit status' judge json.out "$(<json.status)"
check 'both forms have the same exit status' equal "$(<json.status)" "$(<text.status)"
check 'nothing but the report is said' silent json.err
check 'the text holds every need and hook' judge json.out "$(<json.status)" text.out
check 'the summary names the lab that is missing' grep -Eq 'trace their requests|make lab|as root' text.out
check 'mounts, loop devices and files are as before' diff before after

run unknown "$accelbench" doctor --jsno
check 'a mistyped option is a usage error' equal "$(<unknown.status)" 2
check 'with the name that was meant' grep -q -- "did you mean '--json'" unknown.err

# No tool at all: each is named with its package.
mkdir empty bin
run bare env PATH="$work/empty" "$accelbench" doctor --lab-dir "$work/none"
for package in fio erofs-utils mmdebstrap; do
	check "without tools: says where $package comes from" grep -q "apt install $package" bare.out
done
check 'without tools: no engine can run' grep -q 'can run no scenario\|As user' bare.out

# Interrupted while a tool hangs: the tool is ended, everything is undone.
printf '#!/bin/sh\nexec sleep 100\n' >bin/fio
chmod 755 bin/fio
interrupted()
{
	local status=0 start=$SECONDS
	PATH=$work/bin:$PATH timeout --preserve-status -s INT 2 "$accelbench" doctor --lab-dir "$work/none" || status=$?
	echo "status $status after $((SECONDS - start)) s"
	[[ $status == 130 && $((SECONDS - start)) -lt 30 ]]
}
check 'an interrupt ends it' interrupted
state >after
check 'nothing is left after an interrupt' diff before after

# No room for files, no type information: said, and nothing else is made of it.
if [[ $(id -u) == 0 ]] && unshare -m true; then
	cat >without <<-'EOF'
		mount -t tmpfs -o ro none /var/tmp
		[[ ! -d /sys/kernel/btf ]] || mount -t tmpfs none /sys/kernel/btf
		exec "$1" doctor --lab-dir /nonexistent "${@:2}"
	EOF
	run without unshare -m bash without "$accelbench" --json
	run without-text unshare -m bash without "$accelbench"
	check 'without a folder and without BTF: JSON agrees with itself' judge without.out 4 without-text.out
	check 'without a folder: engines are not tried' grep -q '^  -   lz4 .*not tried: making its images' without-text.out
	check 'without BTF: it says which option is missing' grep -q 'CONFIG_DEBUG_INFO_BTF=y' without.out
	check 'without BTF: no hook is tried' grep -q '^  -   erofs.deflate .*without BTF' without-text.out
else
	echo 'ok - without a folder and without BTF # SKIP needs root'
fi

# As somebody who may nothing. The program is copied since the tree may not be readable for others.
if [[ $(id -u) == 0 ]] && command -v setpriv >/dev/null; then
	cp "$accelbench" program
	chmod 755 program
	install -d -o 65534 -m 700 runtime
	nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups env XDG_RUNTIME_DIR="$work/runtime" ./program doctor)
	run nobody "${nobody[@]}" --json --lab-dir "$work/none"
	run nobody-text "${nobody[@]}" --lab-dir "$work/none"
	check 'without privileges: status 4' equal "$(<nobody.status)" 4
	check 'without privileges: JSON agrees with itself' judge nobody.out 4 nobody-text.out
	check 'without privileges: it says to be root' grep -q 'run the doctor as root' nobody.out
	check 'without privileges: nothing but the report is said' silent nobody.err
else
	skip 'without privileges' 'needs root and setpriv'
fi
finish
