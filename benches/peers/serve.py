"""Asks one tool about one pair after the other; runs in that tool's own environment.

usage: serve.py ADAPTER

Reads a pair a line from standard input and answers each with a line: the tool's verdict and, where there is none, why.
An adapter is a file with a function `judge(pair)` that returns "pass", "fail" or "inconclusive". It is given a `Pair`.
"""

import importlib.util
import json
import os
import sys
from dataclasses import dataclass, field

VERDICTS = ("pass", "fail", "inconclusive")
ARGUMENTS = "toolCalls[*].arguments."


@dataclass
class Call:
    """One tool call of an interaction."""

    name: str
    #: As it is written: an object, or the text that a model wrote.
    written: object
    step: object = None
    id: object = None
    result: object = None
    error: object = None

    def arguments(self, broken=lambda text: text):
        """An object wherever there is one: JSON text is read, no text and null are no arguments.

        Text that is no JSON is what `broken` makes of it. Tools that take nothing but an object have readers of their
        own for what models send; what these make of such text is what an adapter passes.
        """
        if self.written is None or self.written == "":
            return {}
        if isinstance(self.written, str):
            try:
                return json.loads(self.written)
            except ValueError:
                return broken(self.written)
        return self.written

    @property
    def wire(self):
        """The text that a model API sends: what is text stays as it is."""
        if isinstance(self.written, str):
            return self.written
        return json.dumps({} if self.written is None else self.written)


@dataclass
class Side:
    """One interaction: the recorded or the observed one."""

    text: str
    row: dict = field(init=False)

    def __post_init__(self):
        self.row = json.loads(self.text)

    @property
    def calls(self):
        """Its tool calls; none where the recording does not know them, for no tool here has a word for that."""
        names = ("step", "id", "result", "error")
        return [
            Call(call["name"], call.get("arguments"), **{name: call.get(name) for name in names})
            for call in self.row.get("toolCalls") or []
        ]

    @property
    def turns(self):
        """Its calls by the model's turn that made them; a call without a step is a turn of its own."""
        turns = []
        for call in self.calls:
            if turns and call.step is not None and turns[-1][0].step == call.step:
                turns[-1].append(call)
            else:
                turns.append([call])
        return turns

    @property
    def output(self):
        return self.row.get("output")

    @property
    def failure(self):
        return self.row.get("failure")

    @property
    def latency(self):
        return self.row.get("latencyMs")

    @property
    def model_calls(self):
        """How many model calls were made; 0 where that is no count."""
        count = self.row.get("modelCalls")
        return count if isinstance(count, int) and count > 0 else 0

    def tokens(self, **named):
        """What is known of its tokens, under a tool's own names: tokens(input="tokens_in", output="tokens_out")."""
        tokens = self.row.get("tokens") or {}
        return {theirs: tokens[ours] for ours, theirs in named.items() if tokens.get(ours) is not None}

    @property
    def all_tokens(self):
        """Input and output tokens together; None unless both are numbers."""
        parts = self.tokens(input="input", output="output").values()
        return sum(parts) if len(parts) == 2 and all(isinstance(part, int) for part in parts) else None


class Pair:
    """What was recorded, what was observed, and what is asked of them."""

    def __init__(self, asked):
        self.id = asked["id"]
        self.recorded, self.observed = Side(asked["recorded"]), Side(asked["observed"])
        self.ignore = asked.get("ignore") or []
        self.compare_output = asked.get("compareOutput")

    @property
    def ignored_arguments(self):
        """The paths inside the arguments that are not to be looked at, as in `filter.ts`."""
        return [path.removeprefix(ARGUMENTS) for path in self.ignore if path.startswith(ARGUMENTS)]


def load(path):
    spec = importlib.util.spec_from_file_location("peer_adapter", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.judge


def answer(judge, line):
    asked = json.loads(line)
    try:
        verdict = judge(Pair(asked))
        if verdict in VERDICTS:
            return {"id": asked["id"], "verdict": verdict}
        return {"id": asked["id"], "verdict": "crash", "why": f"the answer was {verdict!r}"}
    except (Exception, SystemExit) as error:
        said = str(error).strip().splitlines() or [""]
        return {"id": asked["id"], "verdict": "crash", "why": f"{type(error).__name__}: {said[0][:200]}"}


def main():
    # A tool's module may have the name of a file here: this folder must not answer for it.
    sys.path.pop(0)
    # Whatever a tool prints goes to standard error, so that answers stay alone on standard output.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    judge = load(sys.argv[1])
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(judge, line)), file=answers, flush=True)


if __name__ == "__main__":
    main()
