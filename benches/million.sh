#!/usr/bin/env bash
# Runs the main job on a million interactions and prints what it took.
#
#   benches/million.sh [COUNT [FOLDER]]
#
# Data is written to FOLDER once (2 x 2.1 GB for a million) and used again. Needs python3 and GNU time; builds the
# program unless TAKETWO names one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
count=${1:-1000000}
folder=${2:-${TMPDIR:-/tmp}/taketwo-million-$count}

if [ -z "${TAKETWO:-}" ]; then
    (cd "$here/.." && cargo build --release --locked)
    TAKETWO=$here/../target/release/taketwo
fi
TAKETWO=$(realpath "$TAKETWO")

mkdir -p "$folder"
cd "$folder"
for file in before after; do
    [ -e "$file.jsonl" ] && continue
    echo "writing $folder/$file.jsonl" >&2
    changed=0
    [ "$file" = after ] && changed=0.01
    python3 "$here/million.py" "$count" "$file.part" "$changed"
    mv "$file.part" "$file.jsonl"
done

# timed NAME EXPECTED-EXIT COMMAND...: runs it and prints a line of figures.
timed() {
    local name=$1 expected=$2 code=0
    shift 2
    command time -f '%U %S %e %M' -o figures.txt "$@" >"$name.out" 2>"$name.err" || code=$?
    if [ "$code" != "$expected" ]; then
        cat "$name.err" >&2
        echo "$name ended with $code, $expected was expected" >&2
        exit 1
    fi
    # Where the exit code is not 0, time says so in a line before the figures.
    read -r user system wall peak < <(tail -n 1 figures.txt)
    printf '%-18s %9s s user %8s s system %9s s wall %7d MB peak\n' "$name" "$user" "$system" "$wall" $((peak / 1024))
}

ls -l --block-size=M before.jsonl after.jsonl | awk '{ print $9 ": " $5 }'
rm -rf runs
timed run 1 "$TAKETWO" run before.jsonl --target recorded:after.jsonl --runs runs
timed report-json 0 "$TAKETWO" report last --runs runs --format json -o report.json
timed report-junit 0 "$TAKETWO" report last --runs runs --format junit -o report.xml
timed inspect 0 "$TAKETWO" inspect before.jsonl
head -n 3 run.out
