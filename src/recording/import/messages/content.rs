//! The contents of messages: a text, or a list of parts.

use super::super::super::json::{Json, Kind};
use super::super::dialogue::words;

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
