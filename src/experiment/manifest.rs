//! The manifest of a run: what it was made of, with hashes.

use std::collections::BTreeMap;

use super::preflight::Preflight;
use super::settings::Settings;
use super::targets::Target;
use crate::recording::Recordings;
use crate::replay::SystemUnderTest;
use crate::store::{GateSource, RunId, RunManifest};
use crate::verdict::{Facts, RunState};

/// Describes a run that is about to start.
///
/// # Errors
/// When a recording cannot be read to be hashed.
pub(super) fn manifest(
    settings: &Settings,
    recordings: &Recordings,
    target: &Target,
    found: &Preflight,
) -> miette::Result<RunManifest> {
    let target_hash = match &target.second {
        Some((_, second)) => Some(short(&second.hash()?)),
        None => None,
    };
    let info = found.target.clone().unwrap_or_else(|| target.system.info());
    let mut manifest = RunManifest {
        id: RunId::now(),
        started_at: jiff::Timestamp::now().to_string(),
        finished_at: None,
        taketwo: env!("CARGO_PKG_VERSION").to_owned(),
        recordings: recordings.files().map(|file| file.display().to_string()).collect(),
        recordings_hash: short(&recordings.hash()?),
        target: info,
        target_hash,
        policy_hash: settings.bindings.policy.hash(),
        rules: settings.bindings.policy.rules().iter().map(ToString::to_string).collect(),
        matching: settings.evaluation.matching.as_str().to_owned(),
        tolerances: tolerances(settings),
        skip: settings.evaluation.skip.iter().map(ToString::to_string).collect(),
        gates: settings
            .gates
            .iter()
            .map(|setting| GateSource { gate: setting.gate.to_string(), source: setting.source.to_string() })
            .collect(),
        lanes: settings.lanes,
        repeats: settings.repeats,
        deadline_ms: settings.deadline.as_millis() as u64,
        seed: settings.seed,
        on_miss: format!("{:?}", settings.bindings.on_miss).to_lowercase(),
        fidelity_floor: settings.evaluation.fidelity_floor,
        compare_output: settings.evaluation.output.map(|output| format!("{output:?}").to_lowercase()),
        content: settings.content,
        settings_hash: String::new(),
        facts: Facts { state: RunState::Unfinished, cases: found.cases, repeats: settings.repeats, ..Facts::default() },
    };
    manifest.settings_hash = settings_hash(&manifest, settings);
    Ok(manifest)
}

fn tolerances(settings: &Settings) -> BTreeMap<String, String> {
    let all = &settings.tolerances;
    let named = [
        ("tokens", all.tokens),
        ("latency", all.latency),
        ("cost", all.cost),
        ("model-calls", all.model_calls),
    ];
    named.map(|(name, tolerance)| (name.to_owned(), tolerance.to_string())).into()
}

/// A hash of all that decides what an attempt comes to. Lanes, ids and times are not among it.
fn settings_hash(manifest: &RunManifest, settings: &Settings) -> String {
    let decides = (
        &manifest.recordings_hash,
        &manifest.target.name,
        &manifest.target_hash,
        &manifest.policy_hash,
        &manifest.matching,
        &manifest.tolerances,
        &manifest.skip,
    );
    let decides_too = format!(
        "{:?} {:?} {:?} {} {} {:?} {:?} {:?}",
        settings.bindings.on_miss,
        settings.bindings.after_last,
        settings.bindings.statics,
        settings.evaluation.fidelity_floor,
        settings.repeats,
        settings.evaluation.output,
        settings.content,
        settings.pair_by,
    );
    let checks: Vec<&str> = settings.evaluation.evaluators.iter().map(|evaluator| evaluator.label()).collect();
    short(&blake3::hash(format!("{decides:?} {decides_too} {checks:?} {:?}", settings.deadline).as_bytes()))
}

fn short(hash: &blake3::Hash) -> String {
    hash.to_hex()[..32].to_owned()
}
