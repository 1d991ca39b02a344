#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `accelbench report` on the command line prints what the golden files here hold. The unit test test_report makes the
# examples and compares more of them; --update lets it rewrite the files.

set -euo pipefail

cd "$(dirname "$0")/../../.."
golden=tests/golden/report
accelbench=${ACCELBENCH:-build/accelbench}

if [[ ${1-} == --update ]]; then
	GOLDEN_UPDATE=1 exec build/tests/unit/test_report
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# check NAME GOLDEN ARGUMENT...: status 0, nothing on standard error, exactly this on standard output.
check()
{
	local name=$1 want=$golden/$2 status=0
	shift 2
	"$accelbench" report "$@" >"$work/out" 2>"$work/err" || status=$?
	if [[ $status == 0 && ! -s $work/err ]] && diff -u "$want" "$work/out" >"$work/diff"; then
		echo "ok $name"
		return
	fi
	echo "not ok $name"
	echo "# exit status $status"
	sed 's/^/# /' "$work/err" "$work/diff"
	failed=1
}

mkdir "$work/result"
cp $golden/small.json "$work/result/result.json"
check 'tables from a file' narrow.txt --columns=80 $golden/small.json
check 'tables from a folder' narrow.txt --columns=80 "$work/result"
check 'integers without units' raw.txt --raw --columns=120 $golden/small.json
check 'the same JSON' small.json --json $golden/small.json
check 'published figures' reference.txt results/reference/erofs-seq

"$accelbench" report -o "$work/file" --columns=80 $golden/small.json
if cmp -s $golden/narrow.txt "$work/file"; then
	echo 'ok output to a file'
else
	echo 'not ok output to a file'
	failed=1
fi
exit $failed
