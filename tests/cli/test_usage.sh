#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Help, versions, usage errors and the commands that only read scenarios: what goes where, with which exit status.
set -euo pipefail

top=$(realpath "$(dirname "$0")/../..")
accelbench=$(realpath "${ACCELBENCH:-$top/build/accelbench}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$top/tests/golden/minimal.yaml" good.yaml
sed 's/^name:/nmae:/' good.yaml >bad.yaml
number=0
failed=0

# expect NAME STATUS OUT ERR ARGUMENT...: OUT and ERR are patterns for the whole of stdout and stderr; '' is nothing at all.
expect()
{
	local name=$1 status=$2 out=$3 err=$4 got=0

	shift 4
	"$accelbench" "$@" >out 2>err </dev/null || got=$?
	number=$((number + 1))
	# shellcheck disable=SC2053  # they are patterns
	if [[ $got == "$status" && $(<out) == $out && $(<err) == $err ]]; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		echo "# accelbench $*: exit status $got, expected $status"
		sed 's/^/# out: /' out
		sed 's/^/# err: /' err
		failed=1
	fi
}

error='accelbench: error: '

expect 'help' 0 'Usage: accelbench *Commands:*plan *validate *schema *Exit status:*' '' help
expect '--help is the same' 0 'Usage: accelbench *Commands:*' '' --help
expect 'help of a command' 0 'Usage: accelbench plan *--set=PATH=VALUE*--quick*--help*' '' help plan
expect 'plan -h is the same' 0 'Usage: accelbench plan *--set=PATH=VALUE*' '' plan -h
expect 'help before what is missing' 0 'Usage: accelbench validate *' '' validate --help
expect 'version' 0 'accelbench [0-9]*.[0-9]*.[0-9]*' '' -V
expect 'version of a command' 0 'accelbench [0-9]*' '' plan --version
expect 'no command' 2 '' "${error}which command?*"
expect 'an empty command' 2 '' "${error}unknown command ''*" ''
expect 'a mistyped command' 2 '' "${error}unknown command 'pln'; did you mean 'plan'?*" pln
expect 'commands are not abbreviated' 2 '' "${error}unknown command 'val'*" val
expect 'help of a mistyped command' 2 '' "${error}unknown command 'pln'; did you mean 'plan'?*" help pln
expect 'a mistyped option' 2 '' "${error}plan: unknown option '--quikc'; did you mean '--quick'?" plan --quikc good.yaml
expect 'a missing operand' 2 '' "${error}plan: SCENARIO is missing" plan
expect 'an operand too many' 2 '' "${error}plan: too many arguments (2), expected SCENARIO" plan good.yaml bad.yaml
expect 'a missing value' 2 '' "${error}plan: option '--set' needs a value" plan good.yaml --set
expect 'an option after --' 2 '' "${error}--quick: cannot be opened: No such file or directory" plan -- --quick

expect 'plan' 0 'scenario     minimal*steps (10)*' '' plan good.yaml
expect 'plan with --set' 0 '*steps (4)*' '' plan --set repeat=2 good.yaml
expect 'plan of a bad scenario' 2 '' "${error}bad.yaml:1:1: unknown key 'nmae'; did you mean 'name'?" plan bad.yaml
expect 'plan of no file' 2 '' "${error}none.yaml: cannot be opened: No such file or directory" plan none.yaml
expect 'plan of a folder' 2 '' "${error}.: cannot be read: Is a directory" plan .
expect 'plan of empty standard input' 2 '' "${error}<stdin>:1:1: there is nothing in it" plan -
expect 'validate' 0 '' 'good.yaml: valid' validate good.yaml
expect 'validate looks at all' 2 '' "${error}bad.yaml:1:1:*good.yaml: valid*" validate bad.yaml good.yaml
expect 'validate -q' 0 '' '' validate -q good.yaml
expect 'validate --print' 0 'name: minimal*timeout: 600s*' '' validate -qp good.yaml
expect 'schema' 0 '{*"https://json-schema.org/draft/2020-12/schema"*"quick"*}' '' schema scenario
expect 'a mistyped schema' 2 '' "${error}schema: no format 'scenaro'; did you mean 'scenario'?" schema scenaro

# Where a lab is looked for: what the option says, else below the current folder.
missing='no complete guest there (vmlinux is missing); *sudo make lab*share/accelbench/lab/build.sh DIR*--lab-dir=DIR*'
expect 'no lab' 4 '' "${error}build/lab: $missing" run --target lab good.yaml
expect 'no lab where it should be' 4 '' "${error}none: $missing" run --target lab --lab-dir none good.yaml
expect 'no lab for a command' 4 '' "${error}none: $missing" lab --dir none run true
expect 'a pipe that the guest cannot read' 2 '' "${error}*a scenario file*, not*a pipe" run --target lab <(cat good.yaml)

expect 'a guest without CPUs' 2 '' "${error}--lab-cpus: a guest has at least one CPU" run --lab-cpus 0 good.yaml
expect 'tools that are not there' 2 '' "${error}--tools-root none: not there" run --tools-root none good.yaml

# What is printed can be read again, from standard input too.
number=$((number + 1))
"$accelbench" validate -qp good.yaml >printed.yaml
"$accelbench" validate -qp - <printed.yaml >again.yaml || true
if [[ -s printed.yaml ]] && diff printed.yaml again.yaml; then
	echo "ok $number - what validate prints reads back the same"
else
	echo "not ok $number - what validate prints reads back the same"
	failed=1
fi

# Results that cannot be written are an error, never silence.
number=$((number + 1))
status=0
"$accelbench" plan good.yaml >/dev/full 2>err || status=$?
if [[ $status == 3 && $(<err) == "${error}cannot write to standard output: No space left on device" ]]; then
	echo "ok $number - a full disk"
else
	echo "not ok $number - a full disk"
	echo "# exit status $status: $(<err)"
	failed=1
fi

# Nothing but the plan is done: no file appears.
number=$((number + 1))
mkdir empty
if (cd empty && "$accelbench" plan ../good.yaml >/dev/null && [[ -z $(ls -A) ]]); then
	echo "ok $number - plan touches nothing"
else
	echo "not ok $number - plan touches nothing"
	failed=1
fi
echo "1..$number"
exit $failed
