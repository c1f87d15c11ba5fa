"""taketwo, by its command: its exit code is the verdict."""

import os
import subprocess
import tempfile
from pathlib import Path

VERDICTS = {0: "pass", 1: "fail", 3: "inconclusive"}


def judge(pair):
    with tempfile.TemporaryDirectory() as folder:
        for name, side in (("a.jsonl", pair.recorded), ("b.jsonl", pair.observed)):
            Path(folder, name).write_text(side.text + "\n", encoding="utf-8")
        command = [os.environ["TAKETWO"], "diff", "a.jsonl", "b.jsonl", "--exit-code", "--tolerance", "1.25"]
        for path in pair.ignore:
            command += ["--ignore", path]
        if pair.compare_output:
            command += ["--compare-output", pair.compare_output]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode not in VERDICTS:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()[:150]}")
    return VERDICTS[done.returncode]
