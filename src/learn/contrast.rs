//! What varies at a place, counted: enough to judge it by, in bounded memory.

use super::apart::{Clocks, NumbersApart, TimesApart};
use super::distinct::Distinct;
use super::forms::Forms;
use super::said::Said;
use super::side::{Side, words_of};
use crate::compare::{Policy, Rule, Value};
use crate::recording::{Json, ToolName};

/// What two sides of a place have shown, over all pairs of calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Contrast {
    /// Pairs of calls that have the place on a side at least.
    pub(super) pairs: u64,
    /// Those that differ there.
    pub(super) varied: u64,
    /// The interactions in which they do.
    pub(super) interactions: u64,
    /// All differences; a pair has several where the place is any place of a list.
    pub(super) differences: u64,
    /// Differences that have a value on both sides.
    pub(super) both: u64,
    /// Values that stand alone.
    pub(super) alone: Alone,
    /// Differences that change the type.
    pub(super) kinds: u64,
    /// Differences that an equivalence accepts, in the order of [`Equivalences`].
    pub(super) accepted: [u64; EQUIVALENCES],
    /// Differences whose sides came out of the same place of an earlier result.
    pub(super) referred: u64,
    /// Differences of which it is not known where their sides came from.
    pub(super) of_unknown_origin: u64,
    /// Differences with a side that stands in what the user said.
    pub(super) said: u64,
    /// Differences of which only a part is known.
    pub(super) cut: u64,
    pub(super) times: TimesApart,
    pub(super) numbers: NumbersApart,
    /// What the values of both sides look like.
    pub(super) forms: Forms,
    pub(super) distinct: Distinct,
    /// A few of the differences.
    pub(super) examples: Vec<Example>,
    /// Whether pairs that did not differ could not be counted.
    pub(super) is_partial: bool,
    last_interaction: Option<u64>,
}

/// Both sides of a difference, as they are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Example {
    pub(super) expected: Option<String>,
    pub(super) seen: Option<String>,
}

/// Values that stand on one side alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Alone {
    /// How many.
    pub(super) count: u64,
    /// How many of them are `null`.
    pub(super) nulls: u64,
    /// The one value that all are, else `None`.
    same: Option<Json>,
    are_different: bool,
}

impl Alone {
    fn add(&mut self, side: &Side<'_>) {
        self.count += 1;
        let Some(json) = side.json() else {
            self.are_different = true;
            return;
        };
        self.nulls += u64::from(json.is_null());
        self.unite(Some(json));
    }

    fn unite(&mut self, json: Option<&Json>) {
        match (&self.same, json) {
            (None, Some(json)) if !self.are_different => self.same = Some(json.clone()),
            (Some(same), Some(json)) if same != json => (self.same, self.are_different) = (None, true),
            _ => {}
        }
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.nulls += other.nulls;
        self.are_different |= other.are_different;
        if self.are_different {
            self.same = None;
        }
        self.unite(other.same.as_ref());
    }

    /// The one value that they all are.
    pub(super) fn same(&self) -> Option<&Json> {
        self.same.as_ref()
    }
}

/// How many ways of comparing are tried on each difference.
pub(super) const EQUIVALENCES: usize = 5;

/// Ways of comparing that take two values for the same; the engine itself says whether they do.
pub(super) struct Equivalences(Vec<Policy>);

/// Their words; two together are one way.
pub(super) const EQUIVALENT: [&[&str]; EQUIVALENCES] =
    [&["caseless"], &["trim"], &["trim", "caseless"], &["bag"], &["set"]];

impl Equivalences {
    pub(super) fn new() -> Self {
        // A word that is no rule gives a policy that accepts nothing more, and no proposal then.
        let policy = |words: &&[&str]| {
            Policy::new(words.iter().filter_map(|word| format!("{word} $.v").parse::<Rule>().ok()).collect())
        };
        Self(EQUIVALENT.iter().map(policy).collect())
    }

    /// Which of the wanted ways accept a difference.
    fn accepting(&self, expected: &Side<'_>, seen: &Side<'_>, wanted: [bool; EQUIVALENCES]) -> [bool; EQUIVALENCES] {
        let mut accepted = [false; EQUIVALENCES];
        let (Some(a), Some(b)) = (expected.json(), seen.json()) else { return accepted };
        let is_worth_it = matches!(
            (expected.value(), seen.value()),
            (Some(Value::Text(_)), Some(Value::Text(_))) | (Some(Value::Array(_)), Some(Value::Array(_)))
        );
        if is_worth_it && wanted.contains(&true) {
            let (a, b) = (inside(a), inside(b));
            let tool = ToolName::new("t");
            for ((accepted, policy), _) in accepted.iter_mut().zip(&self.0).zip(wanted).filter(|(_, wanted)| *wanted) {
                let rules = policy.tool(&tool);
                *accepted = Value::read(&a, &rules).accepts(&Value::read(&b, &rules));
            }
        }
        accepted
    }
}

/// The value at a place that a rule can be for.
fn inside(json: &Json) -> Json {
    Json::parse(format!("{{\"v\":{}}}", json.text())).unwrap_or_else(|_| json.clone())
}

/// One difference, and what is known around it.
pub(super) struct Sighting<'a> {
    pub(super) expected: Side<'a>,
    pub(super) seen: Side<'a>,
    /// Whether the sides are of two types.
    pub(super) changes_type: bool,
    pub(super) origin: Origin,
    pub(super) around: &'a Around<'a>,
}

/// Where the sides of a difference came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Both out of the same place of an earlier result.
    OnePlace,
    /// From elsewhere.
    Elsewhere,
    /// The results are not known.
    Unknown,
}

/// What is known of the two interactions that a difference is between.
pub(super) struct Around<'a> {
    /// What was said in them; `None` where it is not known.
    pub(super) said: [Option<&'a Said>; 2],
    pub(super) clocks: Clocks,
    /// Their numbers.
    pub(super) interactions: [u64; 2],
}

/// So many examples are kept.
const EXAMPLES: usize = 2;

impl Contrast {
    /// Takes in a pair of calls that has the place.
    pub(super) fn add_pair(&mut self) {
        self.pairs += 1;
    }

    /// Takes in a pair of calls that has the place, of which only those that differ are known.
    pub(super) fn add_pair_of_unknown_many(&mut self) {
        self.pairs += 1;
        self.is_partial = true;
    }

    /// Takes in that a pair of calls differs here; `group` is the number of what was repeated.
    pub(super) fn add_varied(&mut self, group: u64) {
        self.varied += 1;
        if self.last_interaction != Some(group) {
            (self.last_interaction, self.interactions) = (Some(group), self.interactions + 1);
        }
    }

    /// Takes in a difference.
    pub(super) fn add(&mut self, sighting: &Sighting<'_>, equivalences: &Equivalences) {
        let Sighting { expected, seen, around, .. } = sighting;
        self.differences += 1;
        self.cut += u64::from([expected, seen].into_iter().any(|side| matches!(side, Side::Cut(_))));
        self.referred += u64::from(sighting.origin == Origin::OnePlace);
        self.of_unknown_origin += u64::from(sighting.origin == Origin::Unknown);
        match (expected, seen) {
            (Side::Absent, side) | (side, Side::Absent) => self.alone.add(side),
            _ => self.add_both(sighting, equivalences),
        }
        let sides = [expected, seen];
        let is_said = sides.iter().filter_map(|side| words_of(side.value()?)).any(|words| {
            let said = around.said.iter().flatten();
            said.into_iter().any(|said| said.holds(&words))
        });
        self.said += u64::from(is_said);
        for (side, interaction) in sides.into_iter().zip(around.interactions) {
            if let Some(text) = side.text() {
                self.distinct.add(text, interaction);
            }
            if let Some(value) = side.value() {
                self.forms.add(value);
            }
        }
        let told = |side: &Side<'_>| side.text().map(str::to_owned);
        self.keep(Example { expected: told(expected), seen: told(seen) });
    }

    fn add_both(&mut self, sighting: &Sighting<'_>, equivalences: &Equivalences) {
        // A way that did not accept one of them is no way to accept all.
        let wanted = self.accepted.map(|accepted| accepted == self.both);
        self.both += 1;
        self.kinds += u64::from(sighting.changes_type);
        let (Some(expected), Some(seen)) = (sighting.expected.value(), sighting.seen.value()) else { return };
        self.times.add(expected, seen, sighting.around.clocks);
        self.numbers.add(expected, seen);
        let accepting = equivalences.accepting(&sighting.expected, &sighting.seen, wanted);
        for (count, accepts) in self.accepted.iter_mut().zip(accepting) {
            *count += u64::from(accepts);
        }
    }

    fn keep(&mut self, example: Example) {
        if self.examples.len() < EXAMPLES && !self.examples.contains(&example) {
            self.examples.push(example);
        }
    }

    /// Takes in what was seen of another tool.
    pub(super) fn merge(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.is_partial |= other.is_partial;
        self.varied += other.varied;
        // The interactions of two tools are mostly the same.
        self.interactions = self.interactions.max(other.interactions);
        self.differences += other.differences;
        self.both += other.both;
        self.alone.merge(&other.alone);
        self.kinds += other.kinds;
        self.accepted.iter_mut().zip(other.accepted).for_each(|(count, more)| *count += more);
        self.referred += other.referred;
        self.of_unknown_origin += other.of_unknown_origin;
        self.said += other.said;
        self.cut += other.cut;
        self.times.merge(&other.times);
        self.numbers.merge(&other.numbers);
        self.forms.merge(&other.forms);
        self.distinct.merge(&other.distinct);
        other.examples.iter().for_each(|example| self.keep(example.clone()));
        self.last_interaction = None;
    }

    /// The least way of comparing that accepts all differences with a value on both sides, as words.
    pub(super) fn equivalence(&self) -> Option<&'static [&'static str]> {
        let found = self.accepted.iter().position(|accepted| *accepted == self.both && self.both > 0)?;
        EQUIVALENT.get(found).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contrast(pairs: &[(Option<&str>, Option<&str>)]) -> Contrast {
        let (mut contrast, equivalences) = (Contrast::default(), Equivalences::new());
        for (at, (expected, seen)) in pairs.iter().enumerate() {
            let around = Around {
                said: [None, None],
                clocks: Clocks::default(),
                interactions: [2 * at as u64, 2 * at as u64 + 1],
            };
            let (expected, seen) = (Side::read(*expected), Side::read(*seen));
            contrast.add_pair();
            contrast.add_varied(at as u64);
            let sighting = Sighting { expected, seen, changes_type: false, origin: Origin::Elsewhere, around: &around };
            contrast.add(&sighting, &equivalences);
        }
        contrast
    }

    #[test]
    fn the_least_equivalence_is_found_by_the_engine() {
        let table: [(&str, &str, &[&str]); 6] = [
            ("\"Paris\"", "\"PARIS\"", &["caseless"]),
            ("\"a\"", "\"a \"", &["trim"]),
            ("\"A\"", "\"a \"", &["trim", "caseless"]),
            ("[1,2]", "[2,1]", &["bag"]),
            ("[1,2,2]", "[2,1,1]", &["set"]),
            ("{\"a\":1}", "{\"a\":2}", &[]),
        ];
        for (expected, seen, words) in table {
            let found = contrast(&[(Some(expected), Some(seen))]).equivalence();
            assert_eq!(found.unwrap_or_default(), words, "{expected} {seen}");
        }
        assert_eq!(contrast(&[(Some("\"A\""), Some("\"a\"")), (Some("\"x\""), Some("\"y\""))]).equivalence(), None);
    }

    #[test]
    fn values_that_stand_alone_may_all_be_one() {
        let same = |pairs: &[_]| contrast(pairs).alone.same().map(|json| json.text().to_owned());
        assert_eq!(same(&[(Some("10"), None), (None, Some("10"))]).as_deref(), Some("10"));
        assert_eq!(same(&[(Some("10"), None), (None, Some("11")), (None, Some("11"))]), None);
        let mut both = contrast(&[(Some("10"), None)]);
        both.merge(&contrast(&[(None, Some("11"))]));
        assert_eq!((both.alone.same(), both.alone.count, both.pairs), (None, 2, 2));
    }

    #[test]
    fn what_was_cut_is_counted_and_not_read() {
        let cut = contrast(&[(Some("\"xxx… (4000 characters)"), Some("\"y\""))]);
        assert_eq!((cut.cut, cut.both, cut.forms.values), (1, 1, 1));
    }
}
