//! What an interaction did, told so roughly that interactions of one kind look the same.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;

use crate::recording::{Interaction, ToolCall, did_you_mean};

/// What makes two interactions ones of different kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum KindsBy {
    /// Which tools were called, in which order, and which of them failed.
    #[default]
    Sequence,
    /// Which tools were called and which of them failed, in whatever order.
    Tools,
}

impl FromStr for KindsBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "sequence" => Ok(KindsBy::Sequence),
            "tools" => Ok(KindsBy::Tools),
            other => Err(format!(
                "kinds are told apart by sequence or tools, not by {other:?}{}",
                did_you_mean(other, &["sequence", "tools"])
            )),
        }
    }
}

/// The calls of an interaction without their number, arguments and results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape<'a> {
    calls: Calls<'a>,
    /// Whether it ended without an answer.
    failed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Calls<'a> {
    NotRecorded,
    Sequence(Vec<Part<'a>>),
    /// As one step, though they were none.
    Tools(Step<'a>),
}

/// A part of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part<'a> {
    /// Calls that one model call asked for; a run of equal steps is one.
    Step(Step<'a>),
    /// Two or three steps that came several times, one round right after the other.
    Loop(Vec<Step<'a>>),
}

/// The tools of a step. They have no order.
type Step<'a> = BTreeMap<&'a str, Use>;

/// How a tool was used in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Use {
    /// A call of it gave an error.
    failed: bool,
    /// It was called more than once, at once or one time after the other. How often makes no kind of its own.
    several: bool,
}

/// A loop has at most so many steps.
const LONGEST_LOOP: usize = 3;

impl<'a> Shape<'a> {
    pub(super) fn of(interaction: &'a Interaction, by: KindsBy) -> Self {
        let calls = match (&interaction.tool_calls, by) {
            (None, _) => Calls::NotRecorded,
            (Some(calls), KindsBy::Sequence) => Calls::Sequence(loops(runs(steps(calls)))),
            (Some(calls), KindsBy::Tools) => Calls::Tools(tools(calls)),
        };
        Self { calls, failed: interaction.failure.is_some() }
    }

    /// Bytes that are equal for equal shapes alone.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.failed)];
        match &self.calls {
            Calls::NotRecorded => bytes.push(0),
            Calls::Tools(step) => {
                bytes.push(1);
                put_step(&mut bytes, step);
            }
            Calls::Sequence(parts) => {
                bytes.push(2);
                for part in parts {
                    let (mark, steps) = match part {
                        Part::Step(step) => (0, std::slice::from_ref(step)),
                        Part::Loop(steps) => (1, &steps[..]),
                    };
                    bytes.push(mark);
                    put_number(&mut bytes, steps.len());
                    steps.iter().for_each(|step| put_step(&mut bytes, step));
                }
            }
        }
        bytes
    }
}

fn put_step(bytes: &mut Vec<u8>, step: &Step<'_>) {
    put_number(bytes, step.len());
    for (name, used) in step {
        put_number(bytes, name.len());
        bytes.extend(name.as_bytes());
        bytes.push(u8::from(used.failed) | u8::from(used.several) << 1);
    }
}

fn put_number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend((number as u64).to_le_bytes());
}

/// The calls by the model call that asked for them. One that does not tell it is a step of its own.
fn steps(calls: &[ToolCall]) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    let mut known: HashMap<i64, usize> = HashMap::new();
    for call in calls {
        let at = call.step.map_or(steps.len(), |step| *known.entry(step).or_insert(steps.len()));
        if at == steps.len() {
            steps.push(Step::new());
        }
        add(&mut steps[at], call);
    }
    steps
}

fn add<'a>(step: &mut Step<'a>, call: &'a ToolCall) {
    let name = call.name.as_str();
    let several = step.contains_key(name);
    let used = step.entry(name).or_default();
    used.several |= several;
    used.failed |= call.error.is_some();
}

/// Which tools were called, and which of them failed.
fn tools(calls: &[ToolCall]) -> Step<'_> {
    let mut tools = Step::new();
    for call in calls {
        tools.entry(call.name.as_str()).or_default().failed |= call.error.is_some();
    }
    tools
}

/// Takes equal steps that follow each other for one.
fn runs(steps: Vec<Step<'_>>) -> Vec<Part<'_>> {
    let mut runs: Vec<Step<'_>> = Vec::new();
    for step in steps {
        match runs.last_mut().filter(|last| last.keys().eq(step.keys())) {
            Some(last) => {
                take_in(last, &step);
                last.values_mut().for_each(|used| used.several = true);
            }
            None => runs.push(step),
        }
    }
    runs.into_iter().map(Part::Step).collect()
}

/// Takes rounds of two steps, then of three, that follow each other for one.
fn loops(mut parts: Vec<Part<'_>>) -> Vec<Part<'_>> {
    for length in 2..=LONGEST_LOOP {
        let mut folded = Vec::with_capacity(parts.len());
        let mut rest = &parts[..];
        while let Some(first) = rest.first() {
            let (round, rounds) = rounds(rest, length);
            if rounds > 1 {
                folded.push(Part::Loop(round));
                rest = &rest[rounds * length..];
            } else {
                folded.push(first.clone());
                rest = &rest[1..];
            }
        }
        parts = folded;
    }
    parts
}

/// The round that the parts begin with, and how often it comes.
fn rounds<'a>(parts: &[Part<'a>], length: usize) -> (Vec<Step<'a>>, usize) {
    let mut rounds = parts.chunks_exact(length).map_while(|round| {
        let steps = round.iter().map(|part| if let Part::Step(step) = part { Some(step) } else { None });
        steps.collect::<Option<Vec<&Step<'a>>>>()
    });
    let Some(first) = rounds.next() else { return (Vec::new(), 0) };
    let mut folded: Vec<Step<'a>> = first.into_iter().cloned().collect();
    let mut count = 1;
    for round in rounds {
        if !folded.iter().zip(&round).all(|(one, other)| one.keys().eq(other.keys())) {
            break;
        }
        folded.iter_mut().zip(round).for_each(|(one, other)| take_in(one, other));
        count += 1;
    }
    (folded, count)
}

/// Adds how tools were used in another step that has the same ones.
fn take_in(step: &mut Step<'_>, other: &Step<'_>) {
    for (used, more) in step.values_mut().zip(other.values()) {
        used.failed |= more.failed;
        used.several |= more.several;
    }
}

impl fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.calls {
            Calls::NotRecorded => f.write_str("(calls not recorded)")?,
            Calls::Tools(step) if step.is_empty() => f.write_str("(no call)")?,
            Calls::Sequence(parts) if parts.is_empty() => f.write_str("(no call)")?,
            Calls::Tools(step) => put_names(f, step)?,
            Calls::Sequence(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { " > " })?;
                    part.fmt(f)?;
                }
            }
        }
        f.write_str(if self.failed { ", failed" } else { "" })
    }
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Step(step) => put(f, step),
            Part::Loop(steps) => {
                for (at, step) in steps.iter().enumerate() {
                    f.write_str(if at == 0 { "(" } else { " > " })?;
                    put(f, step)?;
                }
                f.write_str(")+")
            }
        }
    }
}

fn put(f: &mut fmt::Formatter<'_>, step: &Step<'_>) -> fmt::Result {
    if step.len() == 1 {
        return put_names(f, step);
    }
    f.write_str("[")?;
    put_names(f, step)?;
    f.write_str("]")
}

fn put_names(f: &mut fmt::Formatter<'_>, step: &Step<'_>) -> fmt::Result {
    for (at, (name, used)) in step.iter().enumerate() {
        f.write_str(if at == 0 { "" } else { ", " })?;
        f.write_str(name)?;
        f.write_str(if used.failed { "!" } else { "" })?;
        f.write_str(if used.several { "+" } else { "" })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{Json, wire};

    /// `a@1! b` is a call of a in step 1 that failed, and one of b.
    fn interaction(calls: &str) -> Interaction {
        let calls = calls.split_whitespace().map(|call| {
            let (call, error) = call.strip_suffix('!').map_or((call, ""), |call| (call, r#","error":"no""#));
            let (name, step) =
                call.split_once('@').map_or((call, String::new()), |(name, step)| (name, format!(r#","step":{step}"#)));
            format!(r#"{{"name":"{name}"{step}{error}}}"#)
        });
        let calls = calls.collect::<Vec<_>>().join(",");
        wire::read(&Json::parse(format!(r#"{{"input":"x","toolCalls":[{calls}]}}"#)).unwrap()).unwrap()
    }

    fn shape(calls: &str) -> String {
        Shape::of(&interaction(calls), KindsBy::Sequence).to_string()
    }

    #[test]
    fn how_often_a_tool_was_called_in_a_run_makes_no_kind() {
        assert_eq!(shape("a a a b"), "a+ > b");
        assert_eq!(shape("a a b"), shape("a a a a a a a b"));
        assert_ne!(shape("a b"), shape("a a b"));
        assert_eq!(shape("a! a b"), "a!+ > b");
    }

    #[test]
    fn rounds_of_two_or_three_steps_are_loops() {
        assert_eq!(shape("a b a b a b c"), "(a > b)+ > c");
        assert_eq!(shape("s a b c a b c"), "s > (a > b > c)+");
        assert_eq!(shape("a b b a b! b a b c"), "(a > b!+)+ > c");
        assert_eq!(shape("a b a c"), "a > b > a > c");
    }

    #[test]
    fn calls_of_one_step_have_no_order() {
        assert_eq!(shape("b@0 a@0! c@1"), "[a!, b] > c");
        assert_eq!(shape("a@0 b@0 c@1"), shape("b@0 a@0 c@1"));
        assert_eq!(shape("a@0 b@1 a@0"), "a+ > b");
        assert_eq!(shape("a@0 b@0 b@1 a@1"), "[a+, b+]");
    }

    #[test]
    fn what_is_not_known_and_what_failed_are_kinds_of_their_own() {
        let mut it = interaction("");
        let said = |it: &Interaction| Shape::of(it, KindsBy::Sequence).to_string();
        assert_eq!(said(&it), "(no call)");
        it.failure = Some("timeout".into());
        assert_eq!(said(&it), "(no call), failed");
        it.tool_calls = None;
        assert_eq!(said(&it), "(calls not recorded), failed");
    }

    #[test]
    fn by_tools_the_order_makes_no_kind() {
        let of = |calls| Shape::of(&interaction(calls), KindsBy::Tools).to_string();
        assert_eq!(of("b a! b"), "a!, b");
        assert_eq!(of("b a! b"), of("a b a!"));
        assert_eq!(of(""), "(no call)");
    }

    proptest::proptest! {
        #[test]
        fn shapes_with_equal_bytes_are_equal_and_are_told_alike(
            one in "([ab](@[01])?!? ){0,6}",
            other in "([ab](@[01])?!? ){0,6}",
        ) {
            let (one, other) = (interaction(&one), interaction(&other));
            let (one, other) = (Shape::of(&one, KindsBy::Sequence), Shape::of(&other, KindsBy::Sequence));
            proptest::prop_assert_eq!(one.bytes() == other.bytes(), one == other);
            proptest::prop_assert_eq!(one.to_string() == other.to_string(), one == other);
        }
    }
}
