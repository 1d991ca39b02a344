#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measures the limits that the project has set itself, and prints each beside what was measured.

Ends with status 1 when one is exceeded. Run it on an otherwise idle machine, as root.
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ACCELBENCH = ROOT / "build/accelbench"
INSTRUCTIONS = ROOT / "tests/guest/instructions.txt"
COST_LOG = ROOT / "build/test-logs/guest/test_tracer_cost.log"
MIB = 1 << 20
SMALL = ["--set", "dataset.generate.size=1MiB", "--set", "matrix.cluster=[64KiB]", "--set", "matrix.engine=[deflate]"]


class Bench:
    def __init__(self, scratch):
        self.scratch = Path(scratch)
        self.exceeded = 0

    def limit(self, what, measured, limit, unit):
        verdict = "ok" if measured <= limit else "EXCEEDED"
        self.exceeded += measured > limit
        print(f"{what:<58}{measured:>9.2f} of {limit:>6g} {unit:<6} {verdict}", flush=True)

    def run(self, *argv):
        """Seconds that a command takes; its output is shown if it fails."""
        start = time.monotonic()
        done = subprocess.run([str(word) for word in argv], cwd=ROOT, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        took = time.monotonic() - start
        if done.returncode:
            sys.exit(f"{' '.join(map(str, argv))}: exit status {done.returncode}\n{done.stdout}")
        return took

    def scenario(self, name, *options):
        """Runs a scenario; returns how long that took, and its result."""
        parent = Path(tempfile.mkdtemp(dir=self.scratch))
        took = self.run(ACCELBENCH, "run", name, "-o", parent, *options)
        result = next(parent.glob("*/result.json"))
        return took, json.loads(result.read_text(encoding="utf-8"))

    def dataset(self):
        command = (ACCELBENCH, "generate", "--size=285MiB", "--output", self.scratch / "data")
        self.limit("a dataset of 285 MiB", min(self.run(*command) for _ in range(3)), 2, "s")

    def tracer(self):
        read_tracer_log(self)

    def memory(self):
        """The program's own, after a short and after a long run."""
        for repeat in (2, 40):
            _, result = self.scenario("scenarios/quickstart.yaml", *SMALL, "--set", f"repeat={repeat}")
            samples = sum(len(cell["samples"]) for cell in result["cells"])
            self.limit(f"memory of the program, {samples} repetitions", result["tracer"]["max_rss_bytes"] / MIB, 64, "MiB")

    def harness(self):
        _, result = self.scenario("tests/bench/untraced.yaml", "--target=host")
        cost = result["cost"]
        rest = cost["harness_ns"]
        whole = rest + cost["fio_ns"] + (cost["mkfs_ns"] or 0)
        self.limit("time outside fio and mkfs, 285 MiB, 5 repetitions, untraced", 100 * rest / whole, 10, "%")

    def demo(self):
        self.run("make", "demo")
        self.limit("make demo, again", self.run("make", "demo"), 90, "s")

    def fresh(self):
        """A fresh checkout of what is committed; what the machine has installed stays."""
        clone = self.scratch / "clone"
        self.run("git", "clone", "--quiet", ROOT, clone)
        self.limit("make demo, from a fresh checkout", self.run("make", "-C", clone, "demo"), 8 * 60, "s")
        self.limit("make check, after that", self.run("make", "-C", clone, "check"), 20 * 60, "s")


def read_tracer_log(bench):
    """Start-up and instruction counts, as the guest's test measured them."""
    subprocess.run(["tests/run", "guest", "-k", "tracer_cost"], cwd=ROOT, stdout=subprocess.DEVNULL)
    log = COST_LOG.read_text(encoding="utf-8")
    starts = re.findall(r"^# open, load and attach all hooks by (\w+): ([\d.]+) s", log, re.MULTILINE)
    if not starts:
        sys.exit(f"{COST_LOG}: no times in it\n{log}")
    for mechanism in dict(starts):
        best = min(float(seconds) for name, seconds in starts if name == mechanism)
        what = f"open, load and attach all hooks by {mechanism}, in the guest"
        if mechanism == "auto":
            bench.limit(what, best, 1, "s")
        else:
            print(f"{what:<58}{best:>9.2f} s, on demand")
    now, then = dict(instructions(log, r"^# instructions (\S+) (\d+)")), dict(instructions(
        INSTRUCTIONS.read_text(encoding="utf-8"), r"^(\w+) (\d+)"))
    for name in sorted(now):
        bench.limit(f"instructions verified of {name}", now[name], 1.1 * then.get(name, 0), "")


def instructions(text, pattern):
    return [(name, int(count)) for name, count in re.findall(pattern, text, re.MULTILINE)]


def update_instructions():
    subprocess.run(["tests/run", "guest", "-k", "tracer_cost"], cwd=ROOT, stdout=subprocess.DEVNULL)
    counts = instructions(COST_LOG.read_text(encoding="utf-8"), r"^# instructions (\S+) (\d+)")
    head = [line for line in INSTRUCTIONS.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    lines = head + [f"{name} {count}" for name, count in sorted(set(counts))]
    INSTRUCTIONS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    names = ("dataset", "tracer", "memory", "harness", "demo")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*names, "fresh", []], metavar="NAME",
                        help=f"of {', '.join(names)} (all of these), fresh (a fresh checkout: half an hour)")
    parser.add_argument("--update", action="store_true", help=f"rewrite {INSTRUCTIONS.relative_to(ROOT)}")
    args = parser.parse_args()
    if args.update:
        update_instructions()
        return 0
    scratch = tempfile.mkdtemp(prefix="accelbench-bench.")
    try:
        bench = Bench(scratch)
        for name in args.names or names:
            getattr(bench, name)()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return 1 if bench.exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
