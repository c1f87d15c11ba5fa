//! Laws that the comparison keeps, whatever the values and calls.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{
    Arguments, CallKey, Matching, Order, PairKind, Policy, PreparedCall, Rule, ToolRules, Value, align, prepare,
};
use crate::recording::{Json, ToolCall, ToolName};

/// A JSON value as two texts that mean the same: other key order, other spelling of numbers and texts.
fn twins() -> impl Strategy<Value = (String, String)> {
    let leaf = prop_oneof![
        Just(("null".to_owned(), "null".to_owned())),
        any::<bool>().prop_map(|flag| (flag.to_string(), flag.to_string())),
        (any::<i64>(), 0_u32..4).prop_map(|(number, zeros)| {
            (number.to_string(), format!("{number}.{}", "0".repeat(zeros as usize + 1)))
        }),
        (-9999_i32..9999, 1_u32..5)
            .prop_map(|(number, power)| (format!("{number}e-{power}"), format!("{number}0e-{}", power + 1))),
        "[a-c{\\[ é]{0,4}".prop_map(|text| (Json::string(&text).text().to_owned(), escaped(&text))),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|items| {
                let (a, b): (Vec<_>, Vec<_>) = items.into_iter().unzip();
                (format!("[{}]", a.join(",")), format!("[ {} ]", b.join(" , ")))
            }),
            proptest::collection::btree_map("[a-d]{1,2}", inner, 0..4).prop_map(|members| {
                let a: Vec<_> = members.iter().map(|(key, (a, _))| format!("\"{key}\":{a}")).collect();
                let b: Vec<_> = members.iter().rev().map(|(key, (_, b))| format!("\"{key}\" : {b}")).collect();
                (format!("{{{}}}", a.join(",")), format!("{{{}}}", b.join(",")))
            }),
        ]
    })
}

fn escaped(text: &str) -> String {
    let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
    format!("\"{units}\"")
}

fn read(text: &str) -> Value {
    Value::read(&Json::parse(text).unwrap(), &ToolRules::none())
}

/// Ways of comparing that are equivalences.
const STRICT: &[&str] = &[
    "exact",
    "ignore",
    "present",
    "type",
    "regex(a)",
    "one-of([\"a\",1,null])",
    "set",
    "bag",
    "sorted-by($.a)",
    "null-is-absent",
    "default([])",
    "text",
    "trim",
    "caseless",
    "exact-unicode",
];

/// All ways of comparing.
fn all() -> Vec<&'static str> {
    let loose = ["tolerance(2)", "tolerance(0.5,10%)", "window(1h)", "optional", "reference"];
    STRICT.iter().copied().chain(loose).collect()
}

/// Rules for the keys that values have here.
fn rules(words: Vec<&'static str>) -> impl Strategy<Value = Vec<Rule>> {
    let places = ["$.a", "$.b", "$.*.c", "$..a", "$..b[*]", "$.x", "$.a[0]", "search:$.x", "s*:$..c"];
    let rule = (proptest::sample::select(words), proptest::sample::select(places.to_vec()));
    vec(rule.prop_map(|(word, place)| format!("{word} {place}").parse().unwrap()), 0..6)
}

fn read_under(text: &str, policy: &Policy) -> Value {
    Value::read(&Json::parse(text).unwrap(), &policy.tool(&ToolName::new("search")))
}

/// Calls out of so few tools and arguments that equal ones are common.
fn calls() -> impl Strategy<Value = Vec<ToolCall>> {
    let call = (0_usize..3, 0_u32..3, 0_u32..2).prop_map(|(tool, x, y)| {
        let arguments = Json::parse(format!("{{\"x\":{x},\"y\":{y}}}")).unwrap();
        ToolCall::new(ToolName::new(["search", "get", "pay"][tool]), Some(arguments))
    });
    vec(call, 0..7)
}

/// How many pairs are equal and changed, and how many calls stay alone.
fn counts(recorded: &[ToolCall], seen: &[ToolCall]) -> [usize; 5] {
    let policy = Policy::default();
    let alignment = align(&prepare(recorded, &policy), &prepare(seen, &policy), Matching::Unordered);
    let kind = |wanted: fn(&PairKind) -> bool| alignment.pairs.iter().filter(|pair| wanted(&pair.kind)).count();
    [
        kind(|kind| *kind == PairKind::Same),
        kind(|kind| matches!(kind, PairKind::Changed(_))),
        kind(|kind| matches!(kind, PairKind::Renamed(_))),
        alignment.missing.len(),
        alignment.extra.len(),
    ]
}

proptest! {
    #[test]
    fn twins_are_equal_and_have_one_hash((a, b) in twins()) {
        prop_assert_eq!(read(&a), read(&b));
        prop_assert_eq!(read(&a).hash128(), read(&b).hash128());
        prop_assert!(super::differences(&read(&a), &read(&b)).is_empty());
        // What is shown reads back as the same value.
        prop_assert_eq!(read(&read(&a).to_string()), read(&a));
    }

    #[test]
    fn the_hash_and_the_differences_agree_with_equality((a, _) in twins(), (b, _) in twins()) {
        let (a, b) = (read(&a), read(&b));
        prop_assert_eq!(a == b, a.hash128() == b.hash128());
        prop_assert_eq!(a == b, super::differences(&a, &b).is_empty());
        prop_assert_eq!(super::differences(&a, &b).is_empty(), super::differences(&b, &a).is_empty());
    }

    #[test]
    fn arguments_as_text_equal_the_same_as_an_object((a, b) in twins()) {
        prop_assume!(a.starts_with('{'));
        let object = Json::parse(a.as_str()).unwrap();
        let text = Json::string(&b);
        let (object, text) = (Arguments::read(Some(&object), &ToolRules::none()), Arguments::read(Some(&text), &ToolRules::none()));
        prop_assert_eq!(CallKey::of(&ToolName::new("t"), &object), CallKey::of(&ToolName::new("t"), &text));
    }

    #[test]
    fn every_call_is_paired_once_or_stays_alone(a in calls(), b in calls()) {
        let policy = Policy::default();
        let alignment = align(&prepare(&a, &policy), &prepare(&b, &policy), Matching::Strict);
        let mut recorded: Vec<usize> = alignment.pairs.iter().map(|pair| pair.recorded).collect();
        recorded.extend(alignment.missing.iter().map(|missing| missing.recorded));
        recorded.sort_unstable();
        prop_assert_eq!(recorded, (0..a.len()).collect::<Vec<_>>());
        let mut seen: Vec<usize> = alignment.pairs.iter().map(|pair| pair.seen).collect();
        seen.extend(alignment.extra.iter().map(|extra| extra.seen));
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..b.len()).collect::<Vec<_>>());
    }

    #[test]
    fn the_order_of_listing_never_changes_what_is_paired(
        (a, mixed) in calls().prop_flat_map(|calls| (Just(calls.clone()), Just(calls).prop_shuffle())),
        b in calls(),
    ) {
        prop_assert_eq!(counts(&a, &b), counts(&mixed, &b));
        prop_assert_eq!(counts(&b, &a), counts(&b, &mixed));
        prop_assert_eq!(counts(&a, &mixed), [a.len(), 0, 0, 0, 0]);
    }

    #[test]
    fn swapping_the_sides_swaps_missing_and_extra(a in calls(), b in calls()) {
        let [same, changed, renamed, missing, extra] = counts(&a, &b);
        let [other_same, other_changed, other_renamed, other_missing, other_extra] = counts(&b, &a);
        prop_assert_eq!([other_same, other_changed], [same, changed]);
        // A new name is only one if the recording never uses it, so a rename may be one of each the other way round.
        prop_assert_eq!(
            [other_missing + other_renamed, other_extra + other_renamed],
            [extra + renamed, missing + renamed]
        );
    }

    #[test]
    fn what_is_moved_leaves_the_rest_in_order(
        (a, mixed) in calls().prop_flat_map(|calls| (Just(calls.clone()), Just(calls).prop_shuffle())),
    ) {
        let policy = Policy::default();
        let alignment = align(&prepare(&a, &policy), &prepare(&mixed, &policy), Matching::Strict);
        let kept: Vec<usize> = alignment.pairs.iter().filter(|pair| pair.order == Order::Kept).map(|pair| pair.seen).collect();
        prop_assert!(kept.is_sorted());
        let ordered = prepare(&a, &policy).iter().map(PreparedCall::key).eq(prepare(&mixed, &policy).iter().map(PreparedCall::key));
        prop_assert_eq!(ordered, alignment.holds(Matching::Strict));
    }

    #[test]
    fn without_leeway_equality_is_an_equivalence_and_the_hash_agrees(
        rules in rules(STRICT.to_vec()), texts in vec(twins(), 3),
    ) {
        let policy = Policy::new(rules);
        let [a, b, c] = [0, 1, 2].map(|at: usize| read_under(&texts[at].0, &policy));
        prop_assert!(a.accepts(&a));
        prop_assert_eq!(a.accepts(&b), b.accepts(&a));
        prop_assert!(!(a.accepts(&b) && b.accepts(&c)) || a.accepts(&c));
        prop_assert_eq!(a.accepts(&b), a.hash128() == b.hash128());
        prop_assert_eq!(a.accepts(&b), super::differences(&a, &b).is_empty());
        prop_assert_eq!(a.cmp(&b).is_eq(), a == b);
        // Two spellings of a value stay equal where no rule looks at the spelling itself.
        prop_assume!(!policy.rules().iter().any(|rule| rule.how().word() == "text"));
        prop_assert_eq!(a, read_under(&texts[0].1, &policy));
    }

    #[test]
    fn with_leeway_a_value_accepts_itself_and_both_sides_alike(rules in rules(all()), (a, _) in twins(), (b, _) in twins()) {
        let policy = Policy::new(rules);
        let (a, b) = (read_under(&a, &policy), read_under(&b, &policy));
        prop_assert!(a.accepts(&a) && super::differences(&a, &a).is_empty());
        prop_assert_eq!(a.accepts(&b), b.accepts(&a));
        prop_assert_eq!(super::differences(&a, &b).is_empty(), super::differences(&b, &a).is_empty());
        prop_assert_eq!(a.accepts(&b), super::differences(&a, &b).is_empty());
        prop_assert!(a.hash128() != b.hash128() || a.accepts(&b), "what has one hash is accepted");
    }

    #[test]
    fn the_order_of_rules_never_matters(
        (rules, mixed) in rules(all()).prop_flat_map(|rules| (Just(rules.clone()), Just(rules).prop_shuffle())),
        (a, _) in twins(),
    ) {
        let (one, other) = (Policy::new(rules), Policy::new(mixed));
        prop_assert_eq!(read_under(&a, &one), read_under(&a, &other));
        prop_assert_eq!(one.hash(), other.hash());
    }

    #[test]
    fn calls_hold_to_themselves_under_any_policy(rules in rules(all()), calls in calls()) {
        let policy = Policy::new(rules);
        for matching in Matching::ALL {
            prop_assert!(align(&prepare(&calls, &policy), &prepare(&calls, &policy), matching).holds(matching));
        }
    }

    #[test]
    fn swapping_the_sides_swaps_missing_and_extra_under_any_policy(rules in rules(all()), a in calls(), b in calls()) {
        let policy = Policy::new(rules);
        let counts = |a: &[ToolCall], b: &[ToolCall]| {
            let found = align(&prepare(a, &policy), &prepare(b, &policy), Matching::Unordered);
            let renamed = found.pairs.iter().filter(|pair| matches!(pair.kind, PairKind::Renamed(_))).count();
            [found.pairs.len() - renamed, found.missing.len() + renamed, found.extra.len() + renamed]
        };
        let [pairs, missing, extra] = counts(&a, &b);
        prop_assert_eq!(counts(&b, &a), [pairs, extra, missing]);
    }
}
