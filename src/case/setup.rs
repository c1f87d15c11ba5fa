//! The state a case starts from.

use std::collections::BTreeMap;

use crate::recording::{Json, ToolName};

/// How a target is made ready before the turn that is tested (evalkit: `EvalSetup`).
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EvalSetup {
    /// The turn is the first.
    #[default]
    None,
    /// These user turns are spoken to the target first.
    Replay(Vec<Json>),
    /// The target builds a state that it has a name for.
    Fixture {
        /// The name.
        name: String,
        /// What the target needs to build it.
        params: Option<Json>,
    },
    /// The target breaks one of its tools, then makes the inner setup.
    FailingTool {
        /// The tool.
        tool: ToolName,
        /// What the tool says when it is called.
        message: String,
        /// The setup that follows.
        then: Box<EvalSetup>,
    },
}

/// Why a `setup` field is no setup.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"setup\" has no form that is known: {problem}")]
pub struct SetupError {
    problem: String,
}

impl EvalSetup {
    /// Reads the `setup` field of a recording: `{"replay": [...]}`, `{"fixture": "name", "params": {...}}` or
    /// `{"failingTool": "name", "message": "...", "then": {...}}`.
    ///
    /// # Errors
    /// [`SetupError`] when it has none of these forms.
    pub fn read(json: &Json) -> Result<Self, SetupError> {
        if json.is_null() {
            return Ok(EvalSetup::None);
        }
        let text = |key: &str| json.member(key).and_then(|value| value.as_str().map(|text| text.into_owned()));
        if let Some(turns) = json.member("replay") {
            let turns =
                turns.items().ok_or_else(|| SetupError { problem: "\"replay\" is a list of user turns".into() })?;
            return Ok(EvalSetup::Replay(turns));
        }
        if let Some(name) = text("fixture") {
            return Ok(EvalSetup::Fixture { name, params: json.member("params").filter(|params| !params.is_null()) });
        }
        if let Some(tool) = text("failingTool") {
            let then = json.member("then").map_or(Ok(EvalSetup::None), |then| EvalSetup::read(&then))?;
            let message = text("message").unwrap_or_else(|| "the tool failed".into());
            return Ok(EvalSetup::FailingTool { tool: ToolName::new(tool), message, then: Box::new(then) });
        }
        Err(SetupError { problem: "it names none of replay, fixture, failingTool".into() })
    }

    /// The setup as a target is told.
    #[must_use]
    pub fn to_json(&self) -> Option<Json> {
        Some(match self {
            EvalSetup::None => return None,
            EvalSetup::Replay(turns) => Json::of(&BTreeMap::from([("replay", turns)])),
            EvalSetup::Fixture { name, params } => {
                let params = params.clone().unwrap_or_else(Json::null);
                Json::of(&BTreeMap::from([("fixture", Json::string(name)), ("params", params)]))
            }
            EvalSetup::FailingTool { tool, message, then } => Json::of(&BTreeMap::from([
                ("failingTool", Json::string(tool.as_str())),
                ("message", Json::string(message)),
                ("then", then.to_json().unwrap_or_else(Json::null)),
            ])),
        })
    }

    /// The fixture it needs, if any.
    #[must_use]
    pub fn fixture(&self) -> Option<&str> {
        match self {
            EvalSetup::Fixture { name, .. } => Some(name),
            EvalSetup::FailingTool { then, .. } => then.fixture(),
            EvalSetup::None | EvalSetup::Replay(_) => None,
        }
    }

    /// The tool that the target must be able to break, if any.
    #[must_use]
    pub fn broken_tool(&self) -> Option<&ToolName> {
        match self {
            EvalSetup::FailingTool { tool, .. } => Some(tool),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setup_is_read_as_it_is_written() {
        for text in [
            r#"{"replay":["hello",{"text":"x"}]}"#,
            r#"{"fixture":"vip","params":{"n":1}}"#,
            r#"{"failingTool":"pay","message":"down","then":{"fixture":"vip"}}"#,
        ] {
            let setup = EvalSetup::read(&Json::parse(text).unwrap()).unwrap();
            assert_eq!(EvalSetup::read(&setup.to_json().unwrap()).unwrap(), setup);
        }
        assert!(EvalSetup::read(&Json::parse(r#"{"fixtures":"x"}"#).unwrap()).is_err());
    }
}
