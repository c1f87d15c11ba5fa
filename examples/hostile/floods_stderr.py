#!/usr/bin/env python3
"""Writes 10 MB on standard error, then replies properly. It hangs if nobody reads them."""

import sys

import speak


def trouble(attempt):
    line = "warning: the cache is cold " + "." * 72 + "\n"
    for _ in range(100_000):
        sys.stderr.write(line)
    sys.stderr.flush()
    speak.reply(attempt)


speak.serve("floods-stderr", trouble)
