"""evalview: its DiffEngine, where `evalview check --strict` fails: on every status but PASSED."""

from datetime import datetime, timezone

from evalview.core.diff import DiffEngine, DiffStatus
from evalview.core.golden import GoldenMetadata, GoldenTrace
from evalview.core.types import ExecutionMetrics, ExecutionTrace, StepMetrics, StepTrace

WHEN = datetime(2026, 1, 1, tzinfo=timezone.utc)


def unreadable(text):
    """What its reader of agent events makes of arguments that are no JSON."""
    return {"raw": text}


def trace(side, pair):
    steps = [
        StepTrace(
            step_id=str(number),
            step_name=call.name,
            tool_name=call.name,
            parameters=call.arguments(unreadable),
            output=call.result,
            success=call.error is None,
            error=call.error,
            metrics=StepMetrics(),
        )
        for number, call in enumerate(side.calls)
    ]
    return ExecutionTrace(
        session_id="case",
        start_time=WHEN,
        end_time=WHEN,
        steps=steps,
        final_output=(side.output or "") if pair.compare_output else "",
        metrics=ExecutionMetrics(total_cost=0, total_latency=side.latency),
    )


def judge(pair):
    recorded = trace(pair.recorded, pair)
    golden = GoldenTrace(
        metadata=GoldenMetadata(test_name="case", blessed_at=WHEN, score=100),
        trace=recorded,
        tool_sequence=[step.tool_name for step in recorded.steps],
    )
    diff = DiffEngine().compare(golden, trace(pair.observed, pair), actual_score=100)
    return "pass" if diff.overall_severity == DiffStatus.PASSED else "fail"
