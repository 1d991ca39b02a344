#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Installs what the project needs and the machine lacks, or says what that is. The table is packages.list beside this.

set -euo pipefail

usage()
{
	cat <<'EOF'
usage: scripts/deps.sh [--check | --list | --markdown] [ROLE...]
Installs the missing packages of the roles (build, run, test, lab; default: all) with apt, as root. On a system
without apt it names them and ends with status 1. When nothing is missing, it does nothing.

  --check     install nothing: name what is missing, status 1 if anything is
  --list      print the table's packages, one a line, present or not
  --markdown  print the table for README.md
EOF
}

table=$(dirname "${BASH_SOURCE[0]}")/packages.list
PATH=$PATH:/usr/sbin:/sbin

rows() { grep -v -e '^#' -e '^[[:space:]]*$' "$table"; }

# present WHAT: is it there? See the table's head for the forms.
present()
{
	case $1 in
	pc:*)
		# pkg-config wants blanks around the comparison.
		${PKG_CONFIG:-pkg-config} --exists "$(sed -E 's/^pc://; s/(>=)/ \1 /' <<<"$1")" 2>/dev/null
		;;
	file:*) compgen -G "${1#file:}" >/dev/null ;;
	py:*) /usr/bin/python3 -c "import ${1#py:}" 2>/dev/null ;;
	clang) command -v "${CLANG:-clang}" >/dev/null ;;
	gcc) command -v "${CC:-gcc}" >/dev/null ;;
	# Ubuntu has a wrapper that may find none for the running kernel: it has to answer.
	bpftool) "${BPFTOOL:-bpftool}" version >/dev/null 2>&1 ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# Which column of the table names this system's packages.
distribution()
{
	local ID='' ID_LIKE=''
	# shellcheck source=/dev/null
	[[ ! -r /etc/os-release ]] || source /etc/os-release
	case " $ID $ID_LIKE " in
	*' fedora '* | *' rhel '*) echo Fedora ;;
	*' arch '*) echo Arch ;;
	*) echo Debian ;;
	esac
}

# The rows of the roles given, those already there left out: "role present package what for".
missing()
{
	local column=$1 role what debian fedora arch purpose package
	shift
	while read -r role what debian fedora arch purpose; do
		[[ " $* " == *" $role "* ]] || continue
		! present "$what" || continue
		case $column in
		Fedora) package=$fedora ;;
		Arch) package=$arch ;;
		*) package=$debian ;;
		esac
		echo "$role $what $package $purpose"
	done < <(rows)
}

# describe: the missing rows on standard input, for people.
describe()
{
	local role what package purpose
	while read -r role what package purpose; do
		what=${what#file:} what=${what#py:}
		[[ $what != pc:* ]] || what="library ${what#pc:}"
		[[ $package != - ]] || package='name not known'
		printf '  %-26s %-5s  %s (%s)\n' "$package" "$role" "$purpose" "$what"
	done
}

install()
{
	export DEBIAN_FRONTEND=noninteractive
	local apt=(apt-get install -y --no-install-recommends -o APT::Cmd::Disable-Script-Warning=true)
	# Lists that are absent or old make the first try fail.
	"${apt[@]}" "$@" && return
	echo 'deps: apt could not, trying again with fresh package lists' >&2
	apt-get update && "${apt[@]}" "$@"
}

markdown()
{
	local role what debian fedora arch purpose
	echo '| role | Debian, Ubuntu | Fedora | Arch | what for |'
	echo '| --- | --- | --- | --- | --- |'
	while read -r role what debian fedora arch purpose; do
		echo "| $role | $debian | $fedora | ${arch/#-/} | $purpose |"
	done < <(rows)
}

main()
{
	local mode=install column found packages
	case ${1-} in
	--check | --list | --markdown) mode=${1#--} && shift ;;
	-h | --help) usage && exit 0 ;;
	-*) usage >&2 && exit 2 ;;
	esac
	[[ $# != 0 ]] || set -- build run test lab
	column=$(distribution)

	case $mode in
	markdown) markdown && exit 0 ;;
	list) rows | awk -v roles=" $* " 'index(roles, " " $1 " ") { print $3 }' | sort -u && exit 0 ;;
	esac

	found=$(missing "$column" "$@")
	[[ -n $found ]] || exit 0
	if [[ $mode == check ]]; then
		{ echo "Missing on this machine ('make deps' installs it on Debian and Ubuntu):" && describe; } <<<"$found" >&2
		exit 1
	fi
	if ! command -v apt-get >/dev/null; then
		{ echo "No apt here: install these packages ($column names) with your package manager:" && describe; } <<<"$found" >&2
		exit 1
	fi
	mapfile -t packages < <(awk '{ print $3 }' <<<"$found" | sort -u)
	if [[ $(id -u) != 0 ]]; then
		{ echo "Missing, and installing needs root ('sudo make deps'):" && describe; } <<<"$found" >&2
		exit 1
	fi
	echo "deps: installing ${packages[*]}" >&2
	install "${packages[@]}" >&2
	found=$(missing "$column" "$@")
	if [[ -n $found ]]; then
		{ echo 'Installed, yet not found:' && describe; } <<<"$found" >&2
		exit 1
	fi
}

main "$@"
