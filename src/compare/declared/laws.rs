//! Laws of the check against a schema, whatever the schema and the arguments.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Value as Tree, json};

use super::*;
use crate::recording::ToolCall;

/// Values of few shapes, so that schemas often allow them.
fn value() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::from),
        (-3_i64..4).prop_map(Tree::from),
        any::<u64>().prop_map(Tree::from),
        (-9_i32..9).prop_map(|tenths| json!(f64::from(tenths) / 10.0)),
        "[ab\"é]{0,3}".prop_map(Tree::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Tree::from),
            btree_map("[ab]", inner, 0..3).prop_map(|members| { Tree::Object(members.into_iter().collect()) })
        ]
    })
}

fn schema() -> impl Strategy<Value = Tree> {
    let kinds = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let leaf = prop_oneof![
        proptest::sample::select(kinds.to_vec()).prop_map(|kind| json!({ "type": kind })),
        proptest::sample::subsequence(kinds.to_vec(), 1..4).prop_map(|kinds| json!({ "type": kinds })),
        value().prop_map(|value| json!({ "const": value })),
        vec(value(), 1..4).prop_map(|values| json!({ "enum": values })),
        (-3_i32..3, 0_u32..3)
            .prop_map(|(limit, length)| json!({ "minimum": limit, "maxLength": length, "multipleOf": 2 })),
        (0_u32..3).prop_map(
            |count| json!({ "minItems": count, "maxProperties": count, "uniqueItems": true, "pattern": "a" })
        ),
        Just(json!({ "propertyNames": { "maxLength": 0 }, "minProperties": 1, "exclusiveMaximum": 2 })),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|items| json!({ "items": items })),
            inner.clone().prop_map(|not| json!({ "not": not })),
            inner.clone().prop_map(|contains| json!({ "contains": contains })),
            vec(inner.clone(), 1..4).prop_map(|forms| json!({ "anyOf": forms })),
            vec(inner.clone(), 1..4).prop_map(|forms| json!({ "oneOf": forms })),
            vec(inner.clone(), 1..3).prop_map(|forms| json!({ "allOf": forms })),
            (inner.clone(), inner, any::<bool>()).prop_map(|(a, b, more)| {
                json!({ "properties": { "a": a, "b": b }, "required": ["a"], "additionalProperties": more })
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// Reading arguments out of their text changes nothing but the digits that count.
    #[test]
    fn what_is_valid_is_what_the_standard_calls_valid(schema in schema(), value in value()) {
        let judge = jsonschema::options().offline().should_validate_formats(false).build(&schema).unwrap();
        let ours = ToolSchema::compile(Json::of(&schema)).unwrap();
        let faults = ours.faults(&Json::of(&value));
        prop_assert_eq!(faults.is_empty(), judge.is_valid(&value), "{:?}", faults);
        for fault in faults {
            prop_assert!(!fault.expected.is_empty() && fault.seen.is_some_and(|seen| !seen.is_empty()));
        }
    }

    #[test]
    fn arguments_as_a_text_are_judged_as_the_object_they_hold(schema in schema(), value in value()) {
        let definitions = json!([{ "name": "f", "input_schema": { "properties": { "a": schema } } }]);
        let tools = ToolDefinitions::parse("tools", &definitions.to_string()).unwrap();
        let object = Json::of(&json!({ "a": value }));
        let status = |arguments: Json| tools.status(&ToolCall::new(ToolName::new("f"), Some(arguments)));
        prop_assert_eq!(status(Json::string(object.text())), status(object));
    }

    #[test]
    fn a_schema_in_other_words_is_the_same_schema(schema in schema()) {
        let tools = |schema: &Tree| {
            let definitions = json!({ "tools": [{ "name": "f", "inputSchema": { "properties": { "a": schema } } }] });
            ToolDefinitions::parse("tools", &definitions.to_string()).unwrap().hash()
        };
        let mut described = schema.clone();
        described["description"] = "What it is for.".into();
        prop_assert_eq!(tools(&described), tools(&schema));
    }
}
