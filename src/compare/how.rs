//! The ways in which a place in the arguments can be compared.

use std::fmt;
use std::time::Duration;

use super::band::Band;
use super::path::Path;
use crate::recording::{Json, did_you_mean};

/// How a place in the arguments is compared.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum How {
    /// As if no broader rule covered it.
    Exact,
    /// Not at all, present or absent.
    Ignore,
    /// Whatever stands there, as long as something does.
    Present,
    /// By its JSON type alone.
    Type,
    /// Texts that match the pattern somewhere are all alike.
    Regex(TextPattern),
    /// These values are all alike.
    OneOf(Vec<Json>),
    /// Numbers may be so far apart.
    Tolerance(Band),
    /// Times may be so far apart.
    Window(Duration),
    /// By where it came from in an earlier result, so that an id that was given anew still matches.
    Reference,
    /// A list without order, in which it does not count how often an item stands.
    Set,
    /// A list without order, in which it counts how often an item stands.
    Bag,
    /// A list of objects in the order of what stands at this path in each.
    SortedBy(Path),
    /// `null` and absent are alike.
    NullIsAbsent,
    /// This value and absent are alike.
    Default(Json),
    /// It may be there or not; where both sides have it, it is compared.
    Optional,
    /// JSON inside the text is not looked for.
    Text,
    /// White space around the text does not count.
    Trim,
    /// Upper and lower case are alike.
    Caseless,
    /// By code point, without Unicode normalisation.
    ExactUnicode,
    /// Defaults come from the tool's declared JSON Schema.
    Schema,
}

/// What of a comparison a rule decides. Rules on different aspects of one place add up; of several on one aspect the
/// most specific decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Aspect {
    /// When two values are alike.
    Equality,
    /// In which order a list is taken.
    Order,
    /// What `null` means.
    Null,
    /// What an absent member means.
    Default,
    /// Whether a member may be absent.
    Presence,
    /// Whether a text may hold JSON.
    Embedding,
    /// What white space around a text means.
    Space,
    /// What case means.
    Case,
    /// What a code point means.
    Unicode,
}

impl Aspect {
    pub(super) const COUNT: usize = Self::Unicode as usize + 1;
}

/// What of the places that it covers a rule decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decides {
    /// One aspect.
    One(Aspect),
    /// All: it takes back what broader rules say.
    Everything,
    /// None: it is about what a tool declares.
    NoPlace,
}

impl How {
    /// Its word in a suite file, on the command line and in reports.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            How::Exact => "exact",
            How::Ignore => "ignore",
            How::Present => "present",
            How::Type => "type",
            How::Regex(_) => "regex",
            How::OneOf(_) => "one-of",
            How::Tolerance(_) => "tolerance",
            How::Window(_) => "window",
            How::Reference => "reference",
            How::Set => "set",
            How::Bag => "bag",
            How::SortedBy(_) => "sorted-by",
            How::NullIsAbsent => "null-is-absent",
            How::Default(_) => "default",
            How::Optional => "optional",
            How::Text => "text",
            How::Trim => "trim",
            How::Caseless => "caseless",
            How::ExactUnicode => "exact-unicode",
            How::Schema => "schema",
        }
    }

    /// What it decides.
    pub(super) fn decides(&self) -> Decides {
        Decides::One(match self {
            How::Exact => return Decides::Everything,
            How::Schema => return Decides::NoPlace,
            How::Ignore
            | How::Present
            | How::Type
            | How::Regex(_)
            | How::OneOf(_)
            | How::Tolerance(_)
            | How::Window(_)
            | How::Reference => Aspect::Equality,
            How::Set | How::Bag | How::SortedBy(_) => Aspect::Order,
            How::NullIsAbsent => Aspect::Null,
            How::Default(_) => Aspect::Default,
            How::Optional => Aspect::Presence,
            How::Text => Aspect::Embedding,
            How::Trim => Aspect::Space,
            How::Caseless => Aspect::Case,
            How::ExactUnicode => Aspect::Unicode,
        })
    }

    /// How little it lets pass: of two rules that are equally specific the stricter decides.
    pub(super) fn strictness(&self) -> u8 {
        match self {
            How::Exact => 9,
            How::Bag | How::Reference => 8,
            How::Set | How::Window(_) | How::Tolerance(_) => 7,
            How::OneOf(_) => 6,
            How::Regex(_) => 5,
            How::Type => 4,
            How::Present => 3,
            How::Ignore => 1,
            _ => 2,
        }
    }

    /// Whether values that are alike under it may differ from one another in turn, so that no hash finds them.
    pub(super) fn is_loose(&self) -> bool {
        matches!(self, How::Tolerance(_) | How::Window(_) | How::Optional | How::Reference)
    }

    /// A way of comparing by its word and what stands in parentheses behind it.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn from_parts(word: &str, argument: Option<&str>) -> Result<Self, String> {
        let Some(argument) = argument else { return Self::plain(word) };
        let json = || Json::parse(argument).map_err(|fault| format!("{argument:?} is no JSON: {fault}"));
        Ok(match word {
            "regex" => How::Regex(TextPattern::new(argument)?),
            "one-of" => {
                let values = json()?.items().ok_or("it takes a list, as in one-of([\"a\",\"b\"])")?;
                How::OneOf(values)
            }
            "tolerance" => How::Tolerance(argument.parse()?),
            "window" => How::Window(window(argument)?),
            "sorted-by" => How::SortedBy(argument.parse().map_err(|error| format!("{error}"))?),
            "default" => How::Default(json()?),
            _ => {
                Self::plain(word)?;
                return Err(format!("{word} takes nothing in parentheses"));
            }
        })
    }

    fn plain(word: &str) -> Result<Self, String> {
        Ok(match word {
            "exact" => How::Exact,
            "ignore" => How::Ignore,
            "present" => How::Present,
            "type" => How::Type,
            "reference" => How::Reference,
            "set" => How::Set,
            "bag" => How::Bag,
            "null-is-absent" => How::NullIsAbsent,
            "optional" => How::Optional,
            "text" => How::Text,
            "trim" => How::Trim,
            "caseless" => How::Caseless,
            "exact-unicode" => How::ExactUnicode,
            "schema" => How::Schema,
            "regex" => return Err("regex takes a pattern, as in regex(^ord_[0-9]+$)".into()),
            "one-of" => return Err("one-of takes values, as in one-of([\"a\",\"b\"])".into()),
            "tolerance" => return Err("tolerance takes a number or a share, as in tolerance(0.01) or (1%)".into()),
            "window" => return Err("window takes a time, as in window(5m)".into()),
            "sorted-by" => return Err("sorted-by takes a path into an item, as in sorted-by($.id)".into()),
            "default" => return Err("default takes a value, as in default(10)".into()),
            _ => return Err(unknown(word)),
        })
    }

    /// What stands in parentheses behind its word.
    fn argument(&self) -> Option<String> {
        match self {
            How::Regex(pattern) => Some(pattern.text().to_owned()),
            How::OneOf(values) => {
                let values: Vec<String> = values.iter().map(|value| value.compact().text().to_owned()).collect();
                Some(format!("[{}]", values.join(",")))
            }
            How::Tolerance(band) => Some(band.to_string()),
            How::Window(time) => Some(told(*time)),
            How::SortedBy(path) => Some(path.to_string()),
            How::Default(value) => Some(value.compact().text().to_owned()),
            _ => None,
        }
    }
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.argument() {
            Some(argument) => write!(f, "{}({argument})", self.word()),
            None => f.write_str(self.word()),
        }
    }
}

/// All words, for the message on one that is none of them.
const WORDS: [&str; 20] = [
    "exact",
    "ignore",
    "present",
    "type",
    "regex",
    "one-of",
    "tolerance",
    "window",
    "reference",
    "set",
    "bag",
    "sorted-by",
    "null-is-absent",
    "default",
    "optional",
    "text",
    "trim",
    "caseless",
    "exact-unicode",
    "schema",
];

fn unknown(word: &str) -> String {
    format!("{word:?} is none of {}{}", WORDS.join(", "), did_you_mean(word, &WORDS))
}

/// A time as `5m`, `1h 30m` or `500ms`.
fn window(text: &str) -> Result<Duration, String> {
    let time = text.parse::<jiff::SignedDuration>().map_err(|_| format!("{text:?} is no time; write 30s, 5m or 1h"))?;
    Duration::try_from(time).map_err(|_| format!("{text:?} is less than nothing"))
}

fn told(time: Duration) -> String {
    jiff::SignedDuration::try_from(time).map_or_else(|_| format!("{}s", time.as_secs()), |time| format!("{time:#}"))
}

/// A regular expression that is looked for anywhere in a text.
#[derive(Clone, Debug)]
pub struct TextPattern(regex::Regex);

impl TextPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(text: &str) -> Result<Self, String> {
        regex::Regex::new(text).map(Self).map_err(|error| format!("{text:?} is no pattern: {error}"))
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.as_str()
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_prints_as_it_is_read() {
        for text in [
            "exact",
            "ignore",
            "present",
            "type",
            "regex(^a(b)$)",
            "one-of([\"a\",1])",
            "tolerance(0.01)",
            "tolerance(1%)",
            "tolerance(0.01,1%)",
            "window(5m)",
            "reference",
            "set",
            "bag",
            "sorted-by($.id)",
            "null-is-absent",
            "default({\"a\":[]})",
            "optional",
            "text",
            "trim",
            "caseless",
            "exact-unicode",
            "schema",
        ] {
            let (word, argument) =
                text.split_once('(').map_or((text, None), |(word, rest)| (word, rest.strip_suffix(')')));
            assert_eq!(How::from_parts(word, argument).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_rule_is_answered() {
        assert!(How::from_parts("ingore", None).unwrap_err().contains("did you mean ignore?"));
        assert!(How::from_parts("tolerance", None).unwrap_err().contains("tolerance(0.01)"));
        assert!(How::from_parts("trim", Some("1")).unwrap_err().contains("takes nothing"));
        for (word, argument) in
            [("regex", "("), ("one-of", "1"), ("window", "soon"), ("window", "-5m"), ("default", "{")]
        {
            assert!(How::from_parts(word, Some(argument)).is_err(), "{word}({argument})");
        }
    }
}
