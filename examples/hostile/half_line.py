#!/usr/bin/env python3
"""Writes half a line of JSON and hangs."""

import speak


def trouble(attempt):
    speak.write('{"type":"reply","attempt":"%s","outp' % attempt)
    speak.hang()


speak.serve("half-line", trouble)
