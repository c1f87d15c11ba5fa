#!/bin/sh
# Makes the recordings of this folder anew: the sample agent is asked every input in examples/inputs/, and the
# tools of examples/tools/desk.py do the work. It needs python3 and git.
#
#   sh recordings/record.sh            writes quickstart.jsonl, nightly.jsonl and support.jsonl
#   TAKETWO=path/to/taketwo sh ...     uses this program in the place of `cargo run`
#
# The files come out the same to the byte each time: nothing in agent and tools depends on the clock or on
# chance, and --no-time leaves out how long things took.
set -eu
cd "$(dirname "$0")/.."

taketwo() {
    if [ -n "${TAKETWO:-}" ]; then "$TAKETWO" "$@"; else cargo run --quiet -- "$@"; fi
}

for name in quickstart nightly; do
    taketwo record "examples/inputs/$name.jsonl" \
        --target sample:v1 \
        --tools 'command:python3 examples/tools/desk.py' \
        --effect refund=irreversible --effect reserve=write \
        --no-time --force \
        -o "recordings/$name.jsonl"
done

# The agent of examples/python, which the ones in Node and shell do alike.
taketwo record examples/inputs/support.txt \
    --target 'command:python3 examples/python/support_agent.py' \
    --tools 'command:python3 examples/tools/desk.py' \
    --effect refund=irreversible \
    --no-time --force \
    -o recordings/support.jsonl
