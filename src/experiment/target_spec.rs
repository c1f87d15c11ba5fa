//! A target as it is named on the command line: `KIND:ARG`.

use std::fmt;
use std::str::FromStr;

use crate::recording::nearest_word;

/// Which target a run is made against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetSpec {
    /// A program that speaks JSON lines: `command:python3 agent.py`.
    Command(String),
    /// A second recording that stands in for the run: `recorded:other.jsonl`.
    Recorded(String),
    /// A service that is asked by HTTP: `http://127.0.0.1:8080/chat`.
    Http(String),
    /// The agent that is compiled in, in one of its versions: `sample:v2`.
    Sample(String),
}

/// Why a text names no target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("{text:?} names no target: {problem}")]
#[diagnostic(
    code(taketwo::bad_target),
    help(
        "targets are command:PROGRAM ARGS..., http://HOST/PATH, recorded:RECORDING and sample:VERSION, \
         as in --target 'command:python3 agent.py'"
    )
)]
pub struct TargetSpecError {
    text: String,
    problem: String,
}

const KINDS: [&str; 5] = ["command", "recorded", "http", "https", "sample"];

impl FromStr for TargetSpec {
    type Err = TargetSpecError;

    fn from_str(text: &str) -> Result<Self, TargetSpecError> {
        let wrong = |problem: String| TargetSpecError { text: text.to_owned(), problem };
        let Some((kind, argument)) = text.split_once(':') else {
            return Err(wrong("it has no kind".into()));
        };
        let given = argument.trim();
        if given.is_empty() {
            return Err(wrong(format!("nothing follows {kind}:")));
        }
        match kind {
            "command" => Ok(TargetSpec::Command(given.to_owned())),
            "recorded" => Ok(TargetSpec::Recorded(given.to_owned())),
            "sample" => Ok(TargetSpec::Sample(given.to_owned())),
            // Both `http://host/path` and `http:http://host/path` are written.
            "http" | "https" if given.starts_with("//") => Ok(TargetSpec::Http(text.to_owned())),
            "http" if given.starts_with("http://") || given.starts_with("https://") => {
                Ok(TargetSpec::Http(given.to_owned()))
            }
            "http" | "https" => Err(wrong("an address starts with http:// or https://".into())),
            other => Err(wrong(nearest_word(other, &KINDS).map_or(format!("there is no kind {other:?}"), |near| {
                format!("there is no kind {other:?}, did you mean {near:?}?")
            }))),
        }
    }
}

impl fmt::Display for TargetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetSpec::Command(command) => write!(f, "command:{command}"),
            TargetSpec::Recorded(source) => write!(f, "recorded:{source}"),
            TargetSpec::Http(url) => f.write_str(url),
            TargetSpec::Sample(version) => write!(f, "sample:{version}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_and_typos_are_answered() {
        assert_eq!("command: sh a.sh".parse(), Ok(TargetSpec::Command("sh a.sh".into())));
        assert_eq!("http:http://x/y".parse(), Ok(TargetSpec::Http("http://x/y".into())));
        assert_eq!("https://x".parse(), Ok(TargetSpec::Http("https://x".into())));
        let error = "comand:x".parse::<TargetSpec>().unwrap_err();
        assert!(error.to_string().contains("did you mean \"command\""), "{error}");
        for text in ["x", "command:", "http:x", ":"] {
            assert!(text.parse::<TargetSpec>().is_err(), "{text}");
        }
    }
}
