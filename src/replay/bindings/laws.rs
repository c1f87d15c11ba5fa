//! Stubs and checks share one equality.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{BindingRules, ToolBindings};
use crate::compare::{Arguments, Matching, Policy, align, prepare};
use crate::recording::{Interaction, Json, ToolCall, ToolName};
use crate::replay::Serving;

fn calls() -> impl Strategy<Value = Vec<ToolCall>> {
    let value =
        proptest::sample::select(vec!["1", "1.5", "2", "\"a\"", "\" A\"", "null", "[1,2]", "[2,1]", "{\"z\":1}"]);
    let call = (0_usize..2, proptest::option::of(value.clone()), value).prop_map(|(tool, x, y)| {
        let x = x.map(|x| format!("\"x\":{x},")).unwrap_or_default();
        let arguments = Json::parse(format!("{{{x}\"y\":{y}}}")).unwrap();
        ToolCall { result: Some(Json::null()), ..ToolCall::new(ToolName::new(["get", "pay"][tool]), Some(arguments)) }
    });
    vec(call, 1..5)
}

fn policy() -> impl Strategy<Value = Policy> {
    let rules = vec![
        "ignore $.x",
        "tolerance(0.5) $.*",
        "optional $.x",
        "caseless $.y",
        "trim $.y",
        "bag $.y",
        "null-is-absent $.x",
        "type pay:$.y",
        "default(1) get:$.x",
        "exact get:$.y",
        "one-of([1,2]) $.y",
        "present $.x",
    ];
    vec(proptest::sample::select(rules).prop_map(|rule| rule.parse().unwrap()), 0..5).prop_map(Policy::new)
}

proptest! {
    #[test]
    fn a_stub_answers_a_call_exactly_when_its_arguments_pass(policy in policy(), recorded in calls(), asked in calls()) {
        let policy = Arc::new(policy);
        let case = Interaction { tool_calls: Some(recorded.clone()), ..Interaction::new(Json::string("x")) };
        for call in &asked {
            let rules = BindingRules { policy: Arc::clone(&policy), ..BindingRules::default() };
            let mut stubs = ToolBindings::new(&case, rules.into());
            stubs.answer(&call.name, call.arguments.as_ref());
            let read = |call: &ToolCall| Arguments::read(call.arguments.as_ref(), &policy.tool(&call.name));
            let passes = recorded.iter().any(|known| known.name == call.name && read(known).accepts(&read(call)));
            let missed = matches!(stubs.ledger().servings[0], Serving::Missed { .. });
            prop_assert_eq!(passes, !missed);
        }
    }

    #[test]
    fn the_recorded_calls_in_any_order_are_all_served(
        policy in policy(),
        (recorded, asked) in calls().prop_flat_map(|calls| (Just(calls.clone()), Just(calls).prop_shuffle())),
    ) {
        let policy = Arc::new(policy);
        let unordered = Matching::Unordered;
        prop_assert!(align(&prepare(&recorded, &policy), &prepare(&asked, &policy), unordered).holds(unordered));
        let case = Interaction { tool_calls: Some(recorded), ..Interaction::new(Json::string("x")) };
        let mut stubs = ToolBindings::new(&case, BindingRules { policy, ..BindingRules::default() }.into());
        asked.iter().for_each(|call| drop(stubs.answer(&call.name, call.arguments.as_ref())));
        prop_assert!(stubs.ledger().unused.is_empty());
        prop_assert_eq!(stubs.ledger().fidelity(), 1.0);
    }
}
