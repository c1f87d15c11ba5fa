//! Where in a journal each attempt stands, so that cases can be read in their order without holding them all.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::error::StoreError;
use crate::recording::CaseId;
use crate::replay::AttemptKey;
use crate::verdict::{AttemptRow, EvalCaseResults};

/// One attempt's place: 24 bytes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    index: u64,
    offset: u64,
    number: u32,
    length: u32,
}

impl Entry {
    fn key(&self) -> AttemptKey {
        AttemptKey { index: self.index, number: self.number }
    }
}

/// Where each attempt of a journal stands. It holds 24 bytes for each.
#[derive(Clone, Debug)]
pub struct JournalIndex {
    path: PathBuf,
    entries: Vec<Entry>,
    torn: bool,
}

/// Of a row, what it is found by.
#[derive(Deserialize)]
struct RowKey {
    index: u64,
    attempt: u32,
}

/// Of a row, what it is about.
#[derive(Deserialize)]
struct RowId {
    id: CaseId,
}

impl JournalIndex {
    /// Looks through a journal. One that is not there is empty; a last line that was cut off is left out.
    pub(super) fn read(path: &Path) -> Result<Self, StoreError> {
        let mut index = Self { path: path.to_owned(), entries: Vec::new(), torn: false };
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(index),
            Err(error) => return Err(StoreError::io("read", path)(error)),
        };
        index.scan(BufReader::with_capacity(256 * 1024, file))?;
        // Of two rows for one attempt the first counts.
        index.entries.sort_unstable_by_key(|entry| (entry.key(), entry.offset));
        index.entries.dedup_by_key(|entry| entry.key());
        index.entries.shrink_to_fit();
        Ok(index)
    }

    fn scan(&mut self, mut file: impl BufRead) -> Result<(), StoreError> {
        let (mut line, mut offset) = (Vec::new(), 0);
        loop {
            line.clear();
            let length = file.read_until(b'\n', &mut line).map_err(StoreError::io("read", &self.path))?;
            if length == 0 {
                return Ok(());
            }
            if line.last() != Some(&b'\n') {
                self.torn = true;
                return Ok(());
            }
            let fault = |problem: String| StoreError::Journal { path: self.path.clone(), offset, problem };
            let text = std::str::from_utf8(&line).map_err(|error| fault(error.to_string()))?;
            let key: RowKey = serde_json::from_str(text).map_err(|error| fault(error.to_string()))?;
            let length = u32::try_from(length).map_err(|_| fault("it is longer than 4 GiB".to_owned()))?;
            self.entries.push(Entry { index: key.index, offset, number: key.attempt, length });
            offset += u64::from(length);
        }
    }

    /// Whether an attempt is written down.
    #[must_use]
    pub fn contains(&self, key: AttemptKey) -> bool {
        self.entries.binary_search_by_key(&key, Entry::key).is_ok()
    }

    /// How many attempts are written down.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no attempt is written down.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the last line was cut off.
    #[must_use]
    pub fn is_torn(&self) -> bool {
        self.torn
    }

    /// The cases in their order, read from the journal one by one.
    #[must_use]
    pub fn cases(&self) -> Cases<'_> {
        Cases { path: &self.path, all: &self.entries, rest: &self.entries, file: None, line: Vec::new() }
    }

    /// The number and the id of each case, in their order.
    pub fn ids(&self) -> impl Iterator<Item = Result<(u64, CaseId), StoreError>> {
        let mut cases = self.cases();
        self.entries.chunk_by(|a, b| a.index == b.index).filter_map(|rows| rows.first()).map(move |entry| {
            let RowId { id } = cases.read(*entry)?;
            Ok((entry.index, id))
        })
    }
}

/// The cases of a journal, in their order.
#[derive(Debug)]
pub struct Cases<'a> {
    path: &'a Path,
    all: &'a [Entry],
    rest: &'a [Entry],
    /// The file and where it stands.
    file: Option<(BufReader<File>, u64)>,
    line: Vec<u8>,
}

impl Cases<'_> {
    /// Goes on with the case of this number; without one, with the next that there is.
    pub fn seek(&mut self, index: u64) {
        self.rest = &self.all[self.all.partition_point(|entry| entry.index < index)..];
    }

    fn read<T: DeserializeOwned>(&mut self, entry: Entry) -> Result<T, StoreError> {
        self.read_line(entry).map_err(StoreError::io("read", self.path))?;
        let fault = |problem: String| StoreError::Journal { path: self.path.to_owned(), offset: entry.offset, problem };
        // One look at the whole line costs less than one at each of its many texts.
        let line = std::str::from_utf8(&self.line).map_err(|error| fault(error.to_string()))?;
        serde_json::from_str(line).map_err(|error| fault(error.to_string()))
    }

    fn read_line(&mut self, entry: Entry) -> io::Result<()> {
        let (file, at) = match &mut self.file {
            Some(open) => open,
            none => none.insert((BufReader::with_capacity(256 * 1024, File::open(self.path)?), 0)),
        };
        // Lanes end out of order, but not far: what is sought is mostly in the buffer.
        file.seek_relative(entry.offset as i64 - *at as i64)?;
        self.line.resize(entry.length as usize, 0);
        file.read_exact(&mut self.line)?;
        *at = entry.offset + u64::from(entry.length);
        Ok(())
    }
}

impl Iterator for Cases<'_> {
    type Item = Result<EvalCaseResults, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.rest.first()?;
        let count = self.rest.iter().take_while(|entry| entry.index == first.index).count();
        let (now, later) = self.rest.split_at(count);
        self.rest = later;
        let rows: Result<Vec<AttemptRow>, StoreError> = now.iter().map(|entry| self.read(*entry)).collect();
        // There is at least one row, so there is a case.
        rows.map(EvalCaseResults::new).transpose()
    }
}
