use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::arbitrary;
use super::super::json::Json;
use super::*;

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

/// Each member by its key, as the text it was written in.
fn fields(row: &Json) -> BTreeMap<String, String> {
    let members = row.written_members().unwrap();
    let member = |(key, value): (&str, Json)| {
        let known = super::super::field::Field::of_key(&row_key(key)).is_some();
        (if known { row_key(key) } else { key.to_owned() }, value.text().to_owned())
    };
    members.map(member).collect()
}

fn row_key(quoted: &str) -> String {
    super::super::json::decode_string(quoted).into_lossy().into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_is_read_is_written_again(line in arbitrary::line()) {
        let row = json(&line);
        if let Ok(it) = read(&row) {
            let again = json(&write(&it));
            let (mut was, mut is) = (fields(&row), fields(&again));
            // Inside of calls the order of the fields is ours.
            for key in ["toolCalls", "modelCalls"] {
                was.remove(key);
                is.remove(key);
            }
            prop_assert_eq!(was, is);
            prop_assert_eq!(read(&again).unwrap(), it);
        }
    }
}

#[test]
fn a_field_of_the_wrong_type_is_named_with_its_place() {
    let row = json(r#"{"input":"a","toolCalls":[{"name":"x"},{"name":["y"]}]}"#);
    let fault = read(&row).unwrap_err();
    assert_eq!(fault.to_string(), r#""toolCalls[1].name" should be a text, this is a list"#);
    assert_eq!(fault.offset(Some(&row)), Some(47));
}

#[test]
fn without_an_input_it_is_no_interaction() {
    assert_eq!(read(&json(r#"{"id":"a"}"#)), Err(RowFault::Missing("input")));
    assert_eq!(read(&json(r#"{"input":null}"#)), Err(RowFault::Missing("input")));
    assert_eq!(read(&json(r#"{"input":" "}"#)), Err(RowFault::Blank("input".into())));
    assert!(read(&json("[1]")).is_err());
}

#[test]
fn a_measure_that_makes_no_sense_is_unknown_and_kept() {
    let it = read(&json(r#"{"input":"a","latencyMs":-5,"tokens":{"input":"many","output":7}}"#)).unwrap();
    assert_eq!((it.latency_ms, it.tokens.input, it.tokens.output), (None, None, Some(7)));
    assert_eq!(it.doubts.iter().map(|doubt| doubt.path.as_str()).collect::<Vec<_>>(), ["latencyMs", "tokens.input"]);
    assert!(write(&it).contains(r#""latencyMs":-5"#));
}

#[test]
fn a_number_that_json_cannot_write_is_left_out() {
    let mut it = super::super::Interaction::new(json("\"a\""));
    it.latency_ms = Some(f64::NAN);
    assert_eq!(write(&it), r#"{"input":"a"}"#);
}

#[test]
fn absent_null_and_nothing_are_three_things() {
    let call = |text: &str| {
        let it = read(&json(&format!(r#"{{"input":"a","toolCalls":[{text}]}}"#))).unwrap();
        it.tool_calls.unwrap().remove(0)
    };
    assert_eq!(call(r#"{"name":"t"}"#).result, None);
    assert_eq!(call(r#"{"name":"t","result":null}"#).result, Some(Json::null()));
    let null_arguments = call(r#"{"name":"t","arguments":null}"#);
    assert_eq!(null_arguments.arguments, None);
    assert_eq!(write_call(&null_arguments), r#"{"name":"t","arguments":null}"#);
}

#[test]
fn a_measure_beyond_all_measure_counts_as_unknown() {
    for (number, known) in [("1e15", true), ("0", true), ("1e16", false), ("1e308", false), ("-1", false)] {
        let it = read(&json(&format!(r#"{{"input":"a","weight":{number},"latencyMs":{number}}}"#))).unwrap();
        assert_eq!((it.weight.is_some(), it.latency_ms.is_some()), (known, known), "{number}");
        assert_eq!(it.doubts.len(), if known { 0 } else { 2 }, "{number}");
    }
}
