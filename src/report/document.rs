//! `report.json` as a type: what is written is what can be read back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Report, Verdict};
use crate::recording::CaseId;
use crate::replay::TargetInfo;
use crate::store::{Content, GateSource, RunId};
use crate::verdict::{
    AttemptRow, AttemptVerdict, CaseVerdict, DifferenceGroup, EvalCaseResults, Facts, GateResult, Summary, Trust,
};

/// The format's name.
pub(super) const FORMAT: &str = "taketwo-report";
/// The format's version: it grows when a field changes its meaning or goes.
pub(super) const VERSION: u32 = 1;

/// A whole report. It holds every case that did not pass, so it is for reading, not for writing large ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportDocument {
    /// `taketwo-report`.
    pub format: String,
    /// 1.
    pub version: u32,
    /// What the run came to.
    pub verdict: Verdict,
    /// The exit code.
    pub exit_code: u8,
    /// The verdict in a sentence.
    pub headline: String,
    /// What was run. Its `id`, times and `wallMs` differ between two runs over the same evidence.
    pub run: RunDocument,
    /// What of the run its attempts do not tell.
    pub facts: Facts,
    /// The figures.
    pub summary: Summary,
    /// Differences by kind, the gated ones first, then by traffic.
    pub groups: Vec<DifferenceGroup>,
    /// How each gate fell out.
    pub gates: Vec<GateResult>,
    /// How far the figures can be trusted.
    pub trust: Trust,
    /// What else there is to say, a sentence each.
    pub notes: Vec<String>,
    /// The cases in their order.
    pub cases: Vec<CaseDocument>,
}

/// What was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunDocument {
    /// The run's name.
    pub id: RunId,
    /// When it started.
    pub started_at: String,
    /// When it ended.
    pub finished_at: Option<String>,
    /// How long it took, in milliseconds.
    pub wall_ms: Option<f64>,
    /// The version of this program.
    pub taketwo: String,
    /// The recordings, as they were named.
    pub recordings: Vec<String>,
    /// A hash of what is in them.
    pub recordings_hash: String,
    /// What was tested.
    pub target: TargetInfo,
    /// A hash of the second recording, where one stands in for the target.
    pub target_hash: Option<String>,
    /// The recordings whose interactions are accepted as further ways.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub variants: Vec<String>,
    /// A hash of what is in them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub variants_hash: Option<String>,
    /// A hash of the rules.
    pub policy_hash: String,
    /// The rules.
    pub rules: Vec<String>,
    /// A hash of the tools that calls are held to, where their definitions are given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tools_hash: Option<String>,
    /// How calls are held to the recorded ones.
    pub matching: String,
    /// The tolerances on spend.
    pub tolerances: BTreeMap<String, String>,
    /// Checks that are left out.
    pub skip: Vec<String>,
    /// The gates that were asked for, and by whom.
    pub gates: Vec<GateSource>,
    /// How many attempts ran at the same time.
    pub lanes: usize,
    /// How many attempts each case gets.
    pub repeats: u32,
    /// How long one attempt may take, in milliseconds.
    pub deadline_ms: u64,
    /// The seed of random choices.
    pub seed: u64,
    /// What happens on a call that no recording answers.
    pub on_miss: String,
    /// Below this share of faithfully answered calls an attempt is not comparable.
    pub fidelity_floor: f64,
    /// How the reply is held to the recorded one.
    pub compare_output: Option<String>,
    /// Whether content is kept.
    pub content: Content,
    /// A hash of all settings that decide what an attempt comes to.
    pub settings_hash: String,
}

/// A case. What passed is a short line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseDocument {
    /// Its place, counted from 0.
    pub index: u64,
    /// Its id.
    pub id: CaseId,
    /// What it came to.
    pub verdict: CaseVerdict,
    /// How many attempts were made.
    pub made: u64,
    /// How many of them passed.
    pub passed: u64,
    /// The variant that the case kept to, where it passed by one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub variant: Option<String>,
    /// The attempts: all where the case did not pass, else those that did not.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub attempts: Vec<AttemptRow>,
}

impl RunDocument {
    pub(super) fn of(report: &Report<'_>) -> Self {
        let manifest = report.manifest.clone();
        Self {
            id: manifest.id,
            started_at: manifest.started_at,
            finished_at: manifest.finished_at,
            wall_ms: report.wall_ms,
            taketwo: manifest.taketwo,
            recordings: manifest.recordings,
            recordings_hash: manifest.recordings_hash,
            target: manifest.target,
            target_hash: manifest.target_hash,
            variants: manifest.variants,
            variants_hash: manifest.variants_hash,
            policy_hash: manifest.policy_hash,
            rules: manifest.rules,
            tools_hash: manifest.tools_hash,
            matching: manifest.matching,
            tolerances: manifest.tolerances,
            skip: manifest.skip,
            gates: manifest.gates,
            lanes: manifest.lanes,
            repeats: manifest.repeats,
            deadline_ms: manifest.deadline_ms,
            seed: manifest.seed,
            on_miss: manifest.on_miss,
            fidelity_floor: manifest.fidelity_floor,
            compare_output: manifest.compare_output,
            content: manifest.content,
            settings_hash: manifest.settings_hash,
        }
    }
}

/// A [`CaseDocument`] as it is written, out of results that others need too.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CaseLine<'a> {
    index: u64,
    id: &'a CaseId,
    verdict: CaseVerdict,
    made: u64,
    passed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attempts: Vec<&'a AttemptRow>,
}

impl<'a> CaseLine<'a> {
    pub(super) fn of(case: &'a EvalCaseResults) -> Self {
        let has_passed = |row: &AttemptRow| row.verdict == AttemptVerdict::Passed;
        let passed = case.attempts.iter().filter(|row| has_passed(row)).count() as u64;
        let is_shown = |row: &&AttemptRow| case.verdict != CaseVerdict::Passed || !has_passed(row);
        Self {
            index: case.index,
            id: &case.id,
            verdict: case.verdict,
            made: case.attempts.len() as u64,
            passed,
            variant: case.passed_by(),
            attempts: case.attempts.iter().filter(is_shown).collect(),
        }
    }
}
