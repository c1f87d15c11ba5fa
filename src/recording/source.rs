//! Where recordings come from: files, folders, globs and standard input, alone or together, read as one stream.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::find::{Sought, find};
use super::ids::Ids;
use super::import::SourceText;
use super::interaction::{CaseId, Interaction};
use super::jsonl;
use super::looks::FirstLook;
use super::parquet::{self, ParquetFault};
use super::place::{At, Place, Reject, stem};
use super::placed::{PlacedFiles, Stamp};
use super::unread::{Content, Found, FoundRows, UnreadRow};

/// One interaction as a reader of a format gives it.
pub(super) type Read = Result<(At, Interaction), Reject>;

/// One interaction with its place and identity.
#[derive(Clone, Debug)]
pub struct Row {
    /// Where it stands.
    pub place: Place,
    /// Its own id, or one made from its place (`replay-<line>`; with several files `<file>/replay-<line>`).
    pub id: CaseId,
    /// What was recorded.
    pub interaction: Interaction,
}

/// What a recording holds at one place.
pub type Item = Result<Row, Reject>;

/// Why a recording cannot be opened.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum SourceError {
    /// The path does not exist.
    #[error("there is no file or folder {path:?}")]
    #[diagnostic(code(taketwo::no_such_recording))]
    Missing {
        /// The path as it was given.
        path: String,
        /// The nearest name in its folder.
        #[help]
        near: Option<String>,
    },
    /// The pattern or folder holds no recording.
    #[error("{path:?} holds no recording")]
    #[diagnostic(
        code(taketwo::no_recording),
        help("recordings end in .jsonl, .ndjson, .json or .parquet, JSONL also in .gz or .zst")
    )]
    Nothing {
        /// The path as it was given.
        path: String,
    },
    /// The pattern is none.
    #[error("{pattern:?} is no pattern: {problem}")]
    #[diagnostic(code(taketwo::bad_pattern))]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// It cannot be read.
    #[error("cannot read {path:?}: {source}")]
    #[diagnostic(code(taketwo::unreadable))]
    Io {
        /// The path.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It was written between the first look at it and the second.
    #[error("{path:?} was changed while it was in use")]
    #[diagnostic(code(taketwo::changed), help("run again when nothing writes it any more, or use a copy"))]
    Changed {
        /// The path.
        path: PathBuf,
    },
    /// The Parquet file cannot be read as a recording.
    #[error("cannot read {path:?} as Parquet: {fault}")]
    #[diagnostic(code(taketwo::bad_parquet))]
    Parquet {
        /// The file.
        path: PathBuf,
        /// Why.
        fault: ParquetFault,
        /// What to do about it.
        #[help]
        help: &'static str,
    },
}

impl SourceError {
    fn parquet(path: &Path, fault: ParquetFault) -> Self {
        let help = fault.help();
        SourceError::Parquet { path: path.to_owned(), fault, help }
    }
}

/// Recordings to be read, as often as wanted and always in the same order.
///
/// ```no_run
/// use taketwo::recording::Recordings;
/// for row in Recordings::open(&["traffic/*.jsonl.gz"])?.rows()? {
///     match row {
///         Ok(row) => println!("{}", row.id),
///         Err(reject) => eprintln!("{reject}"),
///     }
/// }
/// # Ok::<(), taketwo::recording::SourceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recordings {
    pub(super) files: Arc<[SourceFile]>,
}

/// One file of a recording.
#[derive(Debug)]
pub(super) struct SourceFile {
    pub(super) shown: Arc<Path>,
    path: PathBuf,
    /// What interactions without an id are named by, where there are several files.
    pub(super) name: String,
    packing: OnceLock<Packing>,
    /// Keeps what came by a pipe until it was read for the last time.
    _spool: Option<tempfile::NamedTempFile>,
}

impl SourceFile {
    pub(super) fn new(path: PathBuf) -> Self {
        let (shown, name) = (path.as_path().into(), stem(&path));
        Self { shown, name, path, packing: OnceLock::new(), _spool: None }
    }

    pub(super) fn spooled(shown: &Path, spool: tempfile::NamedTempFile) -> Self {
        let (path, name) = (spool.path().to_owned(), stem(shown));
        Self { shown: shown.into(), path, name, packing: OnceLock::new(), _spool: Some(spool) }
    }

    /// Whether its lines stand in it as they are read. Known once it was opened.
    pub(super) fn is_plain(&self) -> bool {
        self.packing.get() == Some(&Packing::Plain)
    }

    /// What changes when it is written.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        self.path.metadata().ok().map(|data| Stamp::of(&data))
    }
}

impl Recordings {
    /// Finds the files. Folders are searched with their sub-folders, names in order; `-` is standard input.
    ///
    /// # Errors
    /// [`SourceError`] where a source does not exist, is empty of recordings or cannot be read.
    pub fn open<S: AsRef<str>>(sources: &[S]) -> Result<Self, SourceError> {
        Self::find(sources, Sought::Recordings)
    }

    /// Finds files that other tools wrote, to be imported.
    ///
    /// # Errors
    /// As [`open`](Self::open) has them.
    pub fn open_foreign<S: AsRef<str>>(sources: &[S]) -> Result<Self, SourceError> {
        Self::find(sources, Sought::Foreign)
    }

    fn find<S: AsRef<str>>(sources: &[S], sought: Sought) -> Result<Self, SourceError> {
        let mut files = Vec::new();
        for source in sources {
            files.extend(find(source.as_ref(), sought)?);
        }
        name_apart(&mut files);
        Ok(Self { files: files.into() })
    }

    /// The files, as they were named.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| &*file.shown)
    }

    /// Whether this is one of the files, also by another name.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        let Ok(path) = path.canonicalize() else { return false };
        self.files.iter().any(|file| file.path.canonicalize().is_ok_and(|file| file == path))
    }

    /// How many bytes they have on disk.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().filter_map(|file| file.path.metadata().ok()).map(|data| data.len()).sum()
    }

    /// Reads them from the start.
    ///
    /// Ids are checked for uniqueness as rows pass by: this costs some 43 bytes of memory an interaction.
    ///
    /// # Errors
    /// [`SourceError`] where a file cannot be opened or is a Parquet file that is no recording. All files are looked
    /// at before the first row is read.
    pub fn rows(&self) -> Result<Rows, SourceError> {
        let look = FirstLook { turned_away: Vec::new(), stamps: self.stamps() };
        Ok(Rows { found: self.found_rows()?, ids: Ids::default(), number: 0, look })
    }

    /// Finds the rows, which others read. Ids are not looked at.
    pub(crate) fn found_rows(&self) -> Result<FoundRows, SourceError> {
        for file in self.files.iter() {
            drop(open(file)?);
        }
        Ok(FoundRows::new(Arc::clone(&self.files)))
    }

    /// What changes when a file is written, for each.
    pub(crate) fn stamps(&self) -> Vec<Option<Stamp>> {
        self.files.iter().map(SourceFile::stamp).collect()
    }

    /// Makes sure that the files are what they were.
    ///
    /// # Errors
    /// [`SourceError::Changed`] with the first that is not.
    pub(crate) fn check_unchanged(&self, since: &[Option<Stamp>]) -> Result<(), SourceError> {
        match self.files.iter().zip(since).find(|(file, then)| file.stamp() != **then) {
            Some((file, _)) => Err(SourceError::Changed { path: file.shown.to_path_buf() }),
            None => Ok(()),
        }
    }

    /// Opens the files so that rows can be read again at their places, numbered as [`UnreadRow`] numbers them.
    pub(crate) fn placed(&self) -> Result<PlacedFiles, SourceError> {
        let mut placed = PlacedFiles::new();
        for file in self.files.iter() {
            let io = |source| SourceError::Io { path: file.path.clone(), source };
            let opened = File::open(&file.path).map_err(io)?;
            let stamp = Stamp::of(&opened.metadata().map_err(io)?);
            placed.add(Arc::clone(&file.shown), opened, stamp);
        }
        Ok(placed)
    }

    /// The text of each file, unpacked, for the importers of other formats.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&SourceFile, std::io::Result<SourceText>)> {
        self.files.iter().map(|file| {
            let text = begin(&file.path).and_then(|(opened, magic)| unpacked(opened, &magic));
            let (shown, path) = (Arc::clone(&file.shown), file.path.clone());
            (file, text.map(|text| SourceText { file: shown, text, path }))
        })
    }

    /// A hash of all bytes, for the manifest of a run.
    ///
    /// # Errors
    /// [`SourceError`] where a file cannot be read.
    pub fn hash(&self) -> Result<blake3::Hash, SourceError> {
        let mut hasher = blake3::Hasher::new();
        for file in self.files.iter() {
            let opened = File::open(&file.path);
            opened
                .and_then(|bytes| hasher.update_reader(bytes).map(drop))
                .map_err(|source| SourceError::Io { path: file.path.clone(), source })?;
        }
        Ok(hasher.finalize())
    }
}

/// The rows of recordings, one file after another, each read and judged.
pub struct Rows {
    found: FoundRows,
    ids: Ids,
    number: u64,
    look: FirstLook,
}

impl Iterator for Rows {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let found = self.found.next()?;
        let item = found.and_then(UnreadRow::read).and_then(|row| self.ids.admit(row));
        if item.is_err() {
            self.look.turned_away.push(self.number);
        }
        self.number += 1;
        Some(item)
    }
}

impl Rows {
    /// What was found, for a second look. It holds for the rows that were gone through, so go through all.
    #[must_use]
    pub fn look(self) -> FirstLook {
        self.look
    }
}

/// Files of one name in several folders are told apart by their paths.
fn name_apart(files: &mut [SourceFile]) {
    let mut times: HashMap<String, usize> = HashMap::new();
    for file in files.iter() {
        *times.entry(file.name.clone()).or_default() += 1;
    }
    for file in files.iter_mut().filter(|file| times[&file.name] > 1) {
        file.name = file.shown.with_file_name(&file.name).display().to_string();
    }
}

/// Opens a file by what its first bytes say it is.
pub(super) fn open(file: &SourceFile) -> Result<Box<dyn Iterator<Item = Found> + Send>, SourceError> {
    let io = |source| SourceError::Io { path: file.path.clone(), source };
    let (opened, magic) = begin(&file.path).map_err(io)?;
    if magic == b"PAR1" || file.path.extension().is_some_and(|ending| ending == "parquet") {
        let rows = parquet::rows(Arc::clone(&file.shown), opened);
        let rows = rows.map_err(|fault| SourceError::parquet(&file.shown, fault))?;
        return Ok(Box::new(rows.map(|row| row.map(|(at, it)| (at, Content::Read(Box::new(it)))))));
    }
    file.packing.get_or_init(|| Packing::of(&magic));
    Ok(jsonl::rows(Arc::clone(&file.shown), unpacked(opened, &magic).map_err(io)?))
}

/// Opens a file and reads its first bytes.
fn begin(path: &Path) -> std::io::Result<(File, Vec<u8>)> {
    let mut opened = File::open(path)?;
    let mut magic = Vec::with_capacity(4);
    opened.by_ref().take(4).read_to_end(&mut magic)?;
    opened.seek(SeekFrom::Start(0))?;
    Ok((opened, magic))
}

/// How the text of a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    /// Not at all.
    Plain,
    Gzip,
    Zstandard,
}

impl Packing {
    /// What the first bytes of a file say.
    fn of(magic: &[u8]) -> Self {
        match magic {
            [0x1F, 0x8B, ..] => Packing::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD] => Packing::Zstandard,
            _ => Packing::Plain,
        }
    }
}

/// The text of a file, which its first bytes may say is packed.
fn unpacked(opened: File, magic: &[u8]) -> std::io::Result<Box<dyn BufRead + Send>> {
    Ok(match Packing::of(magic) {
        Packing::Gzip => Box::new(BufReader::with_capacity(BUFFER, flate2::read::MultiGzDecoder::new(opened))),
        Packing::Zstandard => Box::new(BufReader::with_capacity(BUFFER, zstd::stream::read::Decoder::new(opened)?)),
        Packing::Plain => Box::new(BufReader::with_capacity(BUFFER, opened)),
    })
}

const BUFFER: usize = 1 << 20;
