//! Lists that were written as many attributes, each with its place in its key: `gen_ai.prompt.0.role`.

use std::collections::BTreeMap;

use super::super::super::json::Json;
use super::attributes::Attributes;

/// How many parts of a key are taken apart; what comes after them is one key.
const DEPTH: usize = 12;

/// What stands at a key.
#[derive(Debug, Default)]
struct Node {
    value: Option<Json>,
    /// By key; of keys that are numbers, in the order of the numbers.
    below: BTreeMap<Step, Node>,
}

/// A part of a key. Numbers are ordered as numbers: 10 comes after 2.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Place(u64),
    Key(String),
}

/// The value below a prefix, which ends with a dot, as lists and objects.
pub(in super::super) fn below(attributes: &Attributes, prefix: &str) -> Option<Json> {
    let mut root = Node::default();
    for (key, value) in attributes.iter() {
        let Some(way) = key.strip_prefix(prefix) else { continue };
        let mut node = &mut root;
        for step in way.splitn(DEPTH, '.') {
            let step = step.parse().map_or_else(|_| Step::Key(step.to_owned()), Step::Place);
            node = node.below.entry(step).or_default();
        }
        node.value.get_or_insert_with(|| value.clone());
    }
    (!root.below.is_empty()).then(|| root.json())
}

impl Node {
    fn json(self) -> Json {
        if self.below.is_empty() {
            return self.value.unwrap_or_else(Json::null);
        }
        let is_list = self.below.keys().all(|step| matches!(step, Step::Place(_)));
        let part = |(step, node): (Step, Node)| match step {
            Step::Place(_) if is_list => node.json().text().to_owned(),
            Step::Place(place) => format!("\"{place}\":{}", node.json().text()),
            Step::Key(key) => format!("{}:{}", Json::string(&key).text(), node.json().text()),
        };
        let parts: Vec<String> = self.below.into_iter().map(part).collect();
        let parts = parts.join(",");
        Json::trusted(if is_list { format!("[{parts}]") } else { format!("{{{parts}}}") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_numbers_and_may_have_gaps() {
        let keys = ["p.10.role", "p.2.role", "p.2.calls.0.name", "q.0", "p.0.role"];
        let attributes = keys.iter().map(|key| ((*key).to_owned(), Json::string(key))).collect();
        let json = below(&attributes, "p.").unwrap();
        assert_eq!(
            json.text(),
            r#"[{"role":"p.0.role"},{"calls":[{"name":"p.2.calls.0.name"}],"role":"p.2.role"},{"role":"p.10.role"}]"#
        );
        assert!(below(&attributes, "x.").is_none());
    }
}
