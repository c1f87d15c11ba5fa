"""Counts what a tool got right."""

from dataclasses import asdict, dataclass


@dataclass
class Score:
    asked: int = 0
    right: int = 0
    #: A change that passed.
    missed: int = 0
    #: No change that failed.
    false_alarms: int = 0
    #: How often nothing can be said, and how often the tool said so.
    undecidable: int = 0
    undecidable_said: int = 0
    #: How often the tool could not decide what can be decided.
    undecided: int = 0
    #: No verdict: the tool stopped, raised an error or refused the data.
    crashes: int = 0

    def add(self, expected, verdict):
        self.asked += 1
        self.right += verdict == expected
        self.missed += (expected, verdict) == ("fail", "pass")
        self.false_alarms += (expected, verdict) == ("pass", "fail")
        self.undecidable += expected == "inconclusive"
        self.undecidable_said += expected == verdict == "inconclusive"
        self.undecided += verdict == "inconclusive" != expected
        self.crashes += verdict == "crash"

    def as_json(self):
        return asdict(self)


def score(probes, answers, *, only=lambda probe: True):
    """The score over those probes that `only` lets through."""
    counted = Score()
    for probe in filter(only, probes):
        counted.add(probe.expect, answers[probe.id].verdict)
    return counted


def about_spend(probe):
    return probe.category == "spend"


def categories(probes):
    """The categories in the order in which they first appear."""
    return list(dict.fromkeys(probe.category for probe in probes))
