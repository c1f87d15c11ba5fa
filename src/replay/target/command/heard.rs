//! What a program says to taketwo, read strictly: a fault names the message and the key.

use crate::recording::wire::{self, Usage};
use crate::recording::{Json, Kind, ToolError, ToolName};
use crate::replay::ToolRequest;

/// A sentence that says how a line breaks the protocol.
pub(super) type Violation = String;

/// A line from a target.
#[derive(Debug)]
pub(super) enum FromTarget {
    /// It said hello.
    Hello,
    /// It asks for a tool.
    Call { attempt: String, call: String, request: ToolRequest },
    /// It answers.
    Reply { attempt: String, output: Json, usage: Box<Usage> },
    /// It gives up.
    Failure { attempt: String, message: String },
}

impl FromTarget {
    pub(super) fn read(line: &[u8]) -> Result<Self, Violation> {
        let message = Message::read(line)?;
        match &*message.kind {
            "hello" => Ok(FromTarget::Hello),
            "tool_call" => {
                let request = ToolRequest {
                    name: ToolName::new(message.text("name")?),
                    arguments: message.value("arguments"),
                    id: Some(message.text("call")?),
                    step: message.whole("step")?,
                    agent: message.text_if_any("agent")?,
                };
                Ok(FromTarget::Call { attempt: message.text("attempt")?, call: message.text("call")?, request })
            }
            "reply" => Ok(FromTarget::Reply {
                attempt: message.text("attempt")?,
                output: message.value_or_null("output")?,
                usage: Box::new(wire::read_usage(&message.whole)),
            }),
            "failure" => {
                Ok(FromTarget::Failure { attempt: message.text("attempt")?, message: message.text("message")? })
            }
            other => Err(message.unknown(other)),
        }
    }

    /// The attempt it belongs to.
    pub(super) fn attempt(&self) -> Option<&str> {
        match self {
            FromTarget::Hello => None,
            FromTarget::Call { attempt, .. }
            | FromTarget::Reply { attempt, .. }
            | FromTarget::Failure { attempt, .. } => Some(attempt),
        }
    }

    /// What it is called when it comes while no turn is open.
    pub(super) fn as_idle(&self) -> &'static str {
        match self {
            FromTarget::Hello => "said hello again",
            FromTarget::Call { .. } => "called a tool in an attempt that it was not sent",
            FromTarget::Reply { .. } => "replied to an attempt that it was not sent",
            FromTarget::Failure { .. } => "failed an attempt that it was not sent",
        }
    }

    /// What it is called when it comes for an attempt that is over.
    pub(super) fn as_late(&self) -> String {
        match self {
            FromTarget::Hello => "said hello again".to_owned(),
            FromTarget::Call { request, .. } => format!("called {} after its end", request.name),
            FromTarget::Reply { .. } => "replied after its end".to_owned(),
            FromTarget::Failure { .. } => "said after its end that it failed".to_owned(),
        }
    }
}

/// A line from a tool program.
#[derive(Debug)]
pub(super) struct FromTools {
    pub(super) attempt: String,
    pub(super) call: String,
    pub(super) answer: Result<Json, ToolError>,
}

impl FromTools {
    pub(super) fn read(line: &[u8]) -> Result<Self, Violation> {
        let message = Message::read(line)?;
        let answer = match &*message.kind {
            "tool_result" => Ok(message.value_or_null("result")?),
            "tool_error" => {
                let error = message.value("error").ok_or_else(|| message.lacks("error"))?;
                Err(ToolError::read(&error))
            }
            other => return Err(message.unknown(other)),
        };
        Ok(FromTools { attempt: message.text("attempt")?, call: message.text("call")?, answer })
    }
}

/// What a program says of itself in its first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hello {
    pub(super) protocol: i64,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) fixtures: Vec<String>,
    pub(super) breakable_tools: Vec<ToolName>,
}

impl Hello {
    pub(super) fn read(line: &[u8]) -> Result<Self, Violation> {
        let message = Message::read(line)?;
        if message.kind != "hello" {
            return Err(format!("its first line is no hello: {}", shown(line)));
        }
        let protocol = message.whole("protocol")?.ok_or_else(|| message.lacks("protocol"))?;
        // The rest of another protocol's hello may be anything.
        if protocol != i64::from(super::said::PROTOCOL) {
            return Ok(Hello {
                protocol,
                name: String::new(),
                version: String::new(),
                fixtures: vec![],
                breakable_tools: vec![],
            });
        }
        let fixtures = message.of_kind("fixtures", Kind::Object, "an object")?;
        let tools = message.of_kind("breakableTools", Kind::Array, "a list of texts")?;
        Ok(Hello {
            protocol,
            name: message.text("name")?,
            version: message.text("version")?,
            fixtures: fixtures
                .and_then(|fixtures| fixtures.members().map(|all| all.into_iter().map(|(key, _)| key.into()).collect()))
                .unwrap_or_default(),
            breakable_tools: tools
                .and_then(|tools| tools.items())
                .unwrap_or_default()
                .iter()
                .map(|tool| ToolName::new(tool.shown().as_ref()))
                .collect(),
        })
    }
}

/// One line as an object with a type.
struct Message {
    kind: String,
    whole: Json,
    members: Vec<(String, Json)>,
}

impl Message {
    fn read(line: &[u8]) -> Result<Self, Violation> {
        let text =
            std::str::from_utf8(line).map_err(|_| format!("it sent a line that is no UTF-8: {}", shown(line)))?;
        let whole =
            Json::parse(text).map_err(|fault| format!("it sent a line that is no JSON: {fault}: {}", shown(line)))?;
        let members = whole.members().ok_or_else(|| format!("it sent a line that is no object: {}", shown(line)))?;
        let members = members.into_iter().map(|(key, value)| (key.into_owned(), value)).collect();
        let mut message = Self { kind: String::new(), whole: whole.clone(), members };
        match message.value("type").as_ref().and_then(Json::as_str) {
            Some(kind) => message.kind = kind.into_owned(),
            None => return Err(format!("it sent a message without a type: {}", shown(line))),
        }
        Ok(message)
    }

    fn member(&self, key: &str) -> Option<&Json> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// A key with the value null is an absent key.
    fn value(&self, key: &str) -> Option<Json> {
        self.member(key).filter(|value| !value.is_null()).cloned()
    }

    fn value_or_null(&self, key: &str) -> Result<Json, Violation> {
        self.member(key).cloned().ok_or_else(|| self.lacks(key))
    }

    fn of_kind(&self, key: &str, kind: Kind, wanted: &str) -> Result<Option<Json>, Violation> {
        match self.value(key) {
            Some(value) if value.kind() != kind => Err(self.wrong(key, wanted, &value)),
            value => Ok(value),
        }
    }

    fn text(&self, key: &str) -> Result<String, Violation> {
        let value = self.of_kind(key, Kind::String, "a text")?.ok_or_else(|| self.lacks(key))?;
        Ok(value.shown().into_owned())
    }

    fn text_if_any(&self, key: &str) -> Result<Option<String>, Violation> {
        Ok(self.of_kind(key, Kind::String, "a text")?.map(|value| value.shown().into_owned()))
    }

    fn whole(&self, key: &str) -> Result<Option<i64>, Violation> {
        let wanted = "a whole number";
        match self.of_kind(key, Kind::Number, wanted)? {
            None => Ok(None),
            Some(value) => value.text().parse().map(Some).map_err(|_| self.wrong(key, wanted, &value)),
        }
    }

    fn lacks(&self, key: &str) -> Violation {
        format!("its {} has no {key:?}", self.kind)
    }

    fn wrong(&self, key: &str, wanted: &str, value: &Json) -> Violation {
        format!("{key:?} of its {} should be {wanted}, it is {}", self.kind, shown(value.text().as_bytes()))
    }

    fn unknown(&self, kind: &str) -> Violation {
        format!("it sent a message of a type that is not known: {kind:?}")
    }
}

/// The start of a line, fit for a sentence.
pub(super) fn shown(line: &[u8]) -> String {
    const MOST: usize = 80;
    let start = &line[..line.len().min(4 * MOST)];
    let text = String::from_utf8_lossy(start);
    let mut short: String = text.chars().take(MOST).flat_map(|c| (!c.is_control()).then_some(c)).collect();
    if text.chars().count() > MOST || start.len() < line.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violation(line: &str) -> String {
        FromTarget::read(line.as_bytes()).unwrap_err()
    }

    #[test]
    fn a_message_keeps_the_text_of_its_values() {
        let line = r#" {"type":"tool_call", "attempt":"t1","call":"c1","name":"get","arguments":{"id": 12345678901234567890123},"step":null,"agent":"writer","more":1}"#;
        let FromTarget::Call { attempt, call, request } = FromTarget::read(line.as_bytes()).unwrap() else { panic!() };
        assert_eq!((attempt.as_str(), call.as_str(), request.step), ("t1", "c1", None));
        assert_eq!(request.agent.as_deref(), Some("writer"));
        assert_eq!(request.arguments.unwrap().text(), r#"{"id": 12345678901234567890123}"#);
        let line = r#"{"type":"reply","attempt":"t1","output":null,"tokens":{"input":3},"cost":-1}"#;
        let FromTarget::Reply { output, usage, .. } = FromTarget::read(line.as_bytes()).unwrap() else { panic!() };
        assert!(output.is_null());
        assert_eq!((usage.tokens.input, usage.tokens.output, usage.doubts.len()), (Some(3), None, 1));
    }

    #[test]
    fn a_fault_names_the_message_and_the_key() {
        assert!(violation("DEBUG: asking").starts_with("it sent a line that is no JSON: "));
        assert_eq!(violation("[1]"), "it sent a line that is no object: [1]");
        assert_eq!(violation(r#"{"attempt":"t1"}"#), r#"it sent a message without a type: {"attempt":"t1"}"#);
        assert_eq!(violation(r#"{"type":"log"}"#), r#"it sent a message of a type that is not known: "log""#);
        assert_eq!(violation(r#"{"type":"reply","attempt":"t1"}"#), r#"its reply has no "output""#);
        assert_eq!(
            violation(r#"{"type":"reply","attempt":1,"output":""}"#),
            r#""attempt" of its reply should be a text, it is 1"#
        );
        assert_eq!(
            violation(r#"{"type":"tool_call","attempt":"t1","call":"c","name":"n","step":1.5}"#),
            r#""step" of its tool_call should be a whole number, it is 1.5"#
        );
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_a_message_or_a_violation(line in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
            for violation in [
                FromTarget::read(&line).err(),
                FromTools::read(&line).err(),
                Hello::read(&line).err(),
            ] {
                proptest::prop_assert!(violation.is_some_and(|text| text.chars().count() < 200));
            }
        }
    }

    #[test]
    fn a_hello_is_read_with_all_that_it_tells() {
        let line = r#"{"type":"hello","protocol":1,"name":"a","version":"2","fixtures":{"email":"who"},"breakableTools":["pay"]}"#;
        let hello = Hello::read(line.as_bytes()).unwrap();
        assert_eq!((hello.fixtures, hello.breakable_tools), (vec!["email".to_owned()], vec![ToolName::new("pay")]));
        let lacks = Hello::read(br#"{"type":"hello","protocol":1,"name":"a"}"#).unwrap_err();
        assert_eq!(lacks, r#"its hello has no "version""#);
        assert!(Hello::read(br#"{"type":"hello","protocol":"1"}"#).is_err());
        assert_eq!(Hello::read(br#"{"type":"hello","protocol":99}"#).unwrap().protocol, 99);
    }
}
