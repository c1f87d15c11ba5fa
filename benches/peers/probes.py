"""Reads probes: pairs of interactions and what a careful engineer would say of them."""

import json
import re
from dataclasses import dataclass, field

SPACE = re.compile(r"[ \t\r\n]*")


@dataclass
class Probe:
    id: str
    category: str
    #: pass, fail or inconclusive.
    expect: str
    #: Both sides as they are written: a number that is read and written again may be another one.
    recorded: str
    observed: str
    options: dict = field(default_factory=dict)

    def asked(self):
        """What an adapter is told: everything but the answer."""
        return {"id": self.id, "recorded": self.recorded, "observed": self.observed, **self.options}


def members_as_written(text):
    """The members of a JSON object, each value as the text that stands there."""
    read = json.JSONDecoder().raw_decode
    def after_space(at):
        return SPACE.match(text, at).end()

    members, at = {}, after_space(0) + 1
    while text[at := after_space(at)] != "}":
        if text[at] == ",":
            at = after_space(at + 1)
        key, at = read(text, at)
        start = after_space(after_space(at) + 1)
        at = read(text, start)[1]
        members[key] = text[start:at]
    return members


def probe(line):
    written = members_as_written(line)
    plain = {key: json.loads(text) for key, text in written.items() if key not in ("recorded", "observed")}
    return Probe(
        id=plain["id"],
        category=plain["cat"],
        expect=plain["expect"],
        recorded=written["recorded"],
        observed=written["observed"],
        options=plain.get("options") or {},
    )


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [probe(line) for line in lines if line.strip()]


def built_in():
    """Two pairs that every tool must get right if it is wired at all."""
    one = json.dumps(interaction({"order_id": "1001", "limit": 5}))
    other = json.dumps(interaction({"order_id": "1002", "limit": 5}))
    return [
        Probe("equal", "args", "pass", one, one),
        Probe("changed-argument", "args", "fail", one, other),
    ]


def interaction(arguments):
    return {
        "id": "case",
        "input": "Where is my order?",
        "output": "On its way.",
        "toolCalls": [{"name": "get_order", "arguments": arguments, "result": {"status": "shipped"}}],
        "modelCalls": 2,
        "tokens": {"input": 1000, "output": 200},
        "latencyMs": 900,
    }
