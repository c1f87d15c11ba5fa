#!/usr/bin/env python3
"""Says hello with a protocol number that nobody knows."""

import speak

speak.serve("wrong-version", speak.reply, protocol=99)
