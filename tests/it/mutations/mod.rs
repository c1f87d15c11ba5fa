//! One known edit in a real interaction is named by the comparison as what it is, and nothing else is said.
//!
//! Each edit is made once in each interaction that has a place for it; where, the interaction's id decides. What the
//! comparison ought to say is worked out from the edit alone, see `expected`. `docs/mutations.md` shows what came out.

mod dice;
mod edit;
mod edits_of_arguments;
mod edits_of_calls;
mod edits_of_order;
mod expected;
mod findings;
mod page;
mod reissue;
mod respell;
mod scores;
mod subject;
mod tree;

use taketwo::compare::{Policy, prepare};
use taketwo::recording::{Interaction, Json, wire};

use dice::Dice;
use edit::{EDITS, Edit};
use findings::findings;
use scores::Score;
use subject::Subject;

use crate::real_traffic::{self, on_all_cores};

/// How the engine did with each edit, over the interactions that have calls.
fn measure(interactions: &[&Interaction]) -> Vec<Score> {
    let policy = Policy::default();
    let mut scores = vec![Score::default(); EDITS.len()];
    for it in interactions.iter().filter(|it| it.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty())) {
        let subject = Subject::new(it);
        let recorded = prepare(subject.calls(), &policy);
        for (edit, score) in EDITS.iter().zip(&mut scores) {
            let mut dice = Dice::of(edit.name, subject.id());
            let Some(mut edited) = (edit.apply)(&subject, &mut dice) else { continue };
            // Half of the runs spell their arguments otherwise as well, which must make no difference to any edit.
            if dice.heads() {
                edited.run = edited.run.iter().map(|call| respell::respelled(call, &mut dice)).collect();
            }
            let found = match &edited.policy {
                Some(own) => findings(&prepare(subject.calls(), own), &edited.run, own),
                None => findings(&recorded, &edited.run, &policy),
            };
            score.add(&edited.expected, &found, || {
                let ways = edited.expected.0.iter().take(3).map(|way| format!("\n    {way:?}"));
                format!("{}: {}:\n    {found:?}, expected{}", edit.name, subject.id(), ways.collect::<String>())
            });
        }
    }
    scores
}

/// The same on all cores.
fn measure_all(interactions: &[Interaction]) -> Vec<Score> {
    let mut scores = vec![Score::default(); EDITS.len()];
    for part in on_all_cores(interactions, measure) {
        scores.iter_mut().zip(part).for_each(|(sum, score)| sum.merge(score));
    }
    scores
}

/// Each edit was named exactly in every interaction.
fn check(edits: &[(&Edit, &Score)]) {
    let mut wrong = Vec::new();
    for (edit, score) in edits {
        if score.exact < score.tried {
            let examples = score.examples.join("\n");
            wrong.push(format!("{}: {} of {} named exactly\n{examples}", edit.name, score.exact, score.tried));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_edit_of_a_real_interaction_is_named_as_what_it_is() {
    let Some(traffic) = real_traffic::all() else { return };
    assert!(traffic.distinct() >= 2_000, "{} interactions with calls of their own", traffic.distinct());
    let scores = measure_all(&traffic.interactions);
    let edits: Vec<_> = EDITS.iter().zip(&scores).collect();
    check(&edits);
    page::check_or_write(traffic, &edits);
}

/// The same over the recordings of this project, which every machine has.
#[test]
fn each_edit_of_our_own_recordings_is_named_as_what_it_is() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings");
    let mut interactions = Vec::new();
    for name in ["quickstart.jsonl", "nightly.jsonl", "support.jsonl"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        interactions.extend(text.lines().map(|line| wire::read(&Json::parse(line).unwrap()).unwrap()));
    }
    let scores = measure_all(&interactions);
    let edits: Vec<_> = EDITS.iter().zip(&scores).collect();
    check(&edits);
    let untried: Vec<_> = edits.iter().filter(|(_, score)| score.tried == 0).map(|(edit, _)| edit.name).collect();
    let absent = ["rename a tool that is called without arguments", "mix up re-issued ids, under a reference rule"];
    assert_eq!(untried, absent, "what there is no place for in them");
}
