#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Judges a result folder of engines.yaml by its own arithmetic: prints one problem per line, nothing when all is well."""
import csv
import json
import sys

folder = sys.argv[1]
result = json.load(open(folder + "/result.json"))
records = list(csv.DictReader(open(folder + "/records.csv")))
PHASES = ["setup", "submit", "wait", "decode", "copy", "other"]
OBSERVED = {"lz4": "sw:lz4", "lz4hc": "sw:lz4", "lzma": "sw:lzma", "deflate": "sw:deflate",
            "zstd": "sw:zstd", "qat_deflate": "qat_deflate"}


problems = []


def problem(*words):
    problems.append(words)
    print(*words)


if not result["complete"]:
    problem("the result is not complete")
for number, cell in enumerate(result["cells"]):
    engine = cell["engine_requested"]
    if cell["validity"]["verdict"] != "valid":
        problem(engine, "is", cell["validity"])
        continue
    if engine == "none":
        continue
    sets = cell["trace"]["sets"]
    seen = {s["engine_observed"] for s in sets}
    if OBSERVED[engine] not in seen:
        problem(engine, "was served by", seen)
    requests = 0
    for s in sets:
        total = s["phases"]["total"]
        requests += total["count"]
        parts = sum(s["phases"][p].get("sum", 0) for p in PHASES)
        if parts != total["sum"]:
            problem(engine, "phases add up to", parts, "requests to", total["sum"])
        if sum(total["counts"]) != total["count"]:
            problem(engine, "buckets hold", sum(total["counts"]), "of", total["count"])
    mine = [r for r in records if int(r["cell"]) == number]
    if len(mine) != requests:
        problem(engine, "has", len(mine), "records of", requests, "requests")
    for r in mine:
        wall = int(r["ended_at_ns"]) - int(r["began_at_ns"])
        if sum(int(r[p + "_ns"]) for p in PHASES) != wall:
            problem(engine, "a record's phases do not add up:", r)
    out = sum(int(r["out_bytes"]) for r in mine)
    if out < result["dataset"]["size_bytes"] * 0.98:
        problem(engine, "decompressed", out, "bytes")
sys.exit(1 if problems else 0)
