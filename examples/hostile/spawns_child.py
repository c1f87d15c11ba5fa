#!/usr/bin/env python3
"""Starts a child that sleeps, then hangs. The child holds the target's pipes open.

The child's process id goes to standard error, so that a test can see that the child was ended too.
"""

import subprocess
import sys

import speak


def trouble(attempt):
    child = subprocess.Popen(["sleep", "600"])
    print("child %d" % child.pid, file=sys.stderr, flush=True)
    speak.hang()


speak.serve("spawns-child", trouble)
