"""tracediff: `tracediff run` twice on a suite that demands what was recorded, then the gate of `tracediff diff`."""

from tracediff.diff import compare
from tracediff.runner import run_suite
from tracediff.suite import Suite, Task
from tracediff.trace import LLM, Step, from_openai_messages

#: It gates dollars, not tokens: all are priced alike.
DOLLARS_A_TOKEN = 1e-5


def trace(side):
    calls = [{"function": {"name": call.name, "arguments": call.wire}} for call in side.calls]
    messages = [{"role": "assistant", "tool_calls": calls}, {"role": "assistant", "content": side.output}]
    usage = side.tokens(input="input_tokens", output="output_tokens")
    usage["cost_usd"] = (side.all_tokens or 0) * DOLLARS_A_TOKEN
    made = from_openai_messages(messages, usage)
    made.steps += [Step(kind=LLM, name="llm") for _ in range(1, side.model_calls)]
    return made


def suite(pair):
    recorded = trace(pair.recorded)
    ignored = set(pair.ignored_arguments)
    args = {}
    for call in recorded.tool_calls():
        # It takes one set of arguments a tool.
        args.setdefault(call.name, {key: value for key, value in call.args.items() if key not in ignored})
    expect = {
        "tools": recorded.tool_sequence(),
        "mode": "strict",
        "args": args,
        "max_steps": recorded.step_count,
        "max_tool_calls": len(recorded.tool_calls()),
    }
    checks = [{"type": "output_equals", "value": pair.recorded.output or ""}] if pair.compare_output else []
    return Suite(name="probes", tasks=[Task(id="case", input=None, expect=expect, checks=checks)])


def judge(pair):
    demands = suite(pair)
    recorded = run_suite(demands, lambda _: trace(pair.recorded), split="all")
    observed = run_suite(demands, lambda _: trace(pair.observed), split="all")
    return "fail" if compare(recorded, observed, cost_tolerance=1.25)["has_regressions"] else "pass"
