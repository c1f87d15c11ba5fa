#!/usr/bin/env python3
"""Replies only after LATE_SECONDS seconds (5 if that is not set)."""

import os
import time

import speak


def trouble(attempt):
    time.sleep(float(os.environ.get("LATE_SECONDS", "5")))
    speak.reply(attempt, "late")


speak.serve("late", trouble)
