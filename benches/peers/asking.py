"""Asks a tool about probes: one process for all of them, and another one whenever that dies or hangs."""

import json
import os
import select
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from environments import Unusable, surroundings

HERE = Path(__file__).resolve().parent
SECONDS_TO_START = 300
SECONDS_TO_ANSWER = 120


@dataclass
class Answer:
    #: pass, fail, inconclusive, or crash where the tool gave no verdict.
    verdict: str
    why: str = ""


class Process:
    """A running adapter."""

    def __init__(self, python, adapter, home, more):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [str(python), str(HERE / "serve.py"), str(HERE / "adapters" / adapter)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=surroundings(home, **more),
            cwd=home,
        )
        self.unread = b""

    def line(self, seconds):
        """The next line it writes; raises EOFError when it ended, TimeoutError when it takes too long."""
        pipe, until = self.process.stdout.fileno(), time.monotonic() + seconds
        while b"\n" not in self.unread:
            left = until - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise TimeoutError(f"no answer within {seconds} s")
            read = os.read(pipe, 1 << 16)
            if not read:
                raise EOFError(f"it ended: {self.last_words()}")
            self.unread += read
        line, _, self.unread = self.unread.partition(b"\n")
        return json.loads(line)

    def ask(self, probe):
        try:
            self.process.stdin.write(json.dumps(probe.asked()).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise EOFError(f"it ended: {self.last_words()}") from None
        return self.line(SECONDS_TO_ANSWER)

    def last_words(self):
        self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else f"exit code {self.process.returncode}"

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.errors.close()


def started(python, adapter, home, more):
    process = Process(python, adapter, home, more)
    try:
        process.line(SECONDS_TO_START)
    except (EOFError, TimeoutError) as error:
        process.end()
        raise Unusable(str(error)) from None
    return process


def answers(python, tool, probes, **more):
    """What the tool says of each probe, by id. `more` is put into its environment. Raises Unusable."""
    said, process = {}, None
    with tempfile.TemporaryDirectory() as home:
        for probe in probes:
            process = process or started(python, tool.adapter, home, more)
            try:
                answer = process.ask(probe)
                said[probe.id] = Answer(answer["verdict"], answer.get("why", ""))
            except (EOFError, TimeoutError) as error:
                said[probe.id] = Answer("crash", str(error))
                process.end()
                process = None
        if process:
            process.end()
    return said
