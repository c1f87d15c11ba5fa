//! The manifest of a run: what it was made of, with hashes.

use std::collections::BTreeMap;

use super::execute::Sources;
use super::preflight::Preflight;
use super::settings::Settings;
use crate::store::{GateSource, RunId, RunManifest};
use crate::verdict::{Facts, RunState};

/// Describes a run that is about to start.
///
/// # Errors
/// When a recording cannot be read to be hashed.
pub(super) fn manifest(
    settings: &Settings,
    sources: &Sources,
    found: &Preflight,
    arguments: &[String],
) -> miette::Result<RunManifest> {
    let Sources { recordings, target, .. } = sources;
    let target_hash = match &target.second {
        Some((_, second)) => Some(short(&second.hash()?)),
        None => None,
    };
    let info = found.target.clone().unwrap_or_else(|| target.system.info());
    let manifest = RunManifest {
        id: RunId::fresh(),
        started_at: jiff::Timestamp::now().to_string(),
        finished_at: None,
        taketwo: env!("CARGO_PKG_VERSION").to_owned(),
        recordings: recordings.files().map(|file| file.display().to_string()).collect(),
        recordings_hash: short(&recordings.hash()?),
        target: info,
        target_hash,
        variants: sources.variants.paths(),
        variants_hash: sources.variants.hash()?.as_ref().map(short),
        policy_hash: settings.bindings.policy.hash(),
        rules: settings.bindings.policy.rules().iter().map(ToString::to_string).collect(),
        tools_hash: settings.evaluation.tools.as_ref().map(|tools| tools.hash()),
        matching: settings.evaluation.matching.as_str().to_owned(),
        tolerances: tolerances(settings),
        skip: settings.evaluation.skip.iter().map(ToString::to_string).collect(),
        gates: settings
            .gates
            .iter()
            .map(|setting| GateSource { gate: setting.gate.to_string(), source: setting.source })
            .collect(),
        lanes: settings.lanes,
        repeats: settings.repeats,
        deadline_ms: settings.deadline.as_millis() as u64,
        seed: settings.seed,
        on_miss: format!("{:?}", settings.bindings.on_miss).to_lowercase(),
        fidelity_floor: settings.evaluation.fidelity_floor,
        compare_output: settings.evaluation.output.map(|output| format!("{output:?}").to_lowercase()),
        content: settings.content,
        arguments: arguments.to_vec(),
        settings_hash: String::new(),
        facts: Facts { state: RunState::Unfinished, cases: found.cases, repeats: settings.repeats, ..Facts::default() },
    };
    let named = manifest.hash_settings();
    Ok(RunManifest {
        settings_hash: short(&blake3::hash(format!("{named} {}", unnamed(settings)).as_bytes())),
        ..manifest
    })
}

fn tolerances(settings: &Settings) -> BTreeMap<String, String> {
    let all = &settings.tolerances;
    let named =
        [("tokens", all.tokens), ("latency", all.latency), ("cost", all.cost), ("model-calls", all.model_calls)];
    named.map(|(name, tolerance)| (name.to_owned(), tolerance.to_string())).into()
}

/// What decides what an attempt comes to and has no place of its own in the manifest.
fn unnamed(settings: &Settings) -> String {
    let checks: Vec<&str> = settings.evaluation.evaluators.iter().map(|evaluator| evaluator.label()).collect();
    let (bindings, pair_by) = (&settings.bindings, &settings.pair_by);
    let unscrubbed =
        format!("{:?} {:?} {pair_by:?} {checks:?} {}", bindings.after_last, bindings.statics, settings.checks_text);
    match &bindings.scrubber {
        Some(scrubber) => format!("{unscrubbed} {}", scrubber.name()),
        None => unscrubbed,
    }
}

fn short(hash: &blake3::Hash) -> String {
    hash.to_hex()[..32].to_owned()
}
