//! Where recordings come from: files, folders, globs and standard input, alone or together, read as one stream.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::find::find;
use super::interaction::{CaseId, Interaction};
use super::jsonl;
use super::parquet::{self, ParquetFault};
use super::place::{At, Place, Reject, RejectReason, stem};

/// One row as a reader of a format gives it.
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
    files: Arc<[SourceFile]>,
}

/// One file of a recording.
#[derive(Debug)]
pub(super) struct SourceFile {
    shown: Arc<Path>,
    path: PathBuf,
    /// What interactions without an id are named by, where there are several files.
    name: String,
    /// Keeps what came by a pipe until it was read for the last time.
    _spool: Option<tempfile::NamedTempFile>,
}

impl SourceFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { shown: path.as_path().into(), name: stem(&path), path, _spool: None }
    }

    pub(super) fn spooled(shown: &Path, spool: tempfile::NamedTempFile) -> Self {
        Self { shown: shown.into(), path: spool.path().to_owned(), name: stem(shown), _spool: Some(spool) }
    }
}

impl Recordings {
    /// Finds the files. Folders are searched with their sub-folders, names in order; `-` is standard input.
    ///
    /// # Errors
    /// [`SourceError`] where a source does not exist, is empty of recordings or cannot be read.
    pub fn open<S: AsRef<str>>(sources: &[S]) -> Result<Self, SourceError> {
        let mut files = Vec::new();
        for source in sources {
            files.extend(find(source.as_ref())?);
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
    /// Ids are checked for uniqueness as rows pass by: this costs some 50 bytes of memory an interaction.
    ///
    /// # Errors
    /// [`SourceError`] where a file cannot be opened or is a Parquet file that is no recording. All files are looked
    /// at before the first row is read.
    pub fn rows(&self) -> Result<Rows, SourceError> {
        for file in self.files.iter() {
            drop(open(file)?);
        }
        Ok(Rows { files: Arc::clone(&self.files), next: 0, current: None, ids: Ids::default() })
    }

    /// The text of each file, unpacked, for the importers of other formats.
    pub(super) fn texts(&self) -> impl Iterator<Item = (Arc<Path>, std::io::Result<Box<dyn BufRead + Send>>)> {
        self.files.iter().map(|file| {
            let text = begin(&file.path).and_then(|(opened, magic)| unpacked(opened, &magic));
            (Arc::clone(&file.shown), text)
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
                .and_then(|mut bytes| std::io::copy(&mut bytes, &mut hasher))
                .map_err(|source| SourceError::Io { path: file.path.clone(), source })?;
        }
        Ok(hasher.finalize())
    }
}

/// The rows of recordings, one file after another.
pub struct Rows {
    files: Arc<[SourceFile]>,
    next: usize,
    current: Option<(Arc<Path>, Box<dyn Iterator<Item = Read> + Send>)>,
    ids: Ids,
}

impl Iterator for Rows {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some((file, rows)) = &mut self.current {
                match rows.next() {
                    Some(Ok((at, interaction))) => {
                        let place = Place { file: Arc::clone(file), at };
                        return Some(self.identify(place, interaction));
                    }
                    Some(Err(reject)) => return Some(Err(reject)),
                    None => self.current = None,
                }
            }
            let file = self.files.get(self.next)?;
            self.next += 1;
            match open(file) {
                Ok(rows) => self.current = Some((Arc::clone(&file.shown), rows)),
                Err(error) => {
                    let reason = RejectReason::Unreadable(error.to_string());
                    return Some(Err(Reject::new(&file.shown, At::Line { number: 1, offset: 0 }, reason, &[])));
                }
            }
        }
    }
}

impl Rows {
    /// Gives the row its id and makes sure that no other had it.
    fn identify(&mut self, place: Place, interaction: Interaction) -> Item {
        let id = interaction.id.clone().unwrap_or_else(|| {
            let number = place.at.number();
            CaseId::new(match self.files.len() {
                1 => format!("replay-{number}"),
                _ => format!("{}/replay-{number}", self.files[self.next - 1].name),
            })
        });
        match self.ids.first_use(&id, &place) {
            None => Ok(Row { place, id, interaction }),
            Some(first) => {
                let raw = super::wire::write(&interaction).into_bytes();
                Err(Reject { place, reason: RejectReason::DuplicateId { id, first }, raw })
            }
        }
    }
}

/// The ids that were used, and where.
#[derive(Debug, Default)]
pub(super) struct Ids {
    files: Vec<Arc<Path>>,
    seen: HashMap<u128, (u32, At)>,
}

impl Ids {
    /// Where the id was used before, if it was.
    pub(super) fn first_use(&mut self, id: &CaseId, place: &Place) -> Option<Place> {
        if self.files.last() != Some(&place.file) {
            self.files.push(Arc::clone(&place.file));
        }
        let here = ((self.files.len() - 1) as u32, place.at);
        match self.seen.entry(id_key(id)) {
            Entry::Vacant(entry) => {
                entry.insert(here);
                None
            }
            Entry::Occupied(entry) => {
                let (file, at) = *entry.get();
                Some(Place { file: Arc::clone(&self.files[file as usize]), at })
            }
        }
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

/// 128 bits that stand for an id where millions must be remembered.
pub(crate) fn id_key(id: &CaseId) -> u128 {
    text_key(id.as_str())
}

/// 128 bits that stand for a text.
pub(super) fn text_key(text: &str) -> u128 {
    let hash = blake3::hash(text.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    u128::from_le_bytes(bytes)
}

/// Opens a file by what its first bytes say it is.
fn open(file: &SourceFile) -> Result<Box<dyn Iterator<Item = Read> + Send>, SourceError> {
    let io = |source| SourceError::Io { path: file.path.clone(), source };
    let (opened, magic) = begin(&file.path).map_err(io)?;
    if magic == b"PAR1" || file.path.extension().is_some_and(|ending| ending == "parquet") {
        let rows = parquet::rows(Arc::clone(&file.shown), opened);
        return rows.map_err(|fault| SourceError::parquet(&file.shown, fault));
    }
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

/// The text of a file, which its first bytes may say is packed.
fn unpacked(opened: File, magic: &[u8]) -> std::io::Result<Box<dyn BufRead + Send>> {
    Ok(match magic {
        [0x1F, 0x8B, ..] => Box::new(BufReader::with_capacity(BUFFER, flate2::read::MultiGzDecoder::new(opened))),
        [0x28, 0xB5, 0x2F, 0xFD] => {
            Box::new(BufReader::with_capacity(BUFFER, zstd::stream::read::Decoder::new(opened)?))
        }
        _ => Box::new(BufReader::with_capacity(BUFFER, opened)),
    })
}

const BUFFER: usize = 1 << 20;
