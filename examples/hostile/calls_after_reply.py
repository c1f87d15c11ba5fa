#!/usr/bin/env python3
"""Replies, then calls a tool in the same attempt. The call comes too late."""

import speak


def trouble(attempt):
    speak.reply(attempt)
    speak.send({"type": "tool_call", "attempt": attempt, "call": "late", "name": "get_order",
                "arguments": {"order_id": "1001"}})


speak.serve("calls-after-reply", trouble)
