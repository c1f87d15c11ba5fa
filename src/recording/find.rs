//! Which files a source names: a path, a folder, a pattern, standard input.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::source::{SourceError, SourceFile};

/// Which files of a folder are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    /// Recordings.
    Recordings,
    /// Whatever another tool may have recorded.
    Foreign,
}

/// The files that a source names.
pub(super) fn find(source: &str, sought: Sought) -> Result<Vec<SourceFile>, SourceError> {
    if source == "-" {
        return Ok(vec![spool(Path::new("<stdin>"), &mut std::io::stdin().lock())?]);
    }
    let path = Path::new(source);
    if path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir()) {
        let mut pipe = File::open(path).map_err(|error| SourceError::Io { path: path.into(), source: error })?;
        return Ok(vec![spool(path, &mut pipe)?]);
    }
    let files = find_on_disk(source, path, sought)?;
    Ok(files.into_iter().map(SourceFile::new).collect())
}

/// A pipe can be read once, a recording is read twice: it is kept in a temporary file.
fn spool(shown: &Path, pipe: &mut impl std::io::Read) -> Result<SourceFile, SourceError> {
    let io = |source| SourceError::Io { path: shown.into(), source };
    let mut spool = tempfile::NamedTempFile::new().map_err(io)?;
    std::io::copy(pipe, &mut spool).map_err(io)?;
    Ok(SourceFile::spooled(shown, spool))
}

fn find_on_disk(source: &str, path: &Path, sought: Sought) -> Result<Vec<PathBuf>, SourceError> {
    if path.is_dir() {
        let mut files = Vec::new();
        walk(path, sought, &mut Vec::new(), &mut files)
            .map_err(|error| SourceError::Io { path: path.into(), source: error })?;
        return non_empty(source, files);
    }
    if path.exists() {
        return Ok(vec![path.to_owned()]);
    }
    if path.is_symlink() {
        let error = std::io::Error::other("it is a link to a file that is not there, or to itself");
        return Err(SourceError::Io { path: path.into(), source: error });
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

/// Recordings below a folder, in order of their names. Hidden files are passed over, and so are links that lead back
/// to a folder that is being searched.
fn walk(folder: &Path, sought: Sought, above: &mut Vec<PathBuf>, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let real = folder.canonicalize()?;
    if above.contains(&real) {
        return Ok(());
    }
    above.push(real);
    let mut entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            walk(&path, sought, above, files)?;
        } else if sought.fits(&name) {
            files.push(path);
        }
    }
    above.pop();
    Ok(())
}

impl Sought {
    fn fits(self, name: &str) -> bool {
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
        let is_one_of = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        is_one_of(&[".jsonl", ".ndjson", ".json", ".parquet"]) || self == Sought::Foreign && is_one_of(FOREIGN)
    }
}

/// Endings of what other tools write, beside those of recordings.
const FOREIGN: &[&str] = &[".yaml", ".yml", ".csv", ".pb", ".binpb", ".proto", ".eval", ".traj", ".chunks.txt", ".sse"];

/// The name in the same folder that is most like a missing one.
fn near(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_string_lossy().into_owned();
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let names = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let best = names.max_by(|a, b| strsim::jaro_winkler(a, &wanted).total_cmp(&strsim::jaro_winkler(b, &wanted)))?;
    (strsim::jaro_winkler(&best, &wanted) > 0.8).then(|| format!("did you mean {:?}?", folder.join(best)))
}
