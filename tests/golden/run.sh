#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Golden files: what the program says about each scenario here is what stands beside it.
#   NAME.yaml + NAME.plan   `accelbench plan` succeeds and prints exactly this
#   NAME.yaml + NAME.err    it fails with status 2, prints nothing, and complains in exactly these words
#   NAME.args               further arguments, one a line
# --update rewrites the expectations; look at the difference before committing it.
set -euo pipefail

cd "$(dirname "$0")"
accelbench=$(realpath "${ACCELBENCH:-../../build/accelbench}")
update=false
[[ ${1:-} == --update ]] && update=true
work=$(mktemp -d)
count=0
trap 'rm -rf "$work"' EXIT
failed=0

# Runs the case; leaves $work/out and $work/err, prints the exit status.
run_case()
{
	local args=()

	[[ -f $1.args ]] && mapfile -t args <"$1.args"
	local status=0
	"$accelbench" plan "$1.yaml" "${args[@]}" >"$work/out" 2>"$work/err" || status=$?
	echo "$status"
}

update_case()
{
	rm -f "$1.plan" "$1.err"
	case $2 in
	0) cp "$work/out" "$1.plan" ;;
	2) cp "$work/err" "$1.err" ;;
	*)
		echo "not ok $1 - exit status $2"
		failed=1
		;;
	esac
}

# 0 when everything is as expected; otherwise says what is not.
check_case()
{
	if [[ -f $1.plan ]]; then
		[[ $2 == 0 ]] || { echo "# exit status $2"; cat "$work/err"; return 1; }
		diff -u "$1.plan" "$work/out"
	elif [[ -f $1.err ]]; then
		[[ $2 == 2 ]] || { echo "# exit status $2, expected 2"; return 1; }
		[[ ! -s $work/out ]] || { echo "# wrote to standard output"; return 1; }
		diff -u "$1.err" "$work/err"
	else
		echo "# neither $1.plan nor $1.err exists"
		return 1
	fi
}

for yaml in *.yaml; do
	name=${yaml%.yaml}
	count=$((count + 1))
	status=$(run_case "$name")
	if $update; then
		update_case "$name" "$status"
	elif check_case "$name" "$status" >"$work/diff"; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		sed 's/^/# /' "$work/diff"
		failed=1
	fi
done
$update || echo "1..$count"
exit $failed
