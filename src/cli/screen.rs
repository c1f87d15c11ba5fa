//! Writing to the screen: results to standard output, everything else to standard error.

use std::io::Write;
use std::path::Path;

use super::Exit;
use crate::store::StoreError;

/// Writes a result to standard output. A reader that went away (`| head`) is no error.
pub fn print(text: &str) -> Exit {
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    Exit::Passed
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

/// Says why the work was refused.
pub fn refuse(report: &miette::Report) -> Exit {
    note(&format!("{report:?}"));
    Exit::Refused
}
