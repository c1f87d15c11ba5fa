//! Learning rules: what varies though nothing was meant to, and how to compare it.
//!
//! Three things are looked at: repeats of one interaction, which the engine compares without any rule; a stored run
//! whose target is known to do the same; and the shape of values, which alone is too little to go by. Each place in
//! the arguments of each tool is then judged by itself: the narrowest way of comparing that accepts all that was seen
//! to vary is proposed, and checked by the engine. What may mean something gets no rule. Nothing is ignored here: a
//! proposal is a text, and a person decides.

mod apart;
mod contrast;
mod distinct;
mod forms;
mod judge;
mod ladder;
mod learned;
mod lines;
mod look;
mod outline;
mod places;
mod proposals;
mod repeats;
mod rows;
mod run;
mod said;
mod side;
mod suite_block;
mod summary;

pub use judge::{Bounds, LastResort};
pub use learned::{Compared, ExamplePair, Learned, Proposal, ReadFrom, ReadRun, Support, WithoutRule};
pub use rows::GroupBy;
pub use suite_block::suite_block;
pub use summary::summary;

use look::look_at;
use places::Places;
use proposals::{Banned, Drafts, LeftOver, draft};
use repeats::{Comparing, Left, Totals};
use rows::{Groups, PairCount, Rows};
use run::RunEvidence;

use crate::compare::Policy;
use crate::recording::{Quarantine, Recordings, SourceError};
use crate::store::{RunFolder, StoreError};

/// What is learned from.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Recordings, those of the run where there is one.
    pub recordings: Option<&'a Recordings>,
    /// A run whose target is known to do the same as what was recorded.
    pub run: Option<&'a RunFolder>,
}

/// Why nothing could be learned.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum LearnError {
    /// A recording cannot be opened, or was written meanwhile.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Source(#[from] SourceError),
    /// The run cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Store(#[from] StoreError),
    /// Interactions could not be read again.
    #[error("cannot read an interaction again: {0}")]
    #[diagnostic(code(taketwo::unreadable))]
    Again(std::io::Error),
    /// The quarantine file cannot be written.
    #[error("cannot write the quarantine file: {0}")]
    #[diagnostic(code(taketwo::unwritable))]
    Quarantine(std::io::Error),
    /// The run holds no values.
    #[error("the run {run} was kept without content, so there is nothing to learn from")]
    #[diagnostic(code(taketwo::no_content), help("run again without --content omit"))]
    NoContent {
        /// The run.
        run: String,
    },
    /// The recordings are not those of the run.
    #[error("the recordings are not those that the run {run} was made from")]
    #[diagnostic(
        code(taketwo::other_recordings),
        help("leave them out: the run knows the names of its own, or learn from each by itself")
    )]
    OtherRecordings {
        /// The run.
        run: String,
    },
}

/// Learns rules. Rows that cannot be read go to the quarantine.
///
/// Recordings are read as a stream; some 100 bytes stay in memory for each interaction, and what was counted for each
/// place. Repeats are read a second time, and a third time to check what is proposed.
///
/// # Errors
/// [`LearnError`] where something cannot be read.
pub fn learn(
    evidence: Evidence<'_>,
    by: Option<&GroupBy>,
    bounds: &Bounds,
    quarantine: &mut Quarantine,
) -> Result<Learned, LearnError> {
    let mut learning = Learning::new(evidence, by, quarantine)?;
    let (pairs, attempts) = learning.gather()?;
    let (drafts, left) = learning.checked(bounds)?;
    let totals = learning.totals;
    Ok(Learned {
        read: learning.read(attempts)?,
        compared: Compared {
            grouped_by: learning.groups.as_ref().map(|groups| groups.by.to_string()).unwrap_or_default(),
            pairs: pairs.compared,
            asked_otherwise: pairs.asked_otherwise,
            call_pairs: totals.calls,
            differences: totals.differences,
            differences_of_calls: totals.of_calls,
            left: left.proposed.sum(),
        },
        proposals: drafts.drafts.into_iter().map(|draft| draft.into_proposal(&left)).collect(),
        without_rule: drafts.without_rule,
        more_places: learning.places.has_more(),
    })
}

/// What is learned from, opened, and what was seen of it.
struct Learning<'a> {
    evidence: Evidence<'a>,
    comparing: Comparing,
    rows: Option<Rows>,
    groups: Option<Groups>,
    run: Option<RunEvidence<'a>>,
    places: Places,
    totals: Totals,
}

impl<'a> Learning<'a> {
    fn new(evidence: Evidence<'a>, by: Option<&GroupBy>, quarantine: &mut Quarantine) -> Result<Self, LearnError> {
        let (comparing, mut places) = (Comparing::new(), Places::default());
        let mut visit = |number, file, interaction: &_| {
            look_at(interaction, number, file, comparing.by_origin(), &mut places);
        };
        let rows = evidence.recordings.map(|found| Rows::read(found, by, quarantine, &mut visit)).transpose()?;
        let groups = rows.as_ref().map(|rows| rows.groups(by));
        let run = evidence.run.map(|folder| RunEvidence::new(folder, evidence.recordings)).transpose()?;
        Ok(Self { evidence, comparing, rows, groups, run, places, totals: Totals::default() })
    }

    /// Compares all that can be compared.
    fn gather(&mut self) -> Result<(PairCount, u64), LearnError> {
        let Self { comparing, places, totals, .. } = self;
        let mut pairs = PairCount::default();
        if let (Some(rows), Some(groups)) = (&self.rows, &self.groups) {
            pairs = rows.for_each_pair(groups, &mut |twins| comparing.gather(twins, places, totals))?;
        }
        let attempts = match &self.run {
            Some(run) => run.gather(comparing.equivalences(), places, totals)?,
            None => 0,
        };
        Ok((pairs, attempts))
    }

    /// Proposals that the engine has checked, and the differences that they leave. What does not hold is judged anew
    /// without it, until all holds.
    fn checked(&self, bounds: &Bounds) -> Result<(Drafts, LeftOver), LearnError> {
        let mut banned = Banned::default();
        loop {
            let drafts = draft(&self.places, bounds, &banned);
            let (proposed, all) = (drafts.policy_of_proposed(), drafts.policy_of_all());
            let proposed_left = self.left_under(&proposed)?;
            let all_left = if proposed.hash() == all.hash() { proposed_left.clone() } else { self.left_under(&all)? };
            let left = LeftOver { proposed: proposed_left, all: all_left };
            let failing: Vec<_> = drafts.drafts.iter().filter(|draft| draft.left(&left) > 0).collect();
            if failing.is_empty() {
                return Ok((drafts, left));
            }
            // Each round bans a rule that was not banned before, and there are few for each place.
            failing.into_iter().for_each(|draft| banned.add(draft));
        }
    }

    fn left_under(&self, policy: &Policy) -> Result<Left, LearnError> {
        let mut left = Left::default();
        if let (Some(rows), Some(groups)) = (&self.rows, &self.groups) {
            rows.for_each_pair(groups, &mut |twins| self.comparing.left_under(policy, twins, &mut left))?;
        }
        if let Some(run) = &self.run {
            run.left_under(policy, &mut left)?;
        }
        Ok(left)
    }

    /// What was read.
    fn read(&self, attempts: u64) -> Result<ReadFrom, LearnError> {
        let recordings = self.evidence.recordings;
        let files = recordings.iter().flat_map(|found| found.files()).map(|file| file.display().to_string()).collect();
        let hash = recordings.map(short_hash).transpose()?;
        let run = self.run.as_ref().map(|run| {
            let manifest = run.manifest();
            ReadRun {
                id: manifest.id.to_string(),
                target: manifest.target.name.clone(),
                recordings: manifest.recordings.clone(),
                attempts,
                rules: manifest.rules.clone(),
                arguments: manifest.arguments.clone(),
                is_whole: recordings.is_some(),
            }
        });
        Ok(ReadFrom { files, hash, interactions: self.rows.as_ref().map(Rows::count).unwrap_or_default(), run })
    }
}

/// The hash of recordings as the manifest of a run has it.
fn short_hash(recordings: &Recordings) -> Result<String, LearnError> {
    Ok(recordings.hash()?.to_hex()[..32].to_owned())
}

/// The recordings that a run was made from, where they are still what they were.
///
/// # Errors
/// [`LearnError::OtherRecordings`] where others are named.
pub fn recordings_of_run(run: &RunFolder, named: &[String]) -> Result<Option<Recordings>, LearnError> {
    let manifest = run.manifest();
    let is_its_own = |found: &Recordings| short_hash(found).is_ok_and(|hash| hash == manifest.recordings_hash);
    if named.is_empty() {
        // What came by standard input came once.
        if manifest.recordings.iter().any(|name| name == "-") {
            return Ok(None);
        }
        return Ok(Recordings::open(&manifest.recordings).ok().filter(is_its_own));
    }
    let found = Recordings::open(named)?;
    if is_its_own(&found) { Ok(Some(found)) } else { Err(LearnError::OtherRecordings { run: manifest.id.to_string() }) }
}
