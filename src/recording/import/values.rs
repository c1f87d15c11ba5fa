//! The JSON values of a file: what its lines hold, or what a list in it holds.

use std::path::Path;
use std::sync::Arc;

use super::super::json::{Fault, Json};
use super::super::jsonl;
use super::super::place::{At, Reject, RejectReason};
use super::super::wire::RowFault;
use super::conversation::Conversation;
use super::format::{Conversations, NotThisFormat, SourceText};

/// The values of a file, one a line or in a list, with their places. What is no JSON is among them as a reject, so a
/// reader can go on.
pub(super) fn values(source: SourceText) -> Box<dyn Iterator<Item = Result<(At, Json), Reject>> + Send> {
    jsonl::values(source.file, source.text)
}

/// The values of a text with one a line, also where these are lists.
pub(super) fn lines(file: &Arc<Path>, text: &str) -> Vec<Result<(At, Json), Reject>> {
    let mut offset = 0;
    let mut found = Vec::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let at = At::Line { number: index as u64 + 1, offset };
        offset += line.len() as u64;
        if !line.trim().is_empty() {
            let json = jsonl::json(file, at, line.as_bytes());
            let json = if line.ends_with('\n') { json } else { json.map_err(jsonl::torn_if_cut) };
            found.push(json.map(|json| (at, json)));
        }
    }
    found
}

/// The conversations of a file that has one in each of its values.
pub(super) fn one_each(source: SourceText, read: fn(&Json) -> Result<Conversation, RowFault>) -> Conversations {
    let file = Arc::clone(&source.file);
    Box::new(values(source).map(move |value| {
        let (at, value) = value?;
        read(&value).map(|conversation| (at, conversation)).map_err(|fault| refused(&file, at, fault, &value))
    }))
}

/// The only value of a file.
///
/// # Errors
/// When it is no JSON, or more than one value.
pub(super) fn document(source: SourceText) -> Result<Json, NotThisFormat> {
    parsed(source.whole()?).map_err(|fault| NotThisFormat::new(format!("{fault} (byte {})", fault.offset + 1)))
}

/// JSON as Python writes it: with `NaN` and `Infinity`, which no JSON has and which are read as null.
///
/// # Errors
/// When it is no JSON besides.
pub(super) fn parsed(text: String) -> Result<Json, Fault> {
    Json::parse(text.as_str()).or_else(|fault| match without_constants(&text) {
        Some(text) => Json::parse(text),
        None => Err(fault),
    })
}

/// The text with null for Python's constants; `None` where it has none.
fn without_constants(text: &str) -> Option<String> {
    let (mut written, mut rest, mut found) = (String::with_capacity(text.len()), text, false);
    while let Some(at) = rest.find(['"', 'N', 'I']) {
        let (before, from) = rest.split_at(at);
        let constant = ["NaN", "Infinity"].into_iter().find(|constant| from.starts_with(constant));
        written.push_str(if constant.is_some() { before.strip_suffix('-').unwrap_or(before) } else { before });
        let length = constant.map_or_else(|| string_length(from), str::len);
        match constant {
            Some(_) => written.push_str("null"),
            None => written.push_str(&from[..length]),
        }
        found |= constant.is_some();
        rest = &from[length..];
    }
    written.push_str(rest);
    found.then_some(written)
}

/// How long the JSON string is that a text starts with; 1 where it starts with none.
fn string_length(text: &str) -> usize {
    if !text.starts_with('"') {
        return 1;
    }
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// The place of a value in a list.
pub(super) fn place_in_list(index: usize, value: &Json) -> At {
    At::Value { number: index as u64 + 1, offset: value.offset() as u64 }
}

/// A value that is turned away.
pub(super) fn refused(file: &Arc<Path>, at: At, fault: RowFault, value: &Json) -> Reject {
    Reject::new(file, at, RejectReason::Row { fault, column: None }, value.text().as_bytes())
}

/// A value that is something else than an interaction.
pub(super) fn no_interaction(problem: impl Into<String>) -> RowFault {
    RowFault::NoInteraction(problem.into())
}

/// The keys of an object, for messages that say what was found: `id, messages, steps`.
pub(super) fn keys(json: &Json) -> String {
    let Some(members) = json.members() else { return format!("none, as it is {}", json.kind()) };
    let keys: Vec<_> = members.iter().map(|(key, _)| key.as_ref()).take(12).collect();
    if keys.is_empty() { "none".into() } else { keys.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_from_lines_and_from_lists_with_their_places() {
        for (text, offsets) in [("{\"a\":1}\n\n{\"a\":2}", [0, 9]), ("[ {\"a\":1},\n{\"a\":2}]", [2, 11])] {
            let found: Vec<_> = values(SourceText::of("x.json", text)).map(Result::unwrap).collect();
            let told = found.iter().map(|(at, json)| match at {
                At::Line { offset, .. } | At::Value { offset, .. } => (*offset, json.text()),
                At::Row { .. } => panic!("{at:?}"),
            });
            let wanted = [(offsets[0], "{\"a\":1}"), (offsets[1], "{\"a\":2}")];
            assert_eq!(told.collect::<Vec<_>>(), wanted);
        }
    }

    #[test]
    fn a_line_that_is_no_json_is_a_reject_among_the_others() {
        let found: Vec<_> = values(SourceText::of("x.jsonl", "{\"a\":1}\n{\"a\" 1}\n{\"a\":[1")).collect();
        assert!(found[0].is_ok() && found[1].is_err());
        assert!(found[2].as_ref().is_err_and(|reject| reject.reason.is_torn()));
    }

    #[test]
    fn constants_of_python_are_null() {
        let read = |text: &str| parsed(text.to_owned()).map(|json| json.text().to_owned());
        let text = r#"{"a":NaN,"NaN":[-Infinity,"x \" NaN \\",Infinity],"I":"N"}"#;
        assert_eq!(read(text).unwrap(), r#"{"a":null,"NaN":[null,"x \" NaN \\",null],"I":"N"}"#);
        assert!(read("{\"a\":Nan}").is_err() && read("{\"a\":NaN,").is_err() && read("[NaN,\"a").is_err());
    }

    #[test]
    fn a_document_is_one_value() {
        let one = |text: &str| document(SourceText::of("x", text));
        assert_eq!(one("\u{feff} {\"a\": [1]}\n").unwrap().text(), "{\"a\": [1]}");
        assert!(one("{} {}").unwrap_err().problem.contains("byte"));
    }
}
