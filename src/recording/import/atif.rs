//! Trajectories in the Agent Trajectory Interchange Format of Harbor.

use rust_decimal::Decimal;

use super::super::interaction::{Doubt, ModelCall, Tokens};
use super::super::json::{Json, Kind};
use super::super::place::{At, Reject};
use super::super::wire::RowFault;
use super::conversation::{Conversation, Role, Said, Turn, sum};
use super::dialogue::{Answer, Asked, Dialogue, Outcome, Returned};
use super::fields::{below, count, instant, items, member, text};
use super::format::{Conversations, Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::messages::content::{joined, text_of_untyped};
use super::opening::Opening;
use super::usage::{Convention, Usage, Written};
use super::values::{document, keys, no_interaction, place_in_list, refused};

pub(super) const FORMAT: Format = Format {
    name: "atif",
    about: "trajectories in Harbor's ATIF (JSON)",
    grain: Grain::Session,
    sign,
    reader: Reader::Conversations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let version = opening.value("schema_version").or_else(|| opening.value("[].schema_version"));
    version.filter(|version| version.starts_with("ATIF")).map(|version| Sign::Sure(format!("its schema is {version}")))
}

fn read(source: SourceText) -> Result<Conversations, NotThisFormat> {
    let file = source.file.clone();
    let json = document(source)?;
    let trajectories = if json.kind() == Kind::Array { json.items().unwrap_or_default() } else { vec![json.clone()] };
    if trajectories.iter().all(|trajectory| member(trajectory, "steps").is_none()) {
        return Err(NotThisFormat {
            problem: format!("it has no \"steps\"; its fields are {}", keys(&json)),
            help: Some("a trajectory of ATIF holds `schema_version`, `agent` and `steps`".into()),
        });
    }
    let all = trajectories.into_iter().flat_map(|trajectory| with_sub_agents(&trajectory)).enumerate();
    Ok(Box::new(all.map(move |(index, (name, trajectory))| -> Result<(At, Conversation), Reject> {
        let at = place_in_list(index, &trajectory);
        let found = conversation(&name, &trajectory);
        found.map(|conversation| (at, conversation)).map_err(|fault| refused(&file, at, fault, &trajectory))
    })))
}

/// How deep sub-agents of sub-agents are looked for.
const DEPTH: usize = 32;

/// A trajectory and those of its sub-agents that it holds, each with the name of its conversation.
fn with_sub_agents(trajectory: &Json) -> Vec<(String, Json)> {
    let name = name(trajectory).unwrap_or_else(|| "trajectory".into());
    let mut open = vec![(name, trajectory.clone(), 0)];
    let mut found = Vec::new();
    while let Some((name, trajectory, depth)) = open.pop() {
        let inner = items(&trajectory, "subagent_trajectories");
        let inner = inner.into_iter().take(if depth < DEPTH { usize::MAX } else { 0 }).enumerate();
        let below = |(index, inner): (usize, Json)| {
            let own = self::name(&inner).unwrap_or_else(|| (index + 1).to_string());
            (format!("{name}/{own}"), inner, depth + 1)
        };
        let mut inner: Vec<_> = inner.map(below).collect();
        inner.reverse();
        open.extend(inner);
        found.push((name, trajectory));
    }
    found
}

/// A session can have several trajectories, so their own ids come first.
fn name(trajectory: &Json) -> Option<String> {
    text(trajectory, "trajectory_id").or_else(|| text(trajectory, "session_id"))
}

fn conversation(name: &str, trajectory: &Json) -> Result<Conversation, RowFault> {
    let agent = member(trajectory, "agent").unwrap_or_else(Json::null);
    let mut talk =
        Talk { dialogue: Dialogue::default(), model: text(&agent, "model_name"), copied: None, loose: 0, calls: 0 };
    let mut tokens = Vec::new();
    for step in items(trajectory, "steps") {
        tokens.extend(talk.step(&step));
    }
    if talk.dialogue.is_empty() {
        return Err(no_interaction("nothing was said or done in this trajectory"));
    }
    let Talk { dialogue, copied, loose, calls, .. } = talk;
    let mut turns = dialogue.finish(copied)?;
    let alone = turns.len() == 1;
    for Turn { it, .. } in &mut turns {
        it.agent = text(&agent, "name");
        // Actions that are written as text are not told from words, so nobody knows what was called.
        if loose > 0 && calls == 0 {
            it.tool_calls = None;
        }
    }
    if let Some(Turn { it, .. }) = turns.first_mut() {
        if alone {
            it.tokens = sum(tokens.iter().copied());
        }
        if loose > 0 && calls > 0 {
            let problem = format!("{loose} observations belong to no call");
            it.doubts.push(Doubt { path: "toolCalls".into(), problem });
        }
        it.extra.push(("atif".into(), origin(trajectory, &agent)));
    }
    let session = text(trajectory, "session_id").unwrap_or_else(|| name.to_owned());
    Ok(Conversation { id: Some(name.to_owned()), session: Some(session), turns, paid: None })
}

/// What has no field of its own.
fn origin(trajectory: &Json, agent: &Json) -> Json {
    let mut parts = Vec::new();
    for (key, value) in
        [("schema_version", member(trajectory, "schema_version")), ("version", member(agent, "version"))]
    {
        parts.extend(value.map(|value| format!("\"{key}\":{}", value.text())));
    }
    Json::trusted(format!("{{{}}}", parts.join(",")))
}

/// The steps of a trajectory, as they are told to a dialogue.
struct Talk {
    dialogue: Dialogue,
    /// The model of steps that do not name theirs.
    model: Option<String>,
    /// What the user said last in the steps that were copied from an earlier trajectory.
    copied: Option<Json>,
    /// Observations of steps without calls.
    loose: usize,
    calls: usize,
}

impl Talk {
    /// Tells a step; its tokens are those of all model calls in it.
    fn step(&mut self, step: &Json) -> Option<Tokens> {
        let content = member(step, "message").and_then(|message| joined(&message, text_of_untyped));
        let is_copied = member(step, "is_copied_context").is_some_and(|flag| flag.text() == "true");
        match (text(step, "source").as_deref(), is_copied) {
            (Some("user"), false) => {
                let at = text(step, "timestamp").as_deref().and_then(instant);
                content.into_iter().for_each(|content| self.dialogue.user(content, at));
            }
            (Some("user"), true) => {
                self.copied = content.clone().or(self.copied.take());
                content.into_iter().for_each(|content| self.dialogue.earlier(Said { role: Role::User, content }));
            }
            (Some("agent"), true) => {
                content.into_iter().for_each(|content| self.dialogue.earlier(Said { role: Role::Assistant, content }));
            }
            (Some("agent"), false) => return self.agent(step, content),
            _ => {}
        }
        None
    }

    fn agent(&mut self, step: &Json, words: Option<Json>) -> Option<Tokens> {
        let metrics = member(step, "metrics");
        let Usage { tokens, doubt } = metrics.as_ref().map(usage).unwrap_or_default();
        let calls: Vec<Asked> = items(step, "tool_calls").iter().map(asked).collect();
        self.calls += calls.len();
        let has_calls = !calls.is_empty();
        // A step may stand for no model call, as one that the harness took itself, or for several.
        let model_calls = count(step, "llm_call_count").unwrap_or(1);
        let model = text(step, "model_name").or_else(|| self.model.clone());
        let told = if model_calls == 1 { tokens } else { Tokens::default() };
        let model_call = || ModelCall { model: model.clone(), tokens: told, ..ModelCall::default() };
        let doubt = doubt.map(|problem| Doubt { path: "modelCalls.tokens".into(), problem });
        for _ in 1..model_calls.min(MODEL_CALLS) {
            self.dialogue.more_model_calls(model_call());
        }
        let model_call = (model_calls > 0).then(model_call);
        self.dialogue.answer(Answer { words, calls, model_call, doubt });
        let cost = metrics.as_ref().and_then(|metrics| text(metrics, "cost_usd")?.parse::<Decimal>().ok());
        cost.into_iter().for_each(|cost| self.dialogue.paid(cost));
        for result in below(step, &["observation", "results"]).and_then(|it| it.items()).unwrap_or_default() {
            self.result(&result, has_calls);
        }
        (model_calls > 0).then_some(tokens)
    }

    fn result(&mut self, result: &Json, has_calls: bool) {
        let Some(content) = member(result, "content") else { return };
        if !has_calls {
            self.loose += 1;
            return;
        }
        let outcome = Outcome::result(joined(&content, text_of_untyped).unwrap_or(content));
        self.dialogue.returned(Returned { id: text(result, "source_call_id"), name: None, outcome, latency_ms: None });
    }
}

/// More model calls than this in one step are not believed.
const MODEL_CALLS: u64 = 1000;

fn asked(call: &Json) -> Asked {
    Asked {
        name: text(call, "function_name").unwrap_or_default(),
        arguments: member(call, "arguments"),
        id: text(call, "tool_call_id"),
        agent: None,
    }
}

/// Cached tokens are a part of the prompt.
fn usage(metrics: &Json) -> Usage {
    Written {
        input: count(metrics, "prompt_tokens"),
        output: count(metrics, "completion_tokens"),
        cache_read: count(metrics, "cached_tokens"),
        ..Written::default()
    }
    .read(Convention::Within)
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::Interaction;
    use super::*;

    fn imported(more: &str, steps: &str) -> Vec<Interaction> {
        let text = format!(
            r#"{{"schema_version":"ATIF-v1.6","session_id":"s","agent":{{"name":"a","version":"1","model_name":"m"}},{more}"steps":[{steps}]}}"#
        );
        let found = read(SourceText::of("t.json", text)).map_err(|error| error.problem).unwrap();
        found.flat_map(|found| found.unwrap().1.interactions(Grain::Session)).collect()
    }

    const USER: &str = r#"{"step_id":1,"source":"user","message":"go"}"#;

    #[test]
    fn a_step_has_calls_with_their_results_and_what_they_cost() {
        let steps = r#"{"source":"agent","message":"I look.","tool_calls":[{"tool_call_id":"1","function_name":"f","arguments":{"x":1}},
            {"tool_call_id":"2","function_name":"g","arguments":{}}],"observation":{"results":[{"source_call_id":"2","content":"two"},
            {"source_call_id":"1"}]},"metrics":{"prompt_tokens":10,"completion_tokens":2,"cached_tokens":4,"cost_usd":0.5}},
            {"source":"agent","message":"done","metrics":{"prompt_tokens":20,"completion_tokens":1,"cost_usd":0.25}}"#;
        let it = imported("", &format!("{USER},{steps}")).pop().unwrap();
        let calls: Vec<_> =
            it.tool_calls.as_ref().unwrap().iter().map(|call| (call.step, call.result.is_some())).collect();
        assert_eq!(calls, [(Some(1), false), (Some(1), true)]);
        assert_eq!(
            (it.tokens.input, it.tokens.output, it.cost.unwrap().to_string()),
            (Some(30), Some(3), "0.75".into())
        );
        assert_eq!(
            (it.id.unwrap().as_str(), it.model.as_deref(), it.output.unwrap().text()),
            ("s", Some("m"), "\"done\"")
        );
    }

    #[test]
    fn a_step_may_stand_for_no_model_call_or_for_several() {
        let step = |calls: u64| {
            format!(
                r#"{{"source":"agent","message":"x","llm_call_count":{calls},"metrics":{{"prompt_tokens":5,"completion_tokens":1}}}}"#
            )
        };
        let it = imported("", &format!("{USER},{},{}", step(0), step(3))).pop().unwrap();
        assert_eq!((it.model_calls.unwrap().count(), it.tokens.input), (3, Some(5)));
    }

    #[test]
    fn actions_that_are_text_are_no_calls_that_are_known() {
        let step = r#"{"source":"agent","message":"ls","observation":{"results":[{"content":"a b"}]}}"#;
        assert_eq!(imported("", &format!("{USER},{step}"))[0].tool_calls, None);
    }

    #[test]
    fn copied_steps_are_what_was_said_before() {
        let copied = |source: &str, text: &str| {
            format!(r#"{{"source":"{source}","message":"{text}","is_copied_context":true}}"#)
        };
        let steps = [
            copied("user", "a"),
            copied("agent", "b"),
            copied("user", "c"),
            r#"{"source":"agent","message":"d"}"#.into(),
        ];
        let it = imported("", &steps.join(",")).pop().unwrap();
        assert_eq!((it.input.text(), it.model_calls.unwrap().count()), ("\"c\"", 1));
        assert_eq!(it.history.unwrap().items().unwrap().len(), 3);
    }

    #[test]
    fn a_sub_agent_within_is_a_conversation_of_its_own() {
        let inner =
            format!(r#""subagent_trajectories":[{{"trajectory_id":"t","agent":{{"name":"b"}},"steps":[{USER}]}}],"#);
        let both = imported(&inner, USER);
        let told: Vec<_> =
            both.iter().map(|it| (it.id.as_ref().unwrap().as_str(), it.agent.as_deref().unwrap())).collect();
        assert_eq!(told, [("s", "a"), ("s/t", "b")]);
    }
}
