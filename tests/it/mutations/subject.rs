//! A recorded interaction that edits are applied to, and what an edit makes of it.

use taketwo::compare::{Arguments, CallKey, Policy, ToolRules};
use taketwo::recording::{CaseId, Interaction, ToolCall, ToolName};

use super::expected::{Expected, Item, Sides, steps};

/// A recorded interaction.
pub struct Subject<'a> {
    pub it: &'a Interaction,
    /// Its calls.
    pub items: Vec<Item>,
    /// Whether the recording tells which calls were asked for in parallel.
    tells_steps: bool,
}

/// A run that differs from the recording by one edit.
pub struct Edited {
    pub run: Vec<ToolCall>,
    pub expected: Expected,
    /// What the run is compared under; without rules where there is none.
    pub policy: Option<Policy>,
}

impl<'a> Subject<'a> {
    pub fn new(it: &'a Interaction) -> Self {
        let calls = it.tool_calls.as_deref().unwrap_or_default();
        let tells_steps = calls.iter().any(|call| call.step.is_some());
        let mut items: Vec<Item> = Vec::with_capacity(calls.len());
        for (at, call) in calls.iter().enumerate() {
            let goes_on = at > 0 && call.step.is_some() && calls[at - 1].step == call.step;
            let tag = if goes_on { items[at - 1].tag } else { at };
            items.push(Item { call: call.clone(), key: key(call), tag });
        }
        Self { it, items, tells_steps }
    }

    pub fn id(&self) -> &str {
        self.it.id.as_ref().map_or("", CaseId::as_str)
    }

    pub fn calls(&self) -> &'a [ToolCall] {
        self.it.tool_calls.as_deref().unwrap_or_default()
    }

    /// Whether the recording has a call of this tool.
    pub fn knows(&self, tool: &ToolName) -> bool {
        self.items.iter().any(|item| item.call.name == *tool)
    }

    /// A call of the run with its key, if the recording has none that is equal.
    pub fn fresh(&self, call: ToolCall) -> Option<Item> {
        let key = key(&call);
        let is_fresh = self.items.iter().all(|item| item.key != key);
        is_fresh.then_some(Item { call, key, tag: NEW })
    }

    /// A name that no tool of the recording has.
    pub fn strange_name(&self, like: &str) -> ToolName {
        let names = (2..).map(|number| ToolName::new(format!("{like}_v{number}")));
        names.into_iter().find(|name| !self.knows(name)).unwrap()
    }

    /// Puts a call into the run: into the step that it comes to stand in, else as a step of its own.
    pub fn insert(run: &mut Vec<Item>, at: usize, item: Item) {
        let within = at > 0 && at < run.len() && run[at - 1].tag == run[at].tag;
        let tag = if within { run[at].tag } else { NEW };
        run.insert(at, Item { tag, ..item });
    }

    /// The run, with its steps counted anew, and what is to be said of it.
    pub fn edited(&self, run: Vec<Item>, expected: impl FnOnce(&Sides<'_>) -> Expected) -> Edited {
        let expected = expected(&Sides::new(&self.items, &run));
        let steps = steps(&run);
        let with_step = |(item, step): (Item, usize)| ToolCall {
            step: self.tells_steps.then_some(i64::try_from(step).unwrap()),
            ..item.call
        };
        Edited { run: run.into_iter().zip(steps).map(with_step).collect(), expected, policy: None }
    }
}

/// The tag of a step that was not recorded. No edit makes two of them stand side by side.
pub const NEW: usize = usize::MAX;

/// What a call is equal by.
pub fn key(call: &ToolCall) -> CallKey {
    CallKey::of(&call.name, &Arguments::read(call.arguments.as_ref(), &ToolRules::none()))
}
