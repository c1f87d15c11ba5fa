//! What a drawn interaction tells of its drawing. Everything else is written as it was.

use serde::Serialize;

use super::amount::Amount;
use crate::recording::{Extra, Interaction, Json, Row};

/// The field that tells it.
pub(super) const DRAWN: &str = "drawn";
const WEIGHT: &str = "weight";

/// How long the words for a kind may be in a recording.
const WORDS: usize = 200;

/// What an interaction was drawn from.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Mark {
    /// The kind, in words.
    pub(super) kind: String,
    /// How many interactions there are of it.
    pub(super) interactions: u64,
    /// Their traffic.
    pub(super) traffic: Amount,
    /// How many of them were drawn.
    pub(super) cases: u64,
}

/// The mark with what it takes the place of.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    #[serde(flatten)]
    mark: &'a Mark,
    /// The weight that was recorded, where there was one and it is another now.
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<Json>,
    /// What stood in the field before, as of an earlier drawing.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Json>,
}

/// The interaction with its mark, its new weight, and the id that it goes by.
pub(super) fn marked(row: Row, mark: &Mark, weight: Amount) -> Interaction {
    let Row { id, interaction: mut it, .. } = row;
    if it.id.is_none() {
        // Its place names it no more once it stands in another file.
        take(&mut it.extra, "id");
        it.id = Some(id);
    }
    let recorded = reweigh(&mut it, weight);
    let before = take(&mut it.extra, DRAWN);
    let mark = Mark { kind: shortened(&mark.kind), ..mark.clone() };
    it.extra.push((DRAWN.into(), Json::of(&Written { mark: &mark, weight: recorded, before })));
    it
}

/// Gives it another weight, and says which one it had, if it is another. What stays is left as it was written.
fn reweigh(it: &mut Interaction, weight: Amount) -> Option<Json> {
    if Amount::of_weight(it.traffic()) == Some(weight) {
        return None;
    }
    let typed = it.weight.replace(weight.as_f64()).and_then(Amount::of_weight);
    let recorded = take(&mut it.extra, WEIGHT).or_else(|| typed.map(Amount::json));
    if Amount::of_weight(weight.as_f64()) != Some(weight) {
        // A double is another number: the digits themselves are kept.
        it.extra.push((WEIGHT.into(), weight.json()));
    }
    recorded
}

fn take(extra: &mut Extra, key: &str) -> Option<Json> {
    let at = extra.iter().position(|(name, _)| name.as_str() == key)?;
    Some(extra.remove(at).1)
}

fn shortened(words: &str) -> String {
    match words.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words.to_owned(),
    }
}
