#!/usr/bin/env python3
"""Writes OTLP as JSON lines, as the collector's file exporter does: made-up traces, always the same for a seed.

    benches/otlp_lines.py 1000 7 > traces.jsonl     # some 1000 MB, seed 7
    /usr/bin/time -v taketwo import otlp traces.jsonl -o traces.recording.jsonl

Each trace has an agent, model calls with their histories, calls of tools and spans of HTTP. Pieces of one trace stand on
several lines, children before their parents, among those of others.
"""

import json
import random
import sys

WORDS = "where order the is refund late parcel ship cancel card please thanks address city change my next week".split()


def text(rng, count):
    return " ".join(rng.choices(WORDS, k=count))


def attribute(key, value):
    kind = "intValue" if isinstance(value, int) else "stringValue"
    return {"key": key, "value": {kind: str(value)}}


def span(trace, number, parent, name, start, took, attributes):
    return {
        "traceId": trace,
        "spanId": f"{number:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + took),
        "attributes": [attribute(key, value) for key, value in attributes.items()],
        "status": {},
    }


def message(role, *parts):
    return {"role": role, "parts": list(parts)}


def trace(rng, number):
    name, start = f"{rng.getrandbits(128):032x}", 1_796_000_000_000_000_000 + number * 1_000_000_000
    history = [message("user", {"type": "text", "content": text(rng, 40)})]
    spans, session = [], f"session-{number // 3}"
    steps = rng.randint(2, 5)
    for step in range(steps):
        asked = {"type": "tool_call", "id": f"call_{step}", "name": rng.choice(["find_order", "refund"])}
        asked["arguments"] = {"order": rng.randint(1, 99999), "note": text(rng, 5)}
        last = step + 1 == steps
        answer = message("assistant", {"type": "text", "content": text(rng, 60)} if last else asked)
        usage = {"gen_ai.usage.input_tokens": rng.randint(500, 9000), "gen_ai.usage.output_tokens": rng.randint(9, 400)}
        spans.append(span(name, 100 + step, 1, "chat made-up", start + step * 1000 + 1, 500, {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "made-up",
            "gen_ai.input.messages": json.dumps(history),
            "gen_ai.output.messages": json.dumps([answer]),
            **usage,
        }))
        spans.append(span(name, 300 + step, 100 + step, "POST", start + step * 1000 + 2, 400, {"http.request.method": "POST"}))
        history.append(answer)
        if not last:
            result = {"found": text(rng, 120), "total": rng.random()}
            spans.append(span(name, 200 + step, 1, f"execute_tool {asked['name']}", start + step * 1000 + 600, 90, {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": asked["name"],
                "gen_ai.tool.call.id": asked["id"],
                "gen_ai.tool.call.arguments": json.dumps(asked["arguments"]),
                "gen_ai.tool.call.result": json.dumps(result),
            }))
            history.append(message("tool", {"type": "tool_call_response", "id": asked["id"], "response": result}))
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper", "gen_ai.conversation.id": session}
    spans.append(span(name, 1, 0, "invoke_agent helper", start, steps * 1000, agent))
    return spans


def main():
    megabytes, seed = int(sys.argv[1]), int(sys.argv[2])
    rng, written, number, waiting = random.Random(seed), 0, 0, []
    while written < megabytes * 1_000_000:
        # Some traces go on at the same time, and a line holds what ended meanwhile.
        while len(waiting) < 8:
            waiting.append(trace(rng, number))
            number += 1
        batch = []
        for spans in waiting:
            batch.extend(spans[:3])
            del spans[:3]
        waiting = [spans for spans in waiting if spans]
        scope = {"scope": {"name": "made-up"}, "spans": batch}
        line = json.dumps({"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [scope]}]})
        print(line)
        written += len(line) + 1


if __name__ == "__main__":
    main()
