//! What a live session is asked: recordings, whose inputs are taken, or plain text with one input a line.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::case::{CaseError, EvalCase, EvalCaseParser};
use crate::recording::{CaseId, Interaction, Json, Place, Recordings, Reject, Row, SourceError, Tokens};

/// The inputs of a live session, to be read as often as wanted.
#[derive(Debug)]
pub struct Inputs {
    rows: Recordings,
    /// Keeps what plain texts were turned into until the inputs were read for the last time.
    _lines: Vec<tempfile::TempDir>,
}

/// Why an input cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum InputFault {
    /// The row is no interaction.
    #[error("{0}")]
    Row(Reject),
    /// Its setup has no form that is known.
    #[error("{place}: {fault}")]
    Case {
        /// Where it stands.
        place: Place,
        /// What is wrong with it.
        fault: CaseError,
    },
}

impl Inputs {
    /// Finds the inputs. A file that ends in `.txt` has one input a line; all else is read as recordings are, so a
    /// line of JSON with an `input` is enough.
    ///
    /// # Errors
    /// [`SourceError`] where a source does not exist, is empty of inputs or cannot be read.
    pub fn open<S: AsRef<str>>(sources: &[S]) -> Result<Self, SourceError> {
        let (mut paths, mut lines) = (Vec::new(), Vec::new());
        for source in sources {
            let source = source.as_ref();
            if source.ends_with(".txt") && Path::new(source).is_file() {
                let (folder, path) = as_json_lines(Path::new(source))
                    .map_err(|error| SourceError::Io { path: source.into(), source: error })?;
                lines.push(folder);
                paths.push(path.to_string_lossy().into_owned());
            } else {
                paths.push(source.to_owned());
            }
        }
        Ok(Self { rows: Recordings::open(&paths)?, _lines: lines })
    }

    /// Whether a file is one of them, so that it must not be written to.
    #[must_use]
    pub fn contains(&self, file: &Path) -> bool {
        self.rows.contains(file)
    }

    /// The cases made of the inputs, in their order. What a recording holds beside its input is left behind, but for
    /// what says which case it is and where it starts from.
    ///
    /// # Errors
    /// [`SourceError`] where a file cannot be opened.
    pub fn cases(&self) -> Result<impl Iterator<Item = Result<EvalCase, InputFault>> + Send + use<>, SourceError> {
        let parser = EvalCaseParser::default();
        let mut index = 0;
        Ok(self.rows.rows()?.map(move |row| {
            let row = asked(row.map_err(InputFault::Row)?);
            let place = row.place.clone();
            let case = parser.parse(index, row).map_err(|fault| InputFault::Case { place, fault })?;
            index += 1;
            Ok(case)
        }))
    }
}

/// Writes each line of a text as a row with an input. Line numbers stay the same, and so does the name but for its
/// ending, because ids are made of both.
fn as_json_lines(text: &Path) -> std::io::Result<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join(text.file_stem().unwrap_or_default()).with_extension("jsonl");
    let mut out = BufWriter::new(File::create(&path)?);
    for line in BufReader::new(File::open(text)?).lines() {
        let line = line?;
        match line.trim_start_matches('\u{FEFF}').trim() {
            "" => writeln!(out)?,
            input => writeln!(out, r#"{{"input":{}}}"#, Json::string(input).text())?,
        }
    }
    out.flush()?;
    Ok((folder, path))
}

/// Fields that tell of another run.
const OF_A_RUN: [&str; 12] = [
    "output",
    "toolCalls",
    "modelCalls",
    "tokens",
    "latencyMs",
    "cost",
    "currency",
    "agent",
    "model",
    "recordedAt",
    "failure",
    "truncated",
];

/// A row without what an earlier run made of it. An id that was made of its place says that it is an input's.
fn asked(row: Row) -> Row {
    let it = row.interaction;
    let id = match &it.id {
        Some(id) => id.clone(),
        None => match row.id.as_str().rsplit_once("replay-") {
            Some((file, number)) => CaseId::new(format!("{file}in-{number}")),
            None => row.id,
        },
    };
    let extra = it.extra.into_iter().filter(|(key, _)| !OF_A_RUN.contains(&&**key)).collect();
    let interaction = Interaction {
        id: Some(id.clone()),
        output: None,
        tool_calls: None,
        model_calls: None,
        tokens: Tokens::default(),
        latency_ms: None,
        cost: None,
        currency: None,
        agent: None,
        model: None,
        recorded_at: None,
        failure: None,
        truncated: None,
        extra,
        doubts: Vec::new(),
        ..it
    };
    Row { id, interaction, ..row }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids_and_inputs(name: &str, text: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let inputs = Inputs::open(&[path.to_str().unwrap()]).unwrap();
        let cases: Vec<_> = inputs.cases().unwrap().map(Result::unwrap).collect();
        cases.iter().map(|case| crate::recording::wire::write(&case.recorded)).collect()
    }

    #[test]
    fn a_text_has_one_input_a_line() {
        let rows = ids_and_inputs("asked.txt", "\u{FEFF}Where is it?\r\n\n  {\"not\": \"a row\"}\n");
        assert_eq!(
            rows,
            [r#"{"id":"in-1","input":"Where is it?"}"#, r#"{"id":"in-3","input":"{\"not\": \"a row\"}"}"#]
        );
    }

    #[test]
    fn a_recording_gives_its_input_and_keeps_what_says_which_case_it_is() {
        let row = r#"{"id":"a","input":{"text":"x"},"output":"y","toolCalls":[],"tokens":9,"latencyMs":9.0,
            "scenario":"s","tags":["t"],"weight":2,"setup":{"fixture":"f"},"mine":1}"#;
        assert_eq!(
            ids_and_inputs("r.jsonl", &row.replace('\n', " ")),
            [
                r#"{"id":"a","input":{"text":"x"},"scenario":"s","tags":["t"],"weight":2,"setup":{"fixture":"f"},"mine":1}"#
            ]
        );
    }
}
