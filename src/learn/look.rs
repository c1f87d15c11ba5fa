//! What stands at a place in single interactions, nothing being repeated.

use super::apart::is_by_the_clock;
use super::distinct::Distinct;
use super::forms::{Forms, is_time};
use super::places::Places;
use super::repeats::clock;
use super::said::Said;
use super::side::words_of;
use crate::compare::{Policy, Value, prepare};
use crate::recording::Interaction;

/// What stands at a place, over all calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    /// How many values.
    pub(super) values: u64,
    /// In how many interactions.
    pub(super) interactions: u64,
    /// Values that look like ids and stand in an earlier result of their interaction.
    pub(super) referred: u64,
    /// Values that stand in what the user said.
    pub(super) said: u64,
    /// Values that are times near the one at which their interaction was recorded.
    pub(super) by_the_clock: u64,
    pub(super) forms: Forms,
    pub(super) distinct: Distinct,
    /// The first values.
    pub(super) examples: Vec<String>,
    rise: Rise,
    last_interaction: Option<u64>,
}

/// Whether numbers rise from one interaction to the next.
#[derive(Clone, Copy, Debug, Default)]
struct Rise {
    /// The last number, and the file that it stands in.
    last: Option<(usize, f64)>,
    steps: u64,
    rises: u64,
}

/// An interaction that is looked at.
struct Around<'a> {
    said: &'a Said,
    recorded_at: Option<jiff::Timestamp>,
    /// Its number.
    interaction: u64,
    /// The number of its file.
    file: usize,
}

/// Looks at what stands in the calls of one interaction; `number` and `file` say which it is. Under `by_origin` values
/// are known by where they came from.
pub(super) fn look_at(interaction: &Interaction, number: u64, file: usize, by_origin: &Policy, places: &mut Places) {
    let Some(calls) = interaction.tool_calls.as_deref().filter(|calls| !calls.is_empty()) else { return };
    let said = Said::of(interaction);
    let around = Around { said: &said, recorded_at: clock(interaction), interaction: number, file };
    for call in prepare(calls, by_origin) {
        call.arguments().for_each_place(&mut |path, value| {
            if words_of(value).is_some()
                && let Some(place) = places.at(&call.call.name, &path.general())
            {
                place.look.add(value, &around);
            }
        });
    }
}

/// So many examples are kept.
const EXAMPLES: usize = 2;

/// From so many characters on a word looks like an id.
const SHORTEST_ID: usize = 4;

impl Look {
    /// Takes in a value.
    fn add(&mut self, value: &Value, around: &Around<'_>) {
        self.values += 1;
        if self.last_interaction != Some(around.interaction) {
            (self.last_interaction, self.interactions) = (Some(around.interaction), self.interactions + 1);
            self.rise.step(value, around.file);
        }
        self.forms.add(value);
        let is_now = value.instant().is_some_and(|time| is_by_the_clock(time, around.recorded_at));
        self.by_the_clock += u64::from(is_now);
        if let Some(words) = words_of(value) {
            self.said += u64::from(around.said.holds(&words));
            self.referred += u64::from(matches!(value, Value::Referred(_)) && looks_like_id(&words));
            self.distinct.add(&words, around.interaction);
            if self.examples.len() < EXAMPLES {
                let told = value.to_string();
                if !self.examples.contains(&told) {
                    self.examples.push(told);
                }
            }
        }
    }

    /// Takes in what was seen of another tool.
    pub(super) fn merge(&mut self, other: &Self) {
        self.values += other.values;
        // The interactions of two tools are mostly the same.
        self.interactions = self.interactions.max(other.interactions);
        self.referred += other.referred;
        self.said += other.said;
        self.by_the_clock += other.by_the_clock;
        self.forms.merge(&other.forms);
        self.distinct.merge(&other.distinct);
        self.examples.extend(other.examples.iter().take(EXAMPLES.saturating_sub(self.examples.len())).cloned());
        self.rise.steps += other.rise.steps;
        self.rise.rises += other.rise.rises;
        (self.rise.last, self.last_interaction) = (None, None);
    }

    /// Whether they are whole numbers that rise with each interaction.
    pub(super) fn are_counters(&self) -> bool {
        self.forms.are_whole() && self.rise.steps >= 2 && self.rise.rises == self.rise.steps
    }
}

/// Long enough, with a digit, in one word, and no time: any result may hold today's date.
fn looks_like_id(words: &str) -> bool {
    words.len() >= SHORTEST_ID
        && words.bytes().any(|byte| byte.is_ascii_digit())
        && !words.contains(char::is_whitespace)
        && !is_time(words)
}

impl Rise {
    fn step(&mut self, value: &Value, file: usize) {
        let number = match value {
            Value::Number(number) => number.to_string().parse::<f64>().ok(),
            Value::Referred(referred) => return self.step(referred.value(), file),
            _ => None,
        };
        let Some(number) = number else { return };
        // Each file counts anew.
        if let Some((_, last)) = self.last.filter(|(of, _)| *of == file) {
            self.steps += 1;
            self.rises += u64::from(number > last);
        }
        self.last = Some((file, number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::ToolRules;
    use crate::recording::Json;

    fn look(values: &[&str], file: impl Fn(usize) -> usize) -> Look {
        let (mut look, said) = (Look::default(), Said::default());
        for (at, value) in values.iter().enumerate() {
            let value = Value::read(&Json::parse(*value).unwrap(), &ToolRules::none());
            let around = Around { said: &said, recorded_at: None, interaction: at as u64, file: file(at) };
            look.add(&value, &around);
        }
        look
    }

    #[test]
    fn counters_rise_in_each_file() {
        assert!(look(&["7", "8", "12"], |_| 0).are_counters());
        assert!(look(&["7", "8", "12", "1", "2"], |at| at / 3).are_counters());
        assert!(!look(&["7", "8", "12", "1", "2"], |_| 0).are_counters());
        assert!(!look(&["7", "8.5", "12"], |_| 0).are_counters());
        assert!(!look(&["7", "8"], |_| 0).are_counters(), "two numbers say nothing");
    }
}
