//! Files that are either the old or the new one, never half of it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::error::StoreError;

/// Writes a file beside its place and moves it there when it is whole, so that a reader never sees a part.
///
/// # Errors
/// [`StoreError::Io`] when it cannot be written.
pub fn replace_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), StoreError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = (|| {
        let mut out = BufWriter::new(File::create(&beside)?);
        write(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&beside, path)
    })();
    written.map_err(|source| {
        let _ = fs::remove_file(&beside);
        StoreError::Io { action: "write", path: path.to_owned(), source }
    })
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
