//! Recordings whose interactions are accepted as further ways of a case.

use std::path::Path;
use std::sync::Arc;

use super::scrubbing;
use crate::case::{EvalCase, EvalCaseParser, Variant};
use crate::recording::{Recordings, SourceError};
use crate::replay::target::{PairBy, RecordedTarget};
use crate::scrub::Scrubber;

/// Recordings of other ways, indexed by what cases are paired by. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct VariantSources(Arc<Vec<Source>>);

#[derive(Debug)]
struct Source {
    /// It as it was named.
    path: String,
    /// What its ways are called.
    name: String,
    ways: RecordedTarget,
    recordings: Recordings,
}

impl VariantSources {
    /// Reads and indexes recordings, each at the cost of a second recording.
    ///
    /// # Errors
    /// [`SourceError`] where one cannot be read.
    pub fn open(sources: &[String], pair_by: &PairBy) -> Result<Self, SourceError> {
        let open = |source: &String| {
            let recordings = Recordings::open(&[source])?;
            let ways = RecordedTarget::open(source, &recordings, pair_by.clone())?;
            Ok(Source { path: source.clone(), name: name_of(source), ways, recordings })
        };
        sources.iter().map(open).collect::<Result<_, _>>().map(|all| Self(Arc::new(all)))
    }

    /// Adds to a case the ways that are recorded of it.
    ///
    /// # Errors
    /// When one cannot be read any more.
    pub fn add_to(
        &self,
        case: &mut EvalCase,
        parser: &EvalCaseParser,
        scrubber: Option<&Scrubber>,
    ) -> std::io::Result<()> {
        for source in self.0.iter() {
            if let Some(way) = source.ways.find(&case.id, case.index, &case.recorded)? {
                let way = scrubbing::interaction(way, scrubber);
                case.variants.push(Variant::new(&source.name, way, &case.recorded, parser));
            }
        }
        Ok(())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a path is one of them.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        self.0.iter().any(|source| source.recordings.contains(path))
    }

    /// The recordings that hold a way of a case.
    pub fn holding<'a>(&'a self, case: &'a EvalCase) -> impl Iterator<Item = &'a str> {
        let holds = |source: &&Source| source.ways.has(&case.id, case.index, &case.recorded);
        self.0.iter().filter(holds).map(|source| source.path.as_str())
    }

    /// What was found in each of them.
    pub fn looked_at(&self) -> impl Iterator<Item = (&str, &RecordedTarget)> {
        self.0.iter().map(|source| (source.path.as_str(), &source.ways))
    }

    /// They as they were named.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        self.0.iter().map(|source| source.path.clone()).collect()
    }

    /// A hash of what is in them and what they are called; `None` where there are none.
    ///
    /// # Errors
    /// When one cannot be read any more.
    pub fn hash(&self) -> Result<Option<blake3::Hash>, SourceError> {
        let mut hasher = blake3::Hasher::new();
        for source in self.0.iter() {
            hasher.update(source.recordings.hash()?.as_bytes());
            hasher.update(source.name.as_bytes());
            hasher.update(b"\n");
        }
        Ok((!self.is_empty()).then(|| hasher.finalize()))
    }
}

/// What the ways of a recording are called: its file's name, without what tells the format.
fn name_of(source: &str) -> String {
    let file = Path::new(source).file_name().map_or(source.into(), |name| name.to_string_lossy());
    let packed = file.strip_suffix(".gz").or_else(|| file.strip_suffix(".zst")).unwrap_or(&file);
    let bare = packed.strip_suffix(".jsonl").or_else(|| packed.strip_suffix(".parquet")).unwrap_or(packed);
    if bare.is_empty() { source.to_owned() } else { bare.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_called_by_the_name_of_their_file() {
        let named = ["a/approved.jsonl", "approved.jsonl.zst", "v1.2.parquet", "approved", "-"].map(name_of);
        assert_eq!(named, ["approved", "approved", "v1.2", "approved", "-"]);
    }
}
