//! A command line as words.

use std::fmt;

/// A program and its arguments. No shell is involved: no variables, no globs, no pipes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    text: String,
    program: String,
    arguments: Vec<String>,
}

/// Why a text is no command line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandLineError {
    /// It names no program.
    #[error("the command is empty: it names no program")]
    Empty,
    /// A quote is not closed, or a backslash stands at its end.
    #[error("{0:?} is no command line: a quote is not closed, or a backslash stands at its end")]
    Quote(String),
}

impl CommandLine {
    /// Splits a text into words by the quoting rules of a POSIX shell.
    ///
    /// # Errors
    /// [`CommandLineError`] when it is empty or a quote in it is not closed.
    pub fn split(text: &str) -> Result<Self, CommandLineError> {
        let text = text.trim();
        let words = shlex::split(text).ok_or_else(|| CommandLineError::Quote(text.to_owned()))?;
        let mut words = words.into_iter();
        let program = words.next().filter(|program| !program.is_empty()).ok_or(CommandLineError::Empty)?;
        Ok(Self { text: text.to_owned(), program, arguments: words.collect() })
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Its arguments.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_words_together_and_nothing_is_expanded() {
        let line = CommandLine::split(r#" python3 "my agent.py" --say 'a "b" $HOME *' c\ d "#).unwrap();
        assert_eq!(line.program(), "python3");
        assert_eq!(line.arguments(), ["my agent.py", "--say", "a \"b\" $HOME *", "c d"]);
    }

    #[test]
    fn a_line_without_a_program_is_refused() {
        assert_eq!(CommandLine::split("  "), Err(CommandLineError::Empty));
        assert_eq!(CommandLine::split("''"), Err(CommandLineError::Empty));
        assert!(matches!(CommandLine::split("python3 'x"), Err(CommandLineError::Quote(_))));
    }
}
