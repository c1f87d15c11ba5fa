//! Whether the figures of a run can be relied on.

use serde::{Deserialize, Serialize};

use crate::recording::counted;

/// How far a run can be trusted (evalkit: `CampaignReport`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trust {
    /// Whether it can.
    pub trustworthy: bool,
    /// Why not, a sentence each.
    pub reasons: Vec<String>,
    /// The share of attempts without evidence, from 0 to 1.
    pub without_evidence: f64,
    /// The share of judged attempts that are undecided, from 0 to 1.
    pub undecided: f64,
    /// Where every judged attempt passed: the true pass rate that such a run would still show one time in twenty,
    /// 0.05^(1/n) for n attempts.
    pub clean_sweep_bound: Option<f64>,
}

/// At most this share of all attempts may be without evidence.
const WITHOUT_EVIDENCE: f64 = 0.10;
/// At most this share of judged attempts may be undecided.
const UNDECIDED: f64 = 0.20;

impl Trust {
    /// Weighs the attempts of a run.
    #[must_use]
    pub fn new(passed: u64, failed: u64, undecided: u64, without_evidence: u64, strays: u64) -> Self {
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let judged = passed + failed + undecided;
        let (lost, open) = (share(without_evidence, judged + without_evidence), share(undecided, judged));
        let mut reasons = Vec::new();
        if judged + without_evidence == 0 {
            reasons.push("nothing was run".to_owned());
        }
        if lost > WITHOUT_EVIDENCE {
            reasons.push(format!("{:.0} % of the attempts are without evidence, at most 10 % may be", lost * 100.0));
        }
        if open > UNDECIDED {
            reasons.push(format!("{:.0} % of the judged attempts are undecided, at most 20 % may be", open * 100.0));
        }
        if strays > 0 {
            reasons.push(format!("the target did something for an attempt that was over, {}", counted(strays, "time")));
        }
        let clean = failed == 0 && undecided == 0 && passed > 0;
        Self {
            trustworthy: reasons.is_empty(),
            reasons,
            without_evidence: lost,
            undecided: open,
            clean_sweep_bound: clean.then(|| 0.05_f64.powf(1.0 / passed as f64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_are_inclusive() {
        assert!(Trust::new(9, 0, 0, 1, 0).trustworthy);
        assert!(!Trust::new(8, 0, 0, 1, 0).trustworthy);
        assert!(Trust::new(4, 0, 1, 0, 0).trustworthy);
        assert!(!Trust::new(3, 0, 1, 0, 0).trustworthy);
        assert!(!Trust::new(0, 0, 0, 0, 0).trustworthy);
        assert!(!Trust::new(9, 0, 0, 0, 1).trustworthy);
    }

    #[test]
    fn a_clean_sweep_of_twenty_shows_86_percent() {
        let bound = Trust::new(20, 0, 0, 0, 0).clean_sweep_bound.unwrap();
        assert!((bound - 0.861).abs() < 0.001);
        assert_eq!(Trust::new(19, 1, 0, 0, 0).clean_sweep_bound, None);
    }
}
