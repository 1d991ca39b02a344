#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""doctor_check.py JSON STATUS [TEXT]: does a doctor's report agree with itself, with its exit status and with the text?"""
import json
import sys

STATES = {"ok": "ok", "no": "no", "untried": "-"}


def check(report, status):
    assert report["schema"] == "accelbench/doctor" and report["schema_version"] == "1.0"
    assert status == (0 if report["can_trace"] else 4), f"status {status}"
    assert (report["mechanism"] is not None) == report["can_trace"]
    assert report["summary"]
    assert report["host"]["kernel_release"] and report["host"]["libbpf_version"]
    for need in report["needs"]:
        assert need["state"] in STATES and need["detail"], need
        if need["state"] == "no" and need["group"] != "engines":
            assert need["remedy"], need
    for hook in report["hooks"]:
        attached = hook["state"] == "ok"
        assert attached == (hook["mechanisms"] is not None), hook
        assert attached or hook["reason"], hook
        assert attached or hook["state"] == "untried" or hook["remedy"], hook
        assert hook["without_it"]
    needs = {(need["group"], need["name"]): need["state"] for need in report["needs"]}
    assert len(needs) == len(report["needs"]), "a need occurs twice"
    assert report["can_trace"] == (needs["tracing", "tracer"] == "ok")
    assert report["engines"] == [name for (group, name), state in needs.items() if (group, state) == ("engines", "ok")]
    assert len({hook["name"] for hook in report["hooks"]}) == len(report["hooks"]) > 10


def check_text(report, text):
    lines = [line.split() for line in text.splitlines()]
    for row in report["needs"] + report["hooks"]:
        start = [STATES[row["state"]], *row["name"].split()]
        assert start in [words[:len(start)] for words in lines], f"no line for {start}"
    assert report["summary"].split()[-3:] == text.split()[-3:]
    assert all(len(line) <= 100 for line in text.splitlines()), "a line is longer than 100 columns"


with open(sys.argv[1]) as file:
    REPORT = json.load(file)
check(REPORT, int(sys.argv[2]))
if len(sys.argv) > 3:
    with open(sys.argv[3]) as file:
        check_text(REPORT, file.read())
