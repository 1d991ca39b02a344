#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes tests/unit/noise_samples.h from a real run: the bandwidth of every repetition, as a ratio to its cell's median.

    build/accelbench run scenarios/quickstart.yaml --target host --set 'matrix.engine=[deflate, lz4]' --set repeat=40 -o DIR
    scripts/noise-samples.py DIR/* >tests/unit/noise_samples.h
"""
import json
import statistics
import sys

with open(sys.argv[1] + "/result.json", encoding="utf-8") as file:
    result = json.load(file)
print("/* SPDX-License-Identifier: GPL-2.0-only */")
print("/* Made by scripts/noise-samples.py from a run on a shared virtual machine; do not edit. */")
print("static const double noise_samples[][40] = {")
for cell in result["cells"]:
    values = [s["bandwidth_bytes_per_s"] for s in cell["samples"] if s["ok"] and not s["traced"]]
    assert len(values) == 40, len(values)
    middle = statistics.median(values)
    print(f"\t/* {cell['workload']} {cell['cluster_bytes'] // 1024} KiB {cell['engine_requested']} */")
    ratios = [f"{v / middle:.6f}" for v in values]
    lines = [", ".join(ratios[i:i + 10]) for i in range(0, 40, 10)]
    print("\t{" + ",\n\t ".join(lines) + "},")
print("};")
