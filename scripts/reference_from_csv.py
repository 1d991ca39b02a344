#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes results/reference/*/result.json from the published.csv beside each.

    reference_from_csv.py [--check] [ROOT]

The CSV files hold the figures as they were published, and where; this script only gives them the form of a result. What
the publications do not say stays null. --check writes nothing and fails when a result.json is not what the CSV gives.
"""
import csv
import json
import pathlib
import sys

MIB = 1 << 20
COUNTERS_UNKNOWN = "published figures: requests were not traced"

# What the publications say beyond their tables.
EXPERIMENTS = {
    "erofs-seq": {
        "description": "Deflate in software against QAT across physical cluster sizes.",
        "kernel": None,
        "cpu_model": "Intel Xeon 6766E",
        "cpus": 144,
        "memory": 512 << 30,
        "dataset": "one 285 MiB file",
        "size": 285 * MIB,
        "level": 9,
        "workloads": {
            "seqread": {"rw": "read", "column": "seqread_mibs"},
            "randread": {"rw": "randread", "column": "randread_mibs"},
            "small-randread": {"rw": "randread", "column": "small_randread_mibs", "io_size": 14 * MIB},
        },
    },
    "erofs-enwik9": {
        "description": "EROFS end to end on enwik9 at 1 MiB clusters, from a slow disk.",
        "kernel": "6.16",
        "cpu_model": "Intel Xeon Platinum 8475B",
        "cpus": 192,
        "memory": 512 << 30,
        "dataset": "enwik9",
        # The corpus has 10^9 bytes; the publication says 954 MiB.
        "size": 1000000000,
        "corpus": "enwik9",
        "level": None,
        "workloads": {"seqread": {"rw": "read", "column": "seqread_mibs"}},
    },
}


def read_csv(path):
    """The rows, and the comment lines above them as one text."""
    lines = path.read_text(encoding="utf-8").splitlines()
    source = " ".join(line.lstrip("# ").strip() for line in lines if line.startswith("#"))
    return list(csv.DictReader(line for line in lines if not line.startswith("#"))), source


def algorithm_of(engine):
    """Accelerators read images of the algorithm that they implement."""
    return engine.removeprefix("qat_")


def image(algorithm, cluster, level):
    return {"algorithm": algorithm, "cluster_bytes": cluster, "level": level, "ok": True, "verified": []}


def cell(row, name, workload, index):
    """One figure: a single repetition of which nothing but its bandwidth was published."""
    sample = {
        "repetition": 0,
        "traced": False,
        "ok": True,
        "bandwidth_bytes_per_s": round(float(row[workload["column"]]) * MIB, 3),
    }
    if row.get("run_ms"):
        sample["runtime_ns"] = int(row["run_ms"]) * 1000000
    return {
        "engine_requested": row["engine"],
        "cluster_bytes": int(row["cluster_bytes"]),
        "workload": name,
        "rw": workload["rw"],
        "bs_bytes": 4096,
        "io_size_bytes": workload.get("io_size"),
        "numjobs": 1,
        "iodepth": 1,
        "image": index,
        "status": "done",
        "validity": {"verdict": "valid", "reasons": []},
        "samples": [sample],
        "trace": {"absent": COUNTERS_UNKNOWN},
    }


def result(name, experiment, rows, source):
    images, cells = [], []
    for row in rows:
        wanted = image(algorithm_of(row["engine"]), int(row["cluster_bytes"]), experiment["level"])
        if wanted not in images:
            images.append(wanted)
        for workload_name, workload in experiment["workloads"].items():
            cells.append(cell(row, workload_name, workload, images.index(wanted)))
    return {
        "schema": "accelbench/result",
        "schema_version": "1.0",
        "id": f"reference/{name}",
        "complete": True,
        "reference": True,
        "source": source,
        "scenario": {"name": name, "description": experiment["description"], "quick": False, "filesystem": "erofs"},
        "host": {
            "kernel_release": experiment["kernel"],
            "cpu_model": experiment["cpu_model"],
            "cpus_online": experiment["cpus"],
            "memory_bytes": experiment["memory"],
            "emulated": False,
            "accelerator_kind": "qat",
        },
        "dataset": {
            "kind": "path",
            "description": experiment["dataset"],
            "size_bytes": experiment["size"],
            "corpus": experiment.get("corpus"),
        },
        "images": images,
        "tracer": {"absent": COUNTERS_UNKNOWN},
        "cells": cells,
    }


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent / "results/reference")
    failed = False
    for name, experiment in EXPERIMENTS.items():
        rows, source = read_csv(root / name / "published.csv")
        path = root / name / "result.json"
        text = json.dumps(result(name, experiment, rows, source), indent=1) + "\n"
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path} is not what {path.parent / 'published.csv'} gives; run {sys.argv[0]}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
