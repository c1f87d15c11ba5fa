//! What the parts of an attempt cost, each alone: `cargo bench --bench parts`.

#![allow(clippy::unwrap_used, missing_docs, reason = "a bench that cannot go on has failed")]

use std::sync::Arc;

use divan::{Bencher, black_box};
use taketwo::case::{EvalCase, EvalCaseParser};
use taketwo::compare::{Alignment, Arguments, CallKey, Matching, Policy, ToolRules, align, prepare};
use taketwo::evaluate::{EvalContext, EvaluationRules, evaluate};
use taketwo::recording::{At, CaseId, Interaction, Json, Place, Row, ToolCall, ToolName, wire};
use taketwo::replay::{Attempt, BindingRules, Ended, Latency, LatencySource, ToolBindings};
use taketwo::verdict::AttemptRow;

fn main() {
    divan::main();
}

/// A call whose arguments and result are of a usual size.
fn call(number: usize) -> String {
    format!(
        r#"{{"name":"tool-{}","arguments":{{"id":"{number}","limit":20,"query":"the parcel of order {number}"}},"result":{{"items":[{{"id":{number},"name":"a thing with a name"}},{{"id":7,"name":"another one"}}],"note":"{}"}},"step":{number},"latencyMs":120}}"#,
        number % 4,
        "some words of a result ".repeat(12),
    )
}

/// An interaction as a line.
fn line(calls: usize) -> String {
    let calls = (0..calls).map(call).collect::<Vec<_>>().join(",");
    format!(
        r#"{{"id":"case-1","input":"where is my parcel","output":"{}","toolCalls":[{calls}],"modelCalls":4,"tokens":{{"input":1200,"output":80}},"latencyMs":2300,"scenario":"orders"}}"#,
        "it is on its way ".repeat(15),
    )
}

fn interaction(calls: usize) -> Interaction {
    wire::read(&Json::parse(line(calls)).unwrap()).unwrap()
}

fn calls(number: usize) -> Vec<ToolCall> {
    interaction(number).tool_calls.unwrap()
}

/// A row of three calls, 2 KB, from its text.
#[divan::bench]
fn parse_row(bencher: Bencher<'_, '_>) {
    let line = line(3);
    bencher
        .counter(divan::counter::BytesCount::of_str(&line))
        .bench(|| wire::read(&Json::parse(black_box(line.as_str())).unwrap()).unwrap());
}

/// What a call is looked up by: its canonical arguments and their hash.
#[divan::bench]
fn hash_arguments(bencher: Bencher<'_, '_>) {
    let (call, rules) = (calls(1).remove(0), ToolRules::none());
    bencher.bench(|| CallKey::of(&call.name, &Arguments::read(black_box(call.arguments.as_ref()), &rules)));
}

/// Pairing the calls of a run with the recorded ones.
mod pair {
    use super::*;

    const CALLS: [usize; 3] = [3, 50, 1000];

    fn pair(recorded: &[ToolCall], seen: &[ToolCall], policy: &Policy) -> Alignment {
        align(&prepare(black_box(recorded), policy), &prepare(black_box(seen), policy), Matching::PartialOrder)
    }

    #[divan::bench(args = CALLS)]
    fn equal(bencher: Bencher<'_, '_>, number: usize) {
        let (recorded, seen, policy) = (calls(number), calls(number), Policy::default());
        bencher.bench(|| pair(&recorded, &seen, &policy));
    }

    #[divan::bench(args = CALLS)]
    fn one_dropped(bencher: Bencher<'_, '_>, number: usize) {
        let (recorded, mut seen, policy) = (calls(number), calls(number), Policy::default());
        seen.remove(number / 2);
        bencher.bench(|| pair(&recorded, &seen, &policy));
    }

    #[divan::bench(args = CALLS, sample_count = 20)]
    fn shuffled(bencher: Bencher<'_, '_>, number: usize) {
        let (recorded, policy) = (calls(number), Policy::default());
        // Steps that share no divisor with the number come by every place once.
        let seen: Vec<ToolCall> = (0..number).map(|at| recorded[at * 17 % number].clone()).collect();
        bencher.bench(|| pair(&recorded, &seen, &policy));
    }

    #[divan::bench(args = [3, 50], sample_count = 20)]
    fn all_changed(bencher: Bencher<'_, '_>, number: usize) {
        let (recorded, mut seen, policy) = (calls(number), calls(number), Policy::default());
        for (at, call) in seen.iter_mut().enumerate() {
            call.arguments = Some(Json::parse(format!(r#"{{"id":"new-{at}","limit":20}}"#)).unwrap());
        }
        bencher.bench(|| pair(&recorded, &seen, &policy));
    }
}

/// Stubs of three calls, each asked once.
mod stubs {
    use super::*;

    fn ask_all(recorded: &Interaction, asked: &[(ToolName, Option<Json>)], rules: &Arc<BindingRules>) -> ToolBindings {
        let mut stubs = ToolBindings::new(recorded, Arc::clone(rules));
        for (tool, arguments) in asked {
            black_box(stubs.answer(tool, arguments.as_ref()));
        }
        stubs
    }

    #[divan::bench]
    fn in_step(bencher: Bencher<'_, '_>) {
        let (recorded, rules) = (interaction(3), Arc::default());
        let asked: Vec<_> = calls(3).into_iter().map(|call| (call.name, call.arguments)).collect();
        bencher.bench(|| ask_all(&recorded, &asked, &rules));
    }

    #[divan::bench]
    fn by_key(bencher: Bencher<'_, '_>) {
        let (recorded, rules) = (interaction(3), Arc::default());
        let asked: Vec<_> = calls(3).into_iter().rev().map(|call| (call.name, call.arguments)).collect();
        bencher.bench(|| ask_all(&recorded, &asked, &rules));
    }
}

/// A whole attempt, from what a target did to its line in the journal.
mod attempt {
    use super::*;

    fn case() -> EvalCase {
        let place = Place { file: std::path::Path::new("bench.jsonl").into(), at: At::Line { number: 1, offset: 0 } };
        let row = Row { place, id: CaseId::new("case-1"), interaction: interaction(3) };
        EvalCaseParser::default().parse(0, row).unwrap()
    }

    fn evaluated(case: &EvalCase, seen: &Interaction, bindings: &Arc<BindingRules>, rules: &EvaluationRules) -> String {
        let mut stubs = ToolBindings::new(&case.recorded, Arc::clone(bindings));
        for call in seen.tool_calls.iter().flatten() {
            black_box(stubs.answer(&call.name, call.arguments.as_ref()));
        }
        let attempt = Attempt {
            number: 1,
            seen: seen.clone(),
            ended: Ended::Replied,
            latency: Latency { ms: seen.latency_ms, source: LatencySource::Recorded },
            ledger: stubs.ledger(),
            aftermath: taketwo::replay::Aftermath::default(),
        };
        let context = EvalContext::new(case, &attempt, rules);
        let results = evaluate(&context);
        serde_json::to_string(&AttemptRow::new(&context, results)).unwrap()
    }

    #[divan::bench]
    fn passed(bencher: Bencher<'_, '_>) {
        let (case, seen) = (case(), interaction(3));
        let (bindings, rules) = (Arc::default(), EvaluationRules::default());
        bencher.bench(|| evaluated(&case, &seen, &bindings, &rules));
    }

    #[divan::bench]
    fn with_a_changed_argument(bencher: Bencher<'_, '_>) {
        let (case, mut seen) = (case(), interaction(3));
        if let Some(call) = seen.tool_calls.iter_mut().flatten().next() {
            call.arguments = Some(Json::parse(r#"{"id":"other","limit":20}"#).unwrap());
        }
        let (bindings, rules) = (Arc::default(), EvaluationRules::default());
        bencher.bench(|| evaluated(&case, &seen, &bindings, &rules));
    }
}
