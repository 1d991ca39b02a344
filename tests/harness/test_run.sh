#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/run itself: each way in which a test program can fail is seen and counted.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../check.sh"
unset CI
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# program NAME LINE...: a test program of these lines.
program()
{
	local name=$work/test_$1.sh
	shift
	printf '%s\n' '#!/bin/bash' "$@" >"$name"
	chmod +x "$name"
}

# judged NAME SUM STATUS: what tests/run says about that program in its last line, and how it ends.
judged()
{
	local status=0
	"$here/../run" "$work/test_$1.sh" >"$work/out" 2>&1 || status=$?
	equal "$(tail -n 1 "$work/out"), status $status" "$2, status $3" || { cat "$work/out" && return 1; }
}

# ended PID: gone, or dead and not yet asked for its status by whoever inherited it.
ended() { [[ ! -e /proc/$1 ]] || grep -q '^State:.*Z' "/proc/$1/status"; }

says() { grep -qF -- "$1" "$work/out" || { cat "$work/out" && return 1; }; }

program good 'echo "ok 1 - a"; echo "ok 2 - b # SKIP no reason to"; echo 1..2'
check 'passed and skipped' judged good '1 passed, 0 failed, 1 skipped' 0
check 'the reason of a skip is shown' says 'other/test_good: b: no reason to'
program bad 'echo "ok 1 - a"; echo "not ok 2 - b"; echo "# is wrong"; echo 1..2; exit 1'
check 'failed' judged bad '1 passed, 1 failed, 0 skipped' 1
check 'what is wrong is shown' says '# is wrong'
program lenient 'echo "not ok 1 - a"; echo "ok 2 - b"; echo 1..2'
check 'failed, with exit status 0' judged lenient '1 passed, 1 failed, 0 skipped' 1
program status 'echo "ok 1 - a"; echo 1..1; exit 3'
check 'exit status without a failed test' judged status '1 passed, 1 failed, 0 skipped' 1
program signal 'echo "ok 1 - a"; kill -SEGV $$'
check 'ended by a signal' judged signal '1 passed, 1 failed, 0 skipped' 1
program short 'echo "ok 1 - a"; echo 1..2'
check 'fewer tests than planned' judged short '1 passed, 1 failed, 0 skipped' 1
program silent 'true'
check 'no test at all' judged silent '0 passed, 1 failed, 0 skipped' 1
program unexplained 'echo "ok 1 - a # SKIP"; echo "ok 2 - b"; echo 1..2'
check 'a skip without a reason' judged unexplained '1 passed, 1 failed, 0 skipped' 1
program skips 'echo "ok 1 - a # SKIP it rains"; echo 1..1'
check 'nothing but skips' judged skips '0 passed, 0 failed, 1 skipped' 1
program cmocka 'echo 1..2; echo "ok 1 - a"; echo "skip: it rains"; echo "not ok 2 # SKIP b"'
check 'how cmocka skips' judged cmocka '1 passed, 0 failed, 1 skipped' 0
# shellcheck disable=SC2016  # the program's own variables
program slow '# timeout: 1' 'echo "ok 1 - a"; sleep 60 & echo $! >"${0%/*}/sleeper"; wait'
check 'a time-out' judged slow '1 passed, 1 failed, 0 skipped' 1
check 'what it started has ended' ended "$(<"$work/sleeper")"
# shellcheck disable=SC2016  # the program's own variables
program scratch 'echo "$TMPDIR" >"${0%/*}/scratch"; touch "$TMPDIR/file" && echo "ok 1 - a"; echo 1..1'
check 'a folder of its own' judged scratch '1 passed, 0 failed, 0 skipped' 0
check 'which is removed' fails test -e "$(<"$work/scratch")"
finish
