#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `accelbench compare` and `gate` print what the golden files here hold, of results that tests/cli/compare_variants.py makes.
# --update rewrites the files.

set -euo pipefail

cd "$(dirname "$0")/../../.."
golden=$PWD/tests/golden/compare
accelbench=$(realpath "${ACCELBENCH:-build/accelbench}")
update=${1-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests/cli/compare_variants.py tests/golden/report/small.json "$work"
cd "$work"
failed=0

# check NAME GOLDEN STATUS ARGUMENT...: this status, and exactly this on standard output.
check()
{
	local name=$1 want=$golden/$2 expected=$3 status=0
	shift 3
	"$accelbench" "$@" >out 2>err || status=$?
	[[ $update != --update ]] || cp out "$want"
	if [[ $status == "$expected" ]] && diff -u "$want" out >differs; then
		echo "ok $name"
		return
	fi
	echo "not ok $name"
	echo "# exit status $status, expected $expected"
	sed 's/^/# /' err differs
	failed=1
}

rules=(--rule 'metric: bandwidth, max_drop: 5%' --rule 'metric: ratio, max_drop: 1%')
check 'compare, 80 columns' narrow.txt 0 compare base slower -m bandwidth -m ratio --columns 80
check 'compare, three sides' three.txt 0 compare base slower skipped -m bandwidth --columns 120
check 'compare, engines across' across.txt 0 compare base slower -m bandwidth --col engine --columns 80
check 'compare, not comparable' incomparable.txt 0 compare base other_fio -m bandwidth --columns 80
check 'compare, Markdown' compare.md 0 compare base slower -m bandwidth -f markdown
check 'gate, a loss' worse.txt 1 gate -b base slower "${rules[@]}" --columns 80
check 'gate, too noisy' noisy.txt 5 gate -b base noisy "${rules[@]}" --columns 100
check 'gate, JUnit' junit.xml 3 gate -b base invalid "${rules[@]}" -f junit
check 'gate, Markdown' gate.md 4 gate -b base skipped "${rules[@]}" -f markdown
exit $failed
