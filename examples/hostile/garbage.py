#!/usr/bin/env python3
"""Prints a line that is no JSON on standard output, then replies."""

import speak


def trouble(attempt):
    speak.write("DEBUG: asking the model (attempt %s)\n" % attempt)
    speak.reply(attempt)


speak.serve("garbage", trouble)
