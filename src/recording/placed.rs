//! Reading rows again where they stand, as long as their file is the one that was looked through.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// What a file has that changes when it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    pub(crate) fn of(data: &std::fs::Metadata) -> Self {
        Self { bytes: data.len(), modified: data.modified().ok() }
    }
}

/// Where the bytes of a row stand: 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    offset: u64,
    length: u32,
    file: u32,
}

impl Span {
    /// `None` where it cannot be held, which no line can be long enough for.
    pub(crate) fn new(file: usize, offset: u64, length: usize) -> Option<Self> {
        Some(Self { offset, length: length.try_into().ok()?, file: file.try_into().ok()? })
    }
}

/// Files of which parts are read again. They must not change meanwhile.
#[derive(Debug)]
pub(crate) struct PlacedFiles(Vec<PlacedFile>);

#[derive(Debug)]
struct PlacedFile {
    name: Arc<Path>,
    file: File,
    stamp: Stamp,
    #[cfg(not(unix))]
    seeking: std::sync::Mutex<()>,
}

impl PlacedFiles {
    /// No files.
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    /// How many there are: the number that the next one gets.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Adds a file, which has this stamp as long as nobody writes it.
    pub(crate) fn add(&mut self, name: Arc<Path>, file: File, stamp: Stamp) {
        self.0.push(PlacedFile {
            name,
            file,
            stamp,
            #[cfg(not(unix))]
            seeking: std::sync::Mutex::new(()),
        });
    }

    /// Reads the bytes of a row.
    ///
    /// # Errors
    /// When they cannot be read, or the file is not what it was.
    pub(super) fn read(&self, span: Span) -> io::Result<Vec<u8>> {
        let Some(file) = self.0.get(span.file as usize) else { return Err(io::ErrorKind::NotFound.into()) };
        let mut bytes = vec![0; span.length as usize];
        let read = file.read_at(&mut bytes, span.offset);
        // After the read: what changed before or during it is seen.
        if Stamp::of(&file.file.metadata()?) != file.stamp {
            return Err(io::Error::other(format!("{} was changed while it was in use", file.name.display())));
        }
        read.map(|()| bytes)
    }
}

impl PlacedFile {
    #[cfg(unix)]
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, bytes, offset)
    }

    #[cfg(not(unix))]
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let _alone = self.seeking.lock();
        (&self.file).seek(SeekFrom::Start(offset))?;
        (&self.file).read_exact(bytes)
    }
}

/// A temporary file for rows that cannot be read again where they stand. It is made when it is first needed.
#[derive(Debug)]
pub(crate) struct Spool {
    /// The number that it will have among the files.
    number: usize,
    out: Option<BufWriter<File>>,
    end: u64,
}

impl Spool {
    pub(crate) fn new(number: usize) -> Self {
        Self { number, out: None, end: 0 }
    }

    /// Keeps the bytes of a row.
    pub(super) fn keep(&mut self, bytes: &[u8]) -> io::Result<Span> {
        let out = match &mut self.out {
            Some(out) => out,
            none => none.insert(BufWriter::with_capacity(1 << 20, tempfile::tempfile()?)),
        };
        out.write_all(bytes)?;
        let too_long = || io::Error::other("a row is longer than 4 GiB");
        let span = Span::new(self.number, self.end, bytes.len()).ok_or_else(too_long)?;
        self.end += bytes.len() as u64;
        Ok(span)
    }

    /// Adds it to the files, so that what it keeps can be read.
    pub(crate) fn add_to(self, files: &mut PlacedFiles) -> io::Result<()> {
        let Some(out) = self.out else { return Ok(()) };
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        let stamp = Stamp::of(&file.metadata()?);
        files.add(Path::new("the temporary file").into(), file, stamp);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_where_it_stands_until_its_file_changes() {
        let mut named = tempfile::NamedTempFile::new().unwrap();
        named.write_all(b"one\ntwo\n").unwrap();
        let file = File::open(named.path()).unwrap();
        let stamp = Stamp::of(&file.metadata().unwrap());
        let mut files = PlacedFiles::new();
        files.add(Path::new("named").into(), file, stamp);
        let mut spool = Spool::new(files.count());
        let kept = spool.keep(b"kept").unwrap();
        spool.add_to(&mut files).unwrap();
        let two = Span::new(0, 4, 3).unwrap();
        assert_eq!(files.read(two).unwrap(), b"two");
        assert_eq!(files.read(kept).unwrap(), b"kept");
        named.write_all(b"three\n").unwrap();
        assert!(files.read(two).unwrap_err().to_string().contains("named was changed"));
    }
}
