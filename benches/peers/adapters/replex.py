"""replex: its drift policy with every check at severity `fail`."""

from replex.drift.compare import compare
from replex.drift.policy import parse_policy
from replex.trace.model import ModelStep, ToolStep, Trace, Usage


def unreadable(text):
    """What its readers of model replies make of arguments that are no JSON."""
    return {"__raw__": text}


def trace(side):
    usage = Usage(**side.tokens(input="input_tokens", output="output_tokens"))
    # Which turn made which call is not recorded: all model steps stand first, so that only their number counts.
    steps = [ModelStep(index=number) for number in range(side.model_calls)]
    for call in side.calls:
        steps.append(ToolStep(index=len(steps), name=call.name, args=call.arguments(unreadable), result=call.result))
    return Trace(name="case", steps=steps, final_output=side.output or "", usage=usage, total_latency_ms=side.latency)


def policy(pair):
    output = {"mode": "exact", "severity": "fail"} if pair.compare_output else {"mode": "ignore"}
    return parse_policy(
        {
            "defaults": {
                "tool_sequence": {"mode": "exact", "severity": "fail"},
                "tool_args": {"mode": "exact", "severity": "fail", "ignore_keys": pair.ignored_arguments},
                "new_tools": {"severity": "fail"},
                "final_output": output,
                "steps": {"max_increase": 0, "severity": "fail"},
                "tokens": {"max_increase_pct": 25, "severity": "fail"},
            }
        }
    )


def judge(pair):
    return "pass" if compare(trace(pair.recorded), trace(pair.observed), policy(pair)).passed else "fail"
