//! Sessions of OpenClaw: a JSONL file a session, whose lines name the line that they follow.

use std::collections::HashSet;
use std::sync::Arc;

use rust_decimal::Decimal;

use super::super::interaction::{Doubt, ModelCall};
use super::super::json::Json;
use super::super::place::{At, Reject};
use super::conversation::{Conversation, Role, Said};
use super::dialogue::{Answer, Asked, Dialogue, Outcome, Returned, words};
use super::fields::{below, count, instant, items, member, milliseconds, text};
use super::format::{Conversations, Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::messages::content::{joined, text_of_typed};
use super::opening::Opening;
use super::thread::{Branch, Exchange, branches_of, exchanges, parents};
use super::usage::{Convention, Usage, Written};
use super::values::{no_interaction, refused, values};

pub(super) const FORMAT: Format = Format {
    name: "openclaw",
    about: "session files of OpenClaw and pi (JSONL)",
    grain: Grain::Turn,
    sign,
    reader: Reader::Conversations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let is_session = opening.value("type") == Some("session") && opening.has("cwd") && opening.has("version");
    let is_list = opening.top_keys().first().is_some_and(|key| key.starts_with("agent:"));
    (is_session || is_list).then(|| Sign::Sure("it is a session of OpenClaw".into()))
}

fn read(source: SourceText) -> Result<Conversations, NotThisFormat> {
    let file = Arc::clone(&source.file);
    let (mut lines, mut rejects) = (Vec::new(), Vec::new());
    for value in values(source) {
        match value {
            Ok(line) => lines.push(line),
            Err(reject) => rejects.push(reject),
        }
    }
    let is_entry = |json: &Json| text(json, "type").is_some() && member(json, "id").is_some();
    if !lines.iter().any(|(_, json)| is_entry(json)) {
        let is_telemetry =
            lines.iter().any(|(_, json)| member(json, "sessionKey").is_some() && member(json, "type").is_some());
        return Err(NotThisFormat {
            problem: match is_telemetry {
                true => "it is a telemetry log of OpenClaw, which does not tell what tools gave back".into(),
                false => "its lines have no \"type\" and \"id\"".into(),
            },
            help: Some(
                "sessions of OpenClaw are the *.jsonl files in its folder `sessions`; sessions.json only lists them"
                    .into(),
            ),
        });
    }
    let session = Session::read(file, lines);
    let found: Vec<Result<(At, Conversation), Reject>> =
        rejects.into_iter().map(Err).chain(session.conversations()).collect();
    Ok(Box::new(found.into_iter()))
}

/// The lines of a file.
struct Session {
    file: Arc<std::path::Path>,
    id: Option<String>,
    lines: Vec<(At, Json)>,
    exchanges: Vec<Exchange>,
}

impl Session {
    fn read(file: Arc<std::path::Path>, lines: Vec<(At, Json)>) -> Self {
        let is_head = |json: &&Json| text(json, "type").is_some_and(|kind| kind == "session");
        let id = lines.iter().map(|(_, json)| json).find(is_head).and_then(|json| text(json, "id"));
        let links: Vec<(Option<String>, Option<String>)> =
            lines.iter().map(|(_, json)| (text(json, "id"), text(json, "parentId"))).collect();
        let parents = parents(links.iter().map(|(id, parent)| (id.as_deref(), parent.as_deref())));
        let exchanges = exchanges(&parents, |number| is_users(&lines[number].1), |_| ());
        Self { file, id, lines, exchanges }
    }

    fn conversations(&self) -> Vec<Result<(At, Conversation), Reject>> {
        let branches = branches_of(&self.exchanges);
        let mut number = 0;
        let mut found: Vec<_> = branches.iter().filter_map(|branch| self.conversation(branch, &mut number)).collect();
        if found.is_empty()
            && let Some((at, json)) = self.lines.first()
        {
            let what = "nobody asks the agent for anything in this session";
            found.push(Err(refused(&self.file, *at, no_interaction(what), json)));
        }
        found
    }

    /// The conversation of a branch; none where nobody says anything in it.
    fn conversation(&self, branch: &Branch, number: &mut u64) -> Option<Result<(At, Conversation), Reject>> {
        let mut talk = Talk::default();
        let lines = |exchanges: &'_ [usize]| -> Vec<usize> {
            exchanges.iter().flat_map(|exchange| self.exchanges[*exchange].entries.iter().copied()).collect()
        };
        for line in lines(&branch.shared) {
            talk.before(&self.lines[line].1);
        }
        let own = lines(&branch.own);
        let first = *own.iter().find(|line| member(&self.lines[**line].1, "message").is_some())?;
        for line in own {
            talk.line(&self.lines[line].1);
        }
        let (at, json) = &self.lines[first];
        *number += 1;
        let id = self.id.as_ref().map(|id| if *number == 1 { id.clone() } else { format!("{id}#{number}") });
        Some(match talk.dialogue.finish(None) {
            Ok(mut turns) => {
                if talk.compactions > 0
                    && let Some(turn) = turns.first_mut()
                {
                    let kept = Json::trusted(format!("{{\"compactions\":{}}}", talk.compactions));
                    turn.it.extra.push(("openclaw".into(), kept));
                }
                Ok((*at, Conversation { id: id.clone(), session: id, turns, paid: None }))
            }
            Err(fault) => Err(refused(&self.file, *at, fault, json)),
        })
    }
}

fn role(line: &Json) -> Option<String> {
    text(&member(line, "message")?, "role")
}

fn is_users(line: &Json) -> bool {
    role(line).is_some_and(|role| role == "user")
}

/// What was said and done, as it is told to a dialogue.
#[derive(Default)]
struct Talk {
    dialogue: Dialogue,
    /// What the agent said so far.
    said: HashSet<String>,
    compactions: usize,
}

impl Talk {
    /// A line of the part that this branch shares with another.
    fn before(&mut self, line: &Json) {
        let Some(message) = member(line, "message") else { return };
        let Some(content) = member(&message, "content").and_then(|content| joined(&text_only(content), text_of_typed))
        else {
            return;
        };
        let role = match text(&message, "role").as_deref() {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => return,
        };
        self.dialogue.earlier(Said { role, content });
    }

    fn line(&mut self, line: &Json) {
        self.compactions += usize::from(text(line, "type").is_some_and(|kind| kind == "compaction"));
        let Some(message) = member(line, "message") else { return };
        let content = member(&message, "content");
        match text(&message, "role").as_deref() {
            Some("user") => {
                let at = text(line, "timestamp").as_deref().and_then(instant);
                let content = content.and_then(|content| joined(&content, text_of_typed));
                content.into_iter().for_each(|content| self.dialogue.user(content, at));
            }
            Some("assistant") => self.assistant(&message),
            Some("toolResult") => self.result(&message, content),
            _ => {}
        }
    }

    fn assistant(&mut self, message: &Json) {
        let blocks = items(message, "content");
        let texts: Vec<String> = blocks.iter().filter_map(text_of_typed).collect();
        let words = words(Some(Json::string(&texts.join("\n"))));
        let is_call = |block: &&Json| text(block, "type").is_some_and(|kind| kind == "toolCall");
        let calls: Vec<Asked> = blocks.iter().filter(is_call).map(asked).collect();
        let said = words.as_ref().map(|words| words.text().to_owned()).unwrap_or_default();
        // At the end of a run its last words are written again, with the tokens of all of it.
        let is_repeat =
            text(message, "api").is_some_and(|api| api == "cli") && calls.is_empty() && self.said.contains(&said);
        self.said.insert(said);
        let (model_call, doubt) = if is_repeat { (None, None) } else { model_call(message) };
        self.dialogue.answer(Answer { words, calls, model_call, doubt });
        if !is_repeat {
            let cost =
                below(message, &["usage", "cost"]).and_then(|cost| text(&cost, "total")?.parse::<Decimal>().ok());
            cost.into_iter().for_each(|cost| self.dialogue.paid(cost));
        }
        if let Some(reason) = text(message, "stopReason").filter(|reason| reason == "error" || reason == "aborted") {
            self.dialogue.failed(text(message, "errorMessage").unwrap_or(reason));
        }
    }

    fn result(&mut self, message: &Json, content: Option<Json>) {
        let content = content.and_then(|content| joined(&content, text_of_typed));
        let outcome = match member(message, "isError").is_some_and(|flag| flag.text() == "true") {
            true => Outcome::error(content),
            false => Outcome::result(content.unwrap_or_else(|| Json::string(""))),
        };
        let latency_ms = member(message, "details").and_then(|details| milliseconds(&details, "durationMs", 1.0));
        let (id, name) = (text(message, "toolCallId"), text(message, "toolName"));
        self.dialogue.returned(Returned { id, name, outcome, latency_ms });
    }
}

fn asked(block: &Json) -> Asked {
    Asked {
        name: text(block, "name").unwrap_or_default(),
        arguments: member(block, "arguments"),
        id: text(block, "id"),
        agent: None,
    }
}

/// The cache stands beside the input.
fn model_call(message: &Json) -> (Option<ModelCall>, Option<Doubt>) {
    let usage = member(message, "usage").map(|usage| {
        Written {
            input: count(&usage, "input"),
            output: count(&usage, "output"),
            cache_read: count(&usage, "cacheRead"),
            cache_write: count(&usage, "cacheWrite"),
            reasoning: None,
            more_input: None,
            total: count(&usage, "totalTokens"),
        }
        .read(Convention::CacheBeside)
    });
    let Usage { tokens, doubt } = usage.unwrap_or_default();
    let call = ModelCall {
        model: text(message, "responseModel").or_else(|| text(message, "model")),
        tokens,
        finish_reason: text(message, "stopReason"),
        ..ModelCall::default()
    };
    (Some(call), doubt.map(|problem| Doubt { path: "modelCalls.tokens".into(), problem }))
}

/// The texts among the blocks of an answer.
fn text_only(content: Json) -> Json {
    match content.items() {
        Some(blocks) => Json::of(&blocks.iter().filter(|block| text_of_typed(block).is_some()).collect::<Vec<_>>()),
        None => content,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::Interaction;
    use super::*;

    const HEAD: &str = r#"{"type":"session","version":3,"id":"s","cwd":"/w"}"#;

    fn line(id: &str, parent: &str, message: &str) -> String {
        format!(r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{message}}}"#)
    }

    fn user(text: &str) -> String {
        format!(r#"{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}"#)
    }

    fn said(text: &str, api: &str) -> String {
        format!(
            r#"{{"role":"assistant","api":"{api}","model":"m","content":[{{"type":"text","text":"{text}"}}],
            "usage":{{"input":2,"output":3,"cacheRead":10,"cacheWrite":5,"totalTokens":20,"cost":{{"total":0.5}}}},"stopReason":"stop"}}"#
        )
        .replace('\n', "")
    }

    fn imported(lines: &[String]) -> Vec<Interaction> {
        let text = format!("{HEAD}\n{}", lines.join("\n"));
        let found = read(SourceText::of("s.jsonl", text)).map_err(|error| error.problem).unwrap();
        found.flat_map(|found| found.unwrap().1.interactions(Grain::Turn)).collect()
    }

    #[test]
    fn the_cache_is_a_part_of_the_input_and_a_repeat_at_the_end_is_no_model_call() {
        let call = r#"{"role":"assistant","api":"x","content":[{"type":"toolCall","id":"1","name":"f","arguments":{}}],"usage":{"input":1,"output":1}}"#;
        let result = r#"{"role":"toolResult","toolCallId":"1","toolName":"f","isError":true,"details":{"durationMs":7},"content":[{"type":"text","text":"no"}]}"#;
        let it = imported(&[
            line("1", "", &user("a")),
            line("2", "1", call),
            line("3", "2", result),
            line("4", "3", &said("done", "x")),
            line("5", "4", &said("done", "cli")),
        ])
        .pop()
        .unwrap();
        let call = &it.tool_calls.as_ref().unwrap()[0];
        assert_eq!((call.error.as_ref().unwrap().text(), call.latency_ms), ("\"no\"", Some(7.0)));
        assert_eq!(
            (it.model_calls.as_ref().unwrap().count(), it.tokens.input, it.tokens.output),
            (2, Some(18), Some(4))
        );
        assert_eq!(it.cost, None, "one of the calls does not tell its cost");
    }

    #[test]
    fn each_branch_is_a_conversation() {
        let turns = imported(&[
            line("1", "", &user("a")),
            line("2", "1", &said("b", "x")),
            line("3", "2", &user("c")),
            line("4", "3", &said("d", "x")),
            line("5", "2", &user("e")),
            line("6", "5", &said("f", "x")),
        ]);
        let told: Vec<_> = turns.iter().map(|it| (it.id.as_ref().unwrap().as_str(), it.input.text())).collect();
        assert_eq!(told, [("s/1", "\"a\""), ("s/2", "\"e\""), ("s#2", "\"c\"")]);
        assert_eq!(turns[2].history.as_ref().unwrap().items().unwrap().len(), 2);
        assert_eq!(turns[0].cost.unwrap().to_string(), "0.5");
    }

    #[test]
    fn a_list_of_sessions_is_refused_with_what_to_import() {
        let refused = read(SourceText::of("sessions.json", r#"{"agent:main:main":{"sessionId":"x"}}"#)).err().unwrap();
        assert!(refused.help.unwrap().contains("sessions.json only lists them"));
    }
}
