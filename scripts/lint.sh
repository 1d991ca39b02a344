#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Formatting, static analysis and the rules of the tree. Prints "ok NAME" or "not ok NAME" and what is wrong.

set -euo pipefail

checks='format tidy cppcheck shellcheck python headers includes calls length spdx words whitespace modes packages'

usage()
{
	cat <<EOF
usage: scripts/lint.sh [CHECK...]    (default: all of: $checks)
       scripts/lint.sh --fix-format  format all C in place
EOF
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
max_file_lines=400
max_function_lines=60

# files PATTERN...: what git knows or would add, as long as it exists.
files()
{
	git ls-files -z --cached --others --exclude-standard -- "$@" | sort -zu |
		while IFS= read -r -d '' file; do [[ ! -f $file ]] || printf '%s\0' "$file"; done
}

c_files() { files '*.c' '*.h'; }

# Anything with a shell's first line, whatever its name.
shell_scripts() { files ':!*.c' ':!*.h' | xargs -0 grep -lZE -m1 '^#!/bin/(ba)?sh'; }

# Each check prints what is wrong. It has passed if it printed nothing, errors of its tools included.

check_format()
{
	local found
	found=$(c_files | xargs -0 clang-format --dry-run -Werror 2>&1) && return
	sed -nE 's/^([^ ]*): error:.*/\1: not formatted (make fmt)/p' <<<"$found" | grep . || echo "$found"
}

check_tidy()
{
	make -s build/compile_commands.json
	mkdir -p build/lint
	# The compiler that builds is gcc, with warnings that clang does not have. Findings come on standard output; the other
	# stream counts what was suppressed too, and is worth reading only after a failure.
	files 'src/*.c' | xargs -0 -P2 -n8 clang-tidy -p build --quiet --extra-arg=-Wno-unknown-warning-option \
		2>build/lint/tidy.err || cat build/lint/tidy.err
}

# Suppressed: leaks (it does not know the cleanup attribute), readdir (each stream has one reader), casts from a table's
# offsets to fields of a structure.
check_cppcheck()
{
	mkdir -p build/lint
	cppcheck --enable=warning,performance,portability --std=c11 --library=posix,gnu --inline-suppr --quiet -j2 \
		--cppcheck-build-dir=build/lint --suppress=memleak --suppress=resourceLeak --suppress=readdirCalled \
		--suppress=invalidPointerCast -D'LIBBPF_OPTS(...)=' -Isrc -Ibpf -D_GNU_SOURCE src
}

check_shellcheck() { shell_scripts | xargs -0 shellcheck -x -f gcc; }

check_python()
{
	files '*.py' tests/run | xargs -0 python3 -c '
import ast, sys
for name in sys.argv[1:]:
    ast.parse(open(name, encoding="utf-8").read(), name)'
}

# compile_header FLAGS COMPILER HEADER: it includes what it uses.
compile_header()
{
	local flags
	read -ra flags <<<"$1"
	"$2" "${flags[@]}" -fsyntax-only -Werror -x c -include "$3" /dev/null 2>&1 | sed -n "s|^.*error:|$3 alone:|p;T;q"
}

check_headers()
{
	local header flags
	make -s skeletons >/dev/null
	flags=$(make -s print-CFLAGS_ALL | tr -d "'\"")
	while IFS= read -r -d '' header; do
		compile_header "$flags" gcc "$header"
	done < <(files 'src/*.h' bpf/accelbench.h bpf/hist.h)
	flags=$(make -s print-BPF_CFLAGS)
	while IFS= read -r -d '' header; do
		compile_header "$flags" clang "$header"
	done < <(files 'bpf/*.h')
}

# base <- model <- {probe, run, report}; run may use probe; report uses neither. What is shared with the BPF programs has no
# folder in its name, their skeletons are for probe alone.
check_includes()
{
	# shellcheck disable=SC2016  # the dollar signs are awk's
	files 'src/*/*.c' 'src/*/*.h' | xargs -0 awk '
		BEGIN {
			allowed["base"] = " base "
			allowed["model"] = " base model "
			allowed["probe"] = " base model probe "
			allowed["run"] = " base model probe run "
			allowed["report"] = " base model report "
		}
		/^#include "/ {
			split(FILENAME, path, "/")
			split($0, quoted, "\"")
			from = path[2]
			if (split(quoted[2], to, "/") > 1)
				fine = index(allowed[from], " " to[1] " ")
			else if (quoted[2] ~ /\.skel\.h$/)
				fine = from == "probe"
			else
				fine = from != "base"
			if (!fine)
				printf "%s:%d: %s may not include %s\n", FILENAME, FNR, from, quoted[2]
		}'
}

# none PATTERN: no line of the files on standard input matches it.
none() { xargs -0 grep -nIE "$@" -- || true; }

check_calls()
{
	local unsafe='system|popen|strcpy|stpcpy|strcat|sprintf|vsprintf|gets|strtok|tmpnam|mktemp|atoi|atol|atof|alloca'
	files 'src/*.c' 'src/*.h' | none "(^|[^A-Za-z0-9_])($unsafe)\("
	files 'src/*.c' 'src/*.h' ':!src/main.c' | none '(^|[^A-Za-z0-9_])exit\('
}

# Files and functions that fit into a head; lists of test cases may be longer.
check_length()
{
	# shellcheck disable=SC2016
	files 'src/*' 'bpf/*' 'lab/*' 'scripts/*' Makefile tests/run | xargs -0 awk -v most="$max_file_lines" '
		function report() { if (lines > most) printf "%s: %d lines, at most %d\n", name, lines, most }
		FNR == 1 { report() }
		{ name = FILENAME; lines = FNR }
		END { report() }'
	# shellcheck disable=SC2016
	files 'src/*.c' 'bpf/*' 'lab/*.c' | xargs -0 awk -v most="$max_function_lines" '
		/^[a-z].*\(/ { signature = $0 }
		/^{/ { start = FNR }
		/^}/ && start {
			lines = FNR - start + 1
			if (lines > most)
				printf "%s:%d: %d lines, at most %d: %s\n", FILENAME, start, lines, most, signature
			start = 0
		}'
}

check_spdx()
{
	local file
	while IFS= read -r -d '' file; do
		head -n 2 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only' || echo "$file: no SPDX line"
	done < <(files '*.c' '*.h' '*.sh' '*.py' '*.yaml' '*.yml' '*.list' '*.pref' Makefile '*/Kbuild' .ci/run tests/run \
		.clang-format .clang-tidy .editorconfig .shellcheckrc ':!tests/golden/*' ':!tests/fuzz/corpus/*')
}

# The project speaks of itself: no paths of one machine, no hosts of archives, no numbers that mean nothing here.
check_words()
{
	files ':!LICENSE' ':!scripts/lint.sh' |
		none -e '(^|[^A-Za-z0-9_.$}])/(work|home|root/[a-z])/' \
			-e '(^|[^A-Za-z0-9])(deb|ftp|archive|security|snapshot|registry)\.[a-z]+\.(org|com|net)' \
			-e '(^|[^A-Za-z])([Ii]ssue|[Ss]ession|[Tt]icket) #?[0-9]'
}

check_whitespace()
{
	local file
	files ':!tests/golden/*' ':!tests/fuzz/corpus/*' ':!LICENSE' | none '[[:blank:]]+$'
	while IFS= read -r -d '' file; do
		[[ ! -s $file || -z $(tail -c1 "$file" | tr -d '\0') ]] || echo "$file: no newline at its end"
	done < <(files ':!tests/golden/*' ':!tests/fuzz/corpus/*')
}

# Executable is what has an interpreter's line; what is only sourced has none.
check_modes()
{
	local file
	while IFS= read -r -d '' file; do
		if [[ $(head -c2 "$file" | tr -d '\0') == '#!' ]]; then
			[[ -x $file ]] || echo "$file: a script that is not executable"
		else
			[[ ! -x $file ]] || echo "$file: executable without being a script"
		fi
	done < <(files ':!tests/fuzz/corpus/*')
}

# README shows the table that is installed from.
check_packages()
{
	[[ -f README.md ]] || { echo 'README.md is missing' && return; }
	local line
	while IFS= read -r line; do
		grep -qxF -- "$line" README.md || echo "README.md lacks: $line"
	done < <(scripts/deps.sh --markdown)
}

main()
{
	local check found status=0 number=0
	case ${1-} in
	--fix-format) c_files | xargs -0 clang-format -i && exit 0 ;;
	-*) usage && exit 2 ;;
	esac
	# shellcheck disable=SC2086  # words
	[[ $# != 0 ]] || set -- $checks
	for check; do
		[[ " $checks " == *" $check "* ]] || { usage >&2 && exit 2; }
		number=$((number + 1))
		if found=$("check_$check" 2>&1) && [[ -z $found ]]; then
			echo "ok $number - $check"
		else
			status=1
			printf 'not ok %d - %s\n# %s\n' "$number" "$check" "${found//$'\n'/$'\n'# }"
		fi
	done
	echo "1..$number"
	exit $status
}

main "$@"
