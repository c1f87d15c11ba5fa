#!/usr/bin/env python3
"""Asks taketwo and other tools what they say of the same pairs of interactions.

Every tool gets an environment of its own, a pinned version and its strictest documented mode; its own verdict counts.
See README.md beside this file.
"""

import argparse
import hashlib
import json
import platform
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

sys.dont_write_bytecode = True

import page
import probes as probe_files
import tools
from asking import answers
from environments import DEFAULT_CACHE, Unusable, packages, python_of
from score import about_spend, score

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROBES = ROOT.parent / "shared/probes/probes.jsonl"


@dataclass
class Outcome:
    """What one tool said."""

    tool: tools.Tool
    version: str
    answers: dict
    packages: list


@dataclass
class Report:
    probes: list
    probes_sha256: str
    command: str
    date: str = field(default_factory=lambda: date.today().isoformat())
    python: str = field(default_factory=platform.python_version)
    outcomes: list = field(default_factory=list)
    #: Tools that could not be asked, and why.
    unusable: list = field(default_factory=list)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tools", nargs="*", help="ask only these [default: all]")
    parser.add_argument("--probes", type=Path, default=PROBES, help="the probes, as JSONL [default: %(default)s]")
    parser.add_argument("--taketwo", type=Path, help="the program [default: what cargo built, release first]")
    parser.add_argument(
        "--cache", type=Path, default=DEFAULT_CACHE, help="where tools are installed [default: %(default)s]"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every answer to this file")
    parser.add_argument("--page", action="store_true", help="write the tables into docs/comparison.md")
    parser.add_argument("--check", action="store_true", help="ask about two built-in pairs instead of the probes")
    given = parser.parse_args()
    if given.page and (given.tools or given.check):
        parser.error("--page shows all tools on all probes: leave out the tools' names and --check")
    return given


def stop(why):
    print(f"error: {why}", file=sys.stderr)
    sys.exit(2)


def program(given):
    """taketwo: the given one, else what cargo built."""
    if given and not given.is_file():
        stop(f"{given} is not there")
    built = [ROOT / "target" / profile / "taketwo" for profile in ("release", "debug")]
    for path in [given] if given else built:
        if path.is_file():
            return path.resolve()
    stop("taketwo is not built: run `cargo build --release`, or name a program with --taketwo")


def version_of(taketwo):
    return subprocess.run([taketwo, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]


def ask(tool, probes, given):
    """Raises Unusable where the tool cannot be installed or started."""
    if tool is tools.TAKETWO:
        taketwo = program(given.taketwo)
        return Outcome(tool, version_of(taketwo), answers(sys.executable, tool, probes, TAKETWO=str(taketwo)), [])
    cache = given.cache.expanduser()
    python = python_of(tool, cache)
    return Outcome(tool, tool.version, answers(python, tool, probes), packages(tool, cache))


def ask_all(report, given):
    for tool in tools.chosen(given.tools):
        print(f"asking {tool.name}", file=sys.stderr)
        try:
            report.outcomes.append(ask(tool, report.probes, given))
        except Unusable as error:
            report.unusable.append((tool, str(error)))
            print(f"{tool.name} cannot be asked: {error}", file=sys.stderr)


def as_json(report):
    def of(outcome):
        return {
            "name": outcome.tool.name,
            "version": outcome.version,
            "licence": outcome.tool.licence,
            "mode": outcome.tool.mode,
            "wired": outcome.tool.wired,
            "checksSpend": outcome.tool.spend,
            "score": score(report.probes, outcome.answers).as_json(),
            "scoreWithoutSpend": score(
                report.probes, outcome.answers, only=lambda probe: not about_spend(probe)
            ).as_json(),
            "answers": [
                {
                    "probe": probe.id,
                    "expected": probe.expect,
                    "verdict": outcome.answers[probe.id].verdict,
                    "why": outcome.answers[probe.id].why,
                }
                for probe in report.probes
            ],
            "packages": outcome.packages,
        }

    return {
        "date": report.date,
        "python": report.python,
        "command": report.command,
        "probes": {"count": len(report.probes), "sha256": report.probes_sha256},
        "tools": [of(outcome) for outcome in report.outcomes],
        "unusable": [{"name": tool.name, "version": tool.version, "why": why} for tool, why in report.unusable],
    }


def check(report):
    """Says of each tool whether it is wired; exits with 1 if one is not."""
    wrong = len(report.unusable)
    for outcome in report.outcomes:
        said = [
            f"{probe.id}: {outcome.answers[probe.id].verdict} {outcome.answers[probe.id].why}".rstrip()
            for probe in report.probes
            if outcome.answers[probe.id].verdict != probe.expect
        ]
        wrong += bool(said)
        print(f"{outcome.tool.name}: {'; '.join(said) or 'ok'}")
    sys.exit(1 if wrong else 0)


def read_probes(path):
    try:
        return probe_files.read(path), hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        stop(f"{path} is not there: name a file of probes with --probes, or try the adapters with --check")


def main():
    given = arguments()
    try:
        tools.chosen(given.tools)
    except LookupError as error:
        stop(error.args[0])
    probes, digest = (probe_files.built_in(), "") if given.check else read_probes(given.probes)
    command = shlex.join(["benches/peers/run.py", *sys.argv[1:]])
    report = Report(probes, digest, command)
    ask_all(report, given)
    if given.json:
        given.json.write_text(json.dumps(as_json(report), indent=1) + "\n", encoding="utf-8")
    if given.check:
        check(report)
    text = page.measured(report)
    if given.page:
        page.write(ROOT / "docs/comparison.md", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
