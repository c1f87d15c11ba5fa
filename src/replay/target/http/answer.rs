//! What a service answered, as a reply.

use crate::compare::{Path, PatternError};
use crate::recording::{Json, wire};
use crate::replay::{Failure, FailureKind, Reply};

/// The largest body that is read, in bytes.
pub(super) const MAX_BODY: usize = 64 << 20;

/// Where usage stands in a body. The default of each is the name it has in a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsagePaths {
    /// All tokens: a number, or an object by the classes of a recording.
    pub tokens: Option<String>,
    /// The tokens that were read.
    pub input_tokens: Option<String>,
    /// The tokens that were written.
    pub output_tokens: Option<String>,
    /// How often a model was asked.
    pub model_calls: Option<String>,
    /// What was paid.
    pub cost: Option<String>,
    /// In which currency.
    pub currency: Option<String>,
    /// Which model was asked.
    pub model: Option<String>,
}

/// Where the parts of a reply stand in a body.
#[derive(Clone, Debug)]
pub(super) struct AnswerPaths {
    /// `None`: `$.output`, then `$.reply`, then a body that is plain text.
    reply: Option<Path>,
    /// The usage field and its place.
    usage: Vec<(&'static str, Path)>,
    input_tokens: Option<Path>,
    output_tokens: Option<Path>,
}

impl AnswerPaths {
    pub(super) fn read(reply: Option<&str>, usage: &UsagePaths) -> Result<Self, PatternError> {
        let path = |text: &Option<String>| text.as_deref().map(str::parse::<Path>).transpose();
        let named = [
            ("tokens", &usage.tokens, "$.tokens"),
            ("modelCalls", &usage.model_calls, "$.modelCalls"),
            ("cost", &usage.cost, "$.cost"),
            ("currency", &usage.currency, "$.currency"),
            ("model", &usage.model, "$.model"),
        ];
        let usage_paths = named.into_iter().map(|(field, given, default)| {
            given.as_deref().unwrap_or(default).parse::<Path>().map(|path| (field, path))
        });
        Ok(Self {
            reply: reply.map(str::parse).transpose()?,
            usage: usage_paths.collect::<Result<_, _>>()?,
            input_tokens: path(&usage.input_tokens)?,
            output_tokens: path(&usage.output_tokens)?,
        })
    }

    /// Reads a body.
    pub(super) fn reply(&self, body: Vec<u8>, is_plain_text: bool) -> Result<Reply, Failure> {
        let text = String::from_utf8(body).map_err(|_| broken("its body is no UTF-8 text"))?;
        let json = match Json::parse(text.as_str()) {
            Ok(json) => json,
            Err(_) if self.reply.is_none() && is_plain_text => return Ok(Reply::text(&text)),
            Err(fault) => return Err(broken(&format!("its body is no JSON: {fault}: {}", start_of(&text)))),
        };
        let output = self.output(&json)?;
        Ok(Reply::with_usage(output, wire::read_usage(&self.usage_object(&json))))
    }

    fn output(&self, body: &Json) -> Result<Json, Failure> {
        let (found, wanted) = match &self.reply {
            Some(path) => (path.find(body), path.to_string()),
            None => (body.member("output").or_else(|| body.member("reply")), "$.output or $.reply".to_owned()),
        };
        found.ok_or_else(|| broken(&format!("its body has no {wanted}: {}", start_of(body.text()))))
    }

    /// The usage under the names it has in a recording.
    fn usage_object(&self, body: &Json) -> Json {
        let mut fields: Vec<String> = Vec::new();
        let classes = [("input", &self.input_tokens), ("output", &self.output_tokens)];
        let classes: Vec<String> = classes
            .iter()
            .filter_map(|(class, path)| path.as_ref()?.find(body).map(|count| format!("\"{class}\":{}", count.text())))
            .collect();
        if !classes.is_empty() {
            fields.push(format!("\"tokens\":{{{}}}", classes.join(",")));
        }
        for (field, path) in &self.usage {
            let is_taken = *field == "tokens" && !classes.is_empty();
            if let Some(value) = path.find(body).filter(|value| !value.is_null() && !is_taken) {
                fields.push(format!("\"{field}\":{}", value.text()));
            }
        }
        Json::parse(format!("{{{}}}", fields.join(","))).unwrap_or_else(|_| Json::null())
    }
}

/// A failure of the service to keep to what was agreed.
pub(super) fn broken(problem: &str) -> Failure {
    Failure::new(FailureKind::Protocol, problem)
}

/// The start of a body, fit for a sentence.
pub(super) fn start_of(text: &str) -> String {
    const MOST: usize = 200;
    let mut start: String = text.trim().chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.trim().chars().nth(MOST).is_some() {
        start.push('…');
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(paths: &AnswerPaths, body: &str) -> Result<Reply, Failure> {
        paths.reply(body.as_bytes().to_vec(), false)
    }

    #[test]
    fn the_default_body_is_that_of_a_recording() {
        let paths = AnswerPaths::read(None, &UsagePaths::default()).unwrap();
        let reply = read(&paths, r#"{"output":"hi","tokens":{"input":3},"modelCalls":2,"cost":0.10,"currency":"EUR"}"#)
            .unwrap();
        assert_eq!(reply.output.unwrap().text(), "\"hi\"");
        assert_eq!((reply.tokens.input, reply.tokens.output), (Some(3), None));
        assert_eq!(reply.cost.unwrap().to_string(), "0.10");
        assert_eq!(read(&paths, r#"{"reply":[1]}"#).unwrap().output.unwrap().text(), "[1]");
    }

    #[test]
    fn paths_lead_into_other_bodies() {
        let usage = UsagePaths {
            input_tokens: Some("$.usage.prompt_tokens".into()),
            output_tokens: Some("$.usage.completion_tokens".into()),
            ..UsagePaths::default()
        };
        let paths = AnswerPaths::read(Some("$.choices[0].message.content"), &usage).unwrap();
        let body = r#"{"model":"m-1","choices":[{"message":{"content":"hi"}}],"usage":{"prompt_tokens":7,"completion_tokens":-1}}"#;
        let reply = read(&paths, body).unwrap();
        assert_eq!(reply.output.unwrap().text(), "\"hi\"");
        assert_eq!((reply.tokens.input, reply.tokens.output), (Some(7), None));
        assert_eq!(reply.doubts.len(), 1, "a count that cannot be is named and stays unknown");
        assert_eq!(reply.model.as_deref(), Some("m-1"));
    }

    #[test]
    fn a_body_without_a_reply_is_named() {
        let paths = AnswerPaths::read(None, &UsagePaths::default()).unwrap();
        assert!(read(&paths, r#"{"text":"hi"}"#).unwrap_err().message.contains("no $.output or $.reply"));
        assert!(read(&paths, "<html>").unwrap_err().message.contains("no JSON"));
        assert_eq!(paths.reply(b"hi".to_vec(), true).unwrap().output.unwrap().text(), "\"hi\"");
        assert!(AnswerPaths::read(Some("$.choices[*]"), &UsagePaths::default()).is_err());
    }
}
