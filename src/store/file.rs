//! Files that are either the old or the new one, never half of it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::error::StoreError;

/// A file that is written beside its place and moved there when it is whole, so that a reader never sees a part.
/// One that is dropped before is taken away again. A link stays a link, and a device or pipe is written to as it is:
/// moving a file there would put it in the device's place.
#[derive(Debug)]
pub struct NewFile {
    named: PathBuf,
    place: Place,
    /// `None` once it stands in its place.
    out: Option<BufWriter<File>>,
}

/// Where a new file is written.
#[derive(Debug)]
enum Place {
    /// Right there.
    There,
    /// Beside the path that it is moved to.
    Beside { beside: PathBuf, path: PathBuf },
}

impl NewFile {
    /// Begins a file.
    ///
    /// # Errors
    /// [`StoreError::Io`] when it cannot be made.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let begun = match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => OpenOptions::new().write(true).open(path).map(|file| (Place::There, file)),
            Ok(_) => fs::canonicalize(path).and_then(|real| beside(&real)),
            Err(_) => beside(path),
        };
        let (place, file) = begun.map_err(StoreError::io("write", path))?;
        Ok(Self { named: path.to_owned(), place, out: Some(BufWriter::new(file)) })
    }

    /// Moves the file to its place.
    ///
    /// # Errors
    /// [`StoreError::Io`] when it cannot be written to its end.
    pub fn finish(mut self) -> Result<(), StoreError> {
        let Some(mut out) = self.out.take() else { return Ok(()) };
        let moved = match &self.place {
            Place::There => out.flush(),
            Place::Beside { beside, path } => out
                .into_inner()
                .map_err(io::IntoInnerError::into_error)
                .and_then(|file| file.sync_all())
                .and_then(|()| fs::rename(beside, path))
                .inspect_err(|_| {
                    let _ = fs::remove_file(beside);
                }),
        };
        moved.map_err(|source| StoreError::Io { action: "write", path: self.named.clone(), source })
    }
}

fn beside(path: &Path) -> io::Result<(Place, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let file = File::create(&beside)?;
    Ok((Place::Beside { beside, path: path.to_owned() }, file))
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
            if let Place::Beside { beside, .. } = &self.place {
                let _ = fs::remove_file(beside);
            }
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

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_a_pipe_a_pipe() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("real"), "old").unwrap();
        std::os::unix::fs::symlink("real", at("link")).unwrap();
        replace_file(&at("link"), |out| out.write_all(b"new")).unwrap();
        assert!(at("link").is_symlink());
        assert_eq!(fs::read_to_string(at("real")).unwrap(), "new");

        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = at("pipe");
            move || fs::read_to_string(pipe).unwrap()
        });
        replace_file(&at("pipe"), |out| out.write_all(b"through")).unwrap();
        assert_eq!(reader.join().unwrap(), "through");
        assert!(fs::metadata(at("pipe")).unwrap().file_type().is_fifo());
        assert!(replace_file(folder.path(), |_| Ok(())).is_err());
    }
}
