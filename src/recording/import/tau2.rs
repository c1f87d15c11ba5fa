//! Results of tau2-bench: simulated conversations of an agent with a customer, with the agent's tool calls.
//!
//! One simulation becomes one interaction: its input is the customer's first message, its output the agent's last
//! words. Calls that the simulated customer made on its own device are not the agent's and are left out.

use std::io::{BufRead, Read as _};
use std::path::Path;
use std::sync::Arc;

use rust_decimal::Decimal;

use super::super::interaction::{CaseId, Interaction, ModelCall, ModelCalls, Tokens, ToolCall, ToolName};
use super::super::json::{Json, Kind};
use super::super::place::{At, Reject, RejectReason};
use super::super::wire::RowFault;
use super::{Importer, Interactions, NotThisFormat};

/// The importer of tau2-bench results.
pub(super) struct Tau2;

impl Importer for Tau2 {
    fn name(&self) -> &'static str {
        "tau2"
    }

    fn about(&self) -> &'static str {
        "results of tau2-bench: one JSON file with `simulations`"
    }

    fn read(&self, file: Arc<Path>, mut text: Box<dyn BufRead + Send>) -> Result<Interactions, NotThisFormat> {
        let refuse = |problem: String| NotThisFormat { problem, help: None };
        let mut whole = String::new();
        text.read_to_string(&mut whole).map_err(|error| refuse(format!("it cannot be read: {error}")))?;
        let whole = whole.strip_prefix('\u{feff}').unwrap_or(&whole);
        let results = Json::parse(whole).map_err(|fault| refuse(format!("{fault} (byte {})", fault.offset + 1)))?;
        let run = Run::read(&results)?;
        let simulations = member(&results, "simulations").and_then(|list| list.items()).unwrap_or_default();
        Ok(Box::new(simulations.into_iter().enumerate().map(move |(index, simulation)| {
            let at = At::Value { number: index as u64 + 1, offset: simulation.offset() as u64 };
            run.interaction(&simulation).map(|interaction| (at, interaction)).map_err(|fault| {
                let raw = simulation.text().as_bytes();
                Reject::new(&file, at, RejectReason::Row { fault, column: None }, raw)
            })
        })))
    }
}

/// A member that is there and not null.
fn member(json: &Json, key: &str) -> Option<Json> {
    json.member(key).filter(|value| !value.is_null())
}

/// A member's text, or the text of a number.
fn text(json: &Json, key: &str) -> Option<String> {
    let value = member(json, key)?;
    matches!(value.kind(), Kind::String | Kind::Number).then(|| value.shown().into_owned())
}

fn count(json: &Json, key: &str) -> Option<u64> {
    member(json, key)?.text().parse().ok()
}

/// What all simulations of a file share.
struct Run {
    domain: Option<String>,
    agent: Option<String>,
    /// The model that was asked for, where the answers do not tell theirs.
    model: Option<String>,
    trials: Trials,
    /// The texts of the tasks that the agent works on alone.
    tickets: Vec<(String, Json)>,
}

/// How often each task was tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trials {
    One,
    Several,
}

impl Run {
    fn read(results: &Json) -> Result<Self, NotThisFormat> {
        let Some(simulations) = member(results, "simulations").filter(|list| list.kind() == Kind::Array) else {
            let keys = results.members().unwrap_or_default();
            let keys: Vec<_> = keys.iter().map(|(key, _)| key.as_ref()).take(12).collect();
            return Err(NotThisFormat {
                problem: format!("it has no list \"simulations\"; its fields are {}", keys.join(", ")),
                help: Some("a results file of tau2-bench holds `info`, `tasks` and `simulations`".into()),
            });
        };
        let info = member(results, "info");
        let part = |part: &str, key: &str| text(&member(info.as_ref()?, part)?, key);
        let later = |simulation: &Json| count(simulation, "trial").is_some_and(|trial| trial > 0);
        let several = info.as_ref().and_then(|info| count(info, "num_trials")).is_some_and(|trials| trials > 1)
            || simulations.items().unwrap_or_default().iter().any(later);
        let tasks = member(results, "tasks").and_then(|tasks| tasks.items()).unwrap_or_default();
        let tickets = tasks.iter().filter_map(|task| Some((text(task, "id")?, member(task, "ticket")?))).collect();
        Ok(Self {
            domain: part("environment_info", "domain_name"),
            agent: part("agent_info", "implementation"),
            model: part("agent_info", "llm"),
            trials: if several { Trials::Several } else { Trials::One },
            tickets,
        })
    }

    fn interaction(&self, simulation: &Json) -> Result<Interaction, RowFault> {
        if simulation.kind() != Kind::Object {
            return Err(RowFault::NotAnObject(simulation.kind()));
        }
        let task = text(simulation, "task_id").ok_or(RowFault::Missing("task_id"))?;
        let messages = member(simulation, "messages").and_then(|messages| messages.items()).unwrap_or_default();
        if messages.is_empty() {
            return Err(RowFault::Missing("messages"));
        }
        let talk = Conversation::read(&messages);
        let ticket = || self.tickets.iter().find(|(id, _)| *id == task).map(|(_, ticket)| ticket.clone());
        let mut it = Interaction::new(talk.input.clone().or_else(ticket).ok_or(RowFault::Missing("user message"))?);
        it.id = Some(CaseId::new(match (self.trials, text(simulation, "trial")) {
            (Trials::Several, Some(trial)) => format!("{task}#{trial}"),
            _ => task,
        }));
        it.output = talk.output.clone();
        it.scenario = self.domain.clone();
        it.session = text(simulation, "id");
        it.agent = self.agent.clone();
        it.model = talk.model(self.model.as_deref());
        it.recorded_at = text(simulation, "start_time");
        it.failure = text(simulation, "termination_reason").filter(|reason| !reason.ends_with("_stop"));
        it.tokens = talk.tokens();
        // A sum of zero for calls that did use tokens means that the model had no price.
        let cost = text(simulation, "agent_cost").and_then(|cost| cost.parse::<Decimal>().ok());
        it.cost = cost.filter(|cost| !cost.is_zero());
        it.currency = it.cost.map(|_| "USD".to_owned());
        it.extra.push(("tau2".into(), origin(simulation, &talk)));
        it.tool_calls = Some(talk.calls);
        it.model_calls = Some(ModelCalls::List(talk.model_calls));
        Ok(it)
    }
}

/// What has no field of its own. The duration includes the time that the simulated customer took.
fn origin(simulation: &Json, talk: &Conversation) -> Json {
    let mut parts = vec![format!("\"userCalls\":{}", talk.user_calls)];
    let without_usage = talk.model_calls.iter().filter(|call| call.tokens.is_unknown()).count();
    parts.push(format!("\"modelCallsWithoutUsage\":{without_usage}"));
    let kept = ["task_id", "trial", "seed", "duration", "termination_reason", "agent_cost", "user_cost"];
    for key in kept {
        parts.extend(member(simulation, key).map(|value| format!("\"{key}\":{}", value.text())));
    }
    let reward = member(simulation, "reward_info").and_then(|info| member(&info, "reward"));
    parts.extend(reward.map(|reward| format!("\"reward\":{}", reward.text())));
    Json::trusted(format!("{{{}}}", parts.join(",")))
}

/// What was said and done in a simulation.
#[derive(Default)]
struct Conversation {
    input: Option<Json>,
    output: Option<Json>,
    calls: Vec<ToolCall>,
    model_calls: Vec<ModelCall>,
    user_calls: u64,
    /// Calls that wait for their result: whose, by which id.
    open: Vec<(Option<usize>, String)>,
}

impl Conversation {
    fn read(messages: &[Json]) -> Self {
        let mut talk = Self::default();
        for message in messages {
            match text(message, "role").as_deref() {
                Some("user") => talk.user(message),
                Some("assistant") => talk.assistant(message),
                Some("tool") => match member(message, "tool_messages").and_then(|results| results.items()) {
                    Some(results) => results.iter().for_each(|result| talk.result(result)),
                    None => talk.result(message),
                },
                _ => {}
            }
        }
        talk
    }

    fn user(&mut self, message: &Json) {
        if self.input.is_none() {
            self.input = said(message);
        }
        for call in member(message, "tool_calls").and_then(|calls| calls.items()).unwrap_or_default() {
            self.ask(&call, "user");
        }
    }

    fn assistant(&mut self, message: &Json) {
        if let Some(words) = said(message) {
            self.output = Some(words);
        }
        let calls = member(message, "tool_calls").and_then(|calls| calls.items()).unwrap_or_default();
        let traces = ["usage", "raw_data", "generation_time_seconds"];
        let has_trace = traces.iter().any(|key| member(message, key).is_some());
        // The greeting before the customer's first word is a fixed text.
        if has_trace || !calls.is_empty() || self.input.is_some() {
            self.model_calls.push(model_call(message));
        }
        for call in calls {
            self.ask(&call, "assistant");
        }
    }

    /// Takes a call; the asker is told by the call, else by who wrote the message.
    fn ask(&mut self, call: &Json, author: &str) {
        let id = text(call, "id").unwrap_or_default();
        if text(call, "requestor").as_deref().unwrap_or(author) == "user" {
            self.user_calls += 1;
            self.open.push((None, id));
            return;
        }
        let name = text(call, "name").filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "(no name)".into());
        let arguments = member(call, "arguments").map(|arguments| arguments.compact());
        let mut made = ToolCall::new(ToolName::new(name), arguments);
        made.id = Some(id.clone()).filter(|id| !id.is_empty());
        made.step = self.model_calls.len().checked_sub(1).and_then(|step| i64::try_from(step).ok());
        self.open.push((Some(self.calls.len()), id));
        self.calls.push(made);
    }

    /// Gives a result to the call that waits for it: of equal ids, and without any, the one that waits longest.
    fn result(&mut self, message: &Json) {
        let id = text(message, "id").unwrap_or_default();
        let is_user = text(message, "requestor").is_some_and(|requestor| requestor == "user");
        let same_asker = |(call, _): &&(Option<usize>, String)| call.is_none() == is_user;
        let by_id = self.open.iter().position(|open| same_asker(&open) && open.1 == id);
        let waiting = by_id.or_else(|| self.open.iter().position(|open| same_asker(&open)));
        let Some((Some(call), _)) = waiting.map(|at| self.open.remove(at)) else { return };
        let content = message.member("content").unwrap_or_else(Json::null);
        if member(message, "error").is_some_and(|flag| flag.text() == "true") {
            let empty = content.is_null() || content.as_str().is_some_and(|text| text.trim().is_empty());
            self.calls[call].error = Some(if empty { Json::string("error") } else { content });
        } else {
            self.calls[call].result = Some(structured(content));
        }
    }

    /// The sum of each class that every model call tells; unknown where one does not.
    fn tokens(&self) -> Tokens {
        let sum = |class: fn(&Tokens) -> Option<u64>| -> Option<u64> {
            let counts = self.model_calls.iter().map(|call| class(&call.tokens));
            if self.model_calls.is_empty() { None } else { counts.sum() }
        };
        Tokens {
            total: None,
            input: sum(|tokens| tokens.input),
            output: sum(|tokens| tokens.output),
            cache_read: sum(|tokens| tokens.cache_read),
            cache_write: sum(|tokens| tokens.cache_write),
            reasoning: sum(|tokens| tokens.reasoning),
        }
    }

    /// The model, if all answers name one; what was asked for, if none names any.
    fn model(&self, asked_for: Option<&str>) -> Option<String> {
        let mut named: Vec<_> = self.model_calls.iter().filter_map(|call| call.model.as_deref()).collect();
        named.sort_unstable();
        named.dedup();
        match named.as_slice() {
            [] => asked_for.map(str::to_owned),
            [model] => Some((*model).to_owned()),
            _ => None,
        }
    }
}

/// The words of a message, if there are any.
fn said(message: &Json) -> Option<Json> {
    let content =
        member(message, "content").filter(|content| content.as_str().is_none_or(|text| !text.trim().is_empty()));
    content.map(|content| content.compact())
}

/// A result that is a text of a JSON object or list is that object or list.
fn structured(content: Json) -> Json {
    let parsed = content.as_str().and_then(|text| Json::parse(text.as_ref()).ok());
    parsed.filter(|json| matches!(json.kind(), Kind::Object | Kind::Array)).unwrap_or(content)
}

fn model_call(message: &Json) -> ModelCall {
    let raw = member(message, "raw_data").unwrap_or_else(Json::null);
    let seconds = member(message, "generation_time_seconds").and_then(|time| time.text().parse::<f64>().ok());
    ModelCall {
        model: text(&raw, "model"),
        tokens: usage(member(message, "usage").as_ref(), member(&raw, "usage").as_ref()),
        latency_ms: seconds.map(|seconds| seconds * 1000.0).filter(|time| time.is_finite() && *time >= 0.0),
        finish_reason: text(&raw, "finish_reason").or_else(|| text(&raw, "stop_reason")),
        extra: Vec::new(),
    }
}

/// Tokens by our convention. OpenAI counts cached tokens as part of the prompt; Anthropic counts them beside it.
fn usage(own: Option<&Json>, raw: Option<&Json>) -> Tokens {
    let mut tokens = Tokens {
        input: own.and_then(|usage| count(usage, "prompt_tokens")),
        output: own.and_then(|usage| count(usage, "completion_tokens")),
        ..Tokens::default()
    };
    let Some(raw) = raw else { return tokens };
    let detail = |details: &str, key: &str| member(raw, details).and_then(|details| count(&details, key));
    if let Some(uncached) = count(raw, "input_tokens").filter(|_| member(raw, "prompt_tokens").is_none()) {
        tokens.cache_read = count(raw, "cache_read_input_tokens");
        tokens.cache_write = count(raw, "cache_creation_input_tokens");
        tokens.input = Some(uncached + tokens.cache_read.unwrap_or(0) + tokens.cache_write.unwrap_or(0));
        tokens.output = count(raw, "output_tokens").or(tokens.output);
    } else {
        tokens.input = tokens.input.or_else(|| count(raw, "prompt_tokens"));
        tokens.output = tokens.output.or_else(|| count(raw, "completion_tokens"));
        tokens.cache_read = detail("prompt_tokens_details", "cached_tokens");
        tokens.reasoning = detail("completion_tokens_details", "reasoning_tokens");
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(simulations: &str) -> Vec<Interaction> {
        let file = format!(
            r#"{{"info":{{"num_trials":1,"agent_info":{{"implementation":"llm_agent","llm":"m"}},"environment_info":{{"domain_name":"airline"}}}},
            "tasks":[{{"id":"9","ticket":"the ticket"}}],"simulations":[{simulations}]}}"#
        );
        let rows = Tau2.read(Path::new("x.json").into(), Box::new(std::io::Cursor::new(file.into_bytes())));
        rows.map_err(|error| error.problem).unwrap().map(|row| row.unwrap().1).collect()
    }

    fn one(messages: &str) -> Interaction {
        let simulation = format!(
            r#"{{"id":"s","task_id":"1","trial":0,"termination_reason":"user_stop","agent_cost":0.0,"messages":[{messages}]}}"#
        );
        imported(&simulation).pop().unwrap()
    }

    const GREETING: &str = r#"{"role":"assistant","content":"Hi!","usage":null,"raw_data":null}"#;

    #[test]
    fn results_go_to_the_calls_that_wait_for_them() {
        let it = one(&format!(
            r#"{GREETING},{{"role":"user","content":"help"}},
            {{"role":"assistant","content":null,"tool_calls":[{{"id":"x","name":"a","arguments":{{"n":1.0}}}},{{"id":"x","name":"b","arguments":{{}}}}]}},
            {{"role":"tool","tool_messages":[{{"role":"tool","id":"x","content":"{{\"v\": 1.50}}","error":false}},{{"role":"tool","id":"x","content":"boom","error":true}}]}},
            {{"role":"assistant","content":"","tool_calls":[{{"id":"x","name":"c","arguments":{{}}}}]}},
            {{"role":"tool","id":"other","content":"12","requestor":"assistant"}},
            {{"role":"assistant","content":"done"}}"#
        ));
        let calls = it.tool_calls.as_ref().unwrap();
        let shown: Vec<_> = calls
            .iter()
            .map(|call| format!("{} {:?} {:?} {:?}", call.name, call.step.unwrap(), call.result, call.error))
            .collect();
        assert_eq!(shown, [r#"a 0 Some({"v": 1.50}) None"#, r#"b 0 None Some("boom")"#, r#"c 1 Some("12") None"#]);
        assert_eq!(calls[0].arguments.as_ref().unwrap().text(), r#"{"n":1.0}"#);
        assert_eq!((it.input.text(), it.output.as_ref().unwrap().text()), ("\"help\"", "\"done\""));
        assert_eq!(it.model_calls.unwrap().count(), 3, "the greeting came from no model");
    }

    #[test]
    fn calls_of_the_customer_are_left_out_and_counted() {
        let it = one(
            r#"{"role":"user","content":"help","tool_calls":[{"id":"u","name":"toggle","arguments":{},"requestor":"user"}]},
            {"role":"tool","id":"u","content":"on","requestor":"user"},
            {"role":"assistant","content":"ok","tool_calls":[{"id":"u","name":"look","arguments":{},"requestor":"assistant"}]},
            {"role":"tool","id":"u","content":"seen","requestor":"assistant"}"#,
        );
        let calls = it.tool_calls.unwrap();
        assert_eq!((calls.len(), calls[0].result.as_ref().unwrap().text()), (1, "\"seen\""));
        assert_eq!(it.extra[0].1.member("userCalls").unwrap().text(), "1");
    }

    #[test]
    fn tokens_are_known_when_every_model_call_tells_them() {
        let openai = r#"{"role":"assistant","content":"a","usage":{"prompt_tokens":100,"completion_tokens":9},
            "raw_data":{"model":"m-1","usage":{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":60}}}}"#;
        let anthropic = r#"{"role":"assistant","content":"b","usage":{"prompt_tokens":5,"completion_tokens":2},
            "raw_data":{"model":"m-2","usage":{"input_tokens":5,"output_tokens":2,"cache_read_input_tokens":40,"cache_creation_input_tokens":7}}}"#;
        let user = r#"{"role":"user","content":"help"}"#;
        let both = one(&format!("{user},{openai},{anthropic}"));
        let sum = Tokens { input: Some(152), output: Some(11), cache_read: Some(100), ..Tokens::default() };
        assert_eq!((both.tokens, both.model.as_deref()), (sum, None), "they name two models");
        let silent = one(&format!(r#"{user},{openai},{{"role":"assistant","content":"c"}}"#));
        assert!(silent.tokens.is_unknown());
        assert_eq!(silent.extra[0].1.member("modelCallsWithoutUsage").unwrap().text(), "1");
    }

    #[test]
    fn a_cost_of_zero_is_no_price_and_an_abnormal_end_is_a_failure() {
        let end = |reason: &str, cost: &str| {
            imported(&format!(
                r#"{{"id":"s","task_id":9,"trial":0,"termination_reason":"{reason}","agent_cost":{cost},"messages":[{{"role":"assistant","content":"a"}}]}}"#
            ))
            .pop()
            .unwrap()
        };
        let free = end("agent_stop", "0.0");
        assert_eq!((free.cost, free.currency, free.failure), (None, None, None));
        assert_eq!(free.input.text(), "\"the ticket\"", "an agent that works alone is asked by its ticket");
        let paid = end("max_steps", "0.13249999999999998");
        assert_eq!(paid.cost.unwrap().to_string(), "0.13249999999999998");
        assert_eq!((paid.currency.as_deref(), paid.failure.as_deref()), (Some("USD"), Some("max_steps")));
    }

    #[test]
    fn several_trials_of_a_task_have_ids_of_their_own() {
        let trial = |n: u32| {
            format!(r#"{{"id":"s{n}","task_id":"1","trial":{n},"messages":[{{"role":"user","content":"x"}}]}}"#)
        };
        let ids: Vec<_> = imported(&format!("{},{}", trial(0), trial(1)))
            .iter()
            .map(|it| it.id.clone().unwrap().to_string())
            .collect();
        assert_eq!(ids, ["1#0", "1#1"]);
    }
}
