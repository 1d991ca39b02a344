#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Judges src/base/stats.c: computes the same figures from their definitions with exact integers.

Each line on standard input: kind confidence n values... estimate low high reached, doubles as C99 hexadecimal.
kind is "median" or "shift". Prints every disagreement; the exit status says whether there was one.
"""
import itertools
import math
import sys
from fractions import Fraction

ENUMERATED = 12  # up to here every sign pattern is looked at; above, counts come from a polynomial


def exact_median(values):
    """The middle value, or the mean of the middle two."""
    ordered = sorted(values)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2


def heads_counts(n):
    """How many of the 2^n outcomes of n throws have k heads, for every k."""
    return [math.comb(n, k) for k in range(n + 1)]


def rank_sum_counts(n):
    """How many of the 2^n sign patterns have the positive rank sum t, for every t."""
    counts = [0] * (n * (n + 1) // 2 + 1)
    if n <= ENUMERATED:
        for signs in itertools.product((0, 1), repeat=n):
            counts[sum(rank for rank, sign in enumerate(signs, 1) if sign)] += 1
        return counts
    counts[0] = 1
    for rank in range(1, n + 1):
        counts = [c + (counts[t - rank] if t >= rank else 0) for t, c in enumerate(counts)]
    return counts


def interval(ordered, counts, n, confidence):
    """The smallest symmetric interval of order statistics with at least that confidence, else the widest."""
    best = None
    for k in range(1, len(ordered) // 2 + 1):
        reached = 1 - Fraction(2 * sum(counts[:k]), 2 ** n)
        if k == 1 or reached >= confidence:
            best = (ordered[k - 1], ordered[len(ordered) - k], float(reached))
    return best


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


def judge(line):
    words = line.split()
    kind, confidence, n = words[0], Fraction(float.fromhex(words[1])), int(words[2])
    # A decimal such as 0.9375 is exact; 0.95 is a hair off, as it is in C.
    numbers = [float.fromhex(w) for w in words[3:]]
    values, (estimate, low, high, reached) = numbers[:n], numbers[n:]
    if kind == "median":
        ordered, counts = sorted(values), heads_counts(n)
    else:
        ordered = sorted((values[i] + values[j]) / 2 for i in range(n) for j in range(i, n))
        counts = rank_sum_counts(n)
    want = interval(ordered, counts, n, confidence) if n > 1 else (low, high, 0.0)
    if close(exact_median(ordered), estimate) and all(map(close, want, (low, high, reached))):
        return True
    print(f"{kind} n={n}: expected {exact_median(ordered)} {want}, got {estimate} {(low, high, reached)}")
    return False


def main():
    verdicts = [judge(line) for line in sys.stdin]
    print(f"{len(verdicts)} judged")
    return 0 if verdicts and all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
