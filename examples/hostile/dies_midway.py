#!/usr/bin/env python3
"""Calls a tool, then exits with code 3. It does so for an input that holds the word "die"."""

import sys

import speak


def trouble(attempt):
    speak.send({"type": "tool_call", "attempt": attempt, "call": "c1", "name": "get_order",
                "arguments": {"order_id": "1001"}})
    print("out of memory", file=sys.stderr, flush=True)
    sys.exit(3)


speak.serve("dies-midway", trouble, word="die")
