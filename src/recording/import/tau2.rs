//! Results of tau2-bench: simulated conversations of an agent with a customer, with the agent's tool calls.
//!
//! One simulation is one conversation. Calls that the simulated customer made on its own device are not the agent's and
//! are left out.

use std::io::{BufRead as _, Cursor};
use std::sync::Arc;

use rust_decimal::Decimal;

use super::super::interaction::{ModelCall, Tokens};
use super::super::json::{Json, Kind};
use super::super::wire::RowFault;
use super::conversation::{Conversation, Paid, Turn};
use super::dialogue::{Answer, Asked, Dialogue, Outcome, Returned, words};
use super::fields::{below, count, first_member, instant, items, member, milliseconds, text};
use super::format::{Conversations, Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::opening::Opening;
use super::table;
use super::usage;
use super::values::{keys, no_interaction, one_each, place_in_list, refused};

pub(super) const FORMAT: Format = Format {
    name: "tau2",
    about: "results of tau2-bench: one JSON file with `simulations`",
    grain: Grain::Session,
    sign,
    reader: Reader::Conversations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let has_run = opening.has("info.environment_info")
        || opening.has("simulations[].task_id")
        || (opening.has("termination_reason") && (opening.has("messages") || opening.has("ticks")))
        || opening.has("simulation_run.termination_reason");
    has_run.then(|| Sign::Sure("it has the simulations of tau2-bench".into()))
}

fn read(mut source: SourceText) -> Result<Conversations, NotThisFormat> {
    if source.text.fill_buf().is_ok_and(|head| head.starts_with(b"PAR1")) {
        return in_table(source);
    }
    let SourceText { file, text, path } = source;
    let whole = SourceText { file: Arc::clone(&file), text, path: path.clone() }.whole()?;
    let results = match Json::parse(whole.as_str()) {
        Ok(results) => results,
        // Some write a simulation a line, and call it JSON.
        Err(_) if whole.lines().next().is_some_and(|line| Json::parse(line).is_ok()) => {
            let text = Box::new(Cursor::new(whole));
            return Ok(one_each(SourceText { file, text, path }, |simulation| Run::default().conversation(simulation)));
        }
        Err(fault) => return Err(NotThisFormat::new(format!("{fault} (byte {})", fault.offset + 1))),
    };
    let (run, simulations) = simulations(&results)?;
    Ok(Box::new(simulations.into_iter().enumerate().map(move |(index, simulation)| {
        let at = place_in_list(index, &simulation);
        let conversation = run.conversation(&simulation);
        conversation.map(|conversation| (at, conversation)).map_err(|fault| refused(&file, at, fault, &simulation))
    })))
}

/// Simulations of several runs as rows of a table: their tasks come again, so they are named by their own ids.
fn in_table(source: SourceText) -> Result<Conversations, NotThisFormat> {
    let file = Arc::clone(&source.file);
    Ok(Box::new(table::rows(source)?.map(move |row| {
        let (at, simulation) = row?;
        let conversation = Run::default().conversation(&simulation);
        let named = |it: Conversation| (at, Conversation { id: it.session.clone().or(it.id), ..it });
        conversation.map(named).map_err(|fault| refused(&file, at, fault, &simulation))
    })))
}

/// The simulations of a run: a list in a file of its own, or a file each.
fn simulations(results: &Json) -> Result<(Run, Vec<Json>), NotThisFormat> {
    if let Some(list) = member(results, "simulations").filter(|list| list.kind() == Kind::Array) {
        let simulations = list.items().unwrap_or_default();
        return Ok((Run::read(results, &simulations), simulations));
    }
    if first_member(results, &["messages", "ticks"]).is_some() && member(results, "task_id").is_some() {
        return Ok((Run::default(), vec![results.clone()]));
    }
    if let Some(simulation) = member(results, "simulation_run") {
        return Ok((Run::default(), vec![simulation]));
    }
    let help = match below(results, &["info", "environment_info"]) {
        Some(_) => "its simulations are files of their own: import those in the folder `simulations` beside it",
        None => "a results file of tau2-bench holds `info`, `tasks` and `simulations`",
    };
    Err(NotThisFormat {
        problem: format!("it has no list \"simulations\"; its fields are {}", keys(results)),
        help: Some(help.into()),
    })
}

/// What all simulations of a file share.
#[derive(Default)]
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
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Trials {
    #[default]
    One,
    Several,
}

impl Run {
    fn read(results: &Json, simulations: &[Json]) -> Self {
        let info = member(results, "info");
        let part = |part: &str, key: &str| text(&member(info.as_ref()?, part)?, key);
        let later = |simulation: &Json| count(simulation, "trial").is_some_and(|trial| trial > 0);
        let several = info.as_ref().and_then(|info| count(info, "num_trials")).is_some_and(|trials| trials > 1)
            || simulations.iter().any(later);
        let tasks = member(results, "tasks").and_then(|tasks| tasks.items()).unwrap_or_default();
        let tickets = tasks.iter().filter_map(|task| Some((text(task, "id")?, member(task, "ticket")?))).collect();
        Self {
            domain: part("environment_info", "domain_name"),
            agent: part("agent_info", "implementation"),
            model: part("agent_info", "llm"),
            trials: if several { Trials::Several } else { Trials::One },
            tickets,
        }
    }

    fn conversation(&self, simulation: &Json) -> Result<Conversation, RowFault> {
        if simulation.kind() != Kind::Object {
            return Err(RowFault::NotAnObject(simulation.kind()));
        }
        let task = text(simulation, "task_id").ok_or(RowFault::Missing("task_id"))?;
        let talk = Talk::read(&items(simulation, "messages"));
        if talk.dialogue.is_empty() && member(simulation, "ticks").is_some() {
            let what = "it is a voice run: it has ticks of sound and no messages, so nothing can be said again";
            return Err(no_interaction(what));
        }
        if talk.dialogue.is_empty() {
            return Err(RowFault::Missing("messages"));
        }
        let Talk { dialogue, counts, .. } = talk;
        let ticket = self.tickets.iter().find(|(id, _)| *id == task).map(|(_, ticket)| ticket.clone());
        let mut turns = dialogue.finish(ticket)?;
        let number = text(simulation, "trial").filter(|_| self.trials == Trials::Several);
        let id = number.map_or_else(|| task.clone(), |trial| format!("{task}#{trial}"));
        let last = turns.len() - 1;
        for (index, Turn { it, .. }) in turns.iter_mut().enumerate() {
            it.scenario = self.domain.clone();
            it.agent = self.agent.clone();
            it.model = self.model.clone();
            if index == 0 {
                it.recorded_at = text(simulation, "start_time");
                it.extra.push(("tau2".into(), origin(simulation, counts)));
            }
            if index == last {
                it.failure = text(simulation, "termination_reason").filter(|reason| !reason.ends_with("_stop"));
            }
        }
        Ok(Conversation { id: Some(id), session: text(simulation, "id"), turns, paid: paid(simulation) })
    }
}

/// What was paid for the agent. A sum of zero for calls that did use tokens means that the model had no price.
fn paid(simulation: &Json) -> Option<Paid> {
    let amount = text(simulation, "agent_cost").and_then(|cost| cost.parse::<Decimal>().ok());
    amount.filter(|amount| !amount.is_zero()).map(|amount| Paid { amount, currency: "USD".into() })
}

/// What has no field of its own. The duration includes the time that the simulated customer took.
fn origin(simulation: &Json, counts: Counts) -> Json {
    let mut parts = vec![format!("\"userCalls\":{}", counts.user_calls)];
    parts.push(format!("\"modelCallsWithoutUsage\":{}", counts.without_usage));
    let kept = ["task_id", "trial", "seed", "duration", "termination_reason", "agent_cost", "user_cost"];
    for key in kept {
        parts.extend(member(simulation, key).map(|value| format!("\"{key}\":{}", value.text())));
    }
    let reward = member(simulation, "reward_info").and_then(|info| member(&info, "reward"));
    parts.extend(reward.map(|reward| format!("\"reward\":{}", reward.text())));
    Json::trusted(format!("{{{}}}", parts.join(",")))
}

/// What is counted beside what was said and done.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Calls that the simulated customer made.
    user_calls: u64,
    /// Model calls that do not tell their tokens.
    without_usage: u64,
}

/// What was said and done in a simulation.
#[derive(Default)]
struct Talk {
    dialogue: Dialogue,
    counts: Counts,
    /// Whether the customer has said anything.
    words: Words,
    /// Calls of the customer that wait for their result, which does not always say whose it is.
    of_customer: Vec<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Words {
    #[default]
    None,
    Some,
}

impl Talk {
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
        let calls = items(message, "tool_calls");
        self.counts.user_calls += calls.len() as u64;
        self.of_customer.extend(calls.iter().filter_map(|call| text(call, "id")));
        if let Some(content) = words(member(message, "content")) {
            self.words = Words::Some;
            self.dialogue.user(content, text(message, "timestamp").as_deref().and_then(instant));
        }
    }

    fn assistant(&mut self, message: &Json) {
        let calls = items(message, "tool_calls");
        let is_agents = |call: &&Json| text(call, "requestor").is_none_or(|requestor| requestor != "user");
        self.counts.user_calls += calls.iter().filter(|call| !is_agents(call)).count() as u64;
        let has_trace = first_member(message, &["usage", "raw_data", "generation_time_seconds"]).is_some();
        // The greeting before the customer's first word is a fixed text.
        let is_made = has_trace || !calls.is_empty() || self.words == Words::Some;
        let model_call = is_made.then(|| model_call(message));
        self.counts.without_usage += u64::from(model_call.as_ref().is_some_and(|call| call.tokens.is_unknown()));
        let calls = calls.iter().filter(is_agents).map(asked).collect();
        self.dialogue.answer(Answer { words: words(member(message, "content")), calls, model_call, doubt: None });
    }

    fn result(&mut self, message: &Json) {
        if text(message, "requestor").is_some_and(|requestor| requestor == "user") {
            return;
        }
        // In tables the id of the call stands beside that of the message.
        let id = first_member(message, &["tool_call_id", "id"]).map(|id| id.shown().into_owned());
        let of_customer = self.of_customer.iter().position(|open| Some(open) == id.as_ref());
        if let Some(open) = of_customer.filter(|_| member(message, "requestor").is_none()) {
            self.of_customer.remove(open);
            return;
        }
        let content = member(message, "content");
        let outcome = match member(message, "error").is_some_and(|flag| flag.text() == "true") {
            true => Outcome::error(content),
            false => Outcome::result(content.unwrap_or_else(Json::null)),
        };
        self.dialogue.returned(Returned { id, name: None, outcome, latency_ms: None });
    }
}

fn asked(call: &Json) -> Asked {
    Asked {
        name: text(call, "name").unwrap_or_default(),
        arguments: member(call, "arguments"),
        id: text(call, "id"),
        agent: None,
    }
}

fn model_call(message: &Json) -> ModelCall {
    let raw = member(message, "raw_data").unwrap_or_else(Json::null);
    ModelCall {
        model: text(&raw, "model"),
        tokens: tokens(member(message, "usage").as_ref(), member(&raw, "usage").as_ref()),
        latency_ms: milliseconds(message, "generation_time_seconds", 1000.0),
        finish_reason: text(&raw, "finish_reason").or_else(|| text(&raw, "stop_reason")),
        extra: Vec::new(),
    }
}

/// The provider's own counts say more than those that tau2 made of them, which have no cache in them.
fn tokens(own: Option<&Json>, raw: Option<&Json>) -> Tokens {
    let own = own.map(|usage| usage::openai(usage).tokens).unwrap_or_default();
    let Some(raw) = raw else { return own };
    let is_anthropic = count(raw, "input_tokens").is_some() && member(raw, "prompt_tokens").is_none();
    let told = if is_anthropic { usage::anthropic(raw).tokens } else { usage::openai(raw).tokens };
    Tokens { input: told.input.or(own.input), output: told.output.or(own.output), ..told }
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::Interaction;
    use super::*;

    fn imported(simulations: &str) -> Vec<Interaction> {
        let file = format!(
            r#"{{"info":{{"num_trials":1,"agent_info":{{"implementation":"llm_agent","llm":"m"}},"environment_info":{{"domain_name":"airline"}}}},
            "tasks":[{{"id":"9","ticket":"the ticket"}}],"simulations":[{simulations}]}}"#
        );
        let conversations = read(SourceText::of("x.json", file)).map_err(|error| error.problem).unwrap();
        conversations.flat_map(|found| found.unwrap().1.interactions(Grain::Session)).collect()
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
        assert_eq!(shown, [r#"a 1 Some({"v":1.50}) None"#, r#"b 1 None Some("boom")"#, r#"c 2 Some("12") None"#]);
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
