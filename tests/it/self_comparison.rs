//! A recording compared with itself is equal, in every way of matching and under every policy, and stubs made of it
//! answer all of its calls: for every interaction in `shared/corpus` that the readers here understand.

use std::sync::Arc;

use taketwo::compare::{How, Matching, Order, PairKind, Policy, align, prepare};
use taketwo::recording::{Interaction, Json, Kind, ToolCall};
use taketwo::replay::{BindingRules, Serving, ToolBindings};

use crate::real_traffic::{self, on_all_cores};

/// Policies to hold a recording to, each as its rules. Add to it when there are more ways to compare.
const POLICIES: &[&[&str]] = &[
    &[],
    &[
        "ignore user_id",
        "ignore $..id",
        "ignore *:$..date",
        "ignore $[\"a b\"].c",
        "ignore toolCalls[*].arguments.location",
    ],
    &["ignore get_*:$.*", "ignore *search*:$..[*]", "ignore book_reservation:$.passengers[*].dob"],
    &["present $..*", "exact $..id"],
    &["type $..*", "regex(^[a-z]) $.query", "one-of([\"a\",1]) $.unit"],
    &["tolerance(0.5,10%) $..*", "window(1h) $..date"],
    &["set $..*", "bag $..flights", "sorted-by($.dob) $.passengers"],
    &["null-is-absent $..*", "default(1) $..*", "optional get_*:$..*"],
    &["optional $..*"],
    &["text $..*", "trim $..*", "caseless $..*", "exact-unicode $..*"],
    &["reference $..*"],
    &["schema $", "reference $..*_id", "tolerance(1) $..amount", "bag $.*", "trim $..*", "default(0) $..*"],
];

#[test]
fn a_recording_equals_itself() {
    let Some(traffic) = real_traffic::all() else { return };
    assert!(traffic.distinct() > 2_000, "{} interactions with calls of their own", traffic.distinct());
    let wrong: Vec<String> = on_all_cores(&traffic.interactions, all_misjudged).into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

/// What is wrong about some interactions.
fn all_misjudged(interactions: &[&Interaction]) -> Vec<String> {
    let policies: Vec<_> = POLICIES.iter().map(|rules| policy(rules.iter().map(|rule| (*rule).to_owned()))).collect();
    let mut wrong = Vec::new();
    for (at, &it) in interactions.iter().enumerate() {
        let in_other_form: Vec<_> = calls(it).iter().map(in_other_form).collect();
        // All ways of matching take long where the arguments have to be read: the default one, and another in turn.
        let in_turn = [Matching::ALL[at % Matching::ALL.len()], Matching::PartialOrder];
        for policy in policies.iter().chain([&own_policy(it)]) {
            let (all, some) = match traces(policy) {
                true => (&in_turn[..1], &in_turn[..1]),
                false => (&Matching::ALL[..], &in_turn[..]),
            };
            let found = misjudged(it, calls(it), policy, all).or_else(|| misjudged(it, &in_other_form, policy, some));
            wrong.extend(found.map(|what| format!("{:?} {:?}: {what}", it.id, policy.rules())));
        }
    }
    wrong
}

/// Whether a policy knows values by where they came from.
fn traces(policy: &Policy) -> bool {
    policy.rules().iter().any(|rule| matches!(rule.how(), How::Reference))
}

/// What is wrong about a comparison of an interaction with itself.
fn misjudged(it: &Interaction, run: &[ToolCall], policy: &Arc<Policy>, ways: &[Matching]) -> Option<String> {
    let (recorded, seen) = (prepare(calls(it), policy), prepare(run, policy));
    for &matching in ways {
        let alignment = align(&recorded, &seen, matching);
        let places = alignment.pairs.iter().enumerate().map(|(at, pair)| {
            (pair.recorded, pair.seen, pair.order) == (at, at, Order::Kept) && pair.kind == PairKind::Same
        });
        let all_same = places.filter(|same| *same).count() == run.len();
        if !all_same || !alignment.holds(matching) || alignment.first_divergence().is_some() {
            return Some(format!("{}: {alignment:?}", matching.as_str()));
        }
    }
    let rules = BindingRules { policy: Arc::clone(policy), ..BindingRules::default() };
    let mut stubs = ToolBindings::new(it, Arc::new(rules));
    for call in run {
        stubs.answer(&call.name, call.arguments.as_ref());
    }
    let ledger = stubs.ledger();
    let served = ledger.servings.iter().enumerate().all(|(at, serving)| {
        let has_answer = calls(it)[at].result.is_some() || calls(it)[at].error.is_some();
        match serving {
            Serving::Exact { recorded } => *recorded == at,
            // A recording that does not tell what came back is found all the same.
            Serving::Unanswerable { recorded } => *recorded == at && !has_answer,
            _ => false,
        }
    });
    (!served || !ledger.unused.is_empty()).then(|| format!("stubs: {ledger:?}"))
}

fn calls(it: &Interaction) -> &[ToolCall] {
    it.tool_calls.as_deref().unwrap_or_default()
}

/// The call with its arguments as a text where they were an object, and the other way round.
fn in_other_form(call: &ToolCall) -> ToolCall {
    let arguments = match &call.arguments {
        None => Some(Json::null()),
        Some(json) if json.kind() == Kind::Object => Some(Json::string(json.text())),
        Some(json) => {
            let object = json.as_str().and_then(|text| Json::parse(text.as_ref()).ok());
            object.filter(|inner| inner.kind() == Kind::Object).or_else(|| Some(json.clone()))
        }
    };
    ToolCall { arguments, ..call.clone() }
}

fn policy(rules: impl Iterator<Item = String>) -> Arc<Policy> {
    Arc::new(Policy::new(rules.map(|rule| rule.parse().unwrap()).collect()))
}

/// A policy that ignores something in the first call of every tool of an interaction: its first argument, and what
/// lies deepest in its last.
fn own_policy(it: &Interaction) -> Arc<Policy> {
    let rules =
        calls(it).iter().filter(|call| !call.name.as_str().contains(['[', '*', '?', '$', ':'])).flat_map(|call| {
            let object = call.arguments.clone().filter(|json| json.kind() == Kind::Object);
            let keys = object.iter().flat_map(|json| json.members()).flatten();
            let keys: Vec<_> = keys.map(|(key, value)| (key.into_owned(), value)).collect();
            let first = keys.first().map(|(key, _)| format!("ignore {}:$[\"{key}\"]", call.name));
            let last = keys.last().map(|(key, value)| format!("ignore {}:$[\"{key}\"]{}", call.name, deepest(value)));
            first.into_iter().chain(last)
        });
    policy(rules.filter(|rule| rule.parse::<taketwo::compare::Rule>().is_ok()))
}

/// The path down the first parts of a value.
fn deepest(value: &Json) -> String {
    if let Some((key, inner)) = value.members().and_then(|members| members.into_iter().next()) {
        return format!("[\"{key}\"]{}", deepest(&inner));
    }
    let first = value.items().and_then(|items| items.into_iter().next());
    first.map_or(String::new(), |item| format!("[0]{}", deepest(&item)))
}
