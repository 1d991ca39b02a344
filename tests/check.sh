# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What test scripts are written with; they source it and end with `finish`.

check_number=0
check_failed=0
check_said=$(mktemp)

# check NAME COMMAND...: one test, passed if COMMAND succeeds, in this shell. After a failure, what it said follows.
check()
{
	local name=$1
	shift
	check_number=$((check_number + 1))
	if "$@" >"$check_said" 2>&1; then
		echo "ok $check_number - $name"
	else
		printf 'not ok %d - %s\n#   %s\n' "$check_number" "$name" "$*"
		tail -n 20 "$check_said" | sed 's/^/#   /'
		check_failed=$((check_failed + 1))
	fi
}

# skip NAME REASON
skip()
{
	check_number=$((check_number + 1))
	echo "ok $check_number - $1 # SKIP $2"
}

equal() { [[ $1 == "$2" ]] || { echo "'$1' is not '$2'" && return 1; }; }

# matches TEXT PATTERN: all of TEXT, a pattern of the shell.
# shellcheck disable=SC2053  # it is a pattern
matches() { [[ $1 == $2 ]] || { echo "'$1' does not match '$2'" && return 1; }; }

fails() { ! "$@"; }

# The plan, and the exit status of the script.
finish()
{
	rm -f "$check_said"
	echo "1..$check_number"
	[[ $check_failed == 0 ]]
}
