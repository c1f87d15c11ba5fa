//! Arguments that come piece by piece, each with the path of its place: `$.stops[1].city`.

use std::collections::BTreeMap;

use super::super::super::super::json::{Json, Kind};
use super::super::super::fields::first_member;

/// How deep a path may lead.
const DEPTH: usize = 32;

/// Arguments that grow.
#[derive(Debug, Default)]
pub(super) struct PartialArguments(Node);

#[derive(Debug)]
enum Node {
    Value(Json),
    Object(Vec<(String, Node)>),
    List(BTreeMap<usize, Node>),
}

impl Default for Node {
    fn default() -> Self {
        Node::Object(Vec::new())
    }
}

impl PartialArguments {
    /// A piece. Texts at one path follow one another.
    pub(super) fn add(&mut self, piece: &Json) {
        let Some(path) = first_member(piece, &["jsonPath", "json_path"]) else { return };
        let value = first_member(
            piece,
            &["stringValue", "string_value", "numberValue", "number_value", "boolValue", "bool_value"],
        );
        let value = value.unwrap_or_else(Json::null);
        let shown = path.shown();
        let steps: Vec<&str> =
            shown.trim_start_matches('$').split(['.', '[', ']']).filter(|step| !step.is_empty()).collect();
        if steps.len() > DEPTH {
            return;
        }
        let mut node = &mut self.0;
        for step in steps {
            node = node.below(step.trim_matches(['\'', '"']));
        }
        node.put(value);
    }

    /// All of them.
    pub(super) fn json(&self) -> Option<Json> {
        Some(Json::trusted(self.0.text()))
    }
}

impl Node {
    fn below(&mut self, step: &str) -> &mut Node {
        if let Ok(index) = step.parse::<usize>() {
            if !matches!(self, Node::List(_)) {
                *self = Node::List(BTreeMap::new());
            }
            if let Node::List(items) = self {
                return items.entry(index).or_default();
            }
        }
        if !matches!(self, Node::Object(_)) {
            *self = Node::default();
        }
        let Node::Object(members) = self else { return self };
        let at = members.iter().position(|(key, _)| key == step).unwrap_or_else(|| {
            members.push((step.to_owned(), Node::default()));
            members.len() - 1
        });
        &mut members[at].1
    }

    fn put(&mut self, value: Json) {
        let grown = match self {
            Node::Value(known) if known.kind() == Kind::String && value.kind() == Kind::String => {
                Json::string(&(known.shown().into_owned() + &value.shown()))
            }
            _ => value,
        };
        *self = Node::Value(grown);
    }

    fn text(&self) -> String {
        match self {
            Node::Value(value) => value.text().to_owned(),
            Node::Object(members) => {
                let members = members.iter().map(|(key, node)| format!("{}:{}", Json::string(key).text(), node.text()));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }
            Node::List(items) => format!("[{}]", items.values().map(Node::text).collect::<Vec<_>>().join(",")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_put_where_their_paths_lead() {
        let mut arguments = PartialArguments::default();
        for piece in [
            r#"{"jsonPath":"$.stops[0].city","stringValue":"Par"}"#,
            r#"{"jsonPath":"$.stops[0].city","stringValue":"is"}"#,
            r#"{"jsonPath":"$.stops[1].city","stringValue":"Rome"}"#,
            r#"{"jsonPath":"$.days","numberValue":3}"#,
            r#"{"jsonPath":"$.note","nullValue":"NULL_VALUE"}"#,
        ] {
            arguments.add(&Json::parse(piece).unwrap());
        }
        let whole = r#"{"stops":[{"city":"Paris"},{"city":"Rome"}],"days":3,"note":null}"#;
        assert_eq!(arguments.json().unwrap().text(), whole);
    }
}
