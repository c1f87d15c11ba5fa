#!/usr/bin/env python3
"""Replies twice to one turn. Only the first reply counts."""

import speak


def trouble(attempt):
    speak.reply(attempt, "first")
    speak.reply(attempt, "second")


speak.serve("replies-twice", trouble)
