"""Writes the tables of docs/comparison.md."""

from score import about_spend, categories, score

START, END = "<!-- measured -->", "<!-- to here -->"
LETTERS = {"pass": "p", "fail": "f", "inconclusive": "i", "crash": "X"}


def table(head, rows, numbers_from):
    """A Markdown table; the columns from `numbers_from` on are set to the right."""
    rule = ["---" if place < numbers_from else "--:" for place in range(len(head))]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, rule, *rows])


def scores(outcomes, probes):
    head = ["tool", "right", "without spend", "missed", "false alarms", "rightly inconclusive", "no verdict"]
    rows = []
    for outcome in outcomes:
        all_of_it = score(probes, outcome.answers)
        calls = score(probes, outcome.answers, only=lambda probe: not about_spend(probe))
        rows.append(
            [
                f"{outcome.tool.name} {outcome.version}",
                f"{all_of_it.right} of {all_of_it.asked}",
                f"{calls.right} of {calls.asked}",
                all_of_it.missed,
                all_of_it.false_alarms,
                f"{all_of_it.undecidable_said} of {all_of_it.undecidable}",
                all_of_it.crashes,
            ]
        )
    return table(head, rows, 1)


def by_category(outcomes, probes):
    names = categories(probes)
    sizes = {name: sum(probe.category == name for probe in probes) for name in names}
    rows = [
        [outcome.tool.name]
        + [score(probes, outcome.answers, only=lambda probe: probe.category == name).right for name in names]
        for outcome in outcomes
    ]
    return table(["right, by category"] + [f"{name} ({sizes[name]})" for name in names], rows, 1)


def matrix(outcomes, probes):
    """Every probe that some tool got wrong; wrong answers are bold."""
    rows = []
    for probe in probes:
        verdicts = [outcome.answers[probe.id].verdict for outcome in outcomes]
        if all(verdict == probe.expect for verdict in verdicts):
            continue
        letters = [LETTERS[verdict] if verdict == probe.expect else f"**{LETTERS[verdict]}**" for verdict in verdicts]
        rows.append([probe.id, LETTERS[probe.expect], *letters])
    agreed = f"All tools are right on {len(probes) - len(rows)} of {len(probes)} probes."
    if not rows:
        return agreed
    head = ["probe", "want"] + [outcome.tool.name for outcome in outcomes]
    return f"{agreed} The others:\n\n{table(head, rows, len(head))}"


def modes(outcomes):
    rows = [[o.tool.name, o.version, o.tool.licence, o.tool.mode, o.tool.wired] for o in outcomes]
    return table(["tool", "version", "licence", "mode", "wired by us"], rows, 5)


def measured(report):
    """What stands between the marks."""
    outcomes, probes = report.outcomes, report.probes
    parts = [
        f"{len(probes)} probes (SHA-256 `{report.probes_sha256[:12]}`), Python {report.python}, {report.date}.",
        scores(outcomes, probes),
        by_category(outcomes, probes),
        matrix(outcomes, probes),
        "How each was asked:",
        modes(outcomes),
    ]
    parts += [f"{tool.name} {tool.version} could not be asked: {why}" for tool, why in report.unusable]
    return "\n\n".join(parts)


def write(path, text):
    """Puts the text between the marks of the page."""
    page = path.read_text(encoding="utf-8")
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{START}\n\n{text}\n\n{END}{after}", encoding="utf-8")
