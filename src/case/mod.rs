//! What is tested: a recorded interaction, and what a new run of it is held to.

mod budget;
mod parser;
mod refusal;
mod setup;
mod variant;

pub use budget::{Tolerance, ToleranceError, Tolerances};
pub use parser::{CaseError, Check, EvalCaseParser, RECORDED_CHECKS};
pub use refusal::Refusal;
pub use setup::{EvalSetup, SetupError};
pub use variant::{Variant, VariantFault};

use crate::recording::{CaseId, Interaction, Place};

/// A case: what is asked, from which start, and what the answer is held to.
#[derive(Clone, Debug)]
pub struct EvalCase {
    /// Its place among the cases, counted from 0: reports keep this order.
    pub index: u64,
    /// Its identity.
    pub id: CaseId,
    /// Where it was recorded.
    pub place: Place,
    /// The state to start from.
    pub setup: EvalSetup,
    /// What production did.
    pub recorded: Interaction,
    /// What the recording alone holds a run to.
    pub checks: Vec<Check>,
    /// Other ways that are as good, in the order they are tried in.
    pub variants: Vec<Variant>,
    /// What else settles the case, where its author said so; see the evaluator router.
    pub expectation: Option<Expectation>,
}

impl EvalCase {
    /// All ways that the case accepts: the recorded one first.
    pub fn ways(&self) -> impl Iterator<Item = &Interaction> {
        std::iter::once(&self.recorded).chain(self.variants.iter().map(|variant| &variant.way))
    }
}

/// The one thing that settles a case for the evaluator router (evalkit: exactly one evaluator settles a case).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The target must end in this node of its specification, or in a refinement of it.
    SpecNode(String),
    /// The reply must hold all of these.
    RequiredPhrases(Vec<String>),
    /// A registered metric must reach its threshold.
    Metric {
        /// The metric.
        id: String,
        /// Its version.
        version: u32,
    },
    /// A sentence that a judge reads.
    Outcome(String),
}
