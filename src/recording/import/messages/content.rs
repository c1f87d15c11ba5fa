//! The contents of messages: a text, or a list of parts.

use super::super::super::json::{Json, Kind};
use super::super::dialogue::words;
use super::super::fields::text;
use super::super::message::Message;

/// Texts of one content as one text, each on a line of its own. Parts that are no text (pictures, files) are kept as
/// they are, with all others beside them. `text_of` gives the text of a part that is one.
pub(in crate::recording::import) fn joined(content: &Json, text_of: fn(&Json) -> Option<String>) -> Option<Json> {
    if content.kind() != Kind::Array {
        return words(Some(content.clone()));
    }
    of_parts(&content.items().unwrap_or_default(), text_of)
}

/// The same for parts that were picked out of a content.
pub(in crate::recording::import) fn of_parts(parts: &[Json], text_of: fn(&Json) -> Option<String>) -> Option<Json> {
    let texts: Option<Vec<String>> = parts.iter().map(text_of).collect();
    match texts {
        Some(texts) => words(Some(Json::string(&texts.join("\n")))),
        None => Some(Json::of(&parts).compact()),
    }
}

/// What a user's message says beside the results of tools that it brings: words of a new turn where it brings none, else
/// an aside.
pub(super) fn with_words(
    mut results: Vec<Message>,
    beside: &[Json],
    text_of: fn(&Json) -> Option<String>,
) -> Vec<Message> {
    if beside.is_empty() {
        return results;
    }
    let is_aside = !results.is_empty();
    results.extend(of_parts(beside, text_of).map(|content| match is_aside {
        true => Message::Aside(content),
        false => Message::User { content, at: None },
    }));
    results
}

/// The text of a part that is one, or an object with a `text`, whatever its type is.
pub(in crate::recording::import) fn text_of_any(part: &Json) -> Option<String> {
    match part.kind() {
        Kind::String => Some(part.shown().into_owned()),
        _ => text(part, "text"),
    }
}

/// The text of a part that is one, or an object of the type `text` or of none.
pub(in crate::recording::import) fn text_of_untyped(part: &Json) -> Option<String> {
    text(part, "type").is_none_or(|kind| kind == "text").then(|| text_of_any(part)).flatten()
}

/// The text of a part that is one, or an object of the type `text`.
pub(in crate::recording::import) fn text_of_typed(part: &Json) -> Option<String> {
    let is_text = part.kind() == Kind::String || text(part, "type").is_some_and(|kind| kind == "text");
    is_text.then(|| text_of_any(part)).flatten()
}
