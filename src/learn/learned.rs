//! What was learned: proposals for a person, and what varies without one.

use serde::{Serialize, Serializer};

use crate::compare::Rule;

/// What was learned, ready to be written.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Learned {
    /// What was read.
    pub read: ReadFrom,
    /// What was compared.
    pub compared: Compared,
    /// Rules, those that stand in the suite first.
    pub proposals: Vec<Proposal>,
    /// Places that vary and got no rule.
    pub without_rule: Vec<WithoutRule>,
    /// Whether there were more places than are watched.
    pub more_places: bool,
}

/// What was read.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadFrom {
    /// The files.
    pub files: Vec<String>,
    /// A hash of what is in them.
    pub hash: Option<String>,
    /// How many interactions they hold.
    pub interactions: u64,
    /// The run.
    pub run: Option<ReadRun>,
}

/// A run that was learned from.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadRun {
    /// Its id.
    pub id: String,
    /// What was tested.
    pub target: String,
    /// The recordings that it was made from, as they were named.
    pub recordings: Vec<String>,
    /// Attempts that came to a reply.
    pub attempts: u64,
    /// The rules that it was made with: what they accept is no difference.
    pub rules: Vec<String>,
    /// The command line that it was made with, without the program and the verb.
    pub arguments: Vec<String>,
    /// Whether its recordings are still there, so that what did not differ is known as well.
    pub is_whole: bool,
}

/// What was compared.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Compared {
    /// What the repeats of one interaction have in common.
    pub grouped_by: String,
    /// Pairs of interactions that repeat each other.
    pub pairs: u64,
    /// Pairs of one id that were asked different things and not compared.
    pub asked_otherwise: u64,
    /// Pairs of calls.
    pub call_pairs: u64,
    /// Differences in arguments.
    pub differences: u64,
    /// Differences of whole calls, which no rule is for: not called, extra, renamed, unreadable.
    pub differences_of_calls: u64,
    /// Differences in arguments that are left under the proposed rules.
    pub left: u64,
}

/// A rule that is proposed, or several for one place.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// The tools it was seen in.
    pub tools: Vec<String>,
    /// The place.
    pub path: String,
    /// The rules, as reports name them.
    #[serde(serialize_with = "as_texts")]
    pub rules: Vec<Rule>,
    /// What `tool` of the rules is in a suite.
    pub tool: String,
    /// Why it is commented out; `None` for a rule that stands in the suite.
    pub commented_out: Option<String>,
    /// Why this rule and none that is narrower.
    pub why: String,
    /// What varied.
    pub support: Support,
    /// Differences that it takes away, as the engine says.
    pub takes_away: u64,
    /// Differences that are left at its places.
    pub left: u64,
    /// Two differences, where content is kept.
    pub examples: Vec<ExamplePair>,
}

/// How often something varied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Support {
    /// Pairs of calls that have the place; `None` where only those that differ are known.
    pub pairs: Option<u64>,
    /// Those that differ there.
    pub varied: u64,
    /// In so many interactions; of several tools, in at least so many. Where nothing was repeated, all that have the
    /// place.
    pub interactions: u64,
    /// Differences in all.
    pub differences: u64,
    /// Different values; at least so many, where there are more than are told apart.
    pub distinct: u64,
    /// Whether there are more.
    pub distinct_is_floor: bool,
}

/// Both sides of a difference; one value alone where nothing was repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExamplePair {
    /// What was recorded.
    pub expected: Option<String>,
    /// What was seen.
    pub seen: Option<String>,
}

/// A place that varies and gets no rule.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WithoutRule {
    /// The tool.
    pub tool: String,
    /// The place.
    pub path: String,
    /// Why.
    pub why: String,
    /// What varied.
    pub support: Support,
}

impl Learned {
    /// The rules that stand in the suite.
    pub fn proposed(&self) -> impl Iterator<Item = &Proposal> {
        self.proposals.iter().filter(|proposal| proposal.commented_out.is_none())
    }

    /// The rules that are commented out.
    pub fn commented_out(&self) -> impl Iterator<Item = &Proposal> {
        self.proposals.iter().filter(|proposal| proposal.commented_out.is_some())
    }

    /// The same without any value of a recording but those that rules need.
    #[must_use]
    pub fn without_content(mut self) -> Self {
        self.proposals.iter_mut().for_each(|proposal| proposal.examples.clear());
        self
    }
}

fn as_texts<S: Serializer>(rules: &[Rule], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(rules.iter().map(ToString::to_string))
}
