//! Where in an interaction a value stands.

use super::field::{FieldPatterns, snake_case};
use super::words::{self, Hint};

/// Where a value stands: shown as `toolCalls[*].arguments.email`, and by the names of the fields around it.
#[derive(Debug, Default)]
pub(super) struct Place {
    shown: String,
    names: Vec<String>,
    state: State,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// A field around it is listed, so that all in it is replaced.
    is_listed: bool,
    /// A field around it is not to be looked at.
    is_exempt: bool,
}

/// A place to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    shown: usize,
    names: usize,
    state: State,
}

/// Which fields are listed and which exempt.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    pub(super) listed: FieldPatterns,
    pub(super) not_listed: FieldPatterns,
    pub(super) exempt: FieldPatterns,
}

impl Place {
    /// A part of an interaction.
    pub(super) fn of_part(part: &str) -> Self {
        Self { shown: part.to_owned(), names: vec![part.to_owned()], state: State::default() }
    }

    /// A part of a tool call.
    pub(super) fn of_call(part: &str) -> Self {
        Self { shown: format!("toolCalls[*].{part}"), ..Self::of_part(part) }
    }

    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { shown: self.shown.len(), names: self.names.len(), state: self.state }
    }

    pub(super) fn back_to(&mut self, mark: Mark) {
        self.shown.truncate(mark.shown);
        self.names.truncate(mark.names);
        self.state = mark.state;
    }

    pub(super) fn enter_list(&mut self) {
        self.shown.push_str("[*]");
    }

    /// Goes to a field. A name that may be data itself is not shown.
    pub(super) fn enter_field(&mut self, name: &str, shown: &str, fields: &Fields) {
        if !self.shown.is_empty() {
            self.shown.push('.');
        }
        self.shown.push_str(shown);
        self.names.push(snake_case(name));
        self.state.is_exempt |= fields.exempt.cover(&self.names);
        self.state.is_listed |= fields.listed.cover(&self.names) && !fields.not_listed.cover(&self.names);
    }

    pub(super) fn is_listed(&self) -> bool {
        self.state.is_listed
    }

    pub(super) fn is_exempt(&self) -> bool {
        self.state.is_exempt
    }

    /// What the name of the field says of a number in it.
    pub(super) fn hint(&self) -> Option<Hint> {
        words::of_field(self.names.last()?)
    }
}
