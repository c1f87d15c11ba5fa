//! The journal of a run: one attempt a line, in the order in which they ended.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::error::StoreError;
use crate::verdict::AttemptRow;

/// Writes attempts down as they end.
#[derive(Debug)]
pub struct JournalWriter {
    file: File,
    line: Vec<u8>,
    /// Held as long as rows may be written.
    _lock: Option<File>,
}

impl JournalWriter {
    /// Opens a journal to add to it. A last line that was cut off is taken away first.
    pub(super) fn open(path: &Path, lock: Option<File>) -> Result<Self, StoreError> {
        let opened = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path);
        let mut file = opened.map_err(StoreError::io("open", path))?;
        let whole = whole_lines(&mut file).map_err(StoreError::io("read", path))?;
        let ready = file.set_len(whole).and_then(|()| file.seek(SeekFrom::Start(whole)));
        ready.map_err(StoreError::io("write", path))?;
        Ok(Self { file, line: Vec::new(), _lock: lock })
    }

    /// Writes rows down. When it comes back the operating system has them: a process that is killed loses none.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append(&mut self, rows: &[AttemptRow]) -> io::Result<()> {
        self.line.clear();
        for row in rows {
            serde_json::to_writer(&mut self.line, row)?;
            self.line.push(b'\n');
        }
        self.file.write_all(&self.line)
    }

    /// Waits until the rows are on the disk.
    ///
    /// # Errors
    /// When they cannot be brought there.
    pub fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// How many bytes of a file are whole lines.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    const STEP: u64 = 64 * 1024;
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut block = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(STEP);
        file.seek(SeekFrom::Start(start))?;
        block.clear();
        Read::by_ref(file).take(end - start).read_to_end(&mut block)?;
        if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
