"""The common loop of the hostile targets.

Each of them misbehaves only for an input that holds the word "trouble". Any other input gets the
reply "ok", so that a test can see that no other case is harmed.
"""

import json
import sys
import time


def send(message):
    write(json.dumps(message, separators=(",", ":")) + "\n")


def write(text):
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def reply(attempt, output="ok"):
    send({"type": "reply", "attempt": attempt, "output": output})


def hang():
    """Do nothing for ten minutes. The end of standard input does not help.

    It is not for ever: a test that forgets a process does not leave it behind for good.
    """
    time.sleep(600)
    sys.exit(9)


def receive():
    """The next message, or None at the end of standard input."""
    line = sys.stdin.buffer.readline()
    return json.loads(line.decode("utf-8")) if line else None


def serve(name, trouble, word="trouble", protocol=1):
    """Answer turns. Call `trouble(attempt)` for an input that holds `word`."""
    send({"type": "hello", "protocol": protocol, "name": name, "version": "1.0"})
    while True:
        message = receive()
        if message is None:
            return
        if message.get("type") != "turn":
            continue
        if word in json.dumps(message.get("input"), ensure_ascii=False):
            trouble(message["attempt"])
        else:
            reply(message["attempt"])
