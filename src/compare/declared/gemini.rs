//! The schemas of Gemini's function declarations, which are those of OpenAPI 3.0, as JSON Schemas.

use super::keywords::{Keywords, list, rewritten};
use crate::recording::Json;

/// The types by their numbers, which is how clients write them that were asked for no names.
const TYPES: [&str; 8] = ["TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];

/// Whether a schema is written in Gemini's way: its types are upper-case words, or numbers.
pub(super) fn is_gemini(schema: &Json) -> bool {
    schema.member("type").is_some_and(|kind| gemini_type(kind.text()).is_some())
}

/// The upper-case word of a type.
fn gemini_type(text: &str) -> Option<&'static str> {
    let number = text.parse::<usize>().ok();
    let by_word = || TYPES.into_iter().find(|word| text.trim_matches('"') == *word);
    number.and_then(|number| TYPES.get(number).copied()).or_else(by_word)
}

/// The text of the same schema as a JSON Schema.
pub(super) fn as_json_schema(schema: &Json) -> String {
    rewritten(schema, &translated)
}

fn translated(keywords: Keywords) -> Keywords {
    let is_nullable = keywords.iter().any(|(keyword, value)| keyword == "nullable" && value == "true");
    // A client writes null for what it does not say.
    let said = keywords.into_iter().filter(|(keyword, value)| {
        let may_be_null = matches!(keyword.as_str(), "default" | "const");
        (value != "null" || may_be_null) && !matches!(keyword.as_str(), "nullable" | "propertyOrdering")
    });
    said.filter_map(|(keyword, value)| {
        let value = match keyword.as_str() {
            "type" => kind(&value, is_nullable)?,
            "enum" | "anyOf" if is_nullable => with_null(&keyword, &value),
            "maxItems" | "maxLength" | "maxProperties" | "minItems" | "minLength" | "minProperties" => {
                // A 64-bit integer is a text in the JSON of Google's interfaces.
                value.trim_matches('"').to_owned()
            }
            _ => value,
        };
        Some((keyword, value))
    })
    .collect()
}

/// A type in lower case; none where it is not specified.
fn kind(value: &str, is_nullable: bool) -> Option<String> {
    let lower = match gemini_type(value) {
        Some("TYPE_UNSPECIFIED") => return None,
        Some(word) => format!("\"{}\"", word.to_ascii_lowercase()),
        None => value.to_owned(),
    };
    Some(if is_nullable && lower.starts_with('"') { format!("[{lower},\"null\"]") } else { lower })
}

/// The values or forms that are allowed, and null.
fn with_null(keyword: &str, value: &str) -> String {
    let items = Json::parse(value).ok().and_then(|value| value.items()).unwrap_or_default();
    let null = if keyword == "enum" { "null" } else { r#"{"type":"null"}"# };
    list(items.iter().map(|item| item.text().to_owned()).chain([null.to_owned()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translate(schema: &str) -> String {
        as_json_schema(&Json::parse(schema).unwrap())
    }

    #[test]
    fn types_are_lower_case_and_null_is_a_type() {
        assert_eq!(
            translate(r#"{"type":"OBJECT","properties":{"type":{"type":"STRING","nullable":true,"enum":["A"]}}}"#),
            r#"{"type":"object","properties":{"type":{"type":["string","null"],"enum":["A",null]}}}"#
        );
        assert_eq!(
            translate(r#"{"nullable":true,"anyOf":[{"type":"INTEGER"},{"type":"BOOLEAN"}]}"#),
            r#"{"anyOf":[{"type":"integer"},{"type":"boolean"},{"type":"null"}]}"#
        );
    }

    #[test]
    fn types_may_be_numbers() {
        let schema = r#"{"type":6,"properties":{"at":{"type":1},"any":{"type":0}}}"#;
        assert!(is_gemini(&Json::parse(schema).unwrap()));
        assert_eq!(translate(schema), r#"{"type":"object","properties":{"at":{"type":"string"},"any":{}}}"#);
    }

    #[test]
    fn counts_may_be_texts_and_null_is_nothing_said() {
        assert_eq!(
            translate(
                r#"{"type":"ARRAY","minItems":"1","maxItems":5,"items":{"type":"NUMBER","default":null},"required":null,"propertyOrdering":["a"]}"#
            ),
            r#"{"type":"array","minItems":1,"maxItems":5,"items":{"type":"number","default":null}}"#
        );
    }
}
