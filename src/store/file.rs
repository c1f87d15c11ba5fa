//! Files that are either the old or the new one, never half of it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::error::StoreError;

/// A file that is written beside its place and moved there when it is whole, so that a reader never sees a part.
/// One that is dropped before is taken away again.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    beside: PathBuf,
    /// `None` once it stands in its place.
    out: Option<BufWriter<File>>,
}

impl NewFile {
    /// Begins a file.
    ///
    /// # Errors
    /// [`StoreError::Io`] when it cannot be made.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
        let file = File::create(&beside).map_err(StoreError::io("write", path))?;
        Ok(Self { path: path.to_owned(), beside, out: Some(BufWriter::new(file)) })
    }

    /// Moves the file to its place.
    ///
    /// # Errors
    /// [`StoreError::Io`] when it cannot be written to its end.
    pub fn finish(mut self) -> Result<(), StoreError> {
        let Some(out) = self.out.take() else { return Ok(()) };
        let moved = out
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&self.beside, &self.path));
        moved.map_err(|source| {
            let _ = fs::remove_file(&self.beside);
            StoreError::Io { action: "write", path: self.path.clone(), source }
        })
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.as_mut().map_or(Ok(bytes.len()), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(out) = self.out.take() {
            drop(out.into_parts());
            let _ = fs::remove_file(&self.beside);
        }
    }
}

/// Writes a file that is there when it is whole; see [`NewFile`].
///
/// # Errors
/// [`StoreError::Io`] when it cannot be written.
pub fn replace_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), StoreError> {
    let mut file = NewFile::create(path)?;
    write(&mut file).map_err(StoreError::io("write", path))?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        replace_file(&path, |out| out.write_all(b"old")).unwrap();
        let broken = |out: &mut dyn Write| out.write_all(b"ne").and(Err(io::Error::other("the disk is full")));
        assert!(replace_file(&path, broken).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
