#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes results for test_compare.sh from one of few repetitions: compare_variants.py RESULT FOLDER.

base and same have 24 repetitions of the same noise, drawn with a fixed seed; the others are same with one thing changed.
"""
import copy
import json
import pathlib
import random
import sys

REPETITIONS = 24


def repeated(result, seed):
    """Every cell with more repetitions: each one's speed within 1 % of the cell's first."""
    draw = random.Random(seed)
    result = copy.deepcopy(result)
    for cell in result["cells"]:
        few = cell["samples"]
        cell["samples"] = []
        for i in range(REPETITIONS):
            for sample in copy.deepcopy(few[:2]):
                sample["repetition"] = i
                sample["bandwidth_bytes_per_s"] *= draw.uniform(0.99, 1.01)
                cell["samples"].append(sample)
    return result


def slower(result):
    for sample in result["cells"][1]["samples"]:
        sample["bandwidth_bytes_per_s"] *= 0.8


def noisy(result):
    draw = random.Random(9)
    for sample in result["cells"][1]["samples"]:
        sample["bandwidth_bytes_per_s"] *= draw.uniform(0.6, 1.4)


def invalid(result):
    result["cells"][1]["validity"] = {"verdict": "invalid", "reasons": ["data is <wrong> & \"bad\""]}


def skipped(result):
    for cell in result["cells"]:
        if cell["engine_requested"] == "qat_deflate":
            cell.update(status="skipped", reason="no accelerator here", samples=[],
                        validity={"verdict": "invalid", "reasons": []})


def other_fio(result):
    result["host"]["fio_version"] = "fio-9.99"


def few(result):
    for cell in result["cells"]:
        del cell["samples"][4:]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        original = json.load(file)
    results = {"base": repeated(original, 1)}
    for change in (lambda result: None, slower, noisy, invalid, skipped, other_fio, few):
        result = repeated(original, 2)
        change(result)
        results["same" if change.__name__ == "<lambda>" else change.__name__] = result
    for name, result in results.items():
        folder = pathlib.Path(sys.argv[2], name)
        folder.mkdir()
        (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")


main()
