#!/usr/bin/env python3
"""Writes a recording for benches/million.sh: COUNT interactions of 1 to 4 KB to FILE.

The same COUNT gives the same interactions; with CHANGED (a share from 0 to 1) that share of them gets another
argument in its first call.

usage: million.py COUNT FILE [CHANGED]
"""

import json
import random
import sys

WORDS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu order refund parcel tracking"
).split()
TOOLS = ["search", "get_order", "refund", "track"]


def text(of, fewest, most):
    return " ".join(of.choice(WORDS) for _ in range(of.randint(fewest, most)))


def call(of, step):
    items = [{"id": of.randint(1, 10**6), "name": text(of, 6, 6)} for _ in range(of.randint(1, 4))]
    return {
        "name": of.choice(TOOLS),
        "arguments": {"id": str(of.randint(1000, 99999)), "limit": of.randint(1, 50), "q": text(of, 4, 4)},
        "result": {"items": items, "note": text(of, 5, 60)},
        "step": step,
        "latencyMs": of.randint(5, 300),
    }


def interaction(of, number):
    calls = [call(of, step) for step in range(1, of.randint(1, 5) + 1)]
    return {
        "id": f"case-{number:07}",
        "input": text(of, 8, 40),
        "output": text(of, 10, 80),
        "toolCalls": calls,
        "modelCalls": len(calls) + 1,
        "tokens": {"input": of.randint(500, 5000), "output": of.randint(20, 400)},
        "latencyMs": of.randint(300, 3000),
        "scenario": of.choice("abc"),
    }


def main():
    count, path = int(sys.argv[1]), sys.argv[2]
    changed = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    contents, changes = random.Random(1), random.Random(2)
    with open(path, "w", encoding="utf-8") as out:
        for number in range(count):
            row = interaction(contents, number)
            if changes.random() < changed:
                row["toolCalls"][0]["arguments"]["id"] = "0"
            out.write(json.dumps(row) + "\n")


main()
