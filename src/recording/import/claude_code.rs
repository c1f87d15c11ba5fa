//! Sessions of Claude Code: a JSONL file a session, whose lines name the line that they follow.
//!
//! One answer of the model stands in several lines with the same `message.id`, each with a part of it and with the
//! tokens so far; it is one model call with the last of them. What a sub-agent did is a conversation of its own: the
//! session has its call with what came back, which is all that a replay of the session asks for.

mod answers;
mod entry;
mod session;

use std::collections::{BTreeSet, HashSet};

use super::super::place::{At, Reject};
use super::format::{Conversations, Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::opening::Opening;
use super::values::{no_interaction, refused, values};

use entry::Entry;

pub(super) const FORMAT: Format = Format {
    name: "claude-code",
    about: "session files of Claude Code (JSONL)",
    grain: Grain::Turn,
    sign,
    reader: Reader::Conversations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let is_session = opening.has("sessionId") && opening.has("uuid") && opening.has("parentUuid");
    let is_beside = opening.has("leafUuid") && opening.value("type") == Some("summary")
        || opening.has("sessionId") && opening.value("type") == Some("queue-operation");
    (is_session || is_beside).then(|| Sign::Sure("its lines are those of a session of Claude Code".into()))
}

fn read(source: SourceText) -> Result<Conversations, NotThisFormat> {
    let file = source.file.clone();
    let (mut entries, mut rejects, mut kinds) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut known = HashSet::new();
    let mut first = None;
    for value in values(source) {
        match value {
            Ok((at, json)) => {
                let entry = Entry::read(at, json);
                kinds.insert(entry.kind.clone());
                first.get_or_insert_with(|| (at, entry.json.clone()));
                // A session that was gone on with may hold lines twice.
                if entry.uuid.as_ref().is_none_or(|uuid| known.insert(uuid.clone())) {
                    entries.push(entry);
                }
            }
            Err(reject) => rejects.push(reject),
        }
    }
    let found: Vec<Result<_, Reject>> = rejects.into_iter().map(Err).collect();
    let kinds = kinds.into_iter().collect::<Vec<_>>().join(", ");
    if entries.iter().all(|entry| entry.kind.is_empty()) && found.is_empty() {
        return Err(NotThisFormat {
            problem: "its lines have no type, such as user or assistant".into(),
            help: Some("sessions of Claude Code are the *.jsonl files below ~/.claude/projects".into()),
        });
    }
    let conversations = session::conversations(&file, entries);
    let nothing = conversations.is_empty() && found.is_empty();
    let nothing = nothing.then_some(first).flatten().map(|(at, json): (At, _)| {
        let what = format!("nobody asks the agent for anything in this file: it has lines of type {kinds}");
        Err(refused(&file, at, no_interaction(what), &json))
    });
    Ok(Box::new(found.into_iter().chain(conversations).chain(nothing)))
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::Interaction;
    use super::*;

    /// Lines in short: a type, an id, the id before it, and more members.
    fn line(kind: &str, id: &str, parent: &str, more: &str) -> String {
        let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
        format!(r#"{{"type":"{kind}","uuid":"{id}","parentUuid":{parent},"sessionId":"s","isSidechain":false,{more}}}"#)
    }

    fn user(id: &str, parent: &str, content: &str) -> String {
        line("user", id, parent, &format!(r#""message":{{"role":"user","content":{content}}}"#))
    }

    fn answer(id: &str, parent: &str, message: &str, block: &str, output: u64) -> String {
        let usage = format!(r#"{{"input_tokens":3,"cache_read_input_tokens":10,"output_tokens":{output}}}"#);
        let message = format!(
            r#""message":{{"id":"{message}","role":"assistant","model":"claude","content":[{block}],"usage":{usage}}}"#
        );
        line("assistant", id, parent, &message)
    }

    fn said(text: &str) -> String {
        format!(r#"{{"type":"text","text":"{text}"}}"#)
    }

    fn call(id: &str) -> String {
        format!(r#"{{"type":"tool_use","id":"{id}","name":"Read","input":{{"f":"{id}"}}}}"#)
    }

    fn result(id: &str) -> String {
        format!(r#"[{{"type":"tool_result","tool_use_id":"{id}","content":"of {id}"}}]"#)
    }

    fn found(lines: &[String]) -> Vec<Result<Vec<Interaction>, String>> {
        let found = read(SourceText::of("s.jsonl", lines.join("\n"))).map_err(|error| error.problem).unwrap();
        let told = |found: Result<(At, super::super::conversation::Conversation), Reject>| match found {
            Ok((_, conversation)) => Ok(conversation.interactions(Grain::Turn)),
            Err(reject) => Err(reject.reason.to_string()),
        };
        found.map(told).collect()
    }

    fn turns(lines: &[String]) -> Vec<Interaction> {
        found(lines).into_iter().flat_map(Result::unwrap).collect()
    }

    #[test]
    fn an_answer_over_several_lines_is_one_model_call_with_its_last_tokens() {
        let it = turns(&[
            user("1", "", "\"go\""),
            answer("2", "1", "m1", &said("I look."), 1),
            answer("3", "2", "m1", &call("a"), 1),
            user("4", "3", &result("a")),
            // The second call of the same answer is written after the result of the first.
            answer("5", "3", "m1", &call("b"), 40),
            user("6", "5", &result("b")),
            answer("7", "6", "m2", &said("Done."), 5),
        ])
        .pop()
        .unwrap();
        assert_eq!(
            (it.model_calls.as_ref().unwrap().count(), it.tokens.output, it.tokens.input),
            (2, Some(45), Some(26))
        );
        let calls: Vec<_> =
            it.tool_calls.as_ref().unwrap().iter().map(|call| (call.step, call.result.is_some())).collect();
        assert_eq!(calls, [(Some(1), true), (Some(1), true)], "both are of one step");
        assert_eq!((it.output.unwrap().text(), it.model.as_deref()), ("\"Done.\"", Some("claude")));
    }

    #[test]
    fn going_back_starts_a_branch_that_knows_what_was_said_before() {
        let lines = [
            user("1", "", "\"a\""),
            answer("2", "1", "m1", &said("b"), 1),
            user("3", "2", "\"c\""),
            answer("4", "3", "m2", &said("d"), 1),
            user("5", "2", "\"other\""),
            answer("6", "5", "m3", &said("e"), 1),
        ];
        let told: Vec<_> = turns(&lines)
            .iter()
            .map(|it| (it.id.as_ref().unwrap().to_string(), it.input.text().to_owned(), it.history.is_some()))
            .collect();
        let turn = |id: &str, input: &str, history| (id.to_owned(), format!("\"{input}\""), history);
        assert_eq!(told, [turn("s/1", "a", false), turn("s/2", "other", true), turn("s#2", "c", true)]);
    }

    #[test]
    fn commands_and_what_the_program_writes_itself_are_no_words_of_the_user() {
        let turns = turns(&[
            user("1", "", "\"<command-name>/model</command-name>\\n<command-args>opus</command-args>\""),
            user("2", "1", "\"<local-command-stdout>set</local-command-stdout>\""),
            user("3", "2", "\"<command-name>/review</command-name>\\n<command-args>pr 1</command-args>\""),
            answer("4", "3", "m1", &said("fine"), 1),
            user("5", "4", "\"<command-name>/clear</command-name>\""),
            user("6", "5", "\"next\""),
            user("7", "6", "[{\"type\":\"text\",\"text\":\"[Request interrupted by user]\"}]"),
        ]);
        let told: Vec<_> =
            turns.iter().map(|it| (it.input.text(), it.history.is_some(), it.failure.as_deref())).collect();
        assert_eq!(told, [("\"/review pr 1\"", false, None), ("\"next\"", false, Some("the user interrupted it"))]);
    }

    #[test]
    fn compaction_ends_no_turn() {
        let boundary = r#""subtype":"compact_boundary","logicalParentUuid":"3""#;
        let summary = r#""isCompactSummary":true,"message":{"role":"user","content":"so far: ..."}"#;
        let turns = turns(&[
            user("1", "", "\"a\""),
            answer("2", "1", "m1", &call("x"), 1),
            user("3", "2", &result("x")),
            line("system", "4", "", boundary),
            line("user", "5", "4", summary),
            answer("6", "5", "m2", &said("b"), 1),
        ]);
        assert_eq!((turns.len(), turns[0].model_calls.as_ref().unwrap().count()), (1, 2));
        assert_eq!(turns[0].extra[0].1.member("compactions").unwrap().text(), "1");
    }

    #[test]
    fn a_sub_agent_has_a_conversation_of_its_own() {
        let task = r#"{"type":"tool_use","id":"t","name":"Task","input":{"prompt":"look","subagent_type":"Explore"}}"#;
        let aside = |line: String| line.replace(r#""isSidechain":false"#, r#""isSidechain":true,"agentId":"a1""#);
        let turns = turns(&[
            user("1", "", "\"a\""),
            answer("2", "1", "m1", task, 1),
            aside(user("3", "", "\"look\"")),
            aside(answer("4", "3", "m2", &said("seen"), 1)),
            user("5", "2", &result("t")),
            answer("6", "5", "m3", &said("b"), 1),
        ]);
        let told: Vec<_> = turns
            .iter()
            .map(|it| (it.id.as_ref().unwrap().as_str(), it.agent.as_deref(), it.model_calls.as_ref().unwrap().count()))
            .collect();
        assert_eq!(told, [("s", None, 2), ("s/agent-a1", Some("Explore"), 1)]);
    }

    #[test]
    fn a_file_that_starts_in_the_middle_says_so() {
        let lines = [answer("2", "1", "m1", &call("x"), 1), user("3", "2", &result("x")), user("4", "3", "\"next\"")];
        let found = found(&lines);
        assert!(found[0].as_ref().unwrap_err().starts_with("it starts in the middle of a turn"), "{found:?}");
        assert_eq!(found[1].as_ref().unwrap()[0].input.text(), "\"next\"");
        let summary = r#"{"type":"summary","summary":"x","leafUuid":"1"}"#.to_owned();
        assert_eq!(
            super::tests::found(&[summary])[0].as_ref().unwrap_err(),
            "nobody asks the agent for anything in this file: it has lines of type summary"
        );
    }

    #[test]
    fn an_error_of_the_api_is_a_failure_and_no_model_call() {
        let error = r#""isApiErrorMessage":true,"message":{"id":"x","role":"assistant","model":"<synthetic>",
            "content":[{"type":"text","text":"API Error: 529"}],"usage":{"input_tokens":0,"output_tokens":0}}"#
            .replace('\n', "");
        let it = turns(&[user("1", "", "\"a\""), line("assistant", "2", "1", &error)]).pop().unwrap();
        assert_eq!((it.failure.as_deref(), it.model_calls), (Some("API Error: 529"), None));
    }
}
