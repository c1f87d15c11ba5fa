//! Lines of JSON for the tests of laws: what a recorder may write, and what it should not.

use proptest::collection::vec;
use proptest::prelude::*;

/// One interaction a line, most of which can be read.
pub(super) fn line() -> impl Strategy<Value = String> {
    let known = prop_oneof![
        field("id", prop_oneof![text(), number(), Just("null".into())]),
        field("output", json()),
        field("toolCalls", prop_oneof![list(call()), Just("[]".into()), Just("null".into())]),
        field("modelCalls", prop_oneof![number(), list(model_call()), odd()]),
        field("tokens", tokens()),
        field("latencyMs", prop_oneof![number(), odd()]),
        field("cost", prop_oneof![number(), odd()]),
        field("currency", text()),
        field("history", prop_oneof![list(json()), Just("null".into())]),
        field("scenario", prop_oneof![text(), number()]),
        field("tags", prop_oneof![list(text()), list(json())]),
        field("weight", prop_oneof![number(), odd()]),
        field("turn", prop_oneof![number(), odd()]),
        field("failure", json()),
        field("variants", prop_oneof![list(json()), Just("null".into())]),
        field("truncated", prop_oneof![Just("true".to_owned()), Just("false".into()), Just("null".into())]),
        unknown(),
    ];
    (json(), vec(known, 0..12)).prop_map(|(input, fields)| {
        let input = if matches!(input.as_str(), "null") { "\"x\"".to_owned() } else { input };
        object([("\"input\"".to_owned(), input)].into_iter().chain(fields))
    })
}

fn call() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        field("arguments", json()),
        field("result", json()),
        field("error", json()),
        field("id", prop_oneof![text(), number()]),
        field("step", prop_oneof![number(), odd()]),
        field("latencyMs", prop_oneof![number(), odd()]),
        field("effect", prop_oneof![Just("\"read\"".to_owned()), Just("\"write\"".into()), text()]),
        field("agent", text()),
        field("truncated", Just("true".to_owned())),
        unknown(),
    ];
    vec(field, 0..6).prop_map(|fields| object([("\"name\"".into(), "\"look_up\"".into())].into_iter().chain(fields)))
}

fn model_call() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        field("model", prop_oneof![text(), json()]),
        field("tokens", tokens()),
        field("latencyMs", prop_oneof![number(), odd()]),
        field("finishReason", text()),
        unknown(),
    ];
    prop_oneof![vec(field, 0..4).prop_map(object), odd()]
}

fn tokens() -> impl Strategy<Value = String> {
    let key = prop_oneof!["total", "input", "output", "cacheRead", "cacheWrite", "reasoning", "other"];
    let parts = vec((key.prop_map(|key| format!("\"{key}\"")), prop_oneof![number(), odd()]), 0..4).prop_map(object);
    prop_oneof![number(), parts, odd()]
}

type Member = (String, String);

fn field(key: &'static str, value: impl Strategy<Value = String>) -> impl Strategy<Value = Member> {
    let escaped = format!("\"\\u{:04x}{}\"", u32::from(key.as_bytes()[0]), &key[1..]);
    (prop_oneof![9 => Just(format!("\"{key}\"")), 1 => Just(escaped)], value)
}

/// Keys that no type of ours knows, some of which have no text at all.
fn unknown() -> impl Strategy<Value = Member> {
    let odd =
        ["\"\\ud800\"", "\"\\udc00\"", "\"\\/\"", "\"\"", "\"a b\"", "\"\u{e9}\"", "\"\\u0000\"", "\"latency_ms\""];
    (prop_oneof![proptest::sample::select(odd.to_vec()).prop_map(str::to_owned), text()], json())
}

/// An object in which no key stands twice.
fn object(members: impl IntoIterator<Item = Member>) -> String {
    let mut seen = std::collections::HashSet::new();
    let members =
        members.into_iter().filter(|(key, _)| seen.insert(super::json::decode_string(key).order_bytes().to_vec()));
    format!("{{{}}}", members.map(|(key, value)| format!("{key}:{value}")).collect::<Vec<_>>().join(","))
}

fn list(item: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    vec(item, 0..4).prop_map(|items| format!("[{}]", items.join(" , ")))
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![text(), number(), odd(), Just("null".to_owned())];
    leaf.prop_recursive(4, 16, 4, |inner| {
        prop_oneof![
            list(inner.clone()),
            vec(prop_oneof![unknown_of(inner.clone()), unknown_of(inner)], 0..4).prop_map(object)
        ]
    })
}

fn unknown_of(value: impl Strategy<Value = String>) -> impl Strategy<Value = Member> {
    (text(), value)
}

fn text() -> impl Strategy<Value = String> {
    let odd = [
        r#""""#,
        r#"" ""#,
        r#""\ud800""#,
        r#""a\udc00b""#,
        r#""\u0041""#,
        r#""\/""#,
        r#""\n""#,
        "\"\u{2028}\"",
        r#""\u0000""#,
        "\"\u{7f}\"",
        r#""{\"a\":1}""#,
        r#""null""#,
        "\"\u{1F600}\"",
        "\"NaN\"",
    ];
    prop_oneof![
        1 => proptest::sample::select(odd.to_vec()).prop_map(str::to_owned),
        3 => "[a-z]{1,8}".prop_map(|word| format!("\"{word}\"")),
    ]
}

fn number() -> impl Strategy<Value = String> {
    let odd = [
        "0",
        "-0",
        "0.0",
        "-1",
        "900.0",
        "1e2",
        "1E+2",
        "1e400",
        "1e-400",
        "9007199254740993",
        "18446744073709551615",
        "9223372036854775808",
        "18446744073709551616",
        "123456789012345678901234567890",
        "0.1",
        "0.10",
        "5e-324",
        "0.30000000000000004",
        "1.7976931348623157e308",
        "79228162514264337593543950335",
        "0.0000000000000000000000000001",
    ];
    prop_oneof![
        1 => proptest::sample::select(odd.to_vec()).prop_map(str::to_owned),
        1 => (0_u32..5000).prop_map(|number| number.to_string()),
        1 => any::<f64>().prop_filter("JSON has it", |number| number.is_finite()).prop_map(|number| format!("{number:?}")),
    ]
}

/// What a measure should not be.
fn odd() -> impl Strategy<Value = String> {
    proptest::sample::select(&["null", "true", "false", "\"12\"", "[]", "{}", "-5", "\"\""][..]).prop_map(str::to_owned)
}
