#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The manual's pages, read by groff, and the completion, used by bash.
# shellcheck disable=SC2317  # functions are called through check()
set -euo pipefail

top=$(realpath "$(dirname "$0")/../..")
accelbench=$(realpath "${ACCELBENCH:-$top/build/accelbench}")
# shellcheck source=tests/check.sh
. "$top/tests/check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

commands=$("$accelbench" help | sed -n 's/^  \([a-z]\+\)  .*/\1/p')
"$accelbench" help --format=man --output="$work"

every_page_is_there() { equal "$(find "$work" -name '*.1' | wc -l)" $(($(wc -w <<<"$commands") + 1)); }
check 'a page for the program and one for every command' every_page_is_there

groff_is_content()
{
	local page
	for page in "$work"/*.1; do
		groff -ww -man -Tascii -P-cbou "$page" >"$page.txt" 2>"$page.err"
		[[ ! -s $page.err ]] || { cat "$page.err" && return 1; }
	done
}
check 'groff has nothing to say against them' groff_is_content

# What help shows is on the page.
complete_pages()
{
	local command option
	for command in $commands; do
		for option in $("$accelbench" help "$command" | sed -n 's/^ .* --\([a-z-]*\).*/\1/p'); do
			grep -q -- "--$option" "$work/accelbench-$command.1.txt" || { echo "$command: no --$option" && return 1; }
		done
	done
}
check 'every option of every command is on its page' complete_pages
check 'a page of one command goes to standard output' cmp "$work/accelbench-run.1" <("$accelbench" help --format=man run)

only_all_pages() { "$accelbench" help --format=man --output="$work" run 2>/dev/null && status=0 || status=$?; equal "$status" 2; }
check 'all pages or one' only_all_pages

"$accelbench" help --format=bash >"$work/completion"
check 'shellcheck has nothing to say against the completion' shellcheck -s bash "$work/completion"

# completes WORD...: what bash would offer for the last one, broken up as bash does it.
completes()
{
	COMP_WORDS=(accelbench "$@") COMP_CWORD=$#
	COMPREPLY=()
	compopt() { :; }
	# shellcheck source=/dev/null
	. "$work/completion"
	_accelbench accelbench "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	echo "${COMPREPLY[*]}"
}
check 'commands' equal "$(completes ru)" run
check 'options of a command' equal "$(completes run --qui)" '--quick --quiet'
check 'options with a value' equal "$(completes run --mec)" '--mechanism='
check 'values that are begun' equal "$(completes run --target = la)" lab
check 'all values' equal "$(completes run --target =)" 'auto host lab'
check 'values of common options' equal "$(completes report --color = al)" always
check 'file names are left to bash' equal "$(completes run sc)" ''

finish
