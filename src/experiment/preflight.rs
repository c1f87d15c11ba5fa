//! What is found before anything is spent: every reason not to start, at once.

use std::collections::BTreeSet;
use std::fmt;

use super::execute::Sources;
use super::scrubbing;
use super::settings::Settings;
use super::variants::VariantSources;
use crate::case::{EvalCase, EvalCaseParser, Expectation, Variant};
use crate::compare::{Arguments, Census, FaultyArguments, Rule};
use crate::recording::{FirstLook, Quarantine, RejectBudget};
use crate::replay::target::RecordedTarget;
use crate::replay::target::Setups;
use crate::replay::{Abilities, PreflightReason, SystemUnderTest, TargetInfo};
use crate::store::Content;

/// What a first look at recordings and target found.
#[derive(Debug, Default)]
pub struct Preflight {
    /// How many cases there are.
    pub cases: u64,
    /// The tools that the recordings name.
    pub tools: BTreeSet<String>,
    /// What the target says of itself.
    pub target: Option<TargetInfo>,
    /// Cases that have a counterpart in a second recording.
    pub paired: u64,
    /// Cases that accept other ways than the recorded one.
    pub with_variants: u64,
    /// How many of them accept one in which a call was answered by no recording.
    pub unanswered_variants: u64,
    /// Rules of the policy that apply to nothing in the recordings.
    pub idle_rules: Vec<Rule>,
    /// What the tool definitions say of the recorded calls, where they are given.
    pub declared: Option<Census>,
    /// Recorded calls whose arguments are no object.
    pub faulty_arguments: FaultyArguments,
    /// What could not be read.
    pub quarantine: Quarantine,
    /// Which rows are cases, for the run.
    pub look: FirstLook,
    /// Why the run must not start; empty when it may.
    pub reasons: Vec<PreflightReason>,
    scenarios: BTreeSet<String>,
}

/// A run that must not start.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("the run was not started, nothing was spent")]
#[diagnostic(code(taketwo::refused))]
pub struct Refusal {
    /// Why, all at once.
    #[related]
    pub reasons: Vec<Reason>,
}

/// One reason.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{problem}")]
#[diagnostic()]
pub struct Reason {
    problem: String,
    #[help]
    help: Option<String>,
}

impl Refusal {
    /// A refusal for these reasons.
    #[must_use]
    pub fn new(reasons: &[PreflightReason]) -> Self {
        let reason = |reason: &PreflightReason| Reason { problem: reason.problem.clone(), help: reason.help.clone() };
        Self { reasons: reasons.iter().map(reason).collect() }
    }
}

/// How many reasons of one kind are listed.
const LISTED: usize = 20;

impl Preflight {
    /// Looks at everything once: reads all rows, and asks the target what it can do.
    ///
    /// # Errors
    /// When the quarantine file cannot be written or a recording cannot be opened.
    pub async fn look(sources: &Sources, settings: &Settings, quarantine: Quarantine) -> miette::Result<Self> {
        let (target, second) = (&*sources.target.system, sources.target.second());
        let policy = &settings.bindings.policy;
        let parser = EvalCaseParser { tolerances: settings.tolerances };
        let tools = settings.evaluation.tools.as_deref();
        let scrubber = settings.bindings.scrubber.as_deref();
        let declared = tools.map(Census::new);
        let mut found = Self { quarantine, declared, idle_rules: policy.rules().to_vec(), ..Self::default() };
        let abilities = match target.abilities().await {
            Ok(abilities) => abilities,
            Err(reason) => {
                found.reasons.push(reason);
                // What it could have done is not the matter any more.
                Abilities { setups: Setups::Any, ..Abilities::default() }
            }
        };
        found.target = Some(abilities.info.clone().unwrap_or_else(|| target.info()));
        let (mut fixtures, mut paired_variants) = (BTreeSet::new(), BTreeSet::new());
        let mut rows = sources.recordings.rows()?;
        for row in &mut rows {
            match row {
                Err(reject) => found
                    .quarantine
                    .take(scrubbing::reject(reject, scrubber))
                    .map_err(|error| miette::miette!("cannot write the quarantine file: {error}"))?,
                Ok(row) => {
                    let (id, place) = (row.id.clone(), row.place.clone());
                    let row = scrubbing::row(row, scrubber);
                    match parser.parse(found.cases, row) {
                        Ok(mut case) => {
                            paired_variants.extend(sources.variants.holding(&case).map(str::to_owned));
                            sources
                                .variants
                                .add_to(&mut case, &parser, scrubber)
                                .map_err(|error| miette::miette!("{error}"))?;
                            let is_unanswered = case.variants.iter().any(Variant::is_unanswered);
                            found.unanswered_variants += u64::from(is_unanswered);
                            found.with_variants += u64::from(!case.variants.is_empty());
                            found.idle_rules.retain(|rule| !applies(rule, &case));
                            found.faulty_arguments.add(&case.place, &case.recorded);
                            if let Some((census, tools)) = found.declared.as_mut().zip(tools) {
                                census.add(tools, &case.place, &case.recorded);
                            }
                            found.case(&case, &abilities, &mut fixtures, target, second);
                        }
                        Err(error) => found.reason(PreflightReason::new(format!("{place}: {id}: {error}"))),
                    }
                    found.cases += 1;
                }
            }
        }
        if settings.content == Content::Omit {
            found.declared = found.declared.map(Census::without_content);
        }
        found.look = rows.look();
        found.quarantine.finish().map_err(|error| miette::miette!("cannot write the quarantine file: {error}"))?;
        found.weigh(settings.max_rejects, second);
        found.weigh_checks(settings);
        found.weigh_variants(&sources.variants, &paired_variants, settings.max_rejects);
        Ok(found)
    }

    /// What was found, as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let reasons: Vec<_> = self
            .reasons
            .iter()
            .map(|reason| serde_json::json!({ "problem": reason.problem, "help": reason.help }))
            .collect();
        let json = serde_json::json!({
            "format": "taketwo-check",
            "version": 1,
            "cases": self.cases,
            "tools": self.tools,
            "withVariants": self.with_variants,
            "unansweredVariants": self.unanswered_variants,
            "faultyArguments": self.faulty_arguments,
            "toolDefinitions": self.declared,
            "rejected": self.quarantine.rejected,
            "torn": self.quarantine.torn,
            "target": self.target,
            "refused": reasons,
        });
        format!("{json:#}\n")
    }

    /// The same as an error, if the run must not start.
    ///
    /// # Errors
    /// [`Refusal`] with all reasons.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.reasons.is_empty() {
            return Ok(());
        }
        Err(Refusal::new(&self.reasons))
    }

    fn reason(&mut self, reason: PreflightReason) {
        if self.reasons.len() < LISTED {
            self.reasons.push(reason);
        }
    }

    fn case(
        &mut self,
        case: &EvalCase,
        abilities: &Abilities,
        fixtures: &mut BTreeSet<String>,
        target: &dyn SystemUnderTest,
        second: Option<&RecordedTarget>,
    ) {
        for call in case.ways().filter_map(|way| way.tool_calls.as_ref()).flatten() {
            if !self.tools.contains(call.name.as_str()) {
                self.tools.insert(call.name.to_string());
            }
        }
        if let Some(scenario) = case.recorded.scenario.as_ref().filter(|scenario| !self.scenarios.contains(*scenario)) {
            self.scenarios.insert(scenario.clone());
        }
        if second.is_some_and(|second| second.has(&case.id, case.index, &case.recorded)) {
            self.paired += 1;
        }
        if let Err(reason) = target.accepts(case) {
            self.reason(reason);
        }
        let declared = abilities.setups == Setups::Declared;
        if let Some(name) = case.setup.fixture().filter(|_| declared)
            && !abilities.fixtures.iter().any(|known| known == name)
            && fixtures.insert(name.to_owned())
        {
            let known = abilities.fixtures.join(", ");
            let help = if known.is_empty() { "it has none".to_owned() } else { format!("it has {known}") };
            self.reason(PreflightReason::new(format!("{}: the target has no fixture {name:?}", case.id)).help(help));
        }
        if let Some(tool) = case.setup.broken_tool().filter(|_| declared)
            && !abilities.breakable_tools.contains(tool)
        {
            self.reason(PreflightReason::new(format!("{}: the target cannot break the tool {tool}", case.id)));
        }
        if let Some(problem) = contradiction(case) {
            self.reason(PreflightReason::new(format!("{}: {problem}", case.id)));
        }
    }

    /// A check for a scenario that no case has would never be carried out, and nobody would know.
    fn weigh_checks(&mut self, settings: &Settings) {
        for scenario in &settings.check_scenarios {
            if !self.scenarios.contains(scenario) {
                let known: Vec<&str> = self.scenarios.iter().take(LISTED).map(String::as_str).collect();
                let help = if known.is_empty() {
                    "no case has one".to_owned()
                } else {
                    format!("there are {}", known.join(", "))
                };
                let problem = format!("a check of the suite is for the scenario {scenario:?}, which no case has");
                self.reason(PreflightReason::new(problem).help(help));
            }
        }
    }

    /// Recordings of variants are held to what a second recording is held to, each by itself.
    fn weigh_variants(&mut self, variants: &VariantSources, paired: &BTreeSet<String>, budget: RejectBudget) {
        for (path, ways) in variants.looked_at() {
            let what = format!("the variants {path:?}");
            if let Some(reason) = too_many_rejects(&what, &ways.quarantine, budget, ways.interactions) {
                self.reason(reason);
            }
            if ways.ambiguous() > 0 {
                let count = ways.ambiguous();
                let problem = format!("{count} interactions of {what} share what they are paired by with another");
                self.reason(PreflightReason::new(problem).help("pair by a field that is unique: --pair-by id"));
            }
            if self.cases > 0 && !paired.contains(path) {
                let problem = format!("no case has a counterpart in {what}");
                let help = "pair by something else: --pair-by input, --pair-by position or a field";
                self.reason(PreflightReason::new(problem).help(help));
            }
        }
    }

    /// What a person should know before the run, a sentence each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let idle = |rule: &Rule| format!("the rule `{rule}` applies to nothing in the recordings");
        let declared = self.declared.iter().flat_map(Census::notes);
        let notes = self.idle_rules.iter().map(idle).chain(self.faulty_arguments.note()).chain(declared);
        notes.chain(self.unanswered_note()).collect()
    }

    fn unanswered_note(&self) -> Option<String> {
        let cases = match self.unanswered_variants {
            0 => return None,
            1 => "1 case accepts".to_owned(),
            count => format!("{count} cases accept"),
        };
        Some(format!(
            "{cases} a way in which a call was answered by no recording: nobody knows what it does with an answer"
        ))
    }

    fn weigh(&mut self, budget: RejectBudget, second: Option<&RecordedTarget>) {
        let rows = self.cases;
        if let Some(reason) = too_many_rejects("the recording", &self.quarantine, budget, rows) {
            self.reasons.insert(0, reason);
        } else if rows == 0 {
            let problem = "the recording holds no interaction, so there is nothing to run";
            self.reasons.insert(0, PreflightReason::new(problem).help("a run of nothing would pass by accident"));
        }
        let Some(second) = second else { return };
        if let Some(reason) = too_many_rejects("the second recording", &second.quarantine, budget, second.interactions)
        {
            self.reason(reason);
        }
        if rows > 0 && self.paired == 0 && second.interactions > 0 {
            let problem = "no case has a counterpart in the second recording";
            let help = "pair by something else: --pair-by input, --pair-by position or a field";
            self.reason(PreflightReason::new(problem).help(help));
        }
    }
}

/// Whether a rule applies to a call of a case.
fn applies(rule: &Rule, case: &EvalCase) -> bool {
    let mut calls = case.ways().filter_map(|way| way.tool_calls.as_ref()).flatten();
    calls.any(|call| Arguments::are_touched_by(rule, &call.name, call.arguments.as_ref()))
}

/// The rows that could not be read, all at once, where they are more than may be.
fn too_many_rejects(what: &str, quarantine: &Quarantine, budget: RejectBudget, rows: u64) -> Option<PreflightReason> {
    if quarantine.within(budget, rows) {
        return None;
    }
    let mut lines: Vec<String> = quarantine.shown.iter().take(LISTED).map(ToString::to_string).collect();
    let count = quarantine.rejected;
    if count > lines.len() as u64 {
        lines.push(format!("and {} more", count - lines.len() as u64));
    }
    let rows = if count == 1 { "row" } else { "rows" };
    let problem = format!("{count} {rows} of {what} cannot be read, {budget} may be:\n{}", lines.join("\n"));
    Some(PreflightReason::new(problem).help("mend them, or let the run go on without them: --max-rejects N"))
}

/// An expectation that its own case rules out (evalkit: `CampaignPlan.check`).
fn contradiction(case: &EvalCase) -> Option<String> {
    match case.expectation.as_ref()? {
        Expectation::RequiredPhrases(phrases) if phrases.iter().any(|phrase| phrase.trim().is_empty()) => {
            Some("a required phrase is blank".into())
        }
        Expectation::Outcome(outcome) if case.recorded.input.shown().trim() == outcome.trim() => {
            Some("the expected outcome is the input itself".into())
        }
        _ => None,
    }
}

impl fmt::Display for Preflight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.reasons.is_empty() { "A run could start" } else { "A run would be refused" };
        writeln!(f, "{verdict}: {} cases, {} tools", self.cases, self.tools.len())?;
        if let Some(target) = &self.target {
            let version = target.version.as_deref().unwrap_or("version not told");
            writeln!(f, "  target    {} ({version})", target.name)?;
        }
        if !self.tools.is_empty() {
            let tools: Vec<&str> = self.tools.iter().map(String::as_str).collect();
            writeln!(f, "  tools     {}", tools.join(", "))?;
        }
        if self.with_variants > 0 {
            let accept = if self.with_variants == 1 { "case accepts" } else { "cases accept" };
            writeln!(f, "  variants  {} {accept} other ways", self.with_variants)?;
        }
        if let Some(census) = &self.declared {
            writeln!(f, "  declared  {}", census.summary())?;
        }
        for note in self.notes() {
            writeln!(f, "  note      {note}")?;
        }
        for reject in &self.quarantine.shown {
            writeln!(f, "  {}    {reject}", if reject.reason.is_torn() { "torn  " } else { "reject" })?;
        }
        Ok(())
    }
}
