//! The defaults that a schema declares, and where.

use super::super::path::{Path, PathStep};
use crate::recording::{Json, Kind};

/// A default that a schema declares for an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredDefault {
    /// Where in the arguments, as a pattern of paths: `$.page`, `$.filters[*].limit`.
    pub path: String,
    /// The value that an absent argument stands for.
    pub value: Json,
}

/// How many schemas are looked into: references can make a short text mean a long one.
const MOST: usize = 10_000;

/// The defaults that certainly hold, in the order of their declaration.
pub(super) fn defaults(schema: &Json) -> Vec<DeclaredDefault> {
    let mut search = Search { whole: schema, open: Vec::new(), looked_into: 0, found: Vec::new() };
    search.members_of(schema, "$");
    let Search { found, .. } = search;
    // Two schemas of one place that contradict each other give no default.
    let is_certain = |at: &DeclaredDefault| found.iter().all(|other| other.path != at.path || other.value == at.value);
    let mut certain: Vec<DeclaredDefault> = Vec::new();
    for default in found.iter().filter(|default| is_certain(default)) {
        if !certain.contains(default) {
            certain.push(default.clone());
        }
    }
    certain
}

struct Search<'a> {
    whole: &'a Json,
    /// The references that are being followed, so that none is followed into itself.
    open: Vec<String>,
    looked_into: usize,
    found: Vec<DeclaredDefault>,
}

impl Search<'_> {
    /// Looks for defaults of what is inside of a value with this schema.
    fn members_of(&mut self, schema: &Json, path: &str) {
        self.looked_into += 1;
        if self.looked_into > MOST {
            return;
        }
        for (name, property) in
            schema.member("properties").and_then(|properties| owned_members(&properties)).unwrap_or_default()
        {
            let Some(path) = below(path, &name) else { continue };
            if let Some(value) = self.default_of(&property) {
                self.found.push(DeclaredDefault { path: path.clone(), value });
            }
            self.members_of(&property, &path);
        }
        let each = [("items", "[*]"), ("additionalProperties", ".*")];
        for (keyword, step) in each {
            if let Some(schema) = schema.member(keyword).filter(|schema| schema.kind() == Kind::Object) {
                self.members_of(&schema, &format!("{path}{step}"));
            }
        }
        for (at, item) in list(schema, "prefixItems").iter().enumerate() {
            self.members_of(item, &format!("{path}[{at}]"));
        }
        for part in list(schema, "allOf") {
            self.members_of(&part, path);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(form) = only_form(&list(schema, keyword)) {
                self.members_of(form, path);
            }
        }
        self.follow(schema, |search, target| search.members_of(target, path));
    }

    /// The default of a value with this schema: its own, else that of what it refers to or is put together from.
    fn default_of(&mut self, schema: &Json) -> Option<Json> {
        self.looked_into += 1;
        if let Some(default) = schema.member("default") {
            return Some(default);
        }
        if let Some(default) = self.follow(schema, Self::default_of).flatten() {
            return Some(default);
        }
        if self.looked_into > MOST {
            return None;
        }
        let mut parts = list(schema, "allOf").into_iter().filter_map(|part| self.default_of(&part));
        let first = parts.next()?;
        parts.all(|other| other == first).then_some(first)
    }

    /// Does something with what a schema refers to in the same text, if it does.
    fn follow<T>(&mut self, schema: &Json, then: impl FnOnce(&mut Self, &Json) -> T) -> Option<T> {
        let reference = schema.member("$ref")?.as_str()?.into_owned();
        if self.open.contains(&reference) || self.looked_into > MOST {
            return None;
        }
        let target = target(self.whole, &reference)?;
        self.open.push(reference);
        let done = then(self, &target);
        self.open.pop();
        Some(done)
    }
}

/// The one of several forms that may have members.
fn only_form(forms: &[Json]) -> Option<&Json> {
    let mut with_members = forms.iter().filter(|form| !is_plain(form));
    with_members.next().filter(|_| with_members.next().is_none())
}

/// Whether a schema allows only values that have nothing inside of them.
fn is_plain(schema: &Json) -> bool {
    let is_word = |kind: &Json| {
        kind.as_str().is_some_and(|word| matches!(&*word, "null" | "string" | "number" | "integer" | "boolean"))
    };
    match schema.member("type") {
        Some(kind) if kind.kind() == Kind::Array => kind.items().unwrap_or_default().iter().all(is_word),
        Some(kind) => is_word(&kind),
        None => false,
    }
}

fn list(schema: &Json, keyword: &str) -> Vec<Json> {
    schema.member(keyword).and_then(|list| list.items()).unwrap_or_default()
}

fn owned_members(object: &Json) -> Option<Vec<(String, Json)>> {
    let members = object.members()?;
    Some(members.into_iter().map(|(key, value)| (key.into_owned(), value)).collect())
}

/// The pattern of a member; none for a key that no pattern can name.
fn below(path: &str, key: &str) -> Option<String> {
    let mut step = Path::root();
    step.push(PathStep::Key(key.to_owned()));
    let step = step.to_string();
    // A pattern has no escapes, so a key that would need one stands in quotes of the other kind.
    match (step.contains('\\'), key.contains('\'')) {
        (false, _) => Some(format!("{path}{}", &step[1..])),
        (true, false) => Some(format!("{path}['{key}']")),
        (true, true) => None,
    }
}

/// What a reference such as `#/$defs/Filter` leads to.
fn target(whole: &Json, reference: &str) -> Option<Json> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(whole.clone());
    }
    pointer.strip_prefix('/')?.split('/').try_fold(whole.clone(), |value, part| {
        let part = part.replace("~1", "/").replace("~0", "~");
        match value.kind() {
            Kind::Array => value.items()?.into_iter().nth(part.parse().ok()?),
            _ => value.member(&part),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::PathPattern;

    fn found(schema: &str) -> Vec<String> {
        let found = defaults(&Json::parse(schema).unwrap());
        for default in &found {
            let pattern = default.path.parse::<PathPattern>().unwrap();
            assert!(!pattern.to_string().is_empty());
        }
        found.iter().map(|default| format!("{} = {}", default.path, default.value.text())).collect()
    }

    #[test]
    fn defaults_are_found_at_any_depth_with_every_digit() {
        let schema = r##"{"properties":{
            "page":{"type":"integer","default":12345678901234567890123},
            "filters":{"type":"array","items":{"$ref":"#/$defs/Filter"}},
            "sort":{"allOf":[{"$ref":"#/$defs/Sort"}],"default":{"by":"date"}},
            "a b":{"default":null},
            "pair":{"prefixItems":[{"properties":{"x":{"default":1.50}}}]},
            "by-name":{"additionalProperties":{"properties":{"n":{"default":0}}}}},
          "$defs":{
            "Filter":{"properties":{"limit":{"default":10},"also":{"items":{"$ref":"#/$defs/Filter"}}}},
            "Sort":{"default":{"by":"name"},"properties":{"by":{"default":"name"}}}}}"##;
        assert_eq!(
            found(schema),
            [
                "$.page = 12345678901234567890123",
                "$.filters[*].limit = 10",
                r#"$.sort = {"by":"date"}"#,
                r#"$.sort.by = "name""#,
                r#"$["a b"] = null"#,
                "$.pair[0].x = 1.50",
                "$.by-name.*.n = 0",
            ]
        );
    }

    #[test]
    fn a_form_counts_only_where_no_other_could_be_meant() {
        let object = |default: &str| format!(r#"{{"type":"object","properties":{{"n":{{"default":{default}}}}}}}"#);
        let of = |forms: &[&str]| found(&format!(r#"{{"properties":{{"x":{{"anyOf":[{}]}}}}}}"#, forms.join(",")));
        assert_eq!(of(&[&object("1"), r#"{"type":"null"}"#]), ["$.x.n = 1"]);
        assert_eq!(of(&[&object("1"), &object("2")]), [""; 0]);
        assert_eq!(of(&[r#"{"type":"integer","default":3}"#, r#"{"type":"null"}"#]), [""; 0]);
    }

    #[test]
    fn parts_that_contradict_each_other_give_none() {
        let part = |default: &str| format!(r#"{{"properties":{{"n":{{"default":{default}}},"m":{{"default":1}}}}}}"#);
        assert_eq!(found(&format!(r#"{{"allOf":[{},{}]}}"#, part("1"), part("2"))), ["$.m = 1"]);
    }

    #[test]
    fn an_item_of_a_list_is_never_absent_and_circles_end() {
        assert_eq!(found(r#"{"properties":{"a":{"type":"array","items":{"default":1}}},"default":{}}"#), [""; 0]);
        assert_eq!(found(r##"{"properties":{"next":{"$ref":"#"},"n":{"default":1}}}"##), ["$.next.n = 1", "$.n = 1"]);
    }

    #[test]
    fn a_schema_that_unfolds_without_end_is_left_unfinished() {
        let level = |n: u32| {
            format!(
                r##""L{n}":{{"properties":{{"a":{{"$ref":"#/$defs/L{0}"}},"b":{{"$ref":"#/$defs/L{0}"}}}}}}"##,
                n + 1
            )
        };
        let levels: Vec<String> = (0..40).map(level).collect();
        let schema = format!(r##"{{"$ref":"#/$defs/L0","$defs":{{{},"L40":{{}}}}}}"##, levels.join(","));
        assert_eq!(found(&schema), [""; 0]);
    }
}
