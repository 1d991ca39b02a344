#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Datasets, images and mounts of whole runs on the kernel that runs the tests: every algorithm that it has, full disks,
# signals, and what is left behind. Nothing is traced.
# timeout: 400
# shellcheck disable=SC2317  # functions are called through check()
set -euo pipefail

top=$(realpath "$(dirname "$0")/../..")
accelbench=$(realpath "${ACCELBENCH:-$top/build/accelbench}")
lab=$top/build/lab/root
number=0
failed=0

if [[ $(id -u) != 0 ]]; then
	echo '1..0 # SKIP mounting needs root'
	exit 0
fi
for tool in fio mkfs.erofs losetup; do
	if ! command -v "$tool" >/dev/null; then
		echo "1..0 # SKIP $tool is not installed"
		exit 0
	fi
done

work=$(mktemp -d)
tidy()
{
	umount "$work/full" 2>/dev/null || true
	rm -rf "$work"
}
trap tidy EXIT
cd "$work"

# check NAME COMMAND...: one test, passed if every step of COMMAND succeeds (a condition would switch -e off inside).
check()
{
	local name=$1 status
	shift
	number=$((number + 1))
	set +e
	(set -e; "$@") >said 2>&1
	status=$?
	set -e
	if [[ $status == 0 ]]; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		sed 's/^/# /' said
		[[ ! -f err ]] || sed 's/^/# err: /' err
		failed=1
	fi
}

skip()
{
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# scenario SIZE ENGINES [LINE...]: writes scenario.yaml.
scenario()
{
	local size=$1 engines=$2
	shift 2
	cat >scenario.yaml <<-END
		name: images
		description: Images of every kind.
		dataset:
		  generate: {kind: text, size: $size, seed: 1}
		filesystem: erofs
		matrix:
		  engine: [$engines]
		  cluster: [16KiB]
		workloads:
		  seqread: {rw: read, bs: 4k}
		repeat: 1
		trace: {phases: none}
	END
	printf '%s\n' "$@" >>scenario.yaml
}

# measure STATUS ARGUMENT...: a run on this machine ends with STATUS; leaves out, err and $result.
measure()
{
	local expected=$1 got=0
	shift
	rm -rf results
	"$accelbench" run --target host --cache "$work/cache" -o results scenario.yaml "$@" >out 2>err || got=$?
	result=$(echo results/*/result.json)
	[[ $got == "$expected" ]] || { echo "exit status $got, expected $expected"; return 1; }
}

# fact EXPRESSION: of the result r.
fact() { python3 -c "import json, sys; r = json.load(open('$result')); sys.exit(not ($1))"; }

ours() { losetup --list --noheadings --output NAME,BACK-FILE | grep -F "$work" || true; }
journals() { find /run/accelbench -name "$1-*.undo" 2>/dev/null || true; }
# Folders of runs that live, which are in their journals, are not ours.
folders()
{
	local folder
	while read -r folder; do
		grep -qsF "$folder" /run/accelbench/*.undo || echo "$folder"
	done < <(find /tmp -maxdepth 1 -name 'accelbench-??????' -newer "$work/begin")
}

# Nothing of the run $1 (process number) is on the machine any more; detaching is the kernel's and may take a moment.
nothing_left()
{
	local i
	for ((i = 0; i < 50; i++)); do
		[[ -n $(ours) ]] || break
		sleep 0.1
	done
	[[ -z $(ours)$(journals "$1") ]] || { ours; journals "$1"; return 1; }
	! grep -F "$work/cache" /proc/self/mountinfo || return 1
}

# Starts a run; $pid.
background()
{
	rm -rf results
	# What this shell puts into the background ignores SIGINT otherwise.
	env --default-signal "$accelbench" run --target host --cache "$work/cache" -o results scenario.yaml >out 2>err &
	pid=$!
}

# until COMMAND...: at most 20 s.
await()
{
	local i
	for ((i = 0; i < 200; i++)); do
		"$@" && return
		sleep 0.1
	done
	echo "waited in vain: $*"
	return 1
}

mounted() { [[ -n $(ours) ]]; }

# A run that is ended while its image is mounted: fio reads for 20 s.
mounted_run()
{
	scenario 2MiB lz4
	sed -i 's/{rw: read, bs: 4k}/{rw: randread, bs: 4k, runtime: 20s}/' scenario.yaml
	background
	# Past the read-back, which is over in a moment: fio is there.
	await pgrep -P "$pid" -x fio
	await mounted
}

touch begin
mkdir no-tools

# --- every algorithm ---

algorithms='none, lz4, lz4hc'
[[ ! -d $lab ]] || algorithms+=', deflate, zstd, lzma'
all_algorithms()
{
	scenario 4MiB "$algorithms"
	measure 0 --tools-root "$lab"
	fact 'all(c["status"] == "done" and c["validity"]["verdict"] == "valid" for c in r["cells"])'
	fact 'all(i["ok"] and all(v["ok"] for v in i["verified"]) and i["verified"] for i in r["images"])'
	fact 'all(v["sha256"] == r["dataset"]["sha256"] for i in r["images"] for v in i["verified"])'
	fact 'all(i["observed_cluster_bytes"] == 16384 for i in r["images"] if i["algorithm"] != "none")'
	fact 'all(i["mkfs"].startswith("mkfs.erofs") for i in r["images"])'
	nothing_left 0
}
check "images of $algorithms are read back right" all_algorithms
[[ -d $lab ]] || skip 'images of deflate, zstd and lzma' "the lab's tools are not built: make lab"

# The store's images in all and the newest of them.
newest() { stat -c '%Y.%y' cache/images/*.erofs | sort | tail -n1; }
second_run_builds_nothing()
{
	local before
	before=$(newest)
	measure 0 --tools-root "$lab"
	fact 'all(i["reused"] for i in r["images"])'
	[[ $(newest) == "$before" ]]
}
check 'a second run builds nothing' second_run_builds_nothing

ratio()
{
	scenario 16MiB deflate
	sed -i 's/cluster: .*/cluster: [64KiB]/' scenario.yaml
	measure 0 --tools-root "$lab" --set image.level=9
	fact '2.5 < r["images"][0]["compression_ratio"] < 4'
}
if [[ -d $lab ]]; then
	check 'generated text: deflate level 9 at 64 KiB clusters' ratio
else
	skip 'generated text: deflate level 9 at 64 KiB clusters' "the lab's tools are not built: make lab"
fi

backings()
{
	local backing
	scenario 2MiB lz4
	for backing in loop-direct loop file; do
		measure 0 --set "backing=$backing"
		fact "all(s['backing'] == '$backing' for c in r['cells'] for s in c['samples'])"
		fact 'all(s["cache"].startswith("cold: ") and " 0 of " in s["cache"] for c in r["cells"] for s in c["samples"])'
	done
}
check 'backings: loop-direct, loop, file' backings

# What mkfs.erofs of this machine cannot do, and nobody else is there.
no_tool()
{
	scenario 2MiB 'lz4, zstd'
	mkdir -p bin
	cat >bin/mkfs.erofs <<-END
		#!/bin/sh
		case "\$*" in *zzstd*) echo '<E> erofs: Cannot find a valid compressor zstd' >&2; exit 1;; esac
		exec $(command -v mkfs.erofs) "\$@"
	END
	chmod 755 bin/mkfs.erofs
	PATH=$work/bin:$PATH measure 0 --tools-root "$work/no-tools"
	fact '[c["status"] for c in r["cells"]] == ["done", "skipped"]'
	fact '"make lab" in r["cells"][1]["reason"] and "erofs-utils" in r["cells"][1]["reason"]'
}
check 'an algorithm that no mkfs knows: its cells are skipped, with what to install' no_tool

image() { grep -l '"uncompressed"' cache/images/*.json | sed 's/json$/erofs/'; }

cut_image()
{
	scenario 2MiB none
	measure 0
	truncate -s 8192 "$(image)"
	measure 0
	fact 'not r["images"][0]["reused"] and "was changed after it was built" in r["warnings"][0]'
	grep 'warning: .*: was changed after it was built; it is built again' err
	measure 0
	fact 'r["images"][0]["reused"] and not r["warnings"]'
}
rm -rf cache
check 'an image that was cut short is built again, once' cut_image

# Same size.
spoil() { printf 'XXXX' | dd of="$(image)" bs=1 seek=1000000 conv=notrunc status=none; }
spoilt_image()
{
	scenario 2MiB none
	measure 0
	spoil
	measure 0
	fact 'not r["images"][0]["reused"] and "was changed after it was built" in r["warnings"][0]'
	fact 'r["images"][0]["verified"][0]["ok"]'
}
check 'an image that was changed is built again' spoilt_image

touched_image()
{
	scenario 2MiB none
	measure 0
	touch "$(image)"
	measure 0
	fact 'r["images"][0]["reused"] and not r["warnings"]'
}
check 'an image that was only touched is used' touched_image

# As a disk spoils it: only reading it back can tell.
silently_spoilt_image()
{
	scenario 2MiB none
	measure 0
	touch -r "$(image)" time
	spoil
	touch -r time "$(image)"
	measure 3
	fact 'r["cells"][0]["validity"]["verdict"] == "invalid" and not r["images"][0]["verified"][0]["ok"]'
	fact '"wrong data" in r["images"][0]["verified"][0]["reason"]'
	grep 'spoilt in the cache after it was built; the next run builds it again' err
	measure 0
	fact 'not r["images"][0]["reused"]'
}
check 'an image that was spoilt without a trace is found by reading it back, and built again' silently_spoilt_image

# The same in the superblock, with which it cannot even be mounted.
no_superblock()
{
	scenario 2MiB none
	measure 0
	touch -r "$(image)" time
	printf 'XXXX' | dd of="$(image)" bs=1 seek=1024 conv=notrunc status=none
	touch -r time "$(image)"
	measure 3
	grep 'spoilt in the cache after it was built; the next run builds it again' err
	measure 0
	fact 'not r["images"][0]["reused"]'
}
check 'an image whose superblock was spoilt without a trace is built again' no_superblock

# --- full disks ---

full_disk()
{
	local status=0
	scenario "$1" none
	mkdir -p full
	mount -t tmpfs -o size=8M none full
	"$accelbench" run --target host --cache full/cache -o results scenario.yaml >out 2>err || status=$?
	[[ $status == 3 ]] || { echo "exit status $status"; return 1; }
	grep -E "error: .*full/cache.*(no room|full)" err
	[[ -z $(find full/cache -name '*.partial' -o -name '*.erofs') && -z $(ls full/cache/locks) ]]
	umount full
}
check 'a disk that is too small for the dataset' full_disk 9MiB
check 'a disk that gets full while the image is built' full_disk 6MiB

# --- signals ---

interrupted()
{
	local status=0
	mounted_run
	kill -s "$1" "$pid"
	wait "$pid" || status=$?
	[[ $status == "$2" ]] || { echo "exit status $status, expected $2"; return 1; }
	nothing_left "$pid"
	[[ -z $(folders) ]] || { folders; return 1; }
}
check 'SIGINT while fio runs' interrupted INT 130
check 'SIGTERM while fio runs' interrupted TERM 143

killed()
{
	mounted_run
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null || true
	[[ -n $(journals "$pid") ]] || { echo 'no journal was there to be tested'; return 1; }
	"$accelbench" cleanup --cache "$work/cache" || true
	nothing_left "$pid"
	[[ -z $(folders) ]] || { folders; return 1; }
}
check 'SIGKILL while fio runs, then cleanup' killed

building() { compgen -G "$work/cache/images/*.partial/image.erofs"; }
killed_while_building()
{
	scenario 2MiB lz4
	mkdir -p slow
	cat >slow/mkfs.erofs <<-END
		#!/bin/sh
		case "\$*" in -V) echo 'mkfs.erofs (slow) 0.0'; exit;; *trial*) exit 0;; esac
		echo half >"\$(echo "\$*" | grep -o '[^ ]*image.erofs')"
		exec sleep 60
	END
	chmod 755 slow/mkfs.erofs
	PATH=$work/slow:$PATH background
	await building
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null || true
	"$accelbench" cleanup --cache "$work/cache" || true
	[[ -z $(find cache -name '*.partial') && -z $(ls cache/locks) ]]
	! pgrep -f "$work/slow/mkfs.erofs" || return 1
}
check 'SIGKILL while an image is built, then cleanup' killed_while_building

# sick_mkfs BODY WORDS: an mkfs.erofs that knows its version and then does BODY; the run fails within twenty seconds.
sick_mkfs()
{
	rm -rf cache
	scenario 2MiB lz4
	mkdir -p sick
	printf '#!/bin/sh\ncase "$*" in -V) echo "mkfs.erofs (sick) 0.0"; exit;; esac\n%s\n' "$1" >sick/mkfs.erofs
	chmod 755 sick/mkfs.erofs
	SECONDS=0
	PATH=$work/sick:$PATH measure 3 --tools-root "$work/no-tools" --set image.timeout=1s
	[[ $SECONDS -lt 20 ]]
	grep -F "$2" err
	fact "r['cells'][0]['status'] == 'failed'"
	[[ -z $(find cache -name '*.partial' -o -name '*.erofs') && -z $(ls cache/locks) ]]
	! pgrep -f "$work/sick/mkfs.erofs" || return 1
}
# shellcheck disable=SC2016  # expanded by the sick program
half='case "$*" in *trial*) exit 0;; esac; echo half >"$(echo "$*" | grep -o "[^ ]*image.erofs")"'
check 'mkfs hangs' sick_mkfs "$half; exec sleep 60" 'no image within image.timeout; raise it, or lower image.level: '
check 'mkfs hangs at once, deaf to SIGTERM' sick_mkfs 'trap "" TERM; while :; do sleep 1; done' 'no image even of 4 KiB: '
check 'mkfs is killed' sick_mkfs "$half; kill -KILL \$\$" 'was killed; the kernel does that when memory is short'

check 'mkfs crashes' sick_mkfs "$half; kill -SEGV \$\$" 'crashed (Segmentation fault)'
check 'mkfs crashes at once' sick_mkfs 'kill -SEGV $$' 'crashed (Segmentation fault)'

# --- cleanup ---

wrong_cache()
{
	rm -rf typo
	"$accelbench" cleanup --cache typo 2>err
	grep 'warning: typo: no cache is there' err
	[[ ! -e typo ]]
}
check 'cleanup of a cache whose name was misspelt' wrong_cache

# What has not a name of ours was not made by us.
no_cache()
{
	mkdir -p house/images/holiday.partial house/locks
	touch house/locks/door
	"$accelbench" cleanup --cache house
	[[ -d house/images/holiday.partial && -f house/locks/door ]]
}
check 'cleanup of a folder that is no cache' no_cache

# --- generate ---

generate()
{
	local line
	line=$("$accelbench" generate --size 3MiB --seed 5 -o text 2>err)
	[[ $line == "$(sha256sum text)" && $(stat -c %s text) == $((3 << 20)) ]]
	"$accelbench" generate --size 3MiB --seed 5 -o - 2>err | cmp - text
	"$accelbench" generate --size 1MiB --seed 5 -o - 2>err | cmp -n $((1 << 20)) - text
	[[ -z $(find . -maxdepth 1 -name 'text.*') ]]
}
check 'generate: same seed, same bytes; hash and size are right' generate

generate_errors()
{
	local status=0
	"$accelbench" generate --size 1GiB -o /nonexistent/text 2>err || status=$?
	[[ $status == 3 && $(<err) == *'/nonexistent/text: no file can be made there'* ]] || return 1
	status=0
	"$accelbench" generate -o text 2>err || status=$?
	[[ $status == 2 && $(<err) == *'--size'* ]] || return 1
	status=0
	"$accelbench" generate --size 1MiB -o /dev/full 2>err || status=$?
	[[ $status == 2 && $(<err) == *'not a regular file'* ]] || return 1
}
check 'generate: errors' generate_errors

echo "1..$number"
exit $failed
