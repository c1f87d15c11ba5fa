//! The spend of a run, recorded and seen, as rows of words.

use rust_decimal::Decimal;

use super::tally::Tally;
use super::words::{amount, grouped};
use crate::verdict::{Sum, Summary};

/// A row of the table of spend.
#[derive(Debug)]
pub(super) struct SpendRow {
    pub(super) name: &'static str,
    pub(super) recorded: String,
    pub(super) seen: String,
    pub(super) factor: String,
    pub(super) note: String,
}

/// The table of spend, and the names of what is not known on both sides of any attempt.
pub(super) fn rows(summary: &Summary, tally: &Tally) -> (Vec<SpendRow>, Vec<&'static str>) {
    let all = [
        ("tool calls", &summary.tool_calls),
        ("model calls", &summary.model_calls),
        ("tokens", &summary.tokens),
        ("  input", &summary.input_tokens),
        ("  output", &summary.output_tokens),
        ("latency", &summary.latency_ms),
        ("cost", &summary.cost),
    ];
    let (mut rows, mut unknown) = (Vec::new(), Vec::new());
    for (name, sum) in all {
        if sum.of == 0 {
            continue;
        }
        if sum.known == 0 {
            match name.trim() {
                "input" => unknown.push("input tokens"),
                "output" => unknown.push("output tokens"),
                name => unknown.push(name),
            }
            continue;
        }
        rows.push(row(name, sum, tally));
    }
    (rows, unknown)
}

fn row(name: &'static str, sum: &Sum, tally: &Tally) -> SpendRow {
    let shown =
        |value: Decimal| if name == "latency" { format!("{} ms", amount(value.round())) } else { amount(value) };
    let mut notes = Vec::new();
    if sum.known < sum.of {
        notes.push(format!("a floor: known for {} of {}", grouped(sum.known), grouped(sum.of)));
    }
    if name == "latency" && tally.stubbed > 0 {
        notes.push("tools were stubbed".to_owned());
    }
    let factor = match sum.factor() {
        Some(factor) => format!("x {factor:.2}"),
        None if sum.seen > Decimal::ZERO => "from 0".to_owned(),
        None => "-".to_owned(),
    };
    SpendRow { name, recorded: shown(sum.recorded), seen: shown(sum.seen), factor, note: notes.join("; ") }
}
