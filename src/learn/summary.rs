//! What was learned, in a few lines for the person who asked.

use std::collections::BTreeMap;

use super::learned::{Learned, Proposal, WithoutRule};
use super::lines::wrapped;
use super::places;
use crate::report::visible;
use crate::verdict::{counted, grouped};

/// So many rules and places are named.
const NAMED: usize = 12;

/// What was learned, for a terminal.
#[must_use]
pub fn summary(learned: &Learned) -> String {
    let mut text = headline(learned);
    for proposal in learned.proposed().take(NAMED) {
        text.push_str(&wrapped("  ", "      ", &format!("{}: {}", rules(proposal), often(proposal))));
    }
    text.push_str(&more(learned.proposed().count()));
    text.push_str(&commented_out(learned));
    text.push_str(&without_rule(&learned.without_rule));
    if learned.more_places {
        let most = grouped(places::MOST as u64);
        text.push_str(&wrapped("", "", &format!("Only the first {most} places were watched; there are more.")));
    }
    text
}

/// The rules that are commented out, by why they are.
fn commented_out(learned: &Learned) -> String {
    let mut by_doubt: BTreeMap<&str, Vec<&Proposal>> = BTreeMap::new();
    for proposal in learned.commented_out() {
        by_doubt.entry(proposal.commented_out.as_deref().unwrap_or_default()).or_default().push(proposal);
    }
    let mut text = String::new();
    for (doubt, proposals) in by_doubt {
        let are = if proposals.len() == 1 { "is" } else { "are" };
        text.push_str(&wrapped(
            "",
            "",
            &format!("{} {are} commented out, {doubt}:", counted(proposals.len() as u64, "rule")),
        ));
        for proposal in proposals.iter().take(NAMED) {
            text.push_str(&wrapped("  ", "      ", &rules(proposal)));
        }
        text.push_str(&more(proposals.len()));
    }
    text
}

fn headline(learned: &Learned) -> String {
    let compared = &learned.compared;
    let mut said = Vec::new();
    if compared.pairs == 0 && learned.read.run.is_none() {
        said.push("No interaction comes again, so nothing could be compared: rules go by shape alone.".to_owned());
    } else {
        let calls = counted(compared.call_pairs, "pair") + " of calls";
        let differences = counted(compared.differences, "difference");
        let other = match compared.differences_of_calls {
            0 => String::new(),
            some => format!(", and {} that no rule is for (calls that were added, left out, renamed)", grouped(some)),
        };
        let what = if compared.call_pairs > 0 { calls } else { "the calls of a run".to_owned() };
        said.push(format!("Compared {what}: {differences} in arguments{other}."));
    }
    if compared.asked_otherwise > 0 {
        let pairs = counted(compared.asked_otherwise, "pair");
        said.push(format!("{pairs} with the same id had other inputs and were left out."));
    }
    if learned.read.run.as_ref().is_some_and(|run| !run.is_whole) {
        said.push("The recordings of the run are not there any more, so what did not differ is unknown.".to_owned());
    }
    let count = learned.proposed().count() as u64;
    said.push(match count {
        0 => "No rule is proposed.".to_owned(),
        _ => {
            let (taken, left) = (compared.differences.saturating_sub(compared.left), compared.left);
            let (are, taken) = (if count == 1 { "is" } else { "are" }, counted(taken, "difference"));
            format!("{} {are} proposed, to take away {taken} and leave {}:", counted(count, "rule"), grouped(left))
        }
    });
    said.iter().map(|sentence| wrapped("", "", sentence)).collect()
}

fn rules(proposal: &Proposal) -> String {
    let rules: Vec<_> = proposal.rules.iter().map(|rule| visible(&rule.to_string()).into_owned()).collect();
    rules.join(" and ")
}

fn often(proposal: &Proposal) -> String {
    let support = &proposal.support;
    let pairs = support.pairs.map(|pairs| format!(" of {}", grouped(pairs))).unwrap_or_default();
    format!("{}{pairs} pairs differ", grouped(support.varied))
}

fn without_rule(places: &[WithoutRule]) -> String {
    if places.is_empty() {
        return String::new();
    }
    let vary = if places.len() == 1 { "varies" } else { "vary" };
    let mut text = format!("{} {vary} and got no rule:\n", counted(places.len() as u64, "place"));
    let mut places: Vec<&WithoutRule> = places.iter().collect();
    places.sort_by_key(|place| std::cmp::Reverse(place.support.varied));
    for place in places.iter().take(NAMED) {
        let name = format!("{}:{}", visible(&place.tool), visible(&place.path));
        text.push_str(&wrapped("  ", "      ", &format!("{name}: {}", place.why)));
    }
    text + &more(places.len())
}

fn more(all: usize) -> String {
    match all.checked_sub(NAMED) {
        None | Some(0) => String::new(),
        Some(more) => format!("  and {more} more\n"),
    }
}
