//! Where recordings come from: files, folders, globs and standard input, alone or together, read as one stream.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::interaction::{CaseId, Interaction};
use super::place::{At, Place, Reject, RejectReason, stem};
use super::{jsonl, parquet};

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
    #[error("cannot read {path:?} as Parquet: {problem}")]
    #[diagnostic(code(taketwo::bad_parquet))]
    Parquet {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
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

#[derive(Debug)]
struct SourceFile {
    shown: Arc<Path>,
    path: PathBuf,
    /// Keeps what came by standard input until it was read for the last time.
    _spool: Option<tempfile::NamedTempFile>,
}

impl Recordings {
    /// Finds the files. Folders are searched with their sub-folders, names in order; `-` is standard input.
    ///
    /// # Errors
    /// [`SourceError`] where a source does not exist, is empty of recordings or cannot be read.
    pub fn open<S: AsRef<str>>(sources: &[S]) -> Result<Self, SourceError> {
        let mut files = Vec::new();
        for source in sources {
            let source = source.as_ref();
            if source == "-" {
                files.push(spool_stdin()?);
            } else {
                let found = find(source)?;
                files.extend(found.into_iter().map(|path| SourceFile {
                    shown: path.as_path().into(),
                    path,
                    _spool: None,
                }));
            }
        }
        Ok(Self { files: files.into() })
    }

    /// The files, as they were named.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| &*file.shown)
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
    /// [`SourceError`] where a file cannot be opened.
    pub fn rows(&self) -> Result<Rows, SourceError> {
        Ok(Rows { files: Arc::clone(&self.files), next: 0, current: None, seen: HashMap::new() })
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
    seen: HashMap<u128, (u32, At)>,
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
                _ => format!("{}/replay-{number}", stem(&place.file)),
            })
        });
        let file = (self.next - 1) as u32;
        match self.seen.insert(id_key(&id), (file, place.at)) {
            None => Ok(Row { place, id, interaction }),
            Some((first_file, first_at)) => {
                self.seen.insert(id_key(&id), (first_file, first_at));
                let first = Place { file: Arc::clone(&self.files[first_file as usize].shown), at: first_at };
                let raw = super::wire::write(&interaction).into_bytes();
                Err(Reject { place, reason: RejectReason::DuplicateId { id, first }, raw })
            }
        }
    }
}

/// 128 bits that stand for an id where millions must be remembered.
pub(crate) fn id_key(id: &CaseId) -> u128 {
    let hash = blake3::hash(id.as_str().as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    u128::from_le_bytes(bytes)
}

/// Opens a file by what its first bytes say it is.
fn open(file: &SourceFile) -> Result<Box<dyn Iterator<Item = Read> + Send>, SourceError> {
    let io = |source| SourceError::Io { path: file.path.clone(), source };
    let mut opened = File::open(&file.path).map_err(io)?;
    let mut magic = [0; 4];
    let read = read_up_to(&mut opened, &mut magic).map_err(io)?;
    opened.seek(SeekFrom::Start(0)).map_err(io)?;
    let magic = &magic[..read];
    if magic == b"PAR1" {
        let rows = parquet::rows(Arc::clone(&file.shown), opened)
            .map_err(|problem| SourceError::Parquet { path: file.path.clone(), problem })?;
        return Ok(rows);
    }
    let text: Box<dyn BufRead + Send> = match magic {
        [0x1F, 0x8B, ..] => Box::new(BufReader::with_capacity(BUFFER, flate2::read::MultiGzDecoder::new(opened))),
        [0x28, 0xB5, 0x2F, 0xFD] => {
            let decoder = zstd::stream::read::Decoder::new(opened).map_err(io)?;
            Box::new(BufReader::with_capacity(BUFFER, decoder))
        }
        _ => Box::new(BufReader::with_capacity(BUFFER, opened)),
    };
    Ok(jsonl::rows(Arc::clone(&file.shown), text))
}

const BUFFER: usize = 1 << 20;

fn read_up_to(file: &mut File, bytes: &mut [u8]) -> std::io::Result<usize> {
    let mut read = 0;
    while read < bytes.len() {
        match file.read(&mut bytes[read..])? {
            0 => break,
            more => read += more,
        }
    }
    Ok(read)
}

/// Standard input can be read once, a recording is read twice: it is kept in a temporary file.
fn spool_stdin() -> Result<SourceFile, SourceError> {
    let shown = Path::new("<stdin>");
    let io = |source| SourceError::Io { path: shown.into(), source };
    let mut spool = tempfile::NamedTempFile::new().map_err(io)?;
    std::io::copy(&mut std::io::stdin().lock(), &mut spool).map_err(io)?;
    Ok(SourceFile { shown: shown.into(), path: spool.path().to_owned(), _spool: Some(spool) })
}

/// The files that a source names.
fn find(source: &str) -> Result<Vec<PathBuf>, SourceError> {
    let path = Path::new(source);
    if path.is_dir() {
        let mut files = Vec::new();
        walk(path, &mut files).map_err(|error| SourceError::Io { path: path.into(), source: error })?;
        return non_empty(source, files);
    }
    if path.exists() {
        return Ok(vec![path.to_owned()]);
    }
    if !source.contains(['*', '?', '[']) {
        return Err(SourceError::Missing { path: source.to_owned(), near: near(path) });
    }
    let bad = |problem: String| SourceError::Pattern { pattern: source.to_owned(), problem };
    let mut files = Vec::new();
    for entry in glob::glob(source).map_err(|error| bad(error.to_string()))? {
        let entry = entry.map_err(|error| bad(error.to_string()))?;
        if entry.is_file() {
            files.push(entry);
        }
    }
    non_empty(source, files)
}

fn non_empty(source: &str, files: Vec<PathBuf>) -> Result<Vec<PathBuf>, SourceError> {
    if files.is_empty() { Err(SourceError::Nothing { path: source.to_owned() }) } else { Ok(files) }
}

/// Recordings below a folder, in order of their names. Hidden files are passed over.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            walk(&path, files)?;
        } else if is_recording(&name) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_recording(name: &str) -> bool {
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    [".jsonl", ".ndjson", ".json", ".parquet"].iter().any(|ending| name.ends_with(ending))
}

/// The name in the same folder that is most like a missing one.
fn near(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_string_lossy().into_owned();
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let names = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let best = names.max_by(|a, b| strsim::jaro_winkler(a, &wanted).total_cmp(&strsim::jaro_winkler(b, &wanted)))?;
    (strsim::jaro_winkler(&best, &wanted) > 0.8).then(|| format!("did you mean {:?}?", folder.join(best)))
}
