//! What Google's ADK keeps of conversations: evaluation sets of several ages, and sessions.

mod evalset;
mod session;

use std::sync::Arc;

use jiff::Timestamp;

use super::super::json::{Json, Kind};
use super::super::place::stem;
use super::super::wire::RowFault;
use super::conversation::Conversation;
use super::fields::{first_member, number};
use super::format::{Conversations, Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::message::Message;
use super::messages::gemini;
use super::opening::Opening;
use super::values::{document, keys, place_in_list, refused};

pub(super) const FORMAT: Format = Format {
    name: "adk",
    about: "evaluation sets, test files and sessions of Google's ADK (JSON)",
    grain: Grain::Turn,
    sign,
    reader: Reader::Conversations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let has = |paths: &[&str]| paths.iter().all(|path| opening.has(path));
    let what = if has(&["eval_cases"]) || has(&["evalCases"]) {
        "it is an evaluation set of ADK"
    } else if has(&["[].query", "[].expected_tool_use"]) || has(&["[].data[].query"]) {
        "it is a test file of ADK"
    } else if has(&["events", "app_name"]) || has(&["events", "appName"]) || has(&["events[].invocation_id"]) {
        "it is a session of ADK"
    } else if has(&["criteria.tool_trajectory_avg_score"]) || has(&["criteria.response_match_score"]) {
        "it is a test configuration of ADK"
    } else {
        return None;
    };
    Some(Sign::Sure(what.into()))
}

fn read(source: SourceText) -> Result<Conversations, NotThisFormat> {
    let file = Arc::clone(&source.file);
    let name = stem(&file);
    let name = name.strip_suffix(".test").or_else(|| name.strip_suffix(".evalset")).unwrap_or(&name).to_owned();
    let json = document(source)?;
    let (values, read) = reader(&json)?;
    Ok(Box::new(values.into_iter().enumerate().map(move |(index, value)| {
        let at = place_in_list(index, &value);
        read(&value, &name).map(|conversation| (at, conversation)).map_err(|fault| refused(&file, at, fault, &value))
    })))
}

/// Reads one conversation; the name is that of the file, for what has none of its own.
type ReadOne = fn(&Json, &str) -> Result<Conversation, RowFault>;

/// The conversations that a document holds, and how they are read.
fn reader(json: &Json) -> Result<(Vec<Json>, ReadOne), NotThisFormat> {
    let items = |json: &Json| json.items().unwrap_or_default();
    if let Some(cases) = first_member(json, &["eval_cases", "evalCases"]) {
        return Ok((items(&cases), evalset::case));
    }
    if first_member(json, &["events"]).is_some() {
        return Ok((vec![json.clone()], session::conversation));
    }
    if json.kind() == Kind::Array {
        let list = items(json);
        return match list.first() {
            Some(first) if first.member("data").is_some() => Ok((list, evalset::old_case)),
            Some(first) if first.member("query").is_some() => Ok((vec![json.clone()], evalset::old_test)),
            _ => Err(other("it is a list without \"query\" and \"data\" in its items".into())),
        };
    }
    if json.member("criteria").is_some() {
        return Err(other("it holds the criteria of an evaluation and no conversation".into()));
    }
    Err(other(format!("its fields are {}", keys(json))))
}

fn other(problem: String) -> NotThisFormat {
    let help = "files of ADK with conversations are *.evalset.json, *.test.json and *.session.json";
    NotThisFormat { problem, help: Some(help.into()) }
}

/// What a content of Gemini says, without its calls.
fn said(content: &Json) -> Option<Json> {
    gemini::read(content).into_iter().find_map(|message| match message {
        Message::User { content, .. } | Message::Aside(content) => Some(content),
        Message::Assistant { words, .. } => words,
        _ => None,
    })
}

/// A point in time as seconds since 1970, with a fraction.
fn seconds(json: &Json, keys: &[&str]) -> Option<Timestamp> {
    let seconds = keys.iter().find_map(|key| number(json, key))?;
    // More digits are not there: a double has about 16.
    Timestamp::from_microsecond((seconds * 1e6) as i64).ok()
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::Interaction;
    use super::*;

    fn found(text: &str) -> Vec<Interaction> {
        let found = read(SourceText::of("trip.test.json", text)).map_err(|error| error.problem).unwrap();
        found.flat_map(|found| found.unwrap().1.interactions(Grain::Turn)).collect()
    }

    fn told(it: &Interaction) -> Vec<(String, String, bool)> {
        let calls = it.tool_calls.as_ref().unwrap().iter();
        let arguments = |arguments: &Option<Json>| arguments.as_ref().map_or("", Json::text).to_owned();
        calls.map(|call| (call.name.to_string(), arguments(&call.arguments), call.result.is_some())).collect()
    }

    #[test]
    fn an_evaluation_set_is_read_in_both_spellings() {
        let snake = r#"{"eval_set_id":"s","eval_cases":[{"eval_id":"c","session_input":{"app_name":"trip","state":{"a":1}},
            "conversation":[{"invocation_id":"i1","user_content":{"role":"user","parts":[{"text":"go"}]},
            "final_response":{"role":"model","parts":[{"text":"done","function_call":null}]},"creation_timestamp":1747341775.5,
            "intermediate_data":{"tool_uses":[{"name":"find","args":{"q":1}},{"name":"book","args":{}}],
            "tool_responses":[{"name":"find","response":{"n":2}}],"intermediate_responses":[]}}]}]}"#;
        let camel = snake
            .replace("eval_set_id", "evalSetId")
            .replace("eval_cases", "evalCases")
            .replace("eval_id", "evalId")
            .replace("session_input", "sessionInput")
            .replace("app_name", "appName")
            .replace("invocation_id", "invocationId")
            .replace("user_content", "userContent")
            .replace("final_response", "finalResponse")
            .replace("creation_timestamp", "creationTimestamp")
            .replace("intermediate_data", "intermediateData")
            .replace("tool_uses", "toolUses")
            .replace("tool_responses", "toolResponses")
            .replace("function_call", "functionCall");
        for text in [snake, &camel] {
            let it = found(text).pop().unwrap();
            assert_eq!(
                (it.id.as_ref().unwrap().as_str(), it.input.text(), it.agent.as_deref()),
                ("c", "\"go\"", Some("trip"))
            );
            assert_eq!(told(&it), [("find".into(), r#"{"q":1}"#.into(), true), ("book".into(), "{}".into(), false)]);
            assert!(it.model_calls.is_none() && it.tool_calls.as_ref().unwrap().iter().all(|call| call.step.is_none()));
            assert_eq!(it.output.unwrap().text(), "\"done\"");
        }
    }

    #[test]
    fn without_intermediate_data_nobody_knows_what_was_called() {
        let it = found(
            r#"{"eval_cases":[{"eval_id":"c","conversation":[{"user_content":{"parts":[{"text":"go"}]},"final_response":null}]}]}"#,
        );
        assert_eq!(it[0].tool_calls, None);
    }

    #[test]
    fn old_test_files_are_one_conversation_named_by_their_file() {
        let turns = found(
            r#"[{"query":"a","expected_tool_use":[{"tool_name":"find","tool_input":{"q":1},"mock_tool_output":{"n":1}}],"reference":"b"},
            {"query":"c","expected_tool_use":[],"reference":"d"}]"#,
        );
        let ids: Vec<_> = turns.iter().map(|it| it.id.as_ref().unwrap().as_str()).collect();
        assert_eq!(
            (ids, told(&turns[0])),
            (vec!["trip/1", "trip/2"], vec![("find".into(), r#"{"q":1}"#.into(), true)])
        );
        assert_eq!((turns[1].tool_calls.as_deref(), turns[1].history.is_some()), (Some([].as_slice()), true));
        let old = r#"[{"name":"n","data":[{"query":"a","reference":"b"}],"initial_session":{"app_name":"x"}}]"#;
        let it = found(old).pop().unwrap();
        assert_eq!((it.id.unwrap().as_str(), it.tool_calls), ("n", None), "it does not say which tools were called");
    }

    #[test]
    fn a_session_counts_whole_events_and_knows_who_spoke() {
        let it = found(
            r#"{"id":"s","app_name":"trip","user_id":"u","state":{},"events":[
            {"author":"user","invocation_id":"i","timestamp":1734292270.5,"content":{"role":"user","parts":[{"text":"go"}]}},
            {"author":"root","partial":true,"content":{"role":"model","parts":[{"text":"I"}]}},
            {"author":"root","content":{"role":"model","parts":[{"text":"I look."},{"function_call":{"id":"a","name":"find","args":{}}}]},
             "usage_metadata":{"prompt_token_count":5,"candidates_token_count":2,"total_token_count":7},"model_version":"g"},
            {"author":"root","content":{"role":"user","parts":[{"function_response":{"id":"a","name":"find","response":{"n":1}}}]}},
            {"author":"root","actions":{"state_delta":{"x":1}}},
            {"author":"helper","content":{"role":"model","parts":[{"functionCall":{"name":"book","args":{}}}]},
             "usageMetadata":{"promptTokenCount":6,"candidatesTokenCount":1,"totalTokenCount":7}},
            {"author":"helper","error_code":"SAFETY","error_message":"blocked"}]}"#,
        )
        .pop()
        .unwrap();
        let agents: Vec<_> = it.tool_calls.as_ref().unwrap().iter().map(|call| call.agent.as_deref()).collect();
        assert_eq!((agents, it.model_calls.as_ref().unwrap().count()), (vec![None, Some("helper")], 2));
        assert_eq!(
            (it.tokens.input, it.tokens.output, it.failure.as_deref()),
            (Some(11), Some(3), Some("SAFETY: blocked"))
        );
        assert_eq!(it.recorded_at.as_deref(), Some("2024-12-15T19:51:10.5Z"));
    }

    #[test]
    fn files_without_conversations_say_what_they_are() {
        let refused = |text: &str| read(SourceText::of("x.json", text)).err().unwrap().problem;
        assert!(refused(r#"{"criteria":{"tool_trajectory_avg_score":0.2}}"#).contains("criteria of an evaluation"));
        let empty = r#"{"id":"s","app_name":"a","user_id":"u","events":[]}"#;
        let reject = read(SourceText::of("x.json", empty)).map_err(|error| error.problem).unwrap().next().unwrap();
        assert!(reject.unwrap_err().reason.to_string().contains("nothing was said"));
        let scenario = r#"{"eval_cases":[{"eval_id":"c","conversation_scenario":{"starting_prompt":"x"}}]}"#;
        let reject = read(SourceText::of("x.json", scenario)).map_err(|error| error.problem).unwrap().next().unwrap();
        assert!(reject.unwrap_err().reason.to_string().contains("simulated user"));
    }
}
