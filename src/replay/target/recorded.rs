//! A second recording that stands in for the run.
//!
//! The recording is read once and indexed by id; an interaction is read again when its case comes. What cannot be
//! read at a place (compressed files, Parquet) is first written to a temporary file that can.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use futures_core::future::BoxFuture;

use super::super::attempt::{Aftermath, Failure, FailureKind};
use super::{Abilities, Ending, PreflightReason, Reply, Session, Setups, Start, SystemUnderTest, TargetInfo};
use crate::recording::{CaseId, Interaction, Json, Quarantine, Recordings, SourceError, wire};
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
            PairBy::Id => id.as_str().to_owned(),
            PairBy::Input => interaction.input.shown().into_owned(),
            PairBy::Position => place.to_string(),
            PairBy::Field(field) => field_text(interaction, field)?,
        };
        let hash = blake3::hash(text.as_bytes());
        let mut low = [0; 16];
        low.copy_from_slice(&hash.as_bytes()[..16]);
        Some(u128::from_le_bytes(low))
    }
}

fn field_text(interaction: &Interaction, field: &str) -> Option<String> {
    let whole = Json::parse(wire::write(interaction)).ok()?;
    whole.member(field).filter(|value| !value.is_null()).map(|value| value.shown().into_owned())
}

/// Where an interaction stands in the indexed file.
#[derive(Clone, Copy, Debug)]
struct Span {
    offset: u64,
    length: u32,
}

/// A recording that stands in for a target.
#[derive(Debug)]
pub struct RecordedTarget {
    name: String,
    pair_by: PairBy,
    spans: HashMap<u128, Span>,
    /// Keys that several interactions share, so that none can stand in.
    ambiguous: u64,
    file: Mutex<File>,
    /// What could not be read of it.
    pub quarantine: Quarantine,
    /// How many interactions it holds.
    pub interactions: u64,
    used: Mutex<u64>,
}

impl RecordedTarget {
    /// Reads and indexes a recording.
    ///
    /// This costs some 40 bytes of memory an interaction, and a copy of it in the temporary folder.
    ///
    /// # Errors
    /// [`SourceError`] where it cannot be read.
    pub fn open(name: &str, recordings: &Recordings, pair_by: PairBy) -> Result<Self, SourceError> {
        let io = |source| SourceError::Io { path: name.into(), source };
        let file = tempfile::tempfile().map_err(io)?;
        let mut spool = BufWriter::with_capacity(1 << 20, file);
        let (mut spans, mut quarantine) = (HashMap::new(), Quarantine::default());
        let (mut offset, mut interactions, mut ambiguous) = (0, 0, 0);
        for row in recordings.rows()? {
            let row = match row {
                Ok(row) => row,
                Err(reject) => {
                    quarantine.take(reject).map_err(io)?;
                    continue;
                }
            };
            let key = pair_by.key(&row.id, interactions, &row.interaction);
            interactions += 1;
            let Some(key) = key else { continue };
            let text = wire::write(&row.interaction);
            spool.write_all(text.as_bytes()).map_err(io)?;
            // A line is at most 256 MiB, which fits.
            let span = Span { offset, length: text.len() as u32 };
            offset += text.len() as u64;
            ambiguous += u64::from(spans.insert(key, span).is_some());
        }
        let file = spool.into_inner().map_err(|error| io(error.into_error()))?;
        let name = format!("recorded:{name}");
        Ok(Self {
            name,
            pair_by,
            spans,
            ambiguous,
            file: Mutex::new(file),
            quarantine,
            interactions,
            used: Mutex::new(0),
        })
    }

    /// Whether it holds a counterpart of a case.
    #[must_use]
    pub fn has(&self, id: &CaseId, place: u64, recorded: &Interaction) -> bool {
        self.pair_by.key(id, place, recorded).is_some_and(|key| self.spans.contains_key(&key))
    }

    /// The counterpart of a case.
    ///
    /// # Errors
    /// When the temporary file cannot be read any more.
    pub fn find(&self, id: &CaseId, place: u64, recorded: &Interaction) -> std::io::Result<Option<Interaction>> {
        let Some(span) = self.pair_by.key(id, place, recorded).and_then(|key| self.spans.get(&key)) else {
            return Ok(None);
        };
        let mut bytes = vec![0; span.length as usize];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(span.offset))?;
            file.read_exact(&mut bytes)?;
        }
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        let broken = |problem: String| std::io::Error::new(std::io::ErrorKind::InvalidData, problem);
        let text = String::from_utf8(bytes).map_err(|error| broken(error.to_string()))?;
        let json = Json::parse(text).map_err(|fault| broken(fault.to_string()))?;
        wire::read(&json).map(Some).map_err(|fault| broken(fault.to_string()))
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
            for call in run.tool_calls.iter().flatten() {
                let request = ToolRequest {
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                    id: call.id.clone(),
                    step: call.step,
                };
                // What the stubs say does not matter here: the run has its own results.
                let _ = self.start.tools.answer(request);
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
