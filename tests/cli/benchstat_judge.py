#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Judges text for benchstat by Go's specification of the benchmark format, and JSON for github-action-benchmark by what that action
reads: benchstat_judge.py BENCHSTAT ACTION COMPARISON, the last of them our own JSON of the same comparison."""
import json
import re
import sys

# https://go.dev/design/14313-benchmark-format, extended by the units of golang.org/x/perf/benchfmt.
CONFIG = re.compile(r"[a-z][^A-Z\s:]*:\s+\S.*")
RESULT = re.compile(r"Benchmark[A-Z]\S*\s+\d+\s+\S+\s+\S+")
UNIT = re.compile(r"Unit \S+ better=(higher|lower)")


def main():
    values = []
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("side:"):
                assert CONFIG.fullmatch(line), line
                values.append({})
            elif line and not UNIT.fullmatch(line):
                assert RESULT.fullmatch(line), line
                name, count, value, _ = line.split()
                assert count == "1"
                values[-1].setdefault(name, []).append(float(value))
    with open(sys.argv[2], encoding="utf-8") as file:
        action = json.load(file)
    with open(sys.argv[3], encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    assert len(values) == 2 and rows
    for side in (0, 1):
        assert list(values[side].values()) == [row["sides"][side]["values"] for row in rows]
    assert [entry["value"] for entry in action] == [row["sides"][1]["median"] for row in rows]
    for entry in action:
        assert isinstance(entry["name"], str) and isinstance(entry["unit"], str)
        assert set(entry) <= {"name", "unit", "value", "range", "extra"}
    assert len({entry["name"] for entry in action}) == len(action)


main()
