//! Writing down what a target did, as a recording, in the order of the input whatever the lanes did.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::recording::{Existing, Interaction, Json, RecordingWriter, wire};
use crate::replay::AttemptKey;

/// Takes interactions in any order and writes them in order.
pub(super) struct Recorder {
    path: PathBuf,
    writer: RecordingWriter,
    spool: BufWriter<File>,
    taken: Vec<(AttemptKey, u64, usize)>,
    offset: u64,
}

impl Recorder {
    /// A recorder for a file that is written at the end. Whether it can be is found out now.
    pub(super) fn create(path: &Path) -> miette::Result<Self> {
        let writer = RecordingWriter::new(path, Existing::Replace)?;
        let spool = tempfile::tempfile().map_err(|error| problem(path, &error))?;
        Ok(Self { path: path.to_owned(), writer, spool: BufWriter::new(spool), taken: Vec::new(), offset: 0 })
    }

    /// Takes what was seen in an attempt.
    pub(super) fn take(&mut self, key: AttemptKey, seen: &Interaction) -> miette::Result<()> {
        let text = wire::write(seen);
        self.spool.write_all(text.as_bytes()).map_err(|error| problem(&self.path, &error))?;
        self.taken.push((key, self.offset, text.len()));
        self.offset += text.len() as u64;
        Ok(())
    }

    /// Writes the recording.
    pub(super) fn finish(mut self) -> miette::Result<()> {
        self.taken.sort_by_key(|(key, ..)| *key);
        let path = self.path;
        let mut spool = self.spool.into_inner().map_err(|error| problem(&path, error.error()))?;
        let mut writer = self.writer;
        for (_, offset, length) in self.taken {
            let mut bytes = vec![0; length];
            spool.seek(SeekFrom::Start(offset)).map_err(|error| problem(&path, &error))?;
            spool.read_exact(&mut bytes).map_err(|error| problem(&path, &error))?;
            // The spool holds what was written a moment ago.
            let json = Json::parse(String::from_utf8_lossy(&bytes).into_owned())
                .map_err(|fault| miette::miette!("{fault}"))?;
            writer.write(&wire::read(&json).map_err(|fault| miette::miette!("{fault}"))?)?;
        }
        writer.finish()?;
        Ok(())
    }
}

fn problem(path: &Path, error: &std::io::Error) -> miette::Report {
    miette::miette!("cannot record to {}: {error}", path.display())
}
