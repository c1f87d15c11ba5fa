//! What taketwo says to a program: one line a message, compact, the keys in the order of docs/protocol.md.

use super::compact::compact;
use crate::recording::{Json, ToolError};
use crate::replay::ToolRequest;

/// The protocol's number.
pub const PROTOCOL: u32 = 1;

pub(super) fn hello() -> String {
    format!(r#"{{"type":"hello","protocol":{PROTOCOL},"taketwo":"{}"}}"#, env!("CARGO_PKG_VERSION"))
}

/// What a turn begins with.
pub(super) struct Turn<'a> {
    pub(super) attempt: &'a str,
    pub(super) input: &'a Json,
    pub(super) history: &'a [Json],
    pub(super) setup: Option<&'a Json>,
}

pub(super) fn turn(turn: &Turn<'_>) -> String {
    let mut line = opening("turn", turn.attempt);
    push(&mut line, "input", &compact(turn.input));
    if !turn.history.is_empty() {
        let entries: Vec<String> = turn.history.iter().map(compact).collect();
        push(&mut line, "history", &format!("[{}]", entries.join(",")));
    }
    if let Some(setup) = turn.setup {
        push(&mut line, "setup", &compact(setup));
    }
    line + "}"
}

/// The answer to a call: `tool_result` or `tool_error`.
pub(super) fn answer(attempt: &str, call: &str, answer: &Result<Json, ToolError>) -> String {
    let mut line;
    match answer {
        Ok(result) => {
            line = opening("tool_result", attempt);
            push(&mut line, "call", &quoted(call));
            push(&mut line, "result", &compact(result));
        }
        Err(error) => {
            line = opening("tool_error", attempt);
            push(&mut line, "call", &quoted(call));
            push(&mut line, "error", &error_json(error));
        }
    }
    line + "}"
}

pub(super) fn cancel(attempt: &str, reason: &str) -> String {
    let mut line = opening("cancel", attempt);
    push(&mut line, "reason", &quoted(reason));
    line + "}"
}

/// To a tool program: an attempt begins.
pub(super) fn begin(attempt: &str) -> String {
    opening("begin", attempt) + "}"
}

/// To a tool program: do this call.
pub(super) fn tool_call(attempt: &str, call: &str, request: &ToolRequest) -> String {
    let mut line = opening("tool_call", attempt);
    push(&mut line, "call", &quoted(call));
    push(&mut line, "name", &quoted(request.name.as_str()));
    if let Some(arguments) = &request.arguments {
        push(&mut line, "arguments", &compact(arguments));
    }
    line + "}"
}

fn opening(kind: &str, attempt: &str) -> String {
    format!(r#"{{"type":"{kind}","attempt":{}"#, quoted(attempt))
}

fn push(line: &mut String, key: &str, value: &str) {
    line.extend([",\"", key, "\":", value]);
}

fn error_json(error: &ToolError) -> String {
    match &error.kind {
        Some(kind) => format!(r#"{{"type":{},"message":{}}}"#, quoted(kind), quoted(&error.message)),
        None => format!(r#"{{"message":{}}}"#, quoted(&error.message)),
    }
}

fn quoted(text: &str) -> String {
    Json::string(text).text().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn messages_are_those_of_the_document() {
        let spoken = turn(&Turn {
            attempt: "t1",
            input: &Json::string("Where is my order?"),
            history: &[json(r#"{"role": "user", "content": "Hi"}"#)],
            setup: Some(&json(r#"{"fixture":"email","params":"ada.berg@example.com"}"#)),
        });
        assert_eq!(
            spoken,
            r#"{"type":"turn","attempt":"t1","input":"Where is my order?","history":[{"role":"user","content":"Hi"}],"setup":{"fixture":"email","params":"ada.berg@example.com"}}"#
        );
        let bare = Turn { attempt: "t1", input: &json("1.0"), history: &[], setup: None };
        assert_eq!(turn(&bare), r#"{"type":"turn","attempt":"t1","input":1.0}"#);
        assert_eq!(
            answer("t1", "c1", &Ok(Json::null())),
            r#"{"type":"tool_result","attempt":"t1","call":"c1","result":null}"#
        );
        let error = ToolError { kind: Some("unavailable".into()), message: "503 busy".into() };
        assert_eq!(
            answer("t1", "c\"2", &Err(error)),
            r#"{"type":"tool_error","attempt":"t1","call":"c\"2","error":{"type":"unavailable","message":"503 busy"}}"#
        );
        assert_eq!(cancel("t1", "deadline"), r#"{"type":"cancel","attempt":"t1","reason":"deadline"}"#);
    }
}
