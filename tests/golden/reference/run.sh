#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# results/reference/*/result.json hold what published.csv beside each holds, no more and no less.

set -euo pipefail

cd "$(dirname "$0")/../../.."
accelbench=${ACCELBENCH:-build/accelbench}
script=scripts/reference_from_csv.py

if [[ ${1-} == --update ]]; then
	exec python3 $script
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0


# judge NAME COMMAND...: passed if the command is.
judge()
{
	local name=$1
	shift
	if "$@" >"$work/out" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/# /' "$work/out"
		failed=1
	fi
}

# shellcheck disable=SC2317
# Every figure of the CSV file, in the JSON that the program itself writes.
same_figures()
{
	"$accelbench" report --json "results/reference/$1" | python3 -c '
import csv, json, sys
cells = json.load(sys.stdin)["cells"]
lines = [line for line in open(sys.argv[1], encoding="utf-8") if not line.startswith("#")]
seen = 0
for row in csv.DictReader(lines):
    for column, text in row.items():
        if not column.endswith("_mibs"):
            continue
        workload = column[:-len("_mibs")].replace("_", "-")
        found = [c["samples"] for c in cells if c["engine_requested"] == row["engine"]
                 and c["cluster_bytes"] == int(row["cluster_bytes"]) and c["workload"] == workload]
        assert len(found) == 1 and len(found[0]) == 1, (row, workload, found)
        figure = found[0][0]["bandwidth_bytes_per_s"] / (1 << 20)
        assert abs(figure - float(text)) < 1e-6, (row, workload, figure)
        seen += 1
assert seen == len(cells) and seen > 0, (seen, len(cells))
' "results/reference/$1/published.csv"
}

# shellcheck disable=SC2317
# A figure changed by hand must be noticed.
notices_a_change()
{
	cp -r results/reference "$work/reference"
	sed -i 's/^deflate,4096,499/deflate,4096,498/' "$work/reference/erofs-seq/published.csv"
	! python3 "$script" --check "$work/reference"
}

judge 'files are what the script gives' python3 $script --check
judge 'erofs-seq has every published figure' same_figures erofs-seq
judge 'erofs-enwik9 has every published figure' same_figures erofs-enwik9
judge 'a changed figure is noticed' notices_a_change
exit $failed
