#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `accelbench compare` and `gate`: every exit status, on results with one thing changed each; formats, by other readers.

set -euo pipefail

cd "$(dirname "$0")/../.."
accelbench=$(realpath "${ACCELBENCH:-build/accelbench}")
here=$PWD/tests/cli
small=$PWD/tests/golden/report/small.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/compare_variants.py" "$small" "$work"
cd "$work"
failed=0
rule='metric: bandwidth, max_drop: 5%'

# expect NAME STATUS WORDS ARGUMENT...: this status, and these words somewhere.
expect()
{
	local name=$1 want=$2 words=$3 status=0
	shift 3
	"$accelbench" "$@" >out 2>err || status=$?
	if [[ $status == "$want" ]] && cat out err | tr -s ' \n' ' ' | grep -qF -- "$words"; then
		echo "ok $name"
	else
		echo "not ok $name"
		echo "# status $status, expected $want with: $words"
		sed 's/^/# /' out err
		failed=1
	fi
}

# judge NAME COMMAND...
judge()
{
	local name=$1
	shift
	if "$@"; then
		echo "ok $name"
	else
		echo "not ok $name"
		failed=1
	fi
}

gate() { expect "$1" "$2" "$3" gate --baseline base "$4" --rule "${5-$rule}" "${@:6}"; }

gate 'nothing changed' 0 '4 tests, 4 same' same
gate 'a loss' 1 '1 worse' slower
gate 'a loss within the margin' 0 '4 same' slower 'metric: bandwidth, max_drop: 30%'
gate 'too noisy is no pass' 5 'too noisy' noisy
gate 'a cell that is not valid' 3 'data is <wrong>' invalid
gate 'cells that could not run' 4 'no accelerator here' skipped
gate 'another fio' 2 '--allow fio' other_fio
gate 'another fio, accepted and recorded' 0 'accepted: version of fio: fio-3.39, and fio-9.99' other_fio "$rule" --allow fio
expect 'too few repetitions can confirm nothing' 5 'it takes' gate --baseline few few --rule "$rule"
gate 'strictly, noise is a failure' 1 'too noisy' noisy "$rule" --strict
gate 'strictly, a bad cell is a failure' 1 'no valid measurement' invalid "$rule" --strict
gate 'strictly, a pass is a pass' 0 '4 same' same "$rule" --strict
gate 'a rule that matches no cell' 2 'matches no cell' same "$rule, workload: nonesuch"
gate 'a rule on no metric' 2 'bandwidth' same 'metric: bandwith, max_drop: 5%'
gate 'a rule of its own direction only' 2 'max_drop' same 'metric: bandwidth, max_rise: 5%'
expect 'no rule' 2 'key' gate --baseline base same
expect 'no base line' 2 '--baseline is missing' gate same --rule "$rule"
expect 'the self-test' 0 'self-test passed' gate --self-test --baseline base --rule "$rule"
expect 'the self-test with too few repetitions' 1 'no loss could be found' gate --self-test --baseline few --rule "$rule"

expect 'compare: nothing changed' 0 '~' compare base same --metric bandwidth
expect 'compare: a change' 0 '-20.' compare base slower --metric bandwidth
expect 'compare: what differs' 0 'not comparable: version of fio' compare base other_fio
expect 'compare: accepted' 0 'accepted: version of fio' compare base other_fio --allow fio
expect 'compare: an unknown key' 2 'mechanism' compare base same --allow mechanizm
expect 'compare: an unknown metric' 2 'bandwidth' compare base same --metric bandwith
expect 'compare: nothing left' 2 'no cell matches' compare base same --filter workload=nonesuch
expect 'compare: a folder without results' 2 'nothing' compare base nothing
head -c 5000 base/result.json >cut.json
expect 'compare: a file cut short' 2 'cut short?' compare base cut.json
sed 's/"schema_version": "1/"schema_version": "7/' base/result.json >later.json
expect 'compare: a later major version' 2 'version 7.' compare later.json base

for variant in same slower invalid skipped other_fio; do
	for format in junit json csv markdown openmetrics; do
		"$accelbench" gate --baseline base "$variant" --rule "$rule" --rule 'metric: ratio, max_drop: 1%' \
			--format "$format" --output "$format" 2>/dev/null || true
	done
	judge "formats: $variant" "$here/compare_judge.py" junit json csv markdown openmetrics
done
for format in benchstat github-action-benchmark json; do
	"$accelbench" compare base slower --metric bandwidth --metric iops --format "$format" --output "$format"
done
judge 'formats: of other tools' "$here/benchstat_judge.py" benchstat github-action-benchmark json
expect 'compare: metrics of both directions for one chart' 2 '--metric' compare base same --format github-action-benchmark
exit "$failed"
