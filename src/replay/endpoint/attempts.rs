//! Which attempts may call tools.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::Tools;
use super::Token;
use crate::recording::ToolName;

/// How many attempts that are over are remembered, so that their late calls can be told from made-up tokens.
const REMEMBERED: usize = 4096;

/// How many late calls are kept until somebody takes them.
const LATE: usize = 100;

/// A call for an attempt that was over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LateCall {
    /// The attempt's name.
    pub(crate) attempt: String,
    /// The tool.
    pub(crate) tool: ToolName,
}

/// The attempts by their tokens.
#[derive(Debug, Default)]
pub(super) struct Attempts(Mutex<State>);

#[derive(Default)]
struct State {
    open: HashMap<String, Tools>,
    /// Tokens and names, the oldest first.
    over: VecDeque<(String, String)>,
    late: Vec<LateCall>,
    /// How many late calls there were beyond those that are kept.
    late_left_out: u64,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} open, {} over", self.open.len(), self.over.len())
    }
}

/// What a token stands for.
pub(super) enum Found {
    /// An attempt that is under way.
    Open(Tools),
    /// One that is over, or waits for its next turn.
    Over,
    /// None.
    Unknown,
}

impl Attempts {
    /// Finds the tools of an attempt for a call; a call that comes too late is written down.
    pub(super) fn find(&self, token: &str, tool: &ToolName) -> Found {
        let mut state = self.lock();
        if let Some(tools) = state.open.get(token) {
            return Found::Open(tools.clone());
        }
        let Some((_, attempt)) = state.over.iter().find(|(known, _)| known == token) else { return Found::Unknown };
        let late = LateCall { attempt: attempt.clone(), tool: tool.clone() };
        if state.late.len() < LATE {
            state.late.push(late);
        } else {
            state.late_left_out += 1;
        }
        Found::Over
    }

    pub(super) fn take_late(&self) -> (Vec<LateCall>, u64) {
        let mut state = self.lock();
        (std::mem::take(&mut state.late), std::mem::take(&mut state.late_left_out))
    }

    fn open(&self, token: &Token, tools: Tools) {
        let mut state = self.lock();
        state.over.retain(|(known, _)| known != token.as_str());
        state.open.insert(token.as_str().to_owned(), tools);
    }

    fn close(&self, token: &Token) {
        let mut state = self.lock();
        let Some(tools) = state.open.remove(token.as_str()) else { return };
        if state.over.len() == REMEMBERED {
            state.over.pop_front();
        }
        state.over.push_back((token.as_str().to_owned(), tools.attempt().to_owned()));
    }

    fn take_late_of(&self, attempt: &str) -> Vec<LateCall> {
        let mut state = self.lock();
        let (of_it, of_others) = std::mem::take(&mut state.late).into_iter().partition(|late| late.attempt == attempt);
        state.late = of_others;
        of_it
    }

    /// A panic while it was held leaves it whole: each change is one step.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An attempt's place at the endpoint. Dropped, its calls are refused.
pub(crate) struct OpenAttempt {
    attempts: Arc<Attempts>,
    token: Token,
    tools: Tools,
}

impl OpenAttempt {
    pub(super) fn new(attempts: Arc<Attempts>, token: Token, tools: Tools) -> Self {
        Self { attempts, token, tools }
    }

    pub(crate) fn token(&self) -> &Token {
        &self.token
    }

    /// A turn begins: its calls are answered.
    pub(crate) fn listen(&self) {
        self.attempts.open(&self.token, self.tools.clone());
    }

    /// A turn is over: calls are refused from now on.
    pub(crate) fn close(&self) {
        self.attempts.close(&self.token);
    }

    /// The calls that came too late so far.
    pub(crate) fn late_calls(&self) -> Vec<LateCall> {
        self.attempts.take_late_of(self.tools.attempt())
    }
}

impl Drop for OpenAttempt {
    fn drop(&mut self) {
        self.close();
    }
}
