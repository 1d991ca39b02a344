#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Judges the gate's machine formats: compare_judge.py JUNIT JSON CSV MARKDOWN OPENMETRICS, of the same gate."""
import csv
import json
import sys
import xml.etree.ElementTree

from prometheus_client.openmetrics import parser

JUNIT = {"worse": "failure", "too noisy": "error", "incomparable": "error", "invalid": "error"}


def main():
    suite = xml.etree.ElementTree.parse(sys.argv[1]).getroot().find("testsuite")
    with open(sys.argv[2], encoding="utf-8") as file:
        gate = json.load(file)
    with open(sys.argv[3], encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    with open(sys.argv[4], encoding="utf-8") as file:
        markdown = file.read()
    cases = suite.findall("testcase")
    tests = gate["tests"]
    assert tests and len(cases) == len(tests) == len(rows) == int(suite.get("tests"))
    for element, plural in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert len(suite.findall(f"testcase/{element}")) == int(suite.get(plural)), element
    for case, test, row in zip(cases, tests, rows):
        verdict = test["verdict"]
        children = [child.tag for child in case]
        assert children in ([JUNIT[verdict]] if verdict in JUNIT else [], ["skipped"]), (children, verdict)
        assert row["verdict"] == verdict and row["metric"] == test["metric"] == case.get("name")
        assert None not in row and None not in row.values(), row
        if "change_ratio" in test:
            assert float(row["change"]) == test["change_ratio"]
        assert row["reason"] == test.get("reason", ""), row
    counted = {v: sum(t["verdict"] == v for t in tests) for v in gate["verdicts"]}
    assert counted == gate["verdicts"], counted
    with open(sys.argv[5], encoding="utf-8") as file:
        families = {family.name: family for family in parser.text_fd_to_metric_families(file)}
    states = families["accelbench_gate_verdict"].samples
    assert len(states) == len(tests) * len(gate["verdicts"])
    said = [s.labels["accelbench_gate_verdict"] for s in states if s.value]
    assert said == [test["verdict"] for test in tests], said
    changes = [s.value for s in families["accelbench_gate_change_ratio"].samples]
    assert changes == [t["change_ratio"] for t in tests if "change_ratio" in t], changes
    assert len(markdown) < 65000
    table = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(tests) and len({line.replace("\\|", "").count("|") for line in table}) == 1


main()
