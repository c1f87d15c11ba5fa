//! Going through a schema: which of its keywords hold schemas in turn.

use crate::recording::{Json, Kind};

/// How a keyword holds schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// One schema, or a list of them.
    Schemas,
    /// Schemas by name.
    ByName,
}

fn holds(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "additionalItems"
        | "additionalProperties"
        | "allOf"
        | "anyOf"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "oneOf"
        | "prefixItems"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schemas,
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties" | "properties" => {
            Holds::ByName
        }
        _ => return None,
    })
}

/// The keywords of one schema, each with the text of its value.
pub(super) type Keywords = Vec<(String, String)>;

/// The text of the schema with the keywords of each schema in it changed, the innermost first.
pub(super) fn rewritten(schema: &Json, change: &impl Fn(Keywords) -> Keywords) -> String {
    let Some(members) = schema.members() else { return schema.text().to_owned() };
    let keywords = members.into_iter().map(|(keyword, value)| {
        let text = match holds(&keyword) {
            Some(Holds::Schemas) if value.kind() == Kind::Array => {
                let items = value.items().unwrap_or_default();
                list(items.iter().map(|item| rewritten(item, change)))
            }
            Some(Holds::Schemas) => rewritten(&value, change),
            Some(Holds::ByName) => object(value.members().unwrap_or_default().into_iter().map(|(name, schema)| {
                let text = rewritten(&schema, change);
                (name.into_owned(), text)
            })),
            None => value.text().to_owned(),
        };
        (keyword.into_owned(), text)
    });
    object(change(keywords.collect()))
}

pub(super) fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn object(members: impl IntoIterator<Item = (String, String)>) -> String {
    let members = members.into_iter().map(|(key, text)| format!("{}:{text}", Json::string(&key).text()));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// Keywords that tell a reader something and decide nothing.
const FOR_READERS: [&str; 8] =
    ["$comment", "deprecated", "description", "example", "examples", "readOnly", "title", "writeOnly"];

/// The schema without what decides nothing, so that a better description makes no other schema.
pub(super) fn deciding_part(schema: &Json) -> String {
    rewritten(schema, &|keywords| {
        keywords.into_iter().filter(|(keyword, _)| !FOR_READERS.contains(&keyword.as_str())).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_may_be_called_like_a_keyword() {
        let schema = r#"{"title":"T","type":"object","properties":{"title":{"type":"string","description":"x"}},
            "allOf":[{"description":"y","minProperties":1.0}],"default":{"title":"z"}}"#;
        let deciding = deciding_part(&Json::parse(schema).unwrap());
        let expected = r#"{"type":"object","properties":{"title":{"type":"string"}},"allOf":[{"minProperties":1.0}],"default":{"title":"z"}}"#;
        assert_eq!(deciding, expected);
    }
}
