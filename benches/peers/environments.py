"""An environment of its own for each tool, made once and kept outside of the repository."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

DEFAULT_CACHE = Path("~/.cache/taketwo-peers")

#: Nothing is sent home: what each tool documents, what they share, and a proxy that leads nowhere.
QUIET = {
    "DO_NOT_TRACK": "1",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "EVALVIEW_TELEMETRY_DISABLED": "1",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "OTEL_SDK_DISABLED": "true",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "http_proxy": "http://127.0.0.1:9",
    "https_proxy": "http://127.0.0.1:9",
}


class Unusable(Exception):
    """A tool cannot be asked, and why."""


def python_of(tool, cache):
    """The interpreter that has the tool; installs it if it is not there yet. Raises Unusable."""
    folder = cache / f"{tool.name}-{tool.version}"
    python, done = folder / "bin" / "python", folder / "installed.txt"
    folder.mkdir(parents=True, exist_ok=True)
    # Two runs may share a cache. Nothing is ever deleted here: what was left half done is done again on top.
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            print(f"installing {tool.name} {tool.version}", file=sys.stderr)
            run([sys.executable, "-m", "venv", str(folder)])
            pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
            run([*pip, "install", "-q", f"{tool.name}=={tool.version}"])
            done.write_text(run([*pip, "freeze"]), encoding="utf-8")
    return python


def packages(tool, cache):
    """Everything that was installed for it, with versions."""
    listed = cache / f"{tool.name}-{tool.version}" / "installed.txt"
    return listed.read_text(encoding="utf-8").split("\n")[:-1] if listed.exists() else []


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["nothing was said"]
        raise Unusable(f"`{' '.join(command[1:4])} ...` failed: {said[-1]}")
    return done.stdout


def surroundings(home, **more):
    """What a tool sees of this machine: a home of its own and no keys."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "SYSTEMROOT") if name in os.environ}
    return {**kept, **QUIET, "HOME": str(home), "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1", **more}
