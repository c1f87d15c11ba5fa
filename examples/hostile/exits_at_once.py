#!/usr/bin/env python3
"""Exits with code 1 before its hello, as a program does whose settings are missing."""

import sys

print("no API key is set", file=sys.stderr)
sys.exit(1)
