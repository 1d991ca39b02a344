#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# boot: own
# timeout: 900
# The main job from end to end: a scenario runs in the guest, its result comes back and says what happened.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../check.sh"
accelbench=${ACCELBENCH:-build/accelbench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run FOLDER ARG...: a run in the lab whose results go to FOLDER; status, output and messages are kept there.
run()
{
	local to=$work/$1
	shift
	mkdir -p "$to"
	"$accelbench" run "$@" --target lab --cache "$work/cache" --output "$to/results" \
		>"$to/stdout" 2>"$to/stderr" && echo 0 >"$to/status" || echo $? >"$to/status"
}
status() { cat "$work/$1/status"; }
result() { echo "$work/$1"/results/2*; }
# cells FOLDER: "<status> <verdict>" of each
cells()
{
	python3 -c '
import json, sys
for c in json.load(open(sys.argv[1]))["cells"]:
    print(c["engine_requested"], c["status"], (c.get("validity") or {}).get("verdict"))' "$(result "$1")/result.json"
}
says() { grep -q -- "$2" "$work/$1/$3" || { echo "no '$2' in $3:" && tail -n 15 "$work/$1/$3" && return 1; }; }
nothing_left()
{
	[[ -z $(find "$work/$1/results" -maxdepth 1 -name 'accelbench-*') ]] || { ls "$work/$1/results" && return 1; }
}

engines=$here/engines.yaml
run all "$engines"
check "every engine runs in the guest: status 0" equal "$(status all)" 0
check "requests, phases, bytes and records agree with each other" \
	python3 "$here/check_result.py" "$(result all)"
check "the tables say that the processor is emulated and the accelerator simulated" \
	says all "emulated, simulated accelerator" stdout
check "the kernel's console is in the result folder" test -s "$(result all)/console.log"
check "report prints the same tables from the folder" \
	diff <("$accelbench" report "$(result all)") "$work/all/stdout"
check "nothing is left beside the results" nothing_left all

mechanism()
{
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["tracer"]["mechanism"])' "$(result "$1")/result.json"
}
run again "$engines" --set 'matrix.engine=[lz4]' --mechanism kprobe
check "a second run builds no image" says again "from the cache" stderr
check "functions are hooked by what was asked for" equal "$(mechanism again)" kprobe

# The accelerator fails every request: the file system gives the reader an error, and there is no software fallback.
run errors "$engines" --set 'matrix.engine=[deflate, qat_deflate]' --lab-module error_every=1
check "an accelerator that fails: status 3" equal "$(status errors)" 3
check "its cell says so, the other is valid" \
	matches "$(cells errors)" $'deflate done valid\nqat_deflate @(failed|done) @(invalid|None)'
check "the message names the error" says errors "Input/output error" stdout

# A lost request hangs its reader in the kernel for ever.
run lost "$engines" --set 'matrix.engine=[deflate, qat_deflate]' --set timeout=15s --lab-module lost_every=9
check "a request that never completes: status 3" equal "$(status lost)" 3
check "the program in the guest notices and ends by itself" fails says lost "did not end in time" stderr
check "it says what hangs" says lost "hangs in the kernel" stderr
check "what was measured before is kept" test -s "$(result lost)/result.json"
check "nothing is left of the guest" equal "$(pgrep -f "$work/lost" | wc -l)" 0

# A lab whose guest can be struck through QEMU's monitor: an NMI that nobody expects makes its kernel panic.
make_fragile_lab()
{
	local lab part
	lab=$(realpath build/lab)
	mkdir "$work/lab"
	for part in "$lab"/*; do
		ln -s "$part" "$work/lab/"
	done
	rm "$work/lab/qemu-system-x86_64"
	cat >"$work/lab/qemu-system-x86_64" <<-SCRIPT
		#!/bin/bash
		words=() last=''
		for word; do
			[[ \$last != -append ]] || word+=' unknown_nmi_panic'
			words+=("\$word")
			last=\$word
		done
		exec "$lab/qemu-system-x86_64" "\${words[@]}" -monitor "unix:$work/monitor,server=on,wait=off"
	SCRIPT
	chmod +x "$work/lab/qemu-system-x86_64"
}

# third_repetition FOLDER: waits until the run told of it.
third_repetition()
{
	local i
	for ((i = 0; i < 1800; i++)); do
		! grep -qs '^ *3/' "$work/$1/stderr" || return 0
		sleep 0.1
	done
	return 1
}

# strike FOLDER COMMAND: says COMMAND to the monitor then.
strike()
{
	third_repetition "$1" && python3 -c '
import socket, sys
monitor = socket.socket(socket.AF_UNIX)
monitor.connect(sys.argv[1])
monitor.recv(4096)
monitor.sendall(sys.argv[2].encode() + b"\n")
monitor.recv(4096)' "$work/monitor" "$2"
}

# end_hard FOLDER: SIGKILL to the program that runs there.
end_hard()
{
	third_repetition "$1" && pkill -KILL -f "^$accelbench run .* $work/$1/results"
}

# kept FOLDER: what became of the three repetitions.
kept()
{
	python3 -c '
import json, sys
result = json.load(open(sys.argv[1]))
done = sum(len(c["samples"] or []) for c in result["cells"])
print(result["complete"], "kept" if done >= 3 else done)' "$(result "$1")/result.json"
}
# The file that the message names, as it is after the run.
console() { sed -n 's/.*(its console: \(.*\))$/\1/p' "$work/$1/stderr"; }

make_fragile_lab
strike panic nmi &
run panic "$engines" --lab-dir "$work/lab"
wait $!
check "a guest that panics between repetitions: status 3" equal "$(status panic)" 3
check "the message names the panic" says panic "Kernel panic" stderr
check "what was measured before is kept, as incomplete" equal "$(kept panic)" "False kept"
check "its console is in the result folder" grep -q "Kernel panic" "$(result panic)/console.log"
check "which the message names" equal "$(console panic)" "$(result panic)/console.log"
check "nothing is left beside these results" nothing_left panic
check "nor of this guest" equal "$(pgrep -f "$work/panic" | wc -l)" 0

# resume FOLDER ARG...: goes on with the run that went there.
resume()
{
	local to=$work/$1
	shift
	"$accelbench" run "$engines" --target lab --cache "$work/cache" --resume "$to"/results/2* "$@" \
		>"$to/stdout" 2>"$to/stderr" && echo 0 >"$to/status" || echo $? >"$to/status"
}
before=$(sha256sum "$(result panic)/result.json")
resume panic --lab-module service_ns=1
check "it does not go on with another accelerator: status 2" equal "$(status panic)" 2
check "the message says what differs" says panic "other parameters of the simulated accelerator" stderr
check "nor on the host" equal "$("$accelbench" run "$engines" --target host --cache "$work/cache" --resume "$(result panic)" 2>&1 |
	grep -c 'that run was begun with --target lab')" 1
check "what it measured stays as it was" equal "$(sha256sum "$(result panic)/result.json")" "$before"
resume panic
check "it goes on in the lab, to its end" equal "$(status panic) $(kept panic)" "0 True kept"
check "nothing is left beside its results" nothing_left panic

strike frozen stop &
run frozen "$engines" --lab-dir "$work/lab" --lab-timeout 60s
wait $!
check "a guest that stands still between repetitions: status 3" equal "$(status frozen)" 3
check "the message says that it did not end" says frozen "the guest did not end in time" stderr
check "what was measured before that is kept, as incomplete" equal "$(kept frozen)" "False kept"
check "and the console that the message names" equal "$(console frozen)" "$(result frozen)/console.log"
check "nothing is left beside these results either" nothing_left frozen
check "nor of that guest" equal "$(pgrep -f "$work/frozen" | wc -l)" 0

end_hard killed &
run killed "$engines"
wait $!
check "a run that is killed: nothing of it runs on" equal "$(pgrep -f "$work/killed" | wc -l)" 0
"$accelbench" cleanup >"$work/killed/cleanup" 2>&1 || true
check "cleanup brings home what it measured" equal "$(kept killed)" "False kept"
check "nothing is left beside it" nothing_left killed
resume killed
check "and it goes on to its end" equal "$(status killed) $(kept killed)" "0 True kept"

# Bits that flipped in the cache without a trace are found by reading back, in the guest; the cache is on this side.
spoil()
{
	local image
	for image in "$work"/cache/images/*.erofs; do
		touch -r "$image" "$work/stamp"
		# Somewhere in the middle of the compressed data.
		printf 'spoilt' | dd of="$image" bs=1 seek=$(($(stat -c %s "$image") / 2)) conv=notrunc status=none
		touch -r "$work/stamp" "$image"
	done
}
spoil
run spoilt "$engines" --set 'matrix.engine=[lz4]'
check "a spoilt image: status 3" equal "$(status spoilt)" 3
check "it is struck from the cache" says spoilt "was spoilt in the cache" stderr
run rebuilt "$engines" --set 'matrix.engine=[lz4]'
check "and built again by the next run" equal "$(status rebuilt) $(grep -c 'from the cache' "$work/rebuilt/stderr")" "0 0"

finish
