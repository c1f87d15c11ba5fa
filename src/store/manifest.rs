//! What a run was made with: `manifest.json`.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::run_id::RunId;
use crate::replay::TargetInfo;
use crate::verdict::{Facts, GateResult, GateState};

/// Whether inputs, outputs, arguments and results are written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// They are.
    #[default]
    Keep,
    /// Only ids, paths and verdicts are.
    Omit,
}

/// Where a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SettingSource {
    /// Nobody set it.
    #[serde(rename = "default")]
    Default,
    /// The suite file.
    #[serde(rename = "taketwo.toml")]
    Suite,
    /// The command line.
    #[serde(rename = "flag")]
    Flag,
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SettingSource::Default => "default",
            SettingSource::Suite => "taketwo.toml",
            SettingSource::Flag => "flag",
        })
    }
}

/// A gate of the run, and who asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateSource {
    /// The gate, as it is written on the command line.
    pub gate: String,
    /// Where it comes from.
    pub source: SettingSource,
}

/// The settings of a run, and the hashes of what it was made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunManifest {
    /// Its name.
    pub id: RunId,
    /// When it started, as an RFC 3339 time.
    pub started_at: String,
    /// When it ended; `None` while it is not finished.
    pub finished_at: Option<String>,
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
    /// The recordings whose interactions are accepted as further ways, as they were named.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub variants: Vec<String>,
    /// A hash of what is in them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub variants_hash: Option<String>,
    /// A hash of the rules.
    pub policy_hash: String,
    /// The rules, as they are written on the command line.
    pub rules: Vec<String>,
    /// A hash of the tools that calls are held to, where their definitions are given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tools_hash: Option<String>,
    /// How calls are held to the recorded ones.
    pub matching: String,
    /// The tolerances on spend, by name.
    pub tolerances: BTreeMap<String, String>,
    /// Checks that are left out.
    pub skip: Vec<String>,
    /// The gates.
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
    /// How the reply is held to the recorded one, where it is.
    pub compare_output: Option<String>,
    /// Whether inputs, outputs, arguments and results are written down.
    pub content: Content,
    /// The command line that started it, without the program and the verb: what a resumed run goes on with.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// A hash of every setting that must be equal for a run to be resumed.
    pub settings_hash: String,
    /// What of the run its attempts do not tell.
    pub facts: Facts,
}

/// A setting that two runs were made with differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherSetting {
    /// The setting, in words.
    pub setting: String,
    /// The one run's; empty where it has none.
    pub before: String,
    /// The other's.
    pub after: String,
}

/// Settings that say what is tested: two runs are made to differ in these.
const OF_TARGET: [&str; 3] = ["target", "target version", "second recording"];

/// What a run came to, written when it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunOutcome {
    /// How the gates fell out together.
    pub state: GateState,
    /// How each gate fell out.
    pub gates: Vec<GateResult>,
    /// The exit code.
    pub exit: u8,
    /// What else there is to say, a sentence each.
    pub notes: Vec<String>,
    /// How long it took, in milliseconds.
    pub wall_ms: Option<f64>,
}

impl RunManifest {
    /// Every setting that decides what an attempt comes to, in words. Lanes, names, times and gates do not.
    fn settings(&self) -> Vec<(&'static str, String)> {
        let tolerances: Vec<String> = self.tolerances.iter().map(|(name, factor)| format!("{name}={factor}")).collect();
        let (mut rules, mut skip) = (self.rules.clone(), self.skip.clone());
        rules.sort();
        skip.sort();
        let content = if self.content == Content::Keep { "keep" } else { "omit" };
        vec![
            ("taketwo", self.taketwo.clone()),
            ("recordings", self.recordings_hash.clone()),
            ("target", self.target.name.clone()),
            ("target version", self.target.version.clone().unwrap_or_default()),
            ("second recording", self.target_hash.clone().unwrap_or_default()),
            ("variants", self.variants_hash.clone().unwrap_or_default()),
            ("policy", self.policy_hash.clone()),
            ("rules", rules.join(", ")),
            ("tools", self.tools_hash.clone().unwrap_or_default()),
            ("matching", self.matching.clone()),
            ("tolerances", tolerances.join(", ")),
            ("skip", skip.join(", ")),
            ("repeats", self.repeats.to_string()),
            ("deadline", format!("{} ms", self.deadline_ms)),
            ("seed", self.seed.to_string()),
            ("on miss", self.on_miss.clone()),
            ("fidelity floor", self.fidelity_floor.to_string()),
            ("compare output", self.compare_output.clone().unwrap_or_default()),
            ("content", content.to_owned()),
        ]
    }

    /// A hash of the settings that must be equal for a run to be resumed.
    #[must_use]
    pub fn hash_settings(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (name, value) in self.settings() {
            for part in [name, &value] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part.as_bytes());
            }
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// The same with its `settings_hash` made anew.
    #[must_use]
    pub fn with_settings_hash(mut self) -> Self {
        self.settings_hash = self.hash_settings();
        self
    }

    fn others(&self, other: &RunManifest) -> impl Iterator<Item = OtherSetting> {
        let pairs = self.settings().into_iter().zip(other.settings());
        pairs.filter(|((_, was), (_, is))| was != is).map(|((name, before), (_, after))| OtherSetting {
            setting: name.to_owned(),
            before,
            after,
        })
    }

    /// The settings in which another run was made differently, those left out that say what is tested: what the two
    /// come to otherwise may be owing to these.
    #[must_use]
    pub fn other_settings(&self, other: &RunManifest) -> Vec<OtherSetting> {
        let has_other_rules = self.others(other).any(|it| it.setting == "rules");
        // The rules say more than their hash.
        let is_left_out =
            |it: &OtherSetting| OF_TARGET.contains(&it.setting.as_str()) || (has_other_rules && it.setting == "policy");
        self.others(other).filter(|it| !is_left_out(it)).collect()
    }

    /// The settings in which another manifest differs, a sentence each. Empty when a run can be resumed with it.
    #[must_use]
    pub fn differing_settings(&self, other: &RunManifest) -> Vec<String> {
        let shown = |value: &str| if value.is_empty() { "none".to_owned() } else { value.to_owned() };
        let named: Vec<String> = self
            .others(other)
            .map(|it| format!("{}: was {}, now {}", it.setting, shown(&it.before), shown(&it.after)))
            .collect();
        if named.is_empty() && self.settings_hash != other.settings_hash {
            return vec!["a setting that the manifest does not name, such as a check of the suite file".to_owned()];
        }
        named
    }
}

/// The manifest's format.
pub(super) const FORMAT: &str = "taketwo-run";
/// The manifest's version: it grows when a field changes its meaning or goes.
pub(super) const VERSION: u32 = 1;

/// `manifest.json`, to be written.
#[derive(Serialize)]
pub(super) struct ManifestFile<'a> {
    pub(super) format: &'static str,
    pub(super) version: u32,
    #[serde(flatten)]
    pub(super) manifest: &'a RunManifest,
    pub(super) outcome: &'a Option<RunOutcome>,
}

/// The first look at a `manifest.json`.
#[derive(Deserialize)]
pub(super) struct ManifestHead {
    pub(super) format: String,
    pub(super) version: u32,
    #[serde(default)]
    pub(super) outcome: Option<RunOutcome>,
}
