//! What is wrong with arguments, in few words.

use std::fmt;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::compare::path::{Path, PathStep};
use crate::recording::{Json, Kind};

/// One place where arguments are not what the tool's schema says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct SchemaFault {
    /// Where in the arguments.
    #[serde(serialize_with = "as_text")]
    pub path: Path,
    /// What the schema says.
    pub expected: String,
    /// What stands there, cut to what matters; `None` where it is not to be told.
    pub seen: Option<String>,
}

impl SchemaFault {
    /// The same without the content of the arguments.
    #[must_use]
    pub fn without_content(self) -> Self {
        Self { seen: None, ..self }
    }

    pub(super) fn new(path: Path, expected: impl Into<String>, seen: impl Into<String>) -> Self {
        Self { path, expected: expected.into(), seen: Some(seen.into()) }
    }
}

impl fmt::Display for SchemaFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}", self.path, self.expected)?;
        match &self.seen {
            Some(seen) => write!(f, ", seen {seen}"),
            None => Ok(()),
        }
    }
}

fn as_text<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(path)
}

/// How many characters of a value are shown.
const SHOWN: usize = 60;
/// How many values of a list of allowed ones are named.
const NAMED: usize = 6;

/// What stands somewhere, in short.
pub(super) fn shown(value: &Json) -> String {
    cut(value.text())
}

fn cut(text: &str) -> String {
    let text: String = text.chars().take(SHOWN + 1).map(|c| if c.is_control() { ' ' } else { c }).collect();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// What the validator found wrong in a value.
pub(super) fn faults(error: &ValidationError<'_>, whole: &Json) -> Vec<SchemaFault> {
    use ValidationErrorKind as Wrong;
    let place = Place::find(error, whole);
    match error.kind() {
        Wrong::Required { property } => vec![place.below(property.as_str().unwrap_or_default()).lacks("a value")],
        Wrong::AdditionalProperties { unexpected } | Wrong::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|key| place.below(key).expected("no such key")).collect()
        }
        Wrong::AnyOf { context } | Wrong::OneOfNotValid { context } => one_of(&place, context, whole),
        Wrong::PropertyNames { error } => {
            let key = error.instance().as_str().unwrap_or_default();
            vec![place.below(key).expected(format!("a key that is {}", expectation(error.kind())))]
        }
        kind => vec![place.expected(expectation(kind))],
    }
}

/// What would have been right.
fn expectation(kind: &ValidationErrorKind) -> String {
    use ValidationErrorKind as Wrong;
    let length = |limit: &u64, unit: &str| format!("{limit} {unit}{}", if *limit == 1 { "" } else { "s" });
    match kind {
        Wrong::Type { kind } => types(kind).join(" or "),
        Wrong::Enum { options } => allowed(options),
        Wrong::Constant { expected_value } => cut(&expected_value.to_string()),
        Wrong::Minimum { limit } => format!("at least {limit}"),
        Wrong::Maximum { limit } => format!("at most {limit}"),
        Wrong::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Wrong::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Wrong::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Wrong::MinLength { limit } => format!("at least {}", length(limit, "character")),
        Wrong::MaxLength { limit } => format!("at most {}", length(limit, "character")),
        Wrong::MinItems { limit } => format!("at least {}", length(limit, "item")),
        Wrong::MaxItems { limit } => format!("at most {}", length(limit, "item")),
        Wrong::AdditionalItems { limit } => format!("at most {}", length(&(*limit as u64), "item")),
        Wrong::UnevaluatedItems { .. } => "no further items".to_owned(),
        Wrong::MinProperties { limit } => format!("at least {}", length(limit, "key")),
        Wrong::MaxProperties { limit } => format!("at most {}", length(limit, "key")),
        Wrong::Pattern { pattern } => format!("a text that matches {}", cut(pattern)),
        Wrong::Format { format } => format!("a text of the format {}", cut(format)),
        Wrong::UniqueItems => "no item twice".to_owned(),
        Wrong::Contains => "an item of the declared kind".to_owned(),
        Wrong::OneOfMultipleValid { .. } => "exactly one of the allowed forms".to_owned(),
        Wrong::FalseSchema => "nothing".to_owned(),
        Wrong::Not { .. } => "another value, the schema rules this one out".to_owned(),
        other => format!("what the keyword {} allows", other.keyword()),
    }
}

fn types(kind: &TypeKind) -> Vec<&'static str> {
    let word = |name: &str| match name {
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a text",
        "boolean" => "a boolean",
        "array" => "a list",
        "object" => "an object",
        _ => "null",
    };
    match kind {
        TypeKind::Single(one) => vec![word(one.as_str())],
        TypeKind::Multiple(several) => several.iter().map(|one| word(one.as_str())).collect(),
    }
}

/// One of these values.
fn allowed(options: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut named: Vec<String> = options.iter().take(NAMED).map(|option| cut(&option.to_string())).collect();
    if options.len() > NAMED {
        named.push(format!("{} more", options.len() - NAMED));
    }
    named.join(" or ")
}

/// A value that has none of several forms. Where it has the kind of just one of them, that one was meant.
fn one_of(place: &Place, forms: &[Vec<ValidationError<'static>>], whole: &Json) -> Vec<SchemaFault> {
    let refuses_kind = |form: &&Vec<ValidationError<'static>>| {
        form.iter().any(|error| {
            matches!(error.kind(), ValidationErrorKind::Type { .. }) && Place::find(error, whole).path == place.path
        })
    };
    let meant: Vec<_> = forms.iter().filter(|form| !refuses_kind(form)).collect();
    if let [form] = meant.as_slice() {
        return form.iter().flat_map(|error| faults(error, whole)).collect();
    }
    if !meant.is_empty() {
        return vec![place.expected(format!("one of {} allowed forms", forms.len()))];
    }
    let mut words: Vec<&str> = Vec::new();
    for error in forms.iter().flatten() {
        if let ValidationErrorKind::Type { kind } = error.kind() {
            words.extend(types(kind).into_iter().filter(|word| !words.contains(word)).collect::<Vec<_>>());
        }
    }
    vec![place.expected(words.join(" or "))]
}

/// A place in the value, and what stands there.
struct Place {
    path: Path,
    value: Option<Json>,
}

impl Place {
    /// Where an error is. The pointer does not tell a place in a list from a key of digits, the value does.
    fn find(error: &ValidationError<'_>, whole: &Json) -> Self {
        let (mut path, mut value) = (Path::root(), Some(whole.clone()));
        for part in error.instance_path().as_str().split('/').skip(1) {
            let part = part.replace("~1", "/").replace("~0", "~");
            let index = value.as_ref().filter(|value| value.kind() == Kind::Array).and_then(|_| part.parse().ok());
            value = match index {
                Some(index) => value.and_then(|list| list.items()?.into_iter().nth(index)),
                None => value.and_then(|object| object.member(&part)),
            };
            path.push(index.map_or(PathStep::Key(part), PathStep::Index));
        }
        Self { path, value }
    }

    /// A member of what stands here.
    fn below(&self, key: &str) -> Self {
        let mut path = self.path.clone();
        path.push(PathStep::Key(key.to_owned()));
        Self { path, value: self.value.as_ref().and_then(|value| value.member(key)) }
    }

    fn expected(&self, expected: impl Into<String>) -> SchemaFault {
        let seen = self.value.as_ref().map_or_else(|| "nothing".to_owned(), shown);
        SchemaFault::new(self.path.clone(), expected, seen)
    }

    fn lacks(&self, expected: &str) -> SchemaFault {
        SchemaFault::new(self.path.clone(), expected, "nothing")
    }
}
