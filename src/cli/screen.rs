//! Writing to the screen: results to standard output, everything else to standard error.

use std::io::Write;

use super::Exit;

/// Writes a result to standard output. A reader that went away (`| head`) is no error.
pub fn print(text: &str) -> Exit {
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    Exit::Passed
}

/// Says something to the person at the terminal.
pub fn note(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Says why the work was refused.
pub fn refuse(report: &miette::Report) -> Exit {
    note(&format!("{report:?}"));
    Exit::Refused
}

/// Prints what a run came to.
pub fn print_outcome(outcome: &crate::experiment::Outcome, _json: bool) -> miette::Result<()> {
    print(&format!("{:#?}\n{:#?}\n", outcome.result, outcome.summary));
    Ok(())
}
