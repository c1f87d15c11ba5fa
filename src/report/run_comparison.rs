//! Two stored runs, read side by side and told as one difference.

use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::run_diff_json::write_json;
use super::text::{RunDiffText, TextOptions};
use super::words::{counted, grouped};
use super::{Verdict, verdict_of};
use crate::recording::{CaseId, Keys, text_key};
use crate::replay::TargetInfo;
use crate::store::{Content, JournalIndex, OtherSetting, RunFolder, RunId, StoreError};
use crate::verdict::{CaseChangeKind, Exit, RunDifference, RunDifferenceBuilder, RunState, Values};

/// Two runs and what differs between them.
#[derive(Debug)]
pub struct RunComparison {
    /// The run that the other is compared with.
    pub(super) before: ComparedRun,
    /// The other.
    pub(super) after: ComparedRun,
    /// Settings that they were made with differently.
    pub(super) settings: Vec<OtherSetting>,
    /// What differs.
    pub(super) difference: RunDifference,
}

/// What a run was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ComparedRun {
    /// Its name.
    pub id: RunId,
    /// When it started.
    pub started_at: String,
    /// Whether it came to its end.
    pub state: RunState,
    /// What it came to; `None` while it is not finished.
    pub verdict: Option<Verdict>,
    /// The version of the program.
    pub taketwo: String,
    /// The recordings, as they were named.
    pub recordings: Vec<String>,
    /// A hash of what is in them.
    pub recordings_hash: String,
    /// What was tested.
    pub target: TargetInfo,
    /// A hash of the second recording, where one stood in for the target.
    pub target_hash: Option<String>,
    /// A hash of the rules.
    pub policy_hash: String,
    /// A hash of all settings that decide what an attempt comes to.
    pub settings_hash: String,
    /// How many cases it was to have.
    pub cases: u64,
    /// How many attempts each case was to have.
    pub repeats: u32,
}

/// Whether two runs came to the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Sameness {
    /// They did.
    Same,
    /// A case came out otherwise.
    Different,
    /// No case came out otherwise, but not everything could be compared.
    NotProven,
}

impl Sameness {
    /// Its words in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Sameness::Same => "SAME",
            Sameness::Different => "DIFFERENT",
            Sameness::NotProven => "NOT PROVEN",
        }
    }
}

/// The forms of a difference of two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunDiffForm {
    /// For a person.
    Text(TextOptions),
    /// For a program.
    Json,
}

impl RunComparison {
    /// Reads both journals, case by case. It holds the ids of the second run as hashes, and what differs.
    ///
    /// # Errors
    /// When a journal cannot be read.
    pub fn new(before: &RunFolder, after: &RunFolder) -> Result<Self, StoreError> {
        let keeps = |folder: &RunFolder| folder.manifest().content == Content::Keep;
        let values = if keeps(before) && keeps(after) { Values::Kept } else { Values::LeftOut };
        let difference = compared(&before.index()?, &after.index()?, values)?;
        let settings = before.manifest().other_settings(after.manifest());
        Ok(Self { before: ComparedRun::of(before), after: ComparedRun::of(after), settings, difference })
    }

    /// Whether they came to the same.
    #[must_use]
    pub fn sameness(&self) -> Sameness {
        match (self.difference.changes.is_empty(), self.reservations().is_empty()) {
            (false, _) => Sameness::Different,
            (true, false) => Sameness::NotProven,
            (true, true) => Sameness::Same,
        }
    }

    /// What the program ends with where it was asked to say so.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self.sameness() {
            Sameness::Same => Exit::Passed,
            Sameness::Different => Exit::Finding,
            Sameness::NotProven => Exit::NotProven,
        }
    }

    /// The difference in a sentence, as `DIFFERENT: 3 of 40 cases came out otherwise`.
    #[must_use]
    pub fn headline(&self) -> String {
        let (difference, word) = (&self.difference, self.sameness().as_str());
        let cases = counted(difference.cases, "case");
        match difference.changes.len() as u64 {
            _ if difference.cases == 0 => format!("{word}: the two runs have no case in common"),
            0 => format!("{word}: of {cases} in both runs none came out otherwise"),
            changed => format!("{word}: {} of {cases} came out otherwise", grouped(changed)),
        }
    }

    /// How many cases changed in which way, in words; `None` where none did.
    pub(super) fn ways(&self) -> Option<String> {
        let said = |kind: CaseChangeKind| {
            let count = self.difference.count(kind);
            let one = count == 1;
            let what = match kind {
                CaseChangeKind::NewlyFailing => if one { "fails now" } else { "fail now" }.to_owned(),
                CaseChangeKind::NewlyPassing => if one { "passes now" } else { "pass now" }.to_owned(),
                CaseChangeKind::OtherVerdict => if one { "has another verdict" } else { "have another verdict" }.into(),
                CaseChangeKind::OtherDifferences => "with other differences".to_owned(),
                CaseChangeKind::OtherDetails => "with other calls or values".to_owned(),
            };
            (count > 0).then(|| format!("{} {what}", grouped(count)))
        };
        let said: Vec<String> = CaseChangeKind::ALL.into_iter().filter_map(said).collect();
        (!said.is_empty()).then(|| said.join(", "))
    }

    /// Why it is not proven that the runs came to the same, should nothing differ; a sentence each.
    #[must_use]
    pub fn reservations(&self) -> Vec<String> {
        let mut said = Vec::new();
        if self.before.id == self.after.id {
            said.push("both are one and the same run".to_owned());
        }
        for (run, which) in [(&self.before, "first"), (&self.after, "second")] {
            if run.state != RunState::Finished {
                said.push(format!("the {which} run is not finished"));
            }
        }
        let difference = &self.difference;
        for (alone, which) in [(&difference.only_before, "first"), (&difference.only_after, "second")] {
            if !alone.is_empty() {
                let are = if alone.len() == 1 { "is" } else { "are" };
                said.push(format!("{} {are} only in the {which}", counted(alone.len() as u64, "case")));
            }
        }
        if difference.open > 0 {
            let have = if difference.open == 1 { "has" } else { "have" };
            said.push(format!("{} {have} no verdict in either", counted(difference.open, "case")));
        }
        if difference.unseen > 0 {
            let differ = if difference.unseen == 1 { "differs" } else { "differ" };
            let cases = counted(difference.unseen, "case");
            said.push(format!(
                "{cases} {differ} from the recording in both, in values that were left out (`--content omit`)"
            ));
        }
        if difference.broken_off > 0 {
            let attempts = counted(difference.broken_off, "attempt");
            said.push(format!("{attempts} did not come to an end, and what they called is not compared"));
        }
        let weighty: Vec<&str> = self.settings.iter().map(|it| it.setting.as_str()).filter(|it| weighs(it)).collect();
        if !weighty.is_empty() {
            said.push(format!("they were made with other settings: {}", weighty.join(", ")));
        }
        said
    }

    /// Writes the difference. Text has ANSI styles; `anstream` takes them out where nobody sees them.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn write(&self, form: RunDiffForm, out: &mut dyn Write) -> Result<(), StoreError> {
        let written: io::Result<()> = match form {
            RunDiffForm::Text(options) => out.write_all(RunDiffText::new(self, options).into_text().as_bytes()),
            RunDiffForm::Json => write_json(self, out),
        };
        written.map_err(StoreError::io("write", Path::new("the difference")))
    }
}

/// Whether a setting may well be why a case came out as it did.
fn weighs(setting: &str) -> bool {
    !["taketwo", "seed", "deadline"].contains(&setting)
}

impl ComparedRun {
    fn of(folder: &RunFolder) -> Self {
        let manifest = folder.manifest().clone();
        let state = manifest.facts.state;
        Self {
            id: manifest.id,
            started_at: manifest.started_at,
            state,
            verdict: folder.outcome().map(|outcome| verdict_of(outcome.state, state)),
            taketwo: manifest.taketwo,
            recordings: manifest.recordings,
            recordings_hash: manifest.recordings_hash,
            target: manifest.target,
            target_hash: manifest.target_hash,
            policy_hash: manifest.policy_hash,
            settings_hash: manifest.settings_hash,
            cases: manifest.facts.cases,
            repeats: manifest.repeats,
        }
    }
}

/// The cases of a run by their ids: 35 bytes a case.
struct CasesById {
    keys: Keys,
    /// The case's place in its journal, by the number of its key.
    places: Vec<u64>,
}

impl CasesById {
    fn of(journal: &JournalIndex) -> Result<Self, StoreError> {
        let mut cases = Self { keys: Keys::default(), places: Vec::new() };
        for case in journal.ids() {
            let (place, id) = case?;
            // Ids are unique within a run; of two equal ones the first counts.
            if cases.keys.insert(text_key(id.as_str())).is_ok() {
                cases.places.push(place);
            }
        }
        Ok(cases)
    }

    fn find(&self, id: &CaseId) -> Option<usize> {
        self.keys.find(text_key(id.as_str()))
    }
}

/// Goes through the first journal and finds each of its cases in the second.
fn compared(before: &JournalIndex, after: &JournalIndex, values: Values) -> Result<RunDifference, StoreError> {
    let known = CasesById::of(after)?;
    let mut is_paired = vec![false; known.places.len()];
    let mut builder = RunDifferenceBuilder::new(values);
    // Both are read from front to back where the runs are over the same recordings.
    let mut others = after.cases();
    for case in before.cases() {
        let case = case?;
        let Some(number) = known.find(&case.id) else {
            builder.add_only_before(&case.id);
            continue;
        };
        others.seek(known.places[number]);
        if let Some(other) = others.next() {
            builder.add(&case, &other?);
            is_paired[number] = true;
        }
    }
    for (id, is_paired) in after.ids().zip(is_paired) {
        if !is_paired {
            builder.add_only_after(&id?.1);
        }
    }
    Ok(builder.finish())
}
