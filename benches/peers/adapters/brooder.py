"""brooder: what `brooder ci --budget` does, on two runs: its exact judge and its budget gate."""

import tempfile
from pathlib import Path

from brooder import budget, storage
from brooder.analysis import analyze_with_config
from brooder.config import BrooderConfig
from brooder.integrations.base import parse_json
from brooder.models import Run, Step, StepKind, Usage


def run(side, pair):
    # Which turn made which call is not recorded: all turns stand first, so that only their number counts.
    steps = [Step(kind=StepKind.TURN, name="turn") for _ in range(side.model_calls)]
    for call in side.calls:
        steps.append(Step(kind=StepKind.TOOL, name=call.name, args=call.arguments(parse_json), result=call.result))
    if side.output is not None:
        steps.append(Step(kind=StepKind.FINAL, name="final"))
    tokens = side.tokens(input="input_tokens", output="output_tokens")
    return Run(
        agent="agent",
        case_id="case",
        trajectory=steps,
        output=side.output if pair.compare_output else None,
        usage=Usage(**tokens, total_tokens=side.all_tokens, duration_ms=side.latency),
        meta={"crashed": True, "error": side.failure} if side.failure else {},
    )


def judge(pair):
    config = BrooderConfig.model_validate(
        {
            "strict_new": True,
            "normalize": {"ignore": pair.ignored_arguments},
            "budget": {"max_tokens_increase": 0.25, "max_duration_increase": 0.25},
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        storage.save_baseline(run(pair.recorded, pair), Path(folder))
        observed = [run(pair.observed, pair)]
        diffs = analyze_with_config(observed, config, Path(folder))
        violations = budget.evaluate(observed, config.budget, Path(folder))
    return "pass" if all(diff.ok for diff in diffs) and not violations else "fail"
