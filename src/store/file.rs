//! Files that are either the old or the new one, never half of it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::error::StoreError;

/// Writes a file beside its place and moves it there when it is whole, so that a reader never sees a part. A link
/// stays a link, and a device or pipe is written to as it is: moving a file there would put it in the device's place.
///
/// # Errors
/// [`StoreError::Io`] when it cannot be written.
pub fn replace_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), StoreError> {
    let written = match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => write_there(path, write),
        Ok(_) => fs::canonicalize(path).and_then(|real| write_beside(&real, write)),
        Err(_) => write_beside(path, write),
    };
    written.map_err(StoreError::io("write", path))
}

fn write_there(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(OpenOptions::new().write(true).open(path)?);
    write(&mut out)?;
    out.flush()
}

fn write_beside(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = (|| {
        let mut out = BufWriter::new(File::create(&beside)?);
        write(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&beside, path)
    })();
    written.inspect_err(|_| {
        let _ = fs::remove_file(&beside);
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
