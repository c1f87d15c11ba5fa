//! JSON without spaces and needless escapes, as the protocol promises it.

use crate::recording::{Decoded, Json, decode_string};

/// The text of a value without white space outside its strings, and with the escapes that must be and no others.
/// Numbers keep every digit; a string with a lone surrogate keeps its text, because it has no other.
pub(super) fn compact(value: &Json) -> String {
    let text = value.text();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', ' ', '\t', '\n', '\r']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('"') {
            let (string, after) = rest.split_at(string_length(rest));
            match decode_string(string) {
                // Nearly always nothing is escaped, and the text stands as it is.
                Decoded::Text(_) if !string.contains('\\') => out.push_str(string),
                Decoded::Text(content) => out.push_str(Json::string(&content).text()),
                Decoded::Surrogates(_) => out.push_str(string),
            }
            rest = after;
        } else {
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

/// How long the string is that a checked JSON text starts with, quotes included.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compacted(text: &str) -> String {
        compact(&Json::parse(text).unwrap())
    }

    #[test]
    fn spaces_and_needless_escapes_go_and_the_rest_stays() {
        assert_eq!(
            compacted("{ \"a b\" : [ 1.50 , 12345678901234567890123 ],\r\n\t\"c\\u0064\": null }"),
            r#"{"a b":[1.50,12345678901234567890123],"cd":null}"#
        );
        assert_eq!(compacted(r#""\u00e9 \/ \" \\ \u2028""#), "\"é / \\\" \\\\ \u{2028}\"");
        assert_eq!(compacted(r#""a\nb\u0007""#), r#""a\nb\u0007""#);
        assert_eq!(compacted(r#"["\ud800 \u00e9"]"#), r#"["\ud800 \u00e9"]"#);
    }

    proptest::proptest! {
        #[test]
        fn it_means_the_same(content in "\\PC*", number in proptest::num::f64::NORMAL) {
            let value = Json::of(&serde_json::json!({ "k": [content, number, { "x y": null }] }));
            let pretty: serde_json::Value = serde_json::from_str(value.text()).unwrap();
            let pretty = Json::parse(serde_json::to_string_pretty(&pretty).unwrap()).unwrap();
            proptest::prop_assert_eq!(compact(&pretty), value.text());
        }
    }
}
