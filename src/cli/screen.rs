//! Writing to the screen: results to standard output, everything else to standard error.

use std::io::Write;
use std::path::Path;

use super::Exit;
use crate::store::StoreError;

/// Writes a result to standard output, as [`stream`] does.
pub fn print(text: &str) -> Result<Exit, StoreError> {
    let written = StoreError::io("write", Path::new("standard output"));
    stream(|out| out.write_all(text.as_bytes()).map_err(written))?;
    Ok(Exit::Passed)
}

/// Streams a result to standard output. Styles are taken out where it is no terminal; a reader that went away
/// (`| head`) is no error.
pub fn stream(write: impl FnOnce(&mut dyn Write) -> Result<(), StoreError>) -> Result<(), StoreError> {
    let mut out = std::io::BufWriter::new(anstream::stdout().lock());
    let flushed = |out: &mut dyn Write| out.flush().map_err(StoreError::io("write", Path::new("standard output")));
    match write(&mut out).and_then(|()| flushed(&mut out)) {
        Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Says something to the person at the terminal.
pub fn note(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Says why the work was refused. What is wrong in a file is shown in its place; the rest is said in plain lines,
/// so that `file:line:column` stays in one piece.
pub fn refuse(report: &miette::Report) -> Exit {
    if report.source_code().is_some() {
        note(&format!("{report:?}"));
        return Exit::Refused;
    }
    let mut text = format!("{}: {report}", bold("error"));
    for cause in report.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str(&format!("\n  because: {cause}"));
        }
    }
    for reason in report.related().into_iter().flatten() {
        text.push_str(&format!("\n\n  {}", indented(&reason.to_string())));
        if let Some(help) = reason.help() {
            text.push_str(&format!("\n  {} {}", bold("help:"), indented(&help.to_string())));
        }
    }
    if let Some(help) = report.help() {
        text.push_str(&format!("\n  {} {}", bold("help:"), indented(&help.to_string())));
    }
    note(&text);
    Exit::Refused
}

fn bold(text: &str) -> String {
    let style = anstyle::Style::new().bold();
    format!("{style}{text}{style:#}")
}

fn indented(text: &str) -> String {
    text.replace('\n', "\n  ")
}
