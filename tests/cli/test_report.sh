#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `accelbench report`: exit statuses, messages, where the text goes. What the tables say: tests/golden/report.

set -euo pipefail

cd "$(dirname "$0")/../.."
accelbench=$(realpath "${ACCELBENCH:-build/accelbench}")
good=$PWD/tests/golden/report/small.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

# expect NAME STATUS WORDS ARGUMENT...: this status; 0 in silence, else these words and nothing on standard output.
expect()
{
	local name=$1 want=$2 words=$3 status=0
	shift 3
	"$accelbench" report "$@" >out 2>err || status=$?
	if [[ $status == "$want" && $want == 0 && ! -s err ]] ||
		{ [[ $status == "$want" && $want != 0 && ! -s out ]] && grep -qF -- "$words" err; }; then
		echo "ok $name"
	else
		echo "not ok $name"
		echo "# status $status, expected $want with: $words"
		sed 's/^/# /' err
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

# shellcheck disable=SC2317  # what judge calls
no_escapes() { ! grep -q $'\033' "$1"; }

# shellcheck disable=SC2317
reads_again()
{
	"$accelbench" report --json "$good" >again.json && cmp again.json "$good" &&
		"$accelbench" report again.json >/dev/null
}

mkdir empty pipe
mkfifo pipe/result.json
head -c 5000 "$good" >cut.json
sed 's/"1\.[0-9]*"/"2.0"/' "$good" >later.json
sed 's/"cluster_bytes": 16384/"cluster_bytes": -1/' "$good" >negative.json
printf 'not JSON\n' >text.json

expect 'no result given' 2 'report: RESULT is missing'
expect 'two results' 2 'too many arguments' "$good" "$good"
expect 'no such file' 2 'nowhere: No such file or directory' nowhere
expect 'a folder without a result' 2 'empty/result.json' empty
expect 'a pipe in a folder' 2 'pipe/result.json: not a file' pipe
expect 'no JSON' 2 'text.json:1:' text.json
expect 'a file cut short' 2 'cut short?' cut.json
expect 'a later major version' 2 'version 2.0, but this program reads 1.x' later.json
expect 'a negative size' 2 'negative.json: images[0].cluster_bytes: must not be negative' negative.json
expect 'the same for a second result' 2 'cut.json:' --beside cut.json "$good"
expect 'a bad number of columns' 2 'columns' --columns=wide "$good"
expect 'a folder that does not exist for output' 3 'nowhere' -o nowhere/file "$good"

expect 'a good result' 0 '' "$good"
judge 'no escape sequences in a pipe' no_escapes out
expect 'colours when asked for' 0 '' --color=always "$good"
judge 'escape sequences then' grep -q $'\033' out
expect 'output to a file' 0 '' --output=file "$good"
judge 'nothing on standard output then' test ! -s out
judge 'the tables in the file' grep -q '^cluster ' file
printf 'old' >file
expect 'a bad result and an old file' 2 '' --output=file cut.json
judge 'the old file stays' grep -qx old file
"$accelbench" report "$good" >/dev/full 2>err && status=0 || status=$?
judge 'a full disk is noticed' test "$status" = 3
judge 'JSON that is read again' reads_again
# Far more than a pipe holds, to a reader that looks at nothing.
"$accelbench" report --columns=10000 --json "$good" 2>err | : && status=0 || status=$?
judge 'a reader that has seen enough is no error' test "$status-$(wc -c <err)" = 0-0
exit $failed
