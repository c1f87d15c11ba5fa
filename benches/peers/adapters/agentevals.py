"""agentevals: its trajectory match, mode "strict", arguments "exact"."""

from agentevals.trajectory.match import create_trajectory_match_evaluator


def messages(side):
    """The conversation in OpenAI's form, one assistant message a turn."""
    talk = [{"role": "user", "content": side.row.get("input") or ""}]
    for number, turn in enumerate(side.turns):
        ids = [call.id or f"call_{number}_{place}" for place, call in enumerate(turn)]
        calls = [
            {"id": id, "type": "function", "function": {"name": call.name, "arguments": call.wire}}
            for id, call in zip(ids, turn)
        ]
        talk.append({"role": "assistant", "content": "", "tool_calls": calls})
        talk += [{"role": "tool", "tool_call_id": id, "content": str(call.result)} for id, call in zip(ids, turn)]
    if side.output is not None:
        talk.append({"role": "assistant", "content": side.output})
    return talk


def overrides(pair):
    """Its option for arguments that are not to be looked at names those that are."""
    ignored = set(pair.ignored_arguments)
    keys = {}
    for call in pair.recorded.calls + pair.observed.calls if ignored else []:
        keys.setdefault(call.name, set()).update(call.arguments())
    return {name: sorted(keys - ignored) for name, keys in keys.items()} or None


def judge(pair):
    evaluate = create_trajectory_match_evaluator(
        trajectory_match_mode="strict", tool_args_match_mode="exact", tool_args_match_overrides=overrides(pair)
    )
    result = evaluate(outputs=messages(pair.observed), reference_outputs=messages(pair.recorded))
    return "pass" if result["score"] else "fail"
