//! What a target's tool calls go through during an attempt.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures_core::future::BoxFuture;

use super::bindings::{Answer, ToolBindings};
use super::ledger::Ledger;
use crate::recording::{Interaction, Json, ToolCall, ToolError, ToolName};
use crate::scrub::Scrubber;

/// A call that a target asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRequest {
    /// The tool.
    pub name: ToolName,
    /// The arguments: an object, the JSON text of one, or nothing.
    pub arguments: Option<Json>,
    /// The target's id of the call, if it has one.
    pub id: Option<String>,
    /// Which of its model calls asked for it, where the target tells.
    pub step: Option<i64>,
    /// Which of its agents makes it, where the target tells.
    pub agent: Option<String>,
}

impl ToolRequest {
    /// A call of which only the tool and the arguments are known.
    pub fn new(name: impl Into<Arc<str>>, arguments: Json) -> Self {
        Self { name: ToolName::new(name), arguments: Some(arguments), id: None, step: None, agent: None }
    }
}

/// Tools that do real work, for recording a live session.
pub trait ToolProgram: Send + Sync {
    /// Makes the tools ready for a new attempt.
    fn begin<'a>(&'a self, attempt: &'a str) -> BoxFuture<'a, Result<(), String>>;
    /// Calls a tool.
    fn call<'a>(&'a self, attempt: &'a str, request: &'a ToolRequest) -> BoxFuture<'a, Result<Json, ToolError>>;
    /// An attempt is over: what served it may serve another.
    ///
    /// # Errors
    /// What went wrong with the tools themselves, so that nothing of the attempt is to be relied on.
    fn end<'a>(&'a self, _attempt: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }
}

/// The tools of one attempt. Cheap to clone; calls may be in flight at the same time. Each call is answered from the
/// recording, or by the live tools while a session is recorded, and written down.
#[derive(Clone)]
pub struct Tools {
    shared: Arc<Shared>,
}

struct Shared {
    attempt: String,
    live: Option<Arc<dyn ToolProgram>>,
    scrubber: Option<Arc<Scrubber>>,
    state: Mutex<State>,
    abort_asked: tokio::sync::Notify,
}

struct State {
    stubs: ToolBindings,
    calls: Vec<ToolCall>,
    /// Tools that fail whatever is recorded, and what they say.
    broken: Vec<(ToolName, String)>,
    abort: Option<String>,
    is_over: bool,
    late: Vec<ToolName>,
}

impl Tools {
    /// The tools of an attempt, answered by stubs, or by live tools where there are any.
    #[must_use]
    pub fn new(attempt: impl Into<String>, stubs: ToolBindings, live: Option<Arc<dyn ToolProgram>>) -> Self {
        let (calls, broken, late) = (Vec::new(), Vec::new(), Vec::new());
        let scrubber = stubs.scrubber().cloned();
        let state = State { stubs, calls, broken, abort: None, is_over: false, late };
        let shared = Shared {
            attempt: attempt.into(),
            live,
            scrubber,
            state: Mutex::new(state),
            abort_asked: tokio::sync::Notify::new(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// The name of the attempt that these tools belong to.
    #[must_use]
    pub fn attempt(&self) -> &str {
        &self.shared.attempt
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// The tool's own error as it was recorded, or one that says that no recording answers the call.
    pub async fn call(&self, request: ToolRequest) -> Result<Json, ToolError> {
        let answer = match &self.shared.live {
            Some(program) if self.lock().is_live(&request.name) => self.call_live(program, request).await,
            _ => self.answer(request),
        };
        match answer {
            Answer::Result(result) => Ok(result),
            Answer::Error(error) => Err(error),
            Answer::Abort(message) => Err(ToolError { kind: Some("aborted".into()), message }),
        }
    }

    /// Answers a call from the recording, at once.
    pub fn answer(&self, request: ToolRequest) -> Answer {
        let request = self.scrubbed(request);
        let mut state = self.lock();
        if state.is_over {
            state.late.push(request.name);
            let message = "the attempt is over".to_owned();
            return Answer::Error(ToolError { kind: Some("attempt_over".into()), message });
        }
        let answer = match state.broken(&request.name) {
            Some(message) => {
                let message = message.to_owned();
                state.stubs.note_static();
                Answer::Error(ToolError { kind: None, message })
            }
            None => state.stubs.answer(&request.name, request.arguments.as_ref()),
        };
        if let Answer::Abort(message) = &answer {
            state.abort.get_or_insert_with(|| message.clone());
            self.shared.abort_asked.notify_one();
        }
        state.calls.push(called(request, &answer, None));
        answer
    }

    /// The call as it is looked up and written down: scrubbed as the recorded ones were.
    fn scrubbed(&self, request: ToolRequest) -> ToolRequest {
        let Some(scrubber) = &self.shared.scrubber else { return request };
        let arguments = request.arguments.map(|arguments| scrubber.arguments(&request.name, &arguments));
        ToolRequest { arguments, id: request.id.map(|id| scrubber.text(&id)), ..request }
    }

    /// A recorded run, scrubbed as a whole, as the recording that it is held against was.
    pub(super) fn scrubbed_run(&self, run: Interaction) -> Interaction {
        match &self.shared.scrubber {
            Some(scrubber) => scrubber.interaction(run),
            None => run,
        }
    }

    /// Answers a call of a run that was recorded and has results of its own.
    pub(super) fn answer_recorded(&self, request: ToolRequest, own: Option<&Json>) {
        let _ = self.answer(request);
        self.lock().stubs.note_result(own);
    }

    async fn call_live(&self, program: &Arc<dyn ToolProgram>, request: ToolRequest) -> Answer {
        // Its place among the calls is the one it was asked in, whichever answers first.
        let place = {
            let mut state = self.lock();
            state.stubs.note_live();
            state.calls.push(ToolCall::new(request.name.clone(), request.arguments.clone()));
            state.calls.len() - 1
        };
        let asked = Instant::now();
        let answer = match program.call(&self.shared.attempt, &request).await {
            Ok(result) => Answer::Result(result),
            Err(error) => Answer::Error(error),
        };
        // Microseconds are as much as a clock on a busy machine can promise.
        let took = (asked.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        let made = called(request, &answer, Some(took));
        if let Some(slot) = self.lock().calls.get_mut(place) {
            *slot = made;
        }
        answer
    }

    /// Why the attempt has to end, where a call had no recording and the miss policy is to stop.
    #[must_use]
    pub fn aborted(&self) -> Option<String> {
        self.lock().abort.clone()
    }

    /// Waits until the attempt has to end for such a call.
    pub(super) async fn abort_asked(&self) {
        self.shared.abort_asked.notified().await;
    }

    /// Breaks a tool: from now on it answers every call with this error.
    pub(super) fn break_tool(&self, tool: ToolName, message: String) {
        self.lock().broken.push((tool, message));
    }

    /// Forgets what was called so far: the turns of a setup are over, the one that is tested begins.
    pub(super) fn start_over(&self, stubs: ToolBindings) {
        let mut state = self.lock();
        (state.stubs, state.calls) = (stubs, Vec::new());
    }

    /// Ends the attempt: calls that come from now on are refused and named.
    #[must_use]
    pub fn close(&self) -> (Vec<ToolCall>, Ledger) {
        let mut state = self.lock();
        state.is_over = true;
        (std::mem::take(&mut state.calls), state.stubs.ledger())
    }

    /// The tools that were called after the attempt was over.
    #[must_use]
    pub fn late_calls(&self) -> Vec<ToolName> {
        self.lock().late.clone()
    }

    /// A panic while the state was held leaves it whole: each change is one step.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// What a broken tool says.
    fn broken(&self, tool: &ToolName) -> Option<&str> {
        self.broken.iter().find(|(name, _)| name == tool).map(|(_, message)| message.as_str())
    }

    /// Whether the live tools, where there are any, are to answer.
    fn is_live(&self, tool: &ToolName) -> bool {
        !self.is_over && self.broken(tool).is_none()
    }
}

fn called(request: ToolRequest, answer: &Answer, latency_ms: Option<f64>) -> ToolCall {
    let mut call = ToolCall::new(request.name, request.arguments);
    (call.id, call.step, call.agent, call.latency_ms) = (request.id, request.step, request.agent, latency_ms);
    match answer {
        Answer::Result(result) => call.result = Some(result.clone()),
        Answer::Error(error) => call.error = Some(error_json(error)),
        Answer::Abort(message) => call.error = Some(Json::string(message)),
    }
    call
}

/// A tool's error as it is recorded.
fn error_json(error: &ToolError) -> Json {
    match &error.kind {
        Some(kind) => Json::of(&serde_json::json!({ "type": kind, "message": error.message })),
        None => Json::string(&error.message),
    }
}
