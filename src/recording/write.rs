//! Writing recordings, in the format that the file's ending names.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use super::interaction::Interaction;
use super::parquet::ParquetWriter;
use super::wire;

/// What to do where the file is there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// Leave it and refuse.
    #[default]
    Refuse,
    /// Replace it when everything is written.
    Replace,
}

/// What was written, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file, as it was named; `-` for standard output.
    pub target: PathBuf,
    /// How many interactions.
    pub interactions: u64,
    /// How many bytes they have in the file.
    pub bytes: u64,
}

/// Why a recording cannot be written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum WriteError {
    /// The ending names no format.
    #[error("{path:?} has no ending that names a format to write")]
    #[diagnostic(
        code(taketwo::unknown_ending),
        help("known are .jsonl, .ndjson, .jsonl.gz, .jsonl.zst and .parquet; - writes JSONL to standard output")
    )]
    Ending {
        /// The file.
        path: PathBuf,
    },
    /// There is such a file.
    #[error("{path:?} exists")]
    #[diagnostic(code(taketwo::file_exists), help("--force replaces it"))]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// There is no such folder.
    #[error("there is no folder {path:?} to write into")]
    #[diagnostic(code(taketwo::no_folder))]
    NoFolder {
        /// The folder.
        path: PathBuf,
    },
    /// It cannot be written.
    #[error("cannot write {path:?}: {source}")]
    #[diagnostic(code(taketwo::unwritable))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// A format of recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Lines,
    Gzip,
    Zstd,
    Parquet,
}

impl Format {
    /// The format that a file's ending names.
    fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let is_lines = |name: &str| name.ends_with(".jsonl") || name.ends_with(".ndjson");
        match name.rsplit_once('.')? {
            (stem, "gz") if is_lines(stem) => Some(Format::Gzip),
            (stem, "zst") if is_lines(stem) => Some(Format::Zstd),
            (_, "parquet") => Some(Format::Parquet),
            _ => is_lines(&name).then_some(Format::Lines),
        }
    }
}

/// Writes interactions one after another. The file appears, whole, when [`finish`](Self::finish) was called; a writer
/// that is dropped before leaves nothing behind.
///
/// ```
/// use taketwo::recording::{Existing, Interaction, Json, RecordingWriter};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("traffic.jsonl.gz");
/// let mut writer = RecordingWriter::new(&path, Existing::Refuse)?;
/// writer.write(&Interaction::new(Json::string("Where is my order?")))?;
/// assert_eq!(writer.finish()?.interactions, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RecordingWriter {
    target: PathBuf,
    place: Where,
    sink: Sink,
    interactions: u64,
}

/// Where the bytes go until everything is written.
enum Where {
    /// A file beside the target, which takes its name at the end.
    Beside { file: NamedTempFile, target: PathBuf, existing: Existing },
    /// A file that is copied to standard output at the end.
    BeforeStdout(File),
    /// The target itself, which is a pipe or device.
    There,
}

enum Sink {
    Lines(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
    Parquet(Box<ParquetWriter<BufWriter<File>>>),
}

impl RecordingWriter {
    /// Starts a recording. `-` is JSONL on standard output.
    ///
    /// # Errors
    /// [`WriteError`] when the ending names no format, or the file cannot be made or may not be replaced.
    pub fn new(target: impl AsRef<Path>, existing: Existing) -> Result<Self, WriteError> {
        let target = target.as_ref().to_owned();
        let io = |source| WriteError::Io { path: target.clone(), source };
        let (place, file, format) = if target.as_os_str() == "-" {
            let file = tempfile::tempfile().map_err(io)?;
            (Where::BeforeStdout(file.try_clone().map_err(io)?), file, Format::Lines)
        } else {
            let format = Format::of(&target).ok_or_else(|| WriteError::Ending { path: target.clone() })?;
            let (place, file) = Where::open(&target, existing)?;
            (place, file, format)
        };
        let sink = Sink::new(format, file).map_err(io)?;
        Ok(Self { target, place, sink, interactions: 0 })
    }

    /// Appends an interaction.
    ///
    /// # Errors
    /// [`WriteError`] when it cannot be written.
    pub fn write(&mut self, it: &Interaction) -> Result<(), WriteError> {
        self.interactions += 1;
        self.sink.write(it).map_err(|source| WriteError::Io { path: self.target.clone(), source })
    }

    /// How many interactions were appended.
    #[must_use]
    pub fn interactions(&self) -> u64 {
        self.interactions
    }

    /// Writes what is left and puts the file in its place.
    ///
    /// # Errors
    /// [`WriteError`] when it cannot be written, or another file took its place meanwhile and may not be replaced.
    pub fn finish(self) -> Result<Written, WriteError> {
        let Self { target, place, sink, interactions } = self;
        let io = |source| WriteError::Io { path: target.clone(), source };
        let mut file = sink.finish().map_err(io)?;
        let bytes = file.stream_position().unwrap_or(0);
        match place {
            Where::There => {}
            Where::BeforeStdout(mut spool) => copy_to_stdout(&mut spool).map_err(io)?,
            Where::Beside { file: beside, target: named, existing } => {
                file.sync_all().map_err(io)?;
                put(beside, &named, existing).map_err(|error| match error.kind() {
                    std::io::ErrorKind::AlreadyExists => WriteError::Exists { path: target.clone() },
                    _ => io(error),
                })?;
            }
        }
        Ok(Written { target, interactions, bytes })
    }
}

fn put(file: NamedTempFile, target: &Path, existing: Existing) -> std::io::Result<()> {
    if existing == Existing::Refuse {
        return Ok(file.persist_noclobber(target).map(drop)?);
    }
    if let Ok(replaced) = target.metadata() {
        file.as_file().set_permissions(replaced.permissions())?;
    }
    Ok(file.persist(target).map(drop)?)
}

/// A reader that went away (`| head`) is no error.
fn copy_to_stdout(spool: &mut File) -> std::io::Result<()> {
    spool.seek(SeekFrom::Start(0))?;
    let mut out = std::io::stdout().lock();
    match std::io::copy(spool, &mut out).and_then(|_| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

impl Where {
    fn open(target: &Path, existing: Existing) -> Result<(Self, File), WriteError> {
        let io = |source| WriteError::Io { path: target.to_owned(), source };
        let found = target.metadata().ok();
        if found.as_ref().is_some_and(|found| !found.is_file() && !found.is_dir()) {
            let file = File::options().write(true).open(target).map_err(io)?;
            return Ok((Where::There, file));
        }
        if found.is_some() && existing == Existing::Refuse {
            return Err(WriteError::Exists { path: target.to_owned() });
        }
        // A link stays a link: what it leads to is replaced.
        let target = target.canonicalize().unwrap_or_else(|_| target.to_owned());
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return Err(WriteError::NoFolder { path: folder.to_owned() });
        }
        let mut made = tempfile::Builder::new();
        made.prefix(".taketwo-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What any new file gets; the process's mask takes its part away.
            made.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let beside = made.tempfile_in(folder).map_err(io)?;
        let file = beside.as_file().try_clone().map_err(io)?;
        Ok((Where::Beside { file: beside, target, existing }, file))
    }
}

impl Sink {
    fn new(format: Format, file: File) -> std::io::Result<Self> {
        let out = BufWriter::with_capacity(1 << 16, file);
        Ok(match format {
            Format::Lines => Sink::Lines(out),
            Format::Gzip => Sink::Gzip(GzEncoder::new(out, flate2::Compression::default())),
            Format::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(out, 0)?;
                encoder.include_checksum(true)?;
                Sink::Zstd(encoder)
            }
            Format::Parquet => Sink::Parquet(Box::new(ParquetWriter::new(out)?)),
        })
    }

    fn write(&mut self, it: &Interaction) -> std::io::Result<()> {
        let out: &mut dyn Write = match self {
            Sink::Parquet(writer) => return Ok(writer.write(it)?),
            Sink::Lines(out) => out,
            Sink::Gzip(out) => out,
            Sink::Zstd(out) => out,
        };
        let mut line = wire::write(it);
        line.push('\n');
        out.write_all(line.as_bytes())
    }

    fn finish(self) -> std::io::Result<File> {
        let out = match self {
            Sink::Lines(out) => out,
            Sink::Gzip(out) => out.finish()?,
            Sink::Zstd(out) => out.finish()?,
            Sink::Parquet(out) => out.finish()?,
        };
        out.into_inner().map_err(std::io::IntoInnerError::into_error)
    }
}
