//! Recordings whose interactions are accepted as further ways of a case.

use std::path::Path;
use std::sync::Arc;

use crate::case::{EvalCase, EvalCaseParser, Variant};
use crate::recording::{Recordings, SourceError};
use crate::replay::target::{PairBy, RecordedTarget};

/// Recordings of other ways, indexed by what cases are paired by. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct VariantSources(Arc<Vec<Source>>);

#[derive(Debug)]
struct Source {
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
            let stem = Path::new(source).file_stem().map(|stem| stem.to_string_lossy().into_owned());
            Ok(Source { name: stem.unwrap_or_else(|| source.clone()), ways, recordings })
        };
        sources.iter().map(open).collect::<Result<_, _>>().map(|all| Self(Arc::new(all)))
    }

    /// Adds to a case the ways that are recorded of it.
    ///
    /// # Errors
    /// When one cannot be read any more.
    pub fn add_to(&self, case: &mut EvalCase, parser: &EvalCaseParser) -> std::io::Result<()> {
        for source in self.0.iter() {
            if let Some(way) = source.ways.find(&case.id, case.index, &case.recorded)? {
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

    /// Why they cannot be used: rows that cannot be read, keys that are not unique. A sentence each.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let fault = |source: &Source| {
            let rejects = source.ways.quarantine.shown.iter().map(|reject| format!("of the variants: {reject}"));
            let shared = source.ways.ambiguous();
            let ambiguous = (shared > 0).then(|| {
                format!("{shared} interactions of {:?} share what they are paired by with another", source.name)
            });
            rejects.chain(ambiguous).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(fault).collect()
    }

    /// Their names and what is in them, in a form that changes when they do.
    ///
    /// # Errors
    /// When one cannot be read any more.
    pub fn identity(&self) -> Result<String, SourceError> {
        let parts = self.0.iter().map(|source| Ok(format!("{} {}", source.name, source.recordings.hash()?)));
        parts.collect::<Result<Vec<_>, _>>().map(|parts| parts.join(" "))
    }
}
