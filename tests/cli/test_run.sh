#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What can go wrong around a run on this kernel: each time one message, the right exit status, nothing left behind, and what
# was measured is kept. Images and mounts themselves: test_images.sh.
# timeout: 300
# shellcheck disable=SC2317  # functions are called through check()
set -euo pipefail

top=$(realpath "$(dirname "$0")/../..")
accelbench=$(realpath "${ACCELBENCH:-$top/build/accelbench}")
# shellcheck source=tests/check.sh
. "$top/tests/check.sh"

if [[ $(id -u) != 0 ]]; then
	echo '1..0 # SKIP mounting needs root'
	exit 0
fi
for tool in fio mkfs.erofs losetup setpriv unshare; do
	if ! command -v "$tool" >/dev/null; then
		echo "1..0 # SKIP $tool is not installed"
		exit 0
	fi
done

work=$(mktemp -d)
tidy()
{
	# A subshell that a signal ends before its program begins comes here too.
	[[ $BASHPID == "$$" ]] || return 0
	umount "$work/small" 2>/dev/null || true
	rm -rf "$work"
}
trap tidy EXIT
cd "$work"
chmod 755 .
mkdir bin small

# scenario DATASET ENGINES [WORKLOAD]: writes scenario.yaml.
scenario()
{
	cat >scenario.yaml <<-END
		name: faults
		description: What can go wrong.
		dataset: {$1}
		filesystem: erofs
		matrix:
		  engine: [$2]
		  cluster: [16KiB]
		workloads:
		  seqread: {${3:-rw: read, bs: 4k}}
		repeat: 2
		trace: {phases: none}
	END
}
text='generate: {kind: text, size: 1MiB, seed: 1}'

# fake PROGRAM SCRIPT: stands before the real one while it is there.
fake()
{
	printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"
	chmod 755 "bin/$1"
}
version="[[ \$1 != --version ]] || { echo fio-3.33; exit; }"

# start ARGUMENT...: a run in the background, $pid. With --resume it knows itself where its results go.
start()
{
	local place=(-o "${out_dir:-results}")
	[[ " $* " != *' --resume '* ]] || place=()
	rm -f out err
	(
		PATH=$work/bin:$PATH
		exec "$accelbench" run --target host --cache "$work/cache" "${place[@]}" scenario.yaml "$@"
	) >out 2>err &
	pid=$!
}

# After every way out: no loop device, mount, folder, journal or process of the run $1.
nothing_left()
{
	local i left
	for ((i = 0; i < 50; i++)); do
		left=$(losetup --list --noheadings --output BACK-FILE | grep -F "$work" || true)
		[[ -n $left ]] || break
		sleep 0.1
	done
	left+=$(grep -hF "$work/cache" /proc/[0-9]*/mountinfo 2>/dev/null || true)
	left+=$(find cache "${out_dir:-results}" \( -name '*.partial' -o -name '.*' \) 2>/dev/null || true)
	left+=$(find /run/accelbench -name "$1-*.undo" 2>/dev/null || true)
	left+=$(ls cache/locks 2>/dev/null || true)
	left+=$(pgrep -f "$work/bin/" || true)
	[[ -z $left ]] || { echo "left behind: $left" && return 1; }
}

# ends STATUS ARGUMENT...: how a run ends. At most one error, no control character; leaves out and err.
ends()
{
	local expected=$1 got=0 pid
	shift
	rm -rf "${out_dir:-results}/"* 2>/dev/null || true
	start "$@"
	wait "$pid" || got=$?
	equal "exit status $got" "exit status $expected" || { cat err; return 1; }
	nothing_left "$pid" || return 1
	if LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]' err out; then
		echo 'control characters on the terminal'
		return 1
	fi
	[[ $expected == 0 || $expected == 3 ]] || equal "errors: $(grep -c 'error: ' err)" 'errors: 1'
}
said() { grep -qF -- "$1" err || { cat err; return 1; }; }
silent() { [[ ! -s out ]] || { cat out; return 1; }; }
kept() { compgen -G "${out_dir:-results}/*/result.json" >/dev/null; }
report() { "$accelbench" report results/* >reported 2>&1 || { cat reported && return 1; }; }

# --- input ---

# wrong_input DATASET WORDS
wrong_input()
{
	scenario "$1" none
	ends 2 && said "$2" && silent && fails kept && fails said 'result: '
}
: >empty
mkfifo fifo
head -c 20000 /dev/urandom >noise
check 'a dataset that is missing' wrong_input 'path: missing' 'correct dataset.path'
check 'a dataset that is empty' wrong_input 'path: empty' 'the dataset is empty'
check 'a dataset that is a fifo' wrong_input 'path: fifo' 'neither file nor folder'
check 'a dataset that is a device' wrong_input 'path: /dev/zero' 'neither file nor folder'
check 'a dataset with another hash' wrong_input "path: noise, sha256: \"$(printf '%064d' 0)\"" 'dataset.sha256 demands'

folder()
{
	mkdir -p folder
	cp noise folder/a
	head -c 5000 noise >folder/b
	scenario 'path: folder' none
	ends 0 && grep -q 'a, 19.5 KiB, largest file of a folder of 24.4 KiB\|a, 20000 B, largest file' out
}
check 'a folder as dataset: its largest file is read, to its own end' folder

strange_name()
{
	mkdir -p names
	cp noise $'names/\e[31mred\n'
	scenario 'path: names' none
	ends 3 && said 'rename the file'
}
check 'a file name with escape sequences' strange_name

# --- programs ---

scenario "$text" none
# with_fio STATUS SCRIPT WORDS
with_fio()
{
	local status=0
	fake fio "$2"
	ends "$1" --set timeout=1s && said "$3" || status=1
	rm bin/fio
	return $status
}
check 'fio is too old' with_fio 4 'echo fio-2.21' 'too old: install version 3.0'
check 'fio exits with an error' with_fio 3 "$version; echo no luck >&2; exit 1" 'exit status 1: no luck'
check 'fio crashes' with_fio 3 "$version; kill -SEGV \$\$" 'signal 11'
check 'fio says nothing' with_fio 3 "$version" 'fio printed no result'
check 'fio prints garbage' with_fio 3 "$version; printf 'a\\e]0;b\\ac\\n\\xc2\\x9b31m{'" 'it said: a\x1b]0;b\x07c \x9b31m{'
check 'fio prints text before its result' with_fio 0 "$version; echo 'note: {'; exec $(command -v fio) \"\$@\"" 'result: '
check 'fio neither ends nor obeys' with_fio 3 "$version; trap '' TERM; while :; do sleep 1; done" 'timed out'

no_fio()
{
	local got=0
	# shellcheck disable=SC2016  # expanded by the inner shell
	unshare -m bash -c 'mount --bind /dev/null "$(command -v fio)" && exec "$0" "$@"' \
		"$accelbench" run --target host --cache cache -o results scenario.yaml >out 2>err || got=$?
	equal $got 4 && said 'install package fio' && silent
}
check 'no fio' no_fio

no_modprobe()
{
	local status=0
	fake modprobe 'exit 1'
	ends 0 || status=1
	rm bin/modprobe
	return $status
}
check 'modprobe fails, the file system is there' no_modprobe

# --- engines ---

no_accelerator()
{
	scenario "$text" 'lz4, qat_deflate'
	ends 0 && report && grep -q '1 valid, 1 skipped' reported || return 1
	scenario "$text" qat_deflate
	ends 4 && said 'nothing could run here: '
}
if [[ -e /sys/fs/erofs/accel ]]; then
	skip 'no accelerator: the others run' 'this kernel has one'
else
	check 'no accelerator: the others run' no_accelerator
fi

# --- privileges, parts of the system hidden ---

scenario "$text" none
not_root()
{
	local got=0
	setpriv --reuid 65534 --regid 65534 --clear-groups "$accelbench" run --target host -o results scenario.yaml \
		>out 2>err || got=$?
	equal $got 4 && said 'needs root' && silent
}
check 'not root' not_root

without_capability()
{
	local got=0
	setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$accelbench" run --target host --cache cache -o results \
		scenario.yaml >out 2>err || got=$?
	equal $got 4 && said 'CAP_SYS_ADMIN' && silent
}
check 'root without CAP_SYS_ADMIN' without_capability

# hidden STATUS WORDS PATH...: with these folders empty.
hidden()
{
	local status=$1 words=$2 got=0
	shift 2
	# shellcheck disable=SC2016  # expanded by the inner shell
	unshare -m bash -c 'for f in '"$*"'; do if [[ -d $f ]]; then mount -t tmpfs none $f
		elif [[ -e $f ]]; then mount --bind /dev/null $f; fi || exit 9; done; exec "$@"' - \
		"$accelbench" run --target host --cache cache -o results --set trace.phases=all scenario.yaml >out 2>err || got=$?
	equal $got "$status" && said "$words"
}
check 'no BTF, no tracefs' hidden 0 'result: ' /sys/kernel/btf /sys/kernel/tracing /sys/kernel/debug
check 'no facts about the machine' hidden 0 'result: ' /proc/cpuinfo /proc/stat /proc/crypto /proc/meminfo /proc/version
check 'no /sys/block' hidden 0 'result: ' /sys/block
check 'no loop device left' hidden 4 'nothing could run here: no loop device left' /dev/loop-control

# with_dev STATUS WORDS NODE...: with only these in /dev.
with_dev()
{
	local status=$1 words=$2 got=0
	shift 2
	mkdir -p dev
	# shellcheck disable=SC2016  # expanded by the inner shell
	unshare -m bash -c 'mount -t tmpfs none dev || exit 9; for f in '"$*"'; do cp -a /dev/$f dev || exit 9; done
		mount --move dev /dev || exit 9; exec "$@"' - \
		"$accelbench" run --target host --cache cache -o results scenario.yaml >out 2>err || got=$?
	equal $got "$status" && said "$words"
}
check 'a loop device that is not in /dev' with_dev 4 'is free and not in /dev' null zero random urandom loop-control
check 'no loop driver' with_dev 4 'load the kernel'\''s loop driver' null zero random urandom

no_loop_device_needed()
{
	scenario "$text" none
	printf 'backing: file\n' >>scenario.yaml
	with_dev 0 'result: ' null zero random urandom
}
check 'no loop driver, and none is needed' no_loop_device_needed
scenario "$text" none

# --- disks ---

# on_disk STATUS OPTIONS WORDS: results go to a small file system.
on_disk()
{
	local status=0 out_dir=small/results
	mount -t tmpfs -o "$2" none small || return 1
	ends "$1" && said "$3" || status=1
	umount small
	return $status
}
check 'no room for results' on_disk 3 size=4k 'No space left on device'
check 'results on a read-only file system' on_disk 3 ro 'Read-only file system'

# no_place STATUS PLACE WORDS: said before anything is made for the run.
no_place()
{
	local got=0
	rm -rf cache
	"$accelbench" run --target host --cache cache -o "$2" scenario.yaml >out 2>err || got=$?
	equal $got "$1" && said "$3" && silent && [[ ! -e cache ]]
}
ln -s nowhere dangling
check 'results below a file' no_place 2 empty/results 'empty/results: no result folder can be made there'
check 'a file in place of the results' no_place 2 empty 'Not a directory'
check 'results behind a link that leads nowhere' no_place 2 dangling 'No such file or directory'

file_size_limit() { (ulimit -f 4 && rm -rf cache && ends 3 && said 'File too large'); }
check 'a limit on the size of files' file_size_limit

slow='rw: randread, bs: 4k, runtime: 1s'
# started ARGUMENT...: in the background, until the first repetition is over; $pid.
started()
{
	local i
	rm -rf results
	start "$@"
	for ((i = 0; i < 150; i++)); do
		grep -qs ' 1/' err && return
		sleep 0.1
	done
	cat err
	return 1
}

folder_removed()
{
	local got=0
	scenario "$text" none "$slow"
	started && rm -rf results || return 1
	wait "$pid" || got=$?
	equal $got 3 && said 'No such file or directory' && nothing_left "$pid"
}
check 'the result folder is removed meanwhile' folder_removed

image_cut()
{
	local got=0
	scenario "$text" none "$slow"
	started --set repeat=3 && truncate -s 8192 cache/images/*.erofs || return 1
	wait "$pid" || got=$?
	equal $got 3 && nothing_left "$pid" && report && grep -q failed reported
}
check 'the image is cut short meanwhile' image_cut

# --- two at once, a closed pipe ---

two_at_once()
{
	local first second got=0
	rm -rf cache results
	scenario "$text" 'lz4, none'
	start
	first=$pid
	start
	second=$pid
	wait "$first" || got=$?
	wait "$second" || got=$?
	equal $got 0 && nothing_left "$first" && nothing_left "$second" && equal "$(compgen -G 'results/*/' | wc -l)" 2
}
check 'two runs at once, one cache' two_at_once

closed_pipe()
{
	local got=0
	rm -rf results
	: <pipe &
	"$accelbench" run --target host --cache cache -o results scenario.yaml 2>err >pipe || got=$?
	equal $got 0 && fails said 'error: ' && report && grep -q '2 valid' reported && nothing_left none
}
mkfifo pipe
check 'nobody reads what is printed: the result is complete' closed_pipe

# --- signals ---

# at_moment SIGNAL STATUS SECONDS: then the run goes on to its end.
at_moment()
{
	local pid got=0
	rm -rf results
	start
	sleep "$3"
	kill -s "$1" "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || got=$?
	[[ $1 != KILL ]] || "$accelbench" cleanup --cache cache >/dev/null 2>&1 || { echo 'cleanup failed' && return 1; }
	nothing_left "$pid" || return 1
	[[ $got == 0 ]] && return
	equal $got "$2" || { cat err; return 1; }
	! kept || { report && start --resume results/* && wait "$pid" && grep -q '2 valid' out; } || { cat err; return 1; }
}
moments()
{
	local signal=$1 status=$2 moment
	scenario "$text" 'lz4, none'
	rm -rf cache
	for moment in 0.0 0.$((RANDOM % 10)) 0.$((RANDOM % 10)) 1.$((RANDOM % 10)); do
		at_moment "$signal" "$status" "$moment" || { echo "after $moment s" && return 1; }
	done
}
check 'SIGINT at any moment, then --resume' moments INT 130
check 'SIGTERM at any moment, then --resume' moments TERM 143
check 'SIGHUP at any moment, then --resume' moments HUP 129
check 'SIGQUIT at any moment, then --resume' moments QUIT 131
check 'SIGKILL at any moment, cleanup, then --resume' moments KILL 137

ignored_signals()
{
	local got=0
	rm -rf results
	# shellcheck disable=SC2016  # expanded by the inner shell
	nohup env --ignore-signal=INT "$accelbench" run --target host --cache cache -o results scenario.yaml >out 2>err &
	pid=$!
	sleep 0.3
	kill -s HUP "$pid"
	kill -s INT "$pid"
	wait "$pid" || got=$?
	equal $got 0 && report && grep -q '2 valid' reported
}
check 'signals that were ignored from the start' ignored_signals

# Without them, the first files opened would take their numbers.
no_streams()
{
	local got=0
	rm -rf results cache
	"$accelbench" run --target host --cache cache -o results scenario.yaml <&- >&- 2>&- || got=$?
	equal $got 0 && report && grep -q '2 valid' reported
}
check 'without standard streams' no_streams

# --- going on ---

# interrupted ARGUMENT...: one repetition of several is kept.
interrupted()
{
	scenario "$text" 'lz4, none' "$slow"
	started "$@" && kill -s TERM "$pid" || return 1
	wait "$pid" || true
	kept
}
# refused WORDS ARGUMENT...: --resume with these is a mistake, and changes nothing.
refused()
{
	local words=$1 got=0 before
	shift
	before=$(sha256sum results/*/result.json)
	start --resume results/* "$@"
	wait "$pid" || got=$?
	equal $got 2 && said "$words" && silent && equal "$(sha256sum results/*/result.json)" "$before"
}
check 'a run is interrupted' interrupted
check 'to go on with other options of a workload' refused 'seqread' --set workloads.seqread.bs=8k
check 'to go on with another cache' refused '"cache: cold", this has "cache: warm"' --set cache=warm
check 'to go on with more repetitions' refused '"repeat: 2", this has "repeat: 3"' --set repeat=3
check 'to go on with other engines' refused 'engine' --set matrix.engine=none
check 'to go on elsewhere' refused 'does not take --output' -o elsewhere

other_fio()
{
	local status=0 real
	real=$(command -v fio)
	fake fio "[[ \$1 != --version ]] || { echo fio-3.99; exit; }; exec $real \"\$@\""
	refused 'the run was begun with fio "fio-' || status=1
	rm bin/fio
	return $status
}
check 'to go on with another fio' other_fio

goes_on()
{
	local got=0
	start --resume results/*
	wait "$pid" || got=$?
	equal $got 0 && grep -q '2 valid' out && refused 'that run is complete'
}
check 'to go on' goes_on

while_it_runs()
{
	local first got=0
	scenario "$text" none "$slow"
	started || return 1
	first=$pid
	start --resume results/*
	wait "$pid" || got=$?
	equal $got 2 && said 'a run is still going on in that folder' && got=0
	wait "$first" || got=$?
	equal $got 0 && report && grep -q '1 valid' reported
}
check 'to go on with a run that goes on' while_it_runs

finish
