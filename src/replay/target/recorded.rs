//! A second recording that stands in for the run.
//!
//! The recording is read once and indexed by what it is paired by; an interaction is read again, where it stands, when
//! its case comes. What cannot be read at a place (compressed files, Parquet) is first written to a temporary file.

use std::borrow::Cow;

use futures_core::future::BoxFuture;

use super::super::attempt::{Aftermath, Failure, FailureKind};
use super::{Abilities, Ending, PreflightReason, Reply, Session, Setups, Start, SystemUnderTest, TargetInfo};
use crate::recording::{
    CaseId, Ids, Interaction, Json, Keys, PlacedFiles, Quarantine, Recordings, SourceError, Span, Spool, Standing,
    UnreadRow, text_key, wire,
};
use crate::replay::ToolRequest;

/// What a case and its counterpart have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PairBy {
    /// The id.
    #[default]
    Id,
    /// The input, to the letter.
    Input,
    /// The place among the interactions.
    Position,
    /// The value of a field.
    Field(String),
}

impl std::str::FromStr for PairBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "id" => PairBy::Id,
            "input" => PairBy::Input,
            "position" => PairBy::Position,
            field if !field.trim().is_empty() => PairBy::Field(field.to_owned()),
            _ => return Err("pair by id, input, position or the name of a field".into()),
        })
    }
}

impl PairBy {
    /// What an interaction is paired by; `None` when it does not have it.
    #[must_use]
    pub fn key(&self, id: &CaseId, place: u64, interaction: &Interaction) -> Option<u128> {
        let text = match self {
            PairBy::Id => Cow::Borrowed(id.as_str()),
            PairBy::Input => interaction.input.shown(),
            PairBy::Position => Cow::Owned(place.to_string()),
            PairBy::Field(field) => Cow::Owned(field_text(interaction, field)?),
        };
        Some(text_key(&text))
    }
}

fn field_text(interaction: &Interaction, field: &str) -> Option<String> {
    let whole = Json::parse(wire::write(interaction)).ok()?;
    whole.member(field).filter(|value| !value.is_null()).map(|value| value.shown().into_owned())
}

/// A recording that stands in for a target.
#[derive(Debug)]
pub struct RecordedTarget {
    name: String,
    pair_by: PairBy,
    /// What interactions are paired by. The number of a key is that of its span.
    keys: Keys,
    spans: Vec<Span>,
    files: PlacedFiles,
    /// How many interactions share their key with an earlier one, so that none can stand in.
    ambiguous: u64,
    /// What could not be read of it.
    pub quarantine: Quarantine,
    /// How many interactions it holds.
    pub interactions: u64,
}

impl RecordedTarget {
    /// Reads and indexes a recording.
    ///
    /// This costs some 43 bytes of memory an interaction (60 while it is read, twice that where it is paired by
    /// something else than the id). What is no plain JSONL also needs a copy in the temporary folder.
    ///
    /// # Errors
    /// [`SourceError`] where it cannot be read, or is written meanwhile.
    pub fn open(name: &str, recordings: &Recordings, pair_by: PairBy) -> Result<Self, SourceError> {
        let io = |source| SourceError::Io { path: name.into(), source };
        let stamps = recordings.stamps();
        let mut files = recordings.placed()?;
        let mut spool = Spool::new(files.count());
        let (mut ids, mut paired, mut spans) = (Ids::default(), Keys::default(), Vec::new());
        let (mut quarantine, mut interactions, mut ambiguous) = (Quarantine::default(), 0, 0);
        for found in recordings.found_rows()? {
            let standing = found.as_ref().map_or(Standing::Unwritten, Standing::of);
            let row = match found.and_then(UnreadRow::read).and_then(|row| ids.admit(row)) {
                Ok(row) => row,
                Err(reject) => {
                    quarantine.take(reject).map_err(io)?;
                    continue;
                }
            };
            let place = interactions;
            interactions += 1;
            if pair_by != PairBy::Id {
                let Some(key) = pair_by.key(&row.id, place, &row.interaction) else { continue };
                if paired.insert(key).is_err() {
                    ambiguous += 1;
                    continue;
                }
            }
            spans.push(standing.keep(&row.interaction, &mut spool).map_err(io)?);
        }
        recordings.check_unchanged(&stamps)?;
        spool.add_to(&mut files).map_err(io)?;
        spans.shrink_to_fit();
        let keys = if pair_by == PairBy::Id { ids.into_keys() } else { paired };
        let name = format!("recorded:{name}");
        Ok(Self { name, pair_by, keys, spans, files, ambiguous, quarantine, interactions })
    }

    fn span(&self, id: &CaseId, place: u64, recorded: &Interaction) -> Option<Span> {
        let number = self.keys.find(self.pair_by.key(id, place, recorded)?)?;
        self.spans.get(number).copied()
    }

    /// How many interactions share what they are paired by with an earlier one.
    #[must_use]
    pub fn ambiguous(&self) -> u64 {
        self.ambiguous
    }

    /// Whether it holds a counterpart of a case.
    #[must_use]
    pub fn has(&self, id: &CaseId, place: u64, recorded: &Interaction) -> bool {
        self.span(id, place, recorded).is_some()
    }

    /// The counterpart of a case.
    ///
    /// # Errors
    /// When it cannot be read any more, or its file was changed.
    pub fn find(&self, id: &CaseId, place: u64, recorded: &Interaction) -> std::io::Result<Option<Interaction>> {
        self.span(id, place, recorded).map(|span| self.files.interaction(span)).transpose()
    }
}

impl SystemUnderTest for RecordedTarget {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: self.name.clone(), version: None }
    }

    fn abilities(&self) -> BoxFuture<'_, Result<Abilities, PreflightReason>> {
        Box::pin(async move {
            if self.interactions == 0 {
                return Err(PreflightReason::new(format!("{} holds no interaction", self.name)));
            }
            if self.ambiguous > 0 {
                let problem =
                    format!("{} of its interactions share what they are paired by with another", self.ambiguous);
                return Err(PreflightReason::new(problem).help("pair by a field that is unique: --pair-by id"));
            }
            Ok(Abilities { setups: Setups::Any, ..Abilities::default() })
        })
    }

    fn prepare<'a>(&'a self, start: Start<'a>) -> BoxFuture<'a, Result<Box<dyn Session + 'a>, Failure>> {
        Box::pin(async move {
            let failed = |problem: String| Failure::new(FailureKind::Setup, problem);
            let place = start.place;
            match self.find(start.case, place, start.recorded) {
                Ok(Some(run)) => Ok(Box::new(StandIn { run: Some(run), start }) as Box<dyn Session + 'a>),
                Ok(None) => Err(failed(format!("{} has no counterpart of it", self.name))),
                Err(error) => Err(failed(error.to_string())),
            }
        })
    }
}

struct StandIn<'a> {
    run: Option<Interaction>,
    start: Start<'a>,
}

impl Session for StandIn<'_> {
    /// Asks the stubs for each call that the run made, so that the ledger says what a replay would have been told.
    fn submit<'a>(&'a mut self, _input: &'a Json) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let Some(run) = self.run.take() else {
                return Err(Failure::new(FailureKind::Setup, "a recording stands in for one turn only"));
            };
            let run = self.start.tools.scrubbed_run(run);
            for call in run.tool_calls.iter().flatten() {
                let request = ToolRequest {
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                    id: call.id.clone(),
                    step: call.step,
                    agent: call.agent.clone(),
                };
                // What the stubs say does not matter here: the run has its own results.
                self.start.tools.answer_recorded(request, call.result.as_ref());
            }
            Ok(Reply { stands_in: Some(Box::new(run)), ..Reply::default() })
        })
    }

    fn end<'a>(self: Box<Self>, _ending: Ending) -> BoxFuture<'a, Aftermath>
    where
        Self: 'a,
    {
        Box::pin(async { Aftermath::default() })
    }
}
