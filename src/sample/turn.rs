//! One turn: its steps, its tool calls, and a count of words that stands in for tokens.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::changes::{Version, WireForm};
use super::wishes::Skill;
use crate::recording::{Json, ModelCall, ModelCalls, Tokens, ToolError, ToolName};
use crate::replay::{Reply, ToolRequest, Tools};

/// What a tool gave back.
pub(super) type Given = Result<Json, ToolError>;

/// A use of a tool that the agent has decided on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ToolUse {
    tool: &'static str,
    arguments: Vec<(&'static str, Json)>,
}

impl ToolUse {
    pub(super) fn new<const N: usize>(tool: &'static str, arguments: [(&'static str, Json); N]) -> Self {
        Self { tool, arguments: arguments.into() }
    }

    /// A use with one argument that is a text.
    pub(super) fn text(tool: &'static str, key: &'static str, value: &str) -> Self {
        Self::new(tool, [(key, Json::string(value))])
    }

    pub(super) fn with(tool: &'static str, arguments: Vec<(&'static str, Json)>) -> Self {
        Self { tool, arguments }
    }
}

/// Arguments as an object that keeps the order of its keys.
struct InOrder<'a>(&'a [(&'static str, Json)]);

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// The answers of one step.
pub(super) struct Answers(Vec<(ToolUse, Given)>);

impl Answers {
    /// What a call gave back. `None`: it was not made.
    pub(super) fn of(&self, call: &ToolUse) -> Option<&Given> {
        self.0.iter().find(|(made, _)| made == call).map(|(_, given)| given)
    }
}

/// The words that every prompt begins with.
const PROMPT_WORDS: u64 = 120;
/// The words that every step is said to think.
const THOUGHT_WORDS: u64 = 10;

/// One turn of the agent.
///
/// No model is behind it, so there are no true tokens. What it reports is a STAND-IN: words, counted as the pieces
/// between spaces in the JSON text. A step reads the prompt, the conversation and all answers so far, thinks a fixed
/// number of words, and writes its calls or the reply. What the step before had read already counts as read from a
/// cache.
pub(super) struct Turn<'a> {
    version: Version,
    tools: &'a Tools,
    calls: usize,
    /// Words that the next step reads.
    context: u64,
    model_calls: Vec<ModelCall>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(version: Version, tools: &'a Tools, skills: &BTreeSet<Skill>, read: u64) -> Self {
        let prompt = PROMPT_WORDS + skills.iter().map(|skill| version.prompt_words(*skill)).sum::<u64>();
        Self { version, tools, calls: 0, context: prompt + read, model_calls: Vec::new() }
    }

    pub(super) fn version(&self) -> Version {
        self.version
    }

    /// Makes one call as a step of its own.
    pub(super) async fn ask(&mut self, call: ToolUse) -> Given {
        let mut given = self.ask_together(vec![call]).await.0;
        let none = ToolError { kind: None, message: "no answer".to_owned() };
        given.pop().map_or(Err(none), |(_, given)| given)
    }

    /// Makes calls at the same time, as one step.
    pub(super) async fn ask_together(&mut self, calls: Vec<ToolUse>) -> Answers {
        let step = self.model_calls.len() as i64 + 1;
        let order = self.version.sending_order(calls.len());
        let requests: Vec<ToolRequest> = order.iter().map(|place| self.request(&calls[*place], step)).collect();
        let said = requests.iter().map(|request| 1 + request.arguments.as_ref().map_or(0, words)).sum();
        self.step(said, "tool_calls");
        let given = together(requests.into_iter().map(|request| self.tools.call(request))).await;
        self.context += given.iter().map(words_given).sum::<u64>();
        // Back from the order of sending to the order of asking.
        let mut given: Vec<(usize, Given)> = order.into_iter().zip(given).collect();
        given.sort_by_key(|(place, _)| *place);
        Answers(calls.into_iter().zip(given.into_iter().map(|(_, given)| given)).collect())
    }

    fn request(&mut self, call: &ToolUse, step: i64) -> ToolRequest {
        self.calls += 1;
        let object = Json::of(&InOrder(&call.arguments));
        let arguments = match self.version.wire_form(call.tool) {
            WireForm::Object => object,
            WireForm::JsonText => Json::string(object.text()),
        };
        let id = Some(format!("c{}", self.calls));
        ToolRequest { name: ToolName::new(call.tool), arguments: Some(arguments), id, step: Some(step), agent: None }
    }

    /// Ends the turn with a reply.
    pub(super) fn reply(mut self, text: &str) -> Reply {
        let output = Json::string(text);
        self.step(words(&output), "stop");
        let sum = |count: fn(&Tokens) -> Option<u64>| self.model_calls.iter().map(|call| count(&call.tokens)).sum();
        let tokens = Tokens {
            input: sum(|tokens| tokens.input),
            output: sum(|tokens| tokens.output),
            cache_read: sum(|tokens| tokens.cache_read),
            reasoning: sum(|tokens| tokens.reasoning),
            ..Tokens::default()
        };
        let model = Some(self.model());
        let model_calls = Some(ModelCalls::List(self.model_calls));
        Reply { output: Some(output), model_calls, tokens, model, ..Reply::default() }
    }

    fn model(&self) -> String {
        match self.version {
            Version::V1 => "sample-rules-1".to_owned(),
            Version::V2 => "sample-rules-2".to_owned(),
        }
    }

    /// Books a step that said so many words.
    fn step(&mut self, said: u64, finish_reason: &str) {
        let read_before = self.model_calls.last().and_then(|call| call.tokens.input).unwrap_or(0);
        let tokens = Tokens {
            input: Some(self.context),
            output: Some(THOUGHT_WORDS + said),
            cache_read: Some(read_before),
            reasoning: Some(THOUGHT_WORDS),
            ..Tokens::default()
        };
        self.context += said;
        let finish_reason = Some(finish_reason.to_owned());
        self.model_calls.push(ModelCall { tokens, finish_reason, ..ModelCall::default() });
    }
}

/// Counts words: the pieces between spaces.
pub(super) fn words(json: &Json) -> u64 {
    json.text().split(' ').filter(|piece| !piece.is_empty()).count() as u64
}

fn words_given(given: &Given) -> u64 {
    match given {
        Ok(result) => words(result),
        Err(error) => words(&Json::string(&error.message)),
    }
}

/// Waits for all of them at once. They are begun in order, so what is recorded has the order of asking.
async fn together<F: Future<Output = Given>>(calls: impl Iterator<Item = F>) -> Vec<Given> {
    let mut open: Vec<Pin<Box<F>>> = calls.map(Box::pin).collect();
    let mut given: Vec<Option<Given>> = open.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (call, slot) in open.iter_mut().zip(&mut given) {
            if slot.is_none()
                && let Poll::Ready(answer) = call.as_mut().poll(context)
            {
                *slot = Some(answer);
            }
        }
        if given.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    given.into_iter().flatten().collect()
}
