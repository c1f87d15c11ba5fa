#!/usr/bin/env python3
"""Sends a reply of 20 MB in one line."""

import speak

speak.serve("huge-line", lambda attempt: speak.reply(attempt, "x" * 20_000_000))
