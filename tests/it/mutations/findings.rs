//! What the engine says about a run, one finding at a time. All that these tests know of its types is here.

use taketwo::compare::{
    Alignment, Change, ExtraKind, Matching, MissingKind, Order, PairKind, PathStep, Policy, PreparedCall, align,
    prepare,
};
use taketwo::recording::ToolCall;

/// One thing that the engine says. Places count calls from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    Missing { recorded: usize, kind: MissingKind },
    Extra { seen: usize, kind: ExtraKind },
    Moved { recorded: usize, seen: usize },
    Renamed { recorded: usize, seen: usize },
    Handed { recorded: usize, seen: usize },
    Differs { recorded: usize, seen: usize, path: Vec<PathStep>, change: Change },
}

/// All that the engine says of a run under the default matching.
pub fn findings(recorded: &[PreparedCall<'_>], run: &[ToolCall], policy: &Policy) -> Vec<Finding> {
    let alignment = align(recorded, &prepare(run, policy), Matching::PartialOrder);
    let found = read(&alignment);
    // The engine's own summary must agree with what it lists.
    assert_eq!(alignment.holds(Matching::PartialOrder), found.is_empty(), "{found:?}");
    assert_eq!(alignment.first_divergence().is_none(), found.is_empty(), "{found:?}");
    found
}

fn read(alignment: &Alignment) -> Vec<Finding> {
    let mut found = Vec::new();
    for pair in &alignment.pairs {
        let (recorded, seen) = (pair.recorded, pair.seen);
        if pair.order == Order::Moved {
            found.push(Finding::Moved { recorded, seen });
        }
        let differences = match &pair.kind {
            PairKind::Same => continue,
            PairKind::Changed(differences) => differences,
            PairKind::Renamed(differences) => {
                found.push(Finding::Renamed { recorded, seen });
                differences
            }
            PairKind::Handed(differences) => {
                found.push(Finding::Handed { recorded, seen });
                differences
            }
        };
        found.extend(differences.iter().map(|difference| Finding::Differs {
            recorded,
            seen,
            path: difference.path.steps().to_vec(),
            change: difference.change,
        }));
    }
    found.extend(alignment.missing.iter().map(|gone| Finding::Missing { recorded: gone.recorded, kind: gone.kind }));
    found.extend(alignment.extra.iter().map(|extra| Finding::Extra { seen: extra.seen, kind: extra.kind }));
    found
}
