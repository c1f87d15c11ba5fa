//! Runs made by hand, one for each thing that a report has to tell.

use std::collections::BTreeMap;

use taketwo::evaluate::{EvaluationOutcome, EvaluationResult, Label};
use taketwo::recording::{CaseId, ToolName};
use taketwo::replay::{FailureKind, LatencySource, Stray, TargetInfo};
use taketwo::report::Report;
use taketwo::store::{Content, GateSource, RunId, RunManifest, RunOutcome, SettingSource};
use taketwo::verdict::{
    AttemptRow, AttemptVerdict, CallDifference, CallLine, DifferenceKind, EvalCaseResults, Facts, FailureRow, Gate,
    GateState, LedgerRow, MissRow, RunState, Summary, SummaryBuilder, ToolNames, Trust, Usage,
};

/// A run with all that a report needs.
pub struct SampleRun {
    pub manifest: RunManifest,
    pub cases: Vec<EvalCaseResults>,
    summary: Summary,
    trust: Trust,
    pub outcome: RunOutcome,
}

impl SampleRun {
    /// Adds up rows, which come in the order of their cases.
    pub fn new(manifest: RunManifest, rows: Vec<AttemptRow>, notes: &[&str]) -> Self {
        let by_case = rows.chunk_by(|a, b| a.index == b.index);
        let cases: Vec<_> = by_case.map(|rows| EvalCaseResults::new(rows.to_vec()).unwrap()).collect();
        let mut builder = SummaryBuilder::default();
        cases.iter().for_each(|case| builder.add(case));
        let summary = builder.finish();
        let trust = summary.trust(&manifest.facts);
        let gates: Vec<Gate> = manifest.gates.iter().map(|asked| asked.gate.parse().unwrap()).collect();
        let (state, results) = Gate::judge_all(&gates, &summary, &manifest.facts);
        let exit = match (state, manifest.facts.state) {
            (GateState::Failed, _) => 1,
            (_, RunState::Cancelled) => 130,
            (GateState::NotProven, _) => 3,
            (GateState::Passed, _) => 0,
        };
        let notes = notes.iter().map(|note| (*note).to_owned()).collect();
        let outcome = RunOutcome { state, gates: results, exit, notes, wall_ms: Some(12_345.0) };
        Self { manifest, cases, summary, trust, outcome }
    }

    pub fn report(&self) -> Report<'_> {
        Report {
            manifest: &self.manifest,
            summary: &self.summary,
            trust: &self.trust,
            gates: &self.outcome.gates,
            state: self.outcome.state,
            exit: self.outcome.exit,
            notes: &self.outcome.notes,
            wall_ms: self.outcome.wall_ms,
        }
    }

    pub fn rows(&self) -> impl Iterator<Item = &AttemptRow> {
        self.cases.iter().flat_map(|case| &case.attempts)
    }
}

/// A manifest for a run that ended.
pub fn manifest(cases: u64) -> RunManifest {
    let factor = |name: &str, factor: &str| (name.to_owned(), factor.to_owned());
    RunManifest {
        arguments: Vec::new(),
        id: RunId::parse("20261130-203000123-1a2b").unwrap(),
        started_at: "2026-11-30T20:30:00.000Z".into(),
        finished_at: Some("2026-11-30T20:30:12.345Z".into()),
        taketwo: "0.1.0".into(),
        recordings: vec!["support.jsonl".into()],
        recordings_hash: "3f5a9c0e1b2d4f68".into(),
        target: TargetInfo { name: "node agent.js".into(), version: Some("1.4.2".into()) },
        target_hash: None,
        variants: Vec::new(),
        variants_hash: None,
        policy_hash: "a71c5d0933ef4b12".into(),
        tools_hash: None,
        rules: vec!["ignore *:$.trace".into()],
        matching: "partial-order".into(),
        tolerances: BTreeMap::from([
            factor("cost", "1.5"),
            factor("tokens", "1.5"),
            factor("latency", "1.5"),
            factor("model-calls", "1"),
        ]),
        skip: vec![],
        gates: vec![GateSource { gate: "all-cases-pass".into(), source: SettingSource::Default }],
        lanes: 2,
        repeats: 1,
        deadline_ms: 60_000,
        seed: 7,
        on_miss: "error".into(),
        fidelity_floor: 0.0,
        compare_output: None,
        content: Content::Keep,
        settings_hash: String::new(),
        facts: Facts { state: RunState::Finished, cases, repeats: 1, ..Facts::default() },
    }
    .with_settings_hash()
}

fn usage(source: LatencySource) -> Usage {
    Usage {
        tool_calls: Some(3),
        model_calls: Some(2),
        tokens: Some(1128),
        input_tokens: Some(1000),
        output_tokens: Some(128),
        latency_ms: Some(if source == LatencySource::Recorded { 1530.0 } else { 57.75 }),
        latency_source: source,
        cost: None,
        currency: None,
    }
}

pub fn result(label: &str, outcome: EvaluationOutcome, detail: &str) -> EvaluationResult {
    EvaluationResult { label: Label::new(label), outcome, score: None, detail: detail.into() }
}

/// An attempt at which nothing is wrong.
pub fn passed(index: u64, id: &str) -> AttemptRow {
    let labels = [
        "tools",
        "tool-order",
        "tool-arguments",
        "extra-tools",
        "reply-present",
        "model-call-budget",
        "token-budget",
        "latency-budget",
    ];
    AttemptRow {
        index,
        id: CaseId::new(id),
        attempt: 1,
        scenario: Some("orders".into()),
        weight: 1.0,
        verdict: AttemptVerdict::Passed,
        results: labels.map(|label| result(label, EvaluationOutcome::Passed, "")).into(),
        excused: Vec::new(),
        variant: None,
        ways: None,
        differences: vec![],
        calls: vec![],
        tools: of_lines(&["login", "get_order", "note"].map(|name| line(Some(name), Some(name)))),
        recorded: usage(LatencySource::Recorded),
        seen: usage(LatencySource::Stubbed),
        ledger: LedgerRow { asked: 3, exact: 3, fidelity: 1.0, ..LedgerRow::default() },
        failure: None,
        reply: None,
        stderr: String::new(),
        violations: vec![],
        doubts: vec![],
    }
}

/// The same with other results, and the verdict that they add up to.
pub fn said(mut row: AttemptRow, results: Vec<EvaluationResult>) -> AttemptRow {
    for result in results {
        match row.results.iter_mut().find(|known| known.label == result.label) {
            Some(known) => *known = result,
            None => row.results.push(result),
        }
    }
    row.verdict = AttemptVerdict::of(&row.results);
    row
}

pub fn difference(kind: DifferenceKind, tool: &str) -> CallDifference {
    CallDifference {
        kind,
        tool: tool.into(),
        path: None,
        general_path: None,
        expected: None,
        seen: None,
        hint: None,
        recorded_call: Some(2),
        seen_call: Some(2),
        rule: None,
        remedy: None,
        downstream: false,
        gated: true,
    }
}

pub fn changed(tool: &str, path: &str, expected: &str, seen: &str) -> CallDifference {
    CallDifference {
        path: Some(path.into()),
        general_path: Some(path.replace("[0]", "[*]").replace("[1]", "[*]")),
        expected: Some(expected.into()),
        seen: Some(seen.into()),
        ..difference(DifferenceKind::Changed, tool)
    }
}

pub fn line(recorded: Option<&str>, seen: Option<&str>) -> CallLine {
    CallLine { recorded: recorded.map(Into::into), seen: seen.map(Into::into), moved: false }
}

/// The tools that a listing names; where there is none, nothing is known of them.
fn of_lines(lines: &[CallLine]) -> ToolNames {
    if lines.is_empty() {
        return ToolNames::default();
    }
    let name = |call: &String| ToolName::new(call.split(" {").next().unwrap());
    let side = |of: fn(&CallLine) -> Option<&String>| Some(lines.iter().filter_map(of).map(name).collect());
    ToolNames::new(side(|line| line.recorded.as_ref()), side(|line| line.seen.as_ref()))
}

/// An attempt with differences, which fails the checks that they belong to.
pub fn differing(
    index: u64,
    id: &str,
    labels: &[&str],
    differences: Vec<CallDifference>,
    calls: Vec<CallLine>,
) -> AttemptRow {
    let failed = labels.iter().map(|label| result(label, EvaluationOutcome::Failed, "see the differences")).collect();
    let reply = Some("I have done it.\nAnything else?".into());
    let tools = of_lines(&calls);
    said(AttemptRow { differences, calls, tools, reply, ..passed(index, id) }, failed)
}

fn passes(from: u64, to: u64) -> impl Iterator<Item = AttemptRow> {
    (from..to).map(|index| passed(index, &format!("order-{index:02}")))
}

pub fn all_passed() -> SampleRun {
    SampleRun::new(manifest(40), passes(0, 40).collect(), &[])
}

const GET: &str = r#"get_order {"id":"1001"}"#;

/// Failures of every kind that the calls can have.
pub fn failures() -> SampleRun {
    let mut rows = vec![wrong_amount(0), moved(1), missed(2), retried(3), over_budget(4)];
    rows.extend((5..8).map(new_request_id));
    rows.extend([ungated(8), judged(9)]);
    rows.extend(passes(10, 40));
    rows[30].doubts = vec!["recorded `tokens`: -4 is no count".into()];
    let mut manifest = manifest(40);
    manifest.gates = vec![
        GateSource { gate: "pass-rate=0.95".into(), source: SettingSource::Suite },
        GateSource { gate: "tools-pass-rate=0.9".into(), source: SettingSource::Flag },
        GateSource { gate: "token-growth=1.2".into(), source: SettingSource::Flag },
    ];
    manifest.skip = vec!["latency-budget".into()];
    rows.iter_mut().for_each(|row| row.results.retain(|result| result.label.as_str() != "latency-budget"));
    manifest.facts.rejected = 2;
    manifest.facts.torn = 1;
    manifest.facts.strays = vec![Stray { attempt: "t3-1".into(), what: "called refund".into() }];
    SampleRun::new(manifest, rows, &["support.jsonl:17:4: a value is missing before the comma"])
}

fn wrong_amount(index: u64) -> AttemptRow {
    let row = differing(
        index,
        "refund-wrong-amount",
        &["tools", "tool-arguments"],
        vec![
            changed("refund", "$.amount", "82.13", "999.0"),
            CallDifference {
                seen_call: None,
                recorded_call: Some(3),
                ..difference(DifferenceKind::Missing, "send_mail")
            },
        ],
        vec![
            line(Some(GET), Some(GET)),
            line(
                Some(r#"refund {"amount":82.13,"currency":"EUR","id":"1001","reason":"damaged"}"#),
                Some(r#"refund {"amount":999.0,"currency":"EUR","id":"1001","reason":"damaged"}"#),
            ),
            line(Some(r#"send_mail {"subject":"Your refund is on its way","to":"anna@example.org"}"#), None),
        ],
    );
    let lost = "send_mail has no counterpart to be in order with";
    let row = said(row, vec![result("tool-order", EvaluationOutcome::Inconclusive, lost)]);
    AttemptRow { weight: 12.0, ..row }
}

fn moved(index: u64) -> AttemptRow {
    let calls = ["login", "get_order", "get_parcel", "get_parcel", "note", "note", "note"];
    let mut calls: Vec<CallLine> = calls.iter().map(|name| line(Some(name), Some(name))).collect();
    calls.push(CallLine { moved: true, ..line(Some("logout"), Some("logout")) });
    calls.push(line(None, Some(r#"delete_everything {"really":true}"#)));
    calls.push(line(Some("old_name"), Some("new_name")));
    let extra = |kind, tool| CallDifference { recorded_call: None, seen_call: Some(9), ..difference(kind, tool) };
    differing(
        index,
        "order-of-calls",
        &["tools", "tool-order", "extra-tools"],
        vec![
            CallDifference {
                recorded_call: Some(1),
                seen_call: Some(8),
                ..difference(DifferenceKind::Moved, "logout")
            },
            extra(DifferenceKind::UnknownTool, "delete_everything"),
            CallDifference {
                expected: Some("old_name".into()),
                seen: Some("new_name".into()),
                ..difference(DifferenceKind::Renamed, "old_name")
            },
            extra(DifferenceKind::Repeated, "note"),
        ],
        calls,
    )
}

fn missed(index: u64) -> AttemptRow {
    let mut row = differing(
        index,
        "search-filters",
        &["tool-arguments"],
        vec![
            changed("search", "$.filters[0].value", "\"new\"", "\"New\""),
            CallDifference { kind: DifferenceKind::TypeChanged, ..changed("search", "$.limit", "10", "\"10\"") },
            CallDifference {
                kind: DifferenceKind::ArgumentMissing,
                seen: None,
                ..changed("search", "$.sort", "\"price\"", "")
            },
            CallDifference {
                kind: DifferenceKind::ArgumentAdded,
                expected: None,
                ..changed("search", "$['it''s new']", "", "true")
            },
            CallDifference {
                kind: DifferenceKind::BrokenArguments,
                ..changed("note", "$", "{\"text\":\"a\"}", "{\"text\":")
            },
        ],
        vec![
            line(
                Some(r#"search {"filters":[{"field":"state","value":"new"}],"limit":10,"sort":"price"}"#),
                Some(r#"search {"filters":[{"field":"state","value":"New"}],"it's new":true,"limit":"10"}"#),
            ),
            line(Some(r#"note {"text":"a"}"#), Some(r#"note {"text":"#)),
        ],
    );
    row.differences[0].hint = Some("only upper and lower case differ".into());
    row.ledger = LedgerRow {
        asked: 2,
        missed: 2,
        unused: 2,
        fidelity: 0.0,
        misses: vec![
            MissRow {
                tool: "search".into(),
                nearest: vec![r#"recorded call 1: $.filters[0].value: "new" -> "New" (only upper and lower case differ); $.limit: 10 -> "10" (type changed)"#.into()],
                paths: vec!["$.filters[*].value".into(), "$.limit".into()],
                rules: vec![],
            },
            MissRow { tool: "note".into(), nearest: vec![], paths: vec![], rules: vec![] },
        ],
        ..LedgerRow::default()
    };
    row
}

fn retried(index: u64) -> AttemptRow {
    let pay = r#"pay {"id":"7"}"#;
    let gone = |kind, tool| CallDifference { seen_call: None, ..difference(kind, tool) };
    differing(
        index,
        "payment-retry",
        &["tools"],
        vec![gone(DifferenceKind::RetryDropped, "pay"), gone(DifferenceKind::FewerTimes, "get_order")],
        vec![line(Some(GET), Some(GET)), line(Some(GET), None), line(Some(pay), Some(pay)), line(Some(pay), None)],
    )
}

fn over_budget(index: u64) -> AttemptRow {
    let mut row = said(
        passed(index, "summary-of-a-long-mail"),
        vec![
            result("token-budget", EvaluationOutcome::Failed, "9600 output tokens, at most 192 pass"),
            result("model-call-budget", EvaluationOutcome::Failed, "6 model calls, at most 2 pass"),
        ],
    );
    row.results.extend([
        result("token-budget", EvaluationOutcome::Failed, "10600 total tokens, at most 1692 pass"),
        result("token-budget", EvaluationOutcome::Passed, ""),
        result("token-budget", EvaluationOutcome::Passed, ""),
    ]);
    (row.seen.model_calls, row.seen.tokens, row.seen.output_tokens) = (Some(6), Some(10_600), Some(9600));
    row.reply = Some("The mail says: ".to_owned() + &"and so on, ".repeat(60));
    row
}

fn new_request_id(index: u64) -> AttemptRow {
    let (was, is) = ("6f1c1d2e-3b4a-4c5d-8e9f-000000000001", format!("6f1c1d2e-3b4a-4c5d-8e9f-00000000010{index}"));
    let mut row = differing(
        index,
        &format!("tracking-{index}"),
        &["tool-arguments"],
        vec![changed("track", "$.request_id", &format!("\"{was}\""), &format!("\"{is}\""))],
        vec![line(
            Some(&format!(r#"track {{"parcel":"PX-205-938","request_id":"{was}"}}"#)),
            Some(&format!(r#"track {{"parcel":"PX-205-938","request_id":"{is}"}}"#)),
        )],
    );
    row.differences[0].hint = Some("looks like an id made anew each time".into());
    row.scenario = Some("tracking".into());
    let nearest = format!(r#"recorded call 1: $.request_id: "{was}" -> "{is}" (looks like an id made anew each time)"#);
    let miss =
        MissRow { tool: "track".into(), nearest: vec![nearest], paths: vec!["$.request_id".into()], rules: vec![] };
    row.ledger = LedgerRow { asked: 2, missed: 2, unused: 1, misses: vec![miss.clone(), miss], ..LedgerRow::default() };
    row
}

/// A difference that the way of matching allows: the case passes.
fn ungated(index: u64) -> AttemptRow {
    let mut row = passed(index, "one-more-look");
    let extra = CallDifference { recorded_call: None, gated: false, ..difference(DifferenceKind::Extra, "get_order") };
    (row.differences, row.calls) = (vec![extra], vec![line(Some(GET), Some(GET)), line(None, Some(GET))]);
    row
}

/// Checks that a suite states.
fn judged(index: u64) -> AttemptRow {
    let polite = EvaluationResult {
        score: Some(0.35),
        ..result("is-polite", EvaluationOutcome::Failed, "the reply says nothing of being sorry")
    };
    let lacks = result("reply-lacks", EvaluationOutcome::Failed, "the reply holds \"internal only\"");
    said(AttemptRow { reply: Some("No. internal only".into()), ..passed(index, "complaint") }, vec![polite, lacks])
}

/// Nothing failed, but little could be judged.
pub fn inconclusive() -> SampleRun {
    let silent = |mut row: AttemptRow| {
        (row.seen.tokens, row.seen.input_tokens, row.seen.output_tokens) = (None, None, None);
        said(
            row,
            vec![result("token-budget", EvaluationOutcome::Inconclusive, "the run does not tell its total tokens")],
        )
    };
    let mut rows: Vec<AttemptRow> = (0..3).map(|index| silent(passed(index, &format!("silent-{index}")))).collect();
    let not_comparable = "not comparable: 33 % of the calls were answered from the recording, 80 % are needed";
    rows.push(said(
        silent(passed(3, "far-off")),
        vec![result("fidelity", EvaluationOutcome::Inconclusive, not_comparable)],
    ));
    rows.push(said(
        passed(4, "broken"),
        vec![result("is-polite", EvaluationOutcome::Broke, "the evaluator panicked: index out of bounds")],
    ));
    rows.push(said(
        passed(5, "undecided"),
        vec![result("is-polite", EvaluationOutcome::Undecided, "two of three judges agree")],
    ));
    for row in &mut rows {
        row.results.retain(|result| {
            !matches!(result.label.as_str(), "token-budget") || result.outcome != EvaluationOutcome::Passed
        });
    }
    SampleRun::new(manifest(6), rows, &[])
}

/// The target fails in every way.
pub fn target_failures() -> SampleRun {
    let kinds = [
        (FailureKind::Exited, "exit status 1"),
        (FailureKind::Deadline, "60s"),
        (FailureKind::Protocol, "line 3 is no JSON: expected `,` or `}` at column 17"),
        (FailureKind::Unreachable, "connection refused"),
        (FailureKind::Reported, "model overloaded"),
        (FailureKind::Setup, "the target has no fixture \"two-orders\""),
        (FailureKind::Aborted, "refund"),
    ];
    let mut rows: Vec<AttemptRow> = passes(0, 3).collect();
    for (index, (kind, message)) in (3..).zip(kinds) {
        let label = if kind == FailureKind::Setup { "setup" } else { "target" };
        let mut row = passed(index, &format!("down-{index}"));
        row.results.clear();
        row.failure = Some(FailureRow { kind, message: message.into() });
        row.seen = Usage::default();
        row.stderr = "Traceback (most recent call last):\n  File \"agent.py\", line 12, in <module>\n\u{1b}[31mKeyError\u{1b}[0m: 'model'\n".into();
        rows.push(said(row, vec![result(label, EvaluationOutcome::NotReached, message)]));
    }
    rows[2].violations = vec!["wrote \"hello\" between its messages".into()];
    rows[2] = said(
        rows[2].clone(),
        vec![result("target", EvaluationOutcome::Inconclusive, "the target broke the protocol: it wrote \"hello\"")],
    );
    let mut manifest = manifest(10);
    manifest.gates.push(GateSource { gate: "target-does-not-fail".into(), source: SettingSource::Flag });
    SampleRun::new(manifest, rows, &[])
}

/// Three attempts at each case, which do not agree.
pub fn repeated() -> SampleRun {
    let mut rows = Vec::new();
    for index in 0..3 {
        for attempt in 1..=3 {
            let fails = index == 0 && attempt == 2 || index == 1;
            let row = if fails { wrong_amount(index) } else { passed(index, "x") };
            rows.push(AttemptRow { attempt, id: CaseId::new(format!("case-{index}")), weight: 1.0, ..row });
        }
    }
    let mut manifest = manifest(3);
    (manifest.repeats, manifest.facts.repeats) = (3, 3);
    SampleRun::new(manifest, rows, &[])
}

/// The run of failures, of which no content was kept.
pub fn omitted() -> SampleRun {
    let kept = failures();
    let manifest = RunManifest { content: Content::Omit, ..kept.manifest.clone() };
    let rows = kept.rows().map(|row| row.clone().without_content()).collect();
    SampleRun::new(manifest, rows, &[])
}

/// Ids, tools and texts that try to break out of their place.
pub fn weird() -> SampleRun {
    let nasty = "a]]>b\u{1b}[31mc\u{0}<script>|`*_@you\n👩‍👩‍👧\u{202e}\u{ffff}";
    let mut row = differing(
        0,
        nasty,
        &["tool-arguments"],
        vec![changed(nasty, "$['``` ']", "\"```\"", &format!("{nasty:?}"))],
        vec![line(Some("t {\"a\":\"````\"}"), Some(&format!("t {nasty}")))],
    );
    row.scenario = Some(nasty.into());
    row.reply = Some(nasty.into());
    row.stderr = format!("{nasty}\n{nasty}");
    let long = "very-long-id-".repeat(30);
    let mut second =
        differing(1, &long, &["tool-arguments"], vec![changed(&"tool_".repeat(40), "$.a", "1", "2")], vec![]);
    second.scenario = None;
    let mut rows = vec![row, second];
    rows.push(said(passed(2, "日本語の識別子"), vec![result(&"label-".repeat(12), EvaluationOutcome::Failed, nasty)]));
    let mut manifest = manifest(3);
    manifest.target.name = nasty.into();
    SampleRun::new(manifest, rows, &[nasty])
}

/// A run that was killed: one case failed before.
pub fn unfinished() -> SampleRun {
    let mut manifest = manifest(40);
    (manifest.facts.state, manifest.finished_at) = (RunState::Unfinished, None);
    SampleRun::new(manifest, passes(0, 12).collect(), &[])
}

/// A run that a person stopped.
pub fn cancelled() -> SampleRun {
    let mut manifest = manifest(40);
    manifest.facts.state = RunState::Cancelled;
    SampleRun::new(manifest, passes(0, 12).collect(), &[])
}

/// A run in which nothing was run.
pub fn empty() -> SampleRun {
    SampleRun::new(manifest(0), vec![], &[])
}

/// The run of failures as a second recording, which asks no stub; one interaction has no counterpart.
pub fn second_recording() -> SampleRun {
    let kept = failures();
    let mut rows: Vec<AttemptRow> = kept.rows().cloned().collect();
    for row in &mut rows {
        row.seen.latency_source = LatencySource::Recorded;
    }
    let nothing = "the second recording has no interaction of this id";
    rows[39].results.clear();
    rows[39].failure = Some(FailureRow { kind: FailureKind::Setup, message: nothing.into() });
    rows[39] = said(rows[39].clone(), vec![result("setup", EvaluationOutcome::NotReached, nothing)]);
    rows[38] = said(rows[38].clone(), vec![result("latency-budget", EvaluationOutcome::Inconclusive, "not timed")]);
    let mut manifest = manifest(40);
    manifest.target = TargetInfo { name: "recorded:after.jsonl".into(), version: None };
    manifest.target_hash = Some("77aa9c0e1b2d4f68".into());
    manifest.facts.without_case = 2;
    SampleRun::new(manifest, rows, &[])
}

/// Runs of which nothing can be said, as their recordings do not tell their calls.
pub fn unrecorded_calls() -> SampleRun {
    let unknown = "the recording does not say which tools were called, and this run called get_order";
    let rows = (0..3).map(|index| {
        let mut row = passed(index, &format!("old-{index}"));
        row.results.retain(|result| result.label.as_str() == "reply-present");
        row.recorded = Usage::default();
        said(row, vec![result("tools", EvaluationOutcome::Inconclusive, unknown)])
    });
    SampleRun::new(manifest(3), rows.collect(), &[])
}

/// A run of a target that never came to a reply.
pub fn never_replied() -> SampleRun {
    let rows = (0..2).map(|index| {
        let mut row = passed(index, &format!("down-{index}"));
        row.results.clear();
        row.failure = Some(FailureRow { kind: FailureKind::Exited, message: "exit status 1".into() });
        row.seen = Usage::default();
        said(row, vec![result("target", EvaluationOutcome::NotReached, "exit status 1")])
    });
    SampleRun::new(manifest(2), rows.collect(), &[])
}

/// Every run, with its name.
pub fn all() -> Vec<(&'static str, SampleRun)> {
    vec![
        ("all-passed", all_passed()),
        ("failures", failures()),
        ("inconclusive", inconclusive()),
        ("target-failures", target_failures()),
        ("repeated", repeated()),
        ("omitted", omitted()),
        ("weird", weird()),
        ("unrecorded-calls", unrecorded_calls()),
        ("never-replied", never_replied()),
        ("unfinished", unfinished()),
        ("cancelled", cancelled()),
        ("empty", empty()),
    ]
}
