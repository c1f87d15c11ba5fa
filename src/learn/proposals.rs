//! From what was seen at each place to rules: judged place by place, and where tools agree, for all tools at once.

use std::collections::{BTreeMap, BTreeSet};

use super::judge::{Bounds, Chosen, Doubt, Ruling, Standing, WhyNot, judge};
use super::learned::{ExamplePair, Proposal, Support, WithoutRule};
use super::places::{Place, Places};
use super::repeats::Left;
use crate::compare::{How, Policy, Rule};
use crate::recording::ToolName;
use crate::verdict::counted;

/// A rule that is not checked yet.
#[derive(Debug)]
pub(super) struct Draft {
    tools: Vec<ToolName>,
    path: String,
    scope: String,
    rules: Vec<Rule>,
    chosen: Chosen,
    place: Place,
}

/// What the places come to.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    pub(super) drafts: Vec<Draft>,
    pub(super) without_rule: Vec<WithoutRule>,
}

/// What is left under the rules that are proposed, and under those that are commented out as well.
#[derive(Debug)]
pub(super) struct LeftOver {
    pub(super) proposed: Left,
    pub(super) all: Left,
}

impl Drafts {
    /// The rules that will stand in the suite.
    pub(super) fn policy_of_proposed(&self) -> Policy {
        self.policy(|draft| !draft.is_commented_out())
    }

    /// All rules.
    pub(super) fn policy_of_all(&self) -> Policy {
        self.policy(|_| true)
    }

    fn policy(&self, wanted: impl Fn(&Draft) -> bool) -> Policy {
        let drafts = self.drafts.iter().filter(|draft| wanted(draft));
        Policy::new(drafts.flat_map(|draft| draft.rules.clone()).collect())
    }
}

/// Rules that were tried and do not hold, as they are written.
#[derive(Debug, Default)]
pub(super) struct Banned(BTreeSet<Vec<String>>);

impl Banned {
    pub(super) fn add(&mut self, draft: &Draft) {
        self.0.insert(texts(&draft.rules));
    }

    /// Whether no rule can be made of this, or one was made that does not hold.
    fn holds(&self, scope: &str, path: &str, hows: &[How]) -> bool {
        rules(scope, path, hows).is_none_or(|rules| self.0.contains(&texts(&rules)))
    }
}

fn texts(rules: &[Rule]) -> Vec<String> {
    rules.iter().map(ToString::to_string).collect()
}

/// The rules for a place; `None` where no rule can name it.
fn rules(scope: &str, path: &str, hows: &[How]) -> Option<Vec<Rule>> {
    let rule = |how: &How| {
        let rule = Rule::new(scope, path, how.clone()).ok()?;
        (rule.to_string() == format!("{how} {scope}:{path}")).then_some(rule)
    };
    hows.iter().map(rule).collect()
}

/// From so many tools that agree on a place on, a rule is for all tools.
const AGREE: usize = 3;

/// A place of one tool, judged.
struct Judged<'a> {
    tool: &'a ToolName,
    place: &'a Place,
    ruling: Ruling,
}

/// Judges all places.
pub(super) fn draft(places: &Places, bounds: &Bounds, banned: &Banned) -> Drafts {
    let mut by_path: BTreeMap<&str, Vec<Judged<'_>>> = BTreeMap::new();
    for (tool, path, place) in places.iter() {
        let scope = glob::Pattern::escape(tool.as_str());
        let ruling = judge(path, place, bounds, &|hows| banned.holds(&scope, path, hows));
        by_path.entry(path).or_default().push(Judged { tool, place, ruling });
    }
    let mut found = Drafts::default();
    for (path, judged) in by_path {
        if let Some(draft) = for_all_tools(path, &judged, bounds, banned) {
            found.drafts.push(draft);
            continue;
        }
        for Judged { tool, place, ruling } in judged {
            match ruling {
                Ruling::Steady => {}
                Ruling::None(why) => found.without_rule.push(without_rule(tool, path, place, why)),
                Ruling::Rules(chosen) => {
                    found.drafts.extend(Draft::of(vec![tool.clone()], path, chosen, place.clone()))
                }
            }
        }
    }
    let rank = |draft: &Draft| (draft.is_commented_out(), draft.scope.clone(), draft.path.clone());
    found.drafts.sort_by_key(rank);
    found.without_rule.sort_by(|a, b| (&a.tool, &a.path).cmp(&(&b.tool, &b.path)));
    found
}

/// One rule for all tools, where enough of them say the same of a place and none says otherwise.
fn for_all_tools(path: &str, judged: &[Judged<'_>], bounds: &Bounds, banned: &Banned) -> Option<Draft> {
    let agreeing: Vec<&Chosen> = judged
        .iter()
        .filter_map(|judged| if let Ruling::Rules(chosen) = &judged.ruling { Some(chosen) } else { None })
        .collect();
    let first = agreeing.first()?;
    let agree = agreeing.len() >= AGREE && agreeing.iter().all(|chosen| is_alike(chosen, first));
    // Of a tool that says too little nothing is known against it.
    let is_open = |ruling: &Ruling| matches!(ruling, Ruling::Rules(_) | Ruling::None(WhyNot::TooFew));
    if !agree || !judged.iter().all(|judged| is_open(&judged.ruling)) {
        return None;
    }
    let mut all = Place::default();
    judged.iter().for_each(|judged| all.merge(judged.place));
    let ruling = judge(path, &all, bounds, &|hows| banned.holds("*", path, hows));
    match ruling {
        Ruling::Rules(chosen) if is_alike(&chosen, first) => {
            Draft::of(judged.iter().map(|judged| judged.tool.clone()).collect(), path, chosen, all)
        }
        _ => None,
    }
}

fn is_alike(a: &Chosen, b: &Chosen) -> bool {
    let words = |chosen: &Chosen| chosen.hows.iter().map(How::word).collect::<Vec<_>>();
    words(a) == words(b) && a.standing == b.standing
}

impl Draft {
    fn of(tools: Vec<ToolName>, path: &str, chosen: Chosen, place: Place) -> Option<Self> {
        let scope = match tools.as_slice() {
            [tool] => glob::Pattern::escape(tool.as_str()),
            _ => "*".to_owned(),
        };
        let rules = rules(&scope, path, &chosen.hows)?;
        Some(Self { tools, path: path.to_owned(), scope, rules, chosen, place })
    }

    fn is_commented_out(&self) -> bool {
        self.chosen.standing != Standing::Proposed
    }

    /// How many differences are left at its places.
    pub(super) fn left(&self, left: &LeftOver) -> u64 {
        let left = if self.is_commented_out() { &left.all } else { &left.proposed };
        self.tools.iter().map(|tool| left.at(tool, &self.path)).sum()
    }

    /// The proposal, once it was checked.
    pub(super) fn into_proposal(self, left: &LeftOver) -> Proposal {
        let left = self.left(left);
        let Place { look, contrast } = &self.place;
        let by_shape = self.chosen.standing == Standing::CommentedOut(Doubt::ShapeAlone);
        let (support, examples) = if by_shape {
            let example = |value: &String| ExamplePair { expected: Some(value.clone()), seen: None };
            (shape_support(&self.place), look.examples.iter().map(example).collect())
        } else {
            let pair = |example: &super::contrast::Example| ExamplePair {
                expected: example.expected.clone(),
                seen: example.seen.clone(),
            };
            (support(&self.place), contrast.examples.iter().map(pair).collect())
        };
        Proposal {
            takes_away: contrast.differences.saturating_sub(left),
            left,
            tools: self.tools.iter().map(ToString::to_string).collect(),
            path: self.path,
            rules: self.rules,
            tool: self.scope,
            commented_out: match self.chosen.standing {
                Standing::Proposed => None,
                Standing::CommentedOut(doubt) => Some(doubt.as_str().to_owned()),
            },
            why: self.chosen.why,
            support,
            examples,
        }
    }
}

fn support(place: &Place) -> Support {
    let contrast = &place.contrast;
    Support {
        pairs: (!contrast.is_partial).then_some(contrast.pairs),
        varied: contrast.varied,
        interactions: contrast.interactions,
        differences: contrast.differences,
        distinct: contrast.distinct.count(),
        distinct_is_floor: contrast.distinct.has_more(),
    }
}

fn shape_support(place: &Place) -> Support {
    let (look, support) = (&place.look, support(place));
    Support {
        interactions: look.interactions,
        distinct: look.distinct.count(),
        distinct_is_floor: look.distinct.has_more(),
        ..support
    }
}

fn without_rule(tool: &ToolName, path: &str, place: &Place, why: WhyNot) -> WithoutRule {
    let contrast = &place.contrast;
    let values = contrast.distinct.count();
    let why = match why {
        WhyNot::TooFew => format!("it differs in {} only", counted(contrast.varied, "pair")),
        WhyNot::TooRare => format!("it differs in {} of {} pairs only", contrast.varied, contrast.pairs),
        WhyNot::Said => "the values stand in what the user said".into(),
        WhyNot::AFewValues => format!("{values} values that come again and may well mean something"),
        WhyNot::Items => "items of the list come and go".into(),
        WhyNot::NotAccepted => "no rule accepts all of it".into(),
    };
    WithoutRule { tool: tool.to_string(), path: path.to_owned(), why, support: support(place) }
}
