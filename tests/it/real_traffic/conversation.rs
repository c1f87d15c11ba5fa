//! The calls of an interaction, put together from messages in their order.

use std::collections::HashSet;

use taketwo::recording::{Interaction, Json, ToolCall, ToolName};

use super::parts::{Outcome, Part};

/// What was said and done so far.
#[derive(Default)]
pub struct Conversation {
    input: Option<Json>,
    calls: Vec<ToolCall>,
    /// Calls that wait for what comes back.
    open: Vec<usize>,
    step: i64,
}

impl Conversation {
    /// Reads parts; all calls among them are of one step.
    pub fn parts(&mut self, parts: impl IntoIterator<Item = Part>) {
        let before = self.calls.len();
        for part in parts {
            match part {
                Part::Call { name, arguments, id } => self.ask(&name, arguments, id),
                Part::Answer { id, name, outcome } => self.answer(id.as_deref(), name.as_deref(), outcome),
            }
        }
        self.step += i64::from(self.calls.len() > before);
    }

    /// Takes what the user said first.
    pub fn said(&mut self, input: Json) {
        self.input.get_or_insert(input);
    }

    fn ask(&mut self, name: &str, arguments: Option<Json>, id: Option<String>) {
        self.open.push(self.calls.len());
        let call = ToolCall::new(ToolName::new(name), arguments.map(|arguments| arguments.compact()));
        self.calls.push(ToolCall { id, step: Some(self.step), ..call });
    }

    /// Gives an answer to the call that waits for it: by id, else by name, of equal ones to the one that waits longest.
    fn answer(&mut self, id: Option<&str>, name: Option<&str>, outcome: Outcome) {
        let by_id = id.and_then(|id| self.open.iter().position(|at| self.calls[*at].id.as_deref() == Some(id)));
        let of_name = |at: &usize| name.is_none_or(|name| self.calls[*at].name.as_str() == name);
        let waiting = by_id.or_else(|| if id.is_none() { self.open.iter().position(of_name) } else { None });
        let Some(call) = waiting.map(|at| self.open.remove(at)) else { return };
        match outcome {
            Outcome::Result(json) => self.calls[call].result = Some(json.compact()),
            Outcome::Error(json) => self.calls[call].error = Some(json.compact()),
        }
    }

    /// The ids of the calls so far.
    pub fn ids(&self) -> HashSet<&str> {
        self.calls.iter().filter_map(|call| call.id.as_deref()).collect()
    }

    /// All of it as an interaction.
    pub fn interaction(self) -> Interaction {
        let mut it = Interaction::new(self.input.unwrap_or_else(|| Json::string("")));
        it.tool_calls = Some(self.calls);
        it
    }

    /// The same, of a format that does not tell which calls were made in parallel.
    pub fn interaction_without_steps(mut self) -> Interaction {
        self.calls.iter_mut().for_each(|call| call.step = None);
        self.interaction()
    }
}
