//! The JSON Schema of a tool's arguments, compiled.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Validator};

use super::defaults::{DeclaredDefault, defaults};
use super::fault::{SchemaFault, faults};
use super::instance::{AsText, Instance};
use crate::compare::path::Path;
use crate::recording::Json;

/// What a tool says of its arguments.
#[derive(Clone, Debug)]
pub struct ToolSchema {
    json: Json,
    validator: Validator<AsText>,
    defaults: Vec<DeclaredDefault>,
}

/// How many faults of one call are told, out of how many.
const TOLD: usize = 20;
const LOOKED_AT: usize = 1_000;

/// A schema that does not say its version is read as the newest one under which it is a schema at all.
const DRAFTS: [Draft; 3] = [Draft::Draft202012, Draft::Draft7, Draft::Draft4];

impl ToolSchema {
    /// Compiles a schema. What it refers to must stand in itself: nothing is ever fetched.
    ///
    /// # Errors
    /// What is no schema in it, and where.
    pub fn compile(json: Json) -> Result<Self, SchemaFault> {
        let value: serde_json::Value = serde_json::from_str(json.text())
            .map_err(|error| SchemaFault::new(Path::root(), "a JSON Schema", error.to_string()))?;
        // The meaning of `format` is left open by the standard, and models are told of it in the prompt alone.
        let build = |draft: Option<Draft>| {
            let options = jsonschema::options_for::<AsText>().offline().should_validate_formats(false);
            let options = draft.into_iter().fold(options, |options, draft| options.with_draft(draft));
            options.build(&value).map_err(|error| {
                let told = faults(&error, &json).into_iter().next();
                told.unwrap_or_else(|| SchemaFault::new(Path::root(), "a JSON Schema", error.to_string()))
            })
        };
        let built = if value.get("$schema").is_some() {
            build(None)
        } else {
            let mut built = DRAFTS.into_iter().map(|draft| build(Some(draft)));
            let newest = built.next().unwrap_or_else(|| build(None));
            newest.or_else(|fault| built.find_map(Result::ok).ok_or(fault))
        };
        Ok(Self { defaults: defaults(&json), validator: built?, json })
    }

    /// The schema, as it was declared.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// The defaults that it declares. An argument equal to its default means the same as an absent one.
    #[must_use]
    pub fn defaults(&self) -> &[DeclaredDefault] {
        &self.defaults
    }

    /// Where arguments are not what the schema says, a fault for each place; none where they are valid.
    ///
    /// Integers are exact at any size where the schema asks for their type. In limits, `enum` and `const`, numbers
    /// beyond 64 bits are compared as doubles.
    #[must_use]
    pub fn faults(&self, arguments: &Json) -> Vec<SchemaFault> {
        let mut errors: Vec<_> = self.validator.iter_errors(Instance(arguments.clone())).take(LOOKED_AT).collect();
        // Of a value of another kind nothing else need be said.
        errors.sort_by_key(|error| !matches!(error.kind(), ValidationErrorKind::Type { .. }));
        let mut found: Vec<_> = errors.iter().flat_map(|error| faults(error, arguments)).collect();
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found.dedup_by(|a, b| a.path == b.path);
        found.truncate(TOLD);
        found
    }
}
