//! What a difference means: evaluators look at an attempt and say whether it passed.
//!
//! Which checks a recording gives by itself is in [`crate::case::Check`]; this room carries them out, offers more
//! for suites to state, and lets users write their own with [`Evaluator`].

mod budget;
mod calls;
mod labels;
mod outcome;
mod recorded;
mod reply;
mod router;
mod schema;
mod stated;
mod target;

use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

pub use budget::{CostBudget, LatencyBudget, ModelCallBudget, TokenBudget};
pub use calls::{
    CallSequence, CallToolWith, CallTools, CallToolsInOrder, ForbiddenTools, ToolCallBudget, ToolResultContains,
};
pub use outcome::{EvaluationOutcome, EvaluationResult, Label, Said};
pub use reply::{OutputComparison, ReplyContains, ReplyDoesNotMatch, ReplyLacks, ReplyLacksLuhnNumber, ReplyMatches};
pub use router::{EvaluatorRouter, Route};
pub use schema::{RuledOutCall, ruled_out_calls};
pub use stated::{StatedCheck, StatedChecks};

use crate::case::{Check, EvalCase, Variant};
use crate::compare::{Alignment, Matching, Policy, ToolDefinitions, align, prepare};
use crate::recording::{Interaction, ToolCall};
use crate::replay::Attempt;

/// Looks at attempts. A panic in it is a fault of the harness (`Broke`), never a finding.
///
/// ```
/// use taketwo::evaluate::{EvalContext, Evaluator, Said};
///
/// struct IsShort;
///
/// impl Evaluator for IsShort {
///     fn label(&self) -> &str {
///         "is-short"
///     }
///     fn evaluate(&self, context: &EvalContext<'_>) -> Said {
///         match context.reply() {
///             Some(reply) if reply.len() <= 500 => Said::passed(),
///             Some(reply) => Said::failed(format!("{} bytes", reply.len())),
///             None => Said::inconclusive("there is no reply"),
///         }
///     }
/// }
/// ```
pub trait Evaluator: Send + Sync {
    /// Its name in reports, gates and `--skip`.
    fn label(&self) -> &str;

    /// Whether it has anything to say of this case. One that has not is left out of the report.
    fn applies(&self, _context: &EvalContext<'_>) -> bool {
        true
    }

    /// Looks at an attempt that ended with a reply.
    fn evaluate(&self, context: &EvalContext<'_>) -> Said;
}

/// What evaluators hold attempts to, the same for all of a run.
#[derive(Clone, Default)]
pub struct EvaluationRules {
    /// What counts as equal. The stubs have the same.
    pub policy: Arc<Policy>,
    /// How calls are held to the recorded ones.
    pub matching: Matching,
    /// Below this share of faithfully answered calls an attempt is not comparable; 0 asks for nothing.
    pub fidelity_floor: f64,
    /// Whether the reply must be the recorded one.
    pub output: Option<OutputComparison>,
    /// The tools that calls are held to, where their definitions are given.
    pub tools: Option<Arc<ToolDefinitions>>,
    /// Checks that are left out.
    pub skip: Vec<Label>,
    /// Checks that the suite or the user states, for every case.
    pub evaluators: Vec<Arc<dyn Evaluator>>,
    /// What settles cases whose author said what is expected.
    pub router: Option<Arc<EvaluatorRouter>>,
}

impl EvaluationRules {
    fn skips(&self, label: &str) -> bool {
        self.skip.iter().any(|skipped| skipped.as_str() == label)
    }
}

/// What evaluators look at: a case, an attempt at it, and how the calls correspond.
pub struct EvalContext<'a> {
    /// The case.
    pub case: &'a EvalCase,
    /// The attempt.
    pub attempt: &'a Attempt,
    /// What it is held to.
    pub rules: &'a EvaluationRules,
    chosen: OnceCell<Chosen>,
}

/// Which of the ways that a case accepts an attempt is held to.
struct Chosen {
    /// Its place among the variants; `None` for the recorded way.
    variant: Option<usize>,
    alignment: Option<Alignment>,
}

impl<'a> EvalContext<'a> {
    /// Looks at an attempt.
    #[must_use]
    pub fn new(case: &'a EvalCase, attempt: &'a Attempt, rules: &'a EvaluationRules) -> Self {
        Self { case, attempt, rules, chosen: OnceCell::new() }
    }

    /// The calls that were made; `None` where that is not known.
    #[must_use]
    pub fn calls(&self) -> Option<&'a [ToolCall]> {
        self.attempt.seen.tool_calls.as_deref()
    }

    /// The reply as text; `None` when there is none or it is blank.
    #[must_use]
    pub fn reply(&self) -> Option<std::borrow::Cow<'a, str>> {
        let output = self.attempt.seen.output.as_ref().filter(|_| self.attempt.seen.has_reply());
        output.map(crate::recording::Json::shown)
    }

    /// How the calls correspond to those of the way that the attempt is held to; `None` where either is not known.
    pub fn alignment(&self) -> Option<&Alignment> {
        self.chosen().alignment.as_ref()
    }

    /// The way that the attempt is held to: the first of those that the case accepts that it keeps to, else the one
    /// that it is least different from, the recorded one before others.
    #[must_use]
    pub fn recorded(&self) -> &'a Interaction {
        self.variant().map_or(&self.case.recorded, |variant| &variant.way)
    }

    /// The variant that the attempt is held to; `None` where that is the recorded way.
    #[must_use]
    pub fn variant(&self) -> Option<&'a Variant> {
        self.chosen().variant.and_then(|at| self.case.variants.get(at))
    }

    /// The place of the way that the attempt is held to, the recorded one being 0.
    #[must_use]
    pub fn way(&self) -> usize {
        self.chosen().variant.map_or(0, |at| at + 1)
    }

    /// What that way holds a run to.
    fn checks(&self) -> &'a [Check] {
        self.variant().map_or(&self.case.checks, |variant| &variant.checks)
    }

    fn chosen(&self) -> &Chosen {
        self.chosen.get_or_init(|| {
            let recorded = self.aligned_with(&self.case.recorded);
            // Calls that were not recorded may be as they should: only a variant that is kept to says more.
            let mut least = recorded.as_ref().map_or(1, |alignment| self.cost(&self.case.recorded, alignment));
            let mut chosen = Chosen { variant: None, alignment: recorded };
            for (at, variant) in self.case.variants.iter().enumerate().take_while(|_| self.calls().is_some()) {
                if least == 0 {
                    break;
                }
                let Some(alignment) = self.aligned_with(&variant.way) else { continue };
                let cost = self.cost(&variant.way, &alignment);
                if cost < least {
                    (least, chosen) = (cost, Chosen { variant: Some(at), alignment: Some(alignment) });
                }
            }
            chosen
        })
    }

    /// How much of a way the run fails to keep to; 0 where it keeps to it.
    fn cost(&self, way: &Interaction, alignment: &Alignment) -> u64 {
        match self.rules.matching {
            Matching::Labels => labels::cost(way.tool_calls.as_deref().unwrap_or_default(), self),
            matching => alignment.cost(matching),
        }
    }

    fn aligned_with(&self, way: &Interaction) -> Option<Alignment> {
        let (recorded, seen) = (way.tool_calls.as_deref()?, self.calls()?);
        let policy = &self.rules.policy;
        Some(align(&prepare(recorded, policy), &prepare(seen, policy), self.rules.matching))
    }
}

/// Everything that is said of an attempt.
#[must_use]
pub fn evaluate(context: &EvalContext<'_>) -> Vec<EvaluationResult> {
    let mut results = target::results(context);
    let labels = context.rules.matching == Matching::Labels;
    if context.attempt.ended == crate::replay::Ended::Replied {
        for check in context.checks() {
            if context.rules.skips(check.label()) {
                continue;
            }
            match labels.then(|| labels::evaluate(check, context)).flatten() {
                Some(said) => results.extend(said),
                None => results.extend(recorded::evaluate(check, context)),
            }
        }
        results.extend(schema::result(context));
        results.extend(reply::as_recorded(context));
        let routed =
            context.rules.router.iter().filter_map(|router| router.route(context.case)).flat_map(Route::evaluators);
        for evaluator in context.rules.evaluators.iter().cloned().chain(routed) {
            if !context.rules.skips(evaluator.label()) && evaluator.applies(context) {
                results.push(guarded(&*evaluator, context));
            }
        }
    }
    results.extend(target::evidence(context, &results));
    results
}

/// Asks an evaluator; a panic is its own fault.
fn guarded(evaluator: &dyn Evaluator, context: &EvalContext<'_>) -> EvaluationResult {
    let label = Label::new(evaluator.label());
    match catch_unwind(AssertUnwindSafe(|| evaluator.evaluate(context))) {
        Ok(said) => said.by(label),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Said::broke(format!("the evaluator panicked: {text}")).by(label)
        }
    }
}
