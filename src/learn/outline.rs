//! What made-up ids have in common, as a pattern: `ord_17` and `ord_9` are `^ord_[0-9]+$`.

use std::fmt::Write;

/// How finely a text is taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    /// At marks, and between letters and digits.
    Fine,
    /// At marks alone.
    Coarse,
}

/// What texts have in common when they are taken apart at marks such as `_` and `-`.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    grain: Grain,
    shared: Shared,
}

#[derive(Clone, Debug)]
enum Shared {
    /// No text was seen.
    Unseen,
    /// The parts that all have.
    Parts(Vec<Part>),
    /// They have nothing in common.
    Nothing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Mark(char),
    Run(Run),
}

/// Letters and digits without a mark between them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    /// What it is, where it is the same in all.
    text: Option<String>,
    chars: Chars,
    shortest: usize,
    longest: usize,
    /// Whether each has a digit in it.
    has_digit: bool,
}

/// Which characters stand in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Chars {
    digits: bool,
    low_hex: bool,
    low: bool,
    high_hex: bool,
    high: bool,
}

/// The longest text that is taken for an id, in bytes.
const LONGEST: usize = 128;

/// From so many characters on a mix of letters and digits without any constant part is taken for made up.
const MADE_UP: usize = 8;

impl Outline {
    pub(super) fn new(grain: Grain) -> Self {
        Self { grain, shared: Shared::Unseen }
    }

    /// Takes in a text.
    pub(super) fn add(&mut self, text: &str) {
        if matches!(self.shared, Shared::Nothing) {
            return;
        }
        let parts = taken_apart(text, self.grain);
        self.join(parts.map_or(Shared::Nothing, Shared::Parts));
    }

    /// Takes in what another one saw.
    pub(super) fn merge(&mut self, other: &Self) {
        self.join(other.shared.clone());
    }

    fn join(&mut self, other: Shared) {
        let before = std::mem::replace(&mut self.shared, Shared::Nothing);
        self.shared = match (before, other) {
            (Shared::Unseen, only) | (only, Shared::Unseen) => only,
            (Shared::Parts(a), Shared::Parts(b)) => joined(a, b).map_or(Shared::Nothing, Shared::Parts),
            _ => Shared::Nothing,
        };
    }

    /// The pattern of ids, where the texts look like ids that a program made: what changes from one to the next has
    /// a digit in it, and there is something by which one knows them.
    pub(super) fn pattern(&self) -> Option<String> {
        let Shared::Parts(parts) = &self.shared else { return None };
        let runs = || parts.iter().filter_map(|part| if let Part::Run(run) = part { Some(run) } else { None });
        let mut varying = runs().filter(|run| run.text.is_none()).peekable();
        let changes = varying.peek().is_some();
        let is_made = varying.all(|run| run.has_digit);
        let has_name = runs().any(|run| run.text.as_deref().is_some_and(|text| text.contains(char::is_alphabetic)));
        let is_mixed = runs().any(|run| run.text.is_none() && run.is_made_up());
        (changes && is_made && (has_name || is_mixed)).then(|| pattern_of(parts))
    }
}

fn pattern_of(parts: &[Part]) -> String {
    let mut pattern = String::from("^");
    for part in parts {
        match part {
            Part::Mark('.') => pattern.push_str("\\."),
            Part::Mark(mark) => pattern.push(*mark),
            Part::Run(Run { text: Some(text), .. }) => pattern.push_str(text),
            Part::Run(run) => pattern.push_str(&run.pattern()),
        }
    }
    pattern.push('$');
    pattern
}

impl Run {
    fn of(text: &str) -> Self {
        let length = text.len();
        let chars = text.bytes().fold(Chars::default(), Chars::with);
        Self { text: Some(text.to_owned()), chars, shortest: length, longest: length, has_digit: chars.digits }
    }

    fn join(self, other: Self) -> Self {
        Self {
            text: self.text.filter(|text| other.text.as_deref() == Some(text)),
            chars: self.chars.or(other.chars),
            shortest: self.shortest.min(other.shortest),
            longest: self.longest.max(other.longest),
            has_digit: self.has_digit && other.has_digit,
        }
    }

    /// Letters and digits mixed, and many of them.
    fn is_made_up(&self) -> bool {
        let Chars { digits, low_hex, low, high_hex, high } = self.chars;
        digits && (low_hex || low || high_hex || high) && self.shortest >= MADE_UP
    }

    fn pattern(&self) -> String {
        let letters = self.chars.class();
        let has_one_length = self.shortest == self.longest && letters != "[0-9]" && self.shortest >= 4;
        let mut pattern = letters.to_owned();
        // Writing to a string cannot fail.
        let _ = if has_one_length { write!(pattern, "{{{}}}", self.longest) } else { write!(pattern, "+") };
        pattern
    }
}

impl Chars {
    fn with(self, byte: u8) -> Self {
        match byte {
            b'0'..=b'9' => Self { digits: true, ..self },
            b'a'..=b'f' => Self { low_hex: true, ..self },
            b'A'..=b'F' => Self { high_hex: true, ..self },
            b'g'..=b'z' => Self { low: true, ..self },
            _ => Self { high: true, ..self },
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            digits: self.digits || other.digits,
            low_hex: self.low_hex || other.low_hex,
            low: self.low || other.low,
            high_hex: self.high_hex || other.high_hex,
            high: self.high || other.high,
        }
    }

    /// The smallest of the usual classes that holds them.
    fn class(self) -> &'static str {
        let Self { low_hex, low, high_hex, high, .. } = self;
        match (low_hex, low, high_hex, high) {
            (false, false, false, false) => "[0-9]",
            (true, false, false, false) => "[0-9a-f]",
            (false, false, true, false) => "[0-9A-F]",
            (_, _, false, false) => "[0-9a-z]",
            (false, false, _, _) => "[0-9A-Z]",
            _ => "[0-9A-Za-z]",
        }
    }
}

/// The parts of a text; `None` where it is no id.
fn taken_apart(text: &str, grain: Grain) -> Option<Vec<Part>> {
    if text.is_empty() || text.len() > LONGEST {
        return None;
    }
    let mut parts = Vec::new();
    let mut from = 0;
    let bytes = text.as_bytes();
    while from < bytes.len() {
        let byte = bytes[from];
        if matches!(byte, b'_' | b'-' | b':' | b'.' | b'/' | b'#') {
            parts.push(Part::Mark(byte as char));
            from += 1;
            continue;
        }
        if !byte.is_ascii_alphanumeric() {
            return None;
        }
        let belongs = |other: &u8| match grain {
            Grain::Coarse => other.is_ascii_alphanumeric(),
            Grain::Fine => other.is_ascii_alphanumeric() && other.is_ascii_digit() == byte.is_ascii_digit(),
        };
        let length = bytes[from..].iter().take_while(|other| belongs(other)).count();
        parts.push(Part::Run(Run::of(&text[from..from + length])));
        from += length;
    }
    Some(parts)
}

fn joined(a: Vec<Part>, b: Vec<Part>) -> Option<Vec<Part>> {
    if a.len() != b.len() {
        return None;
    }
    let pairs = a.into_iter().zip(b);
    pairs
        .map(|pair| match pair {
            (Part::Mark(a), Part::Mark(b)) if a == b => Some(Part::Mark(a)),
            (Part::Run(a), Part::Run(b)) => Some(Part::Run(a.join(b))),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(grain: Grain, texts: &[&str]) -> Option<String> {
        let mut outline = Outline::new(grain);
        texts.iter().for_each(|text| outline.add(text));
        outline.pattern()
    }

    #[test]
    fn ids_are_known_by_what_they_share() {
        let table: [(&[&str], Grain, &str); 6] = [
            (&["ord_17", "ord_9"], Grain::Fine, "^ord_[0-9]+$"),
            (&["PX-205-938", "PX-213-514"], Grain::Fine, "^PX-[0-9]+-[0-9]+$"),
            (&["T100", "T2000"], Grain::Fine, "^T[0-9]+$"),
            (&["req-8f3a12cd", "req-00b1c2d3"], Grain::Coarse, "^req-[0-9a-f]{8}$"),
            (&["k3J9x0Qz7", "Zz81mP3q"], Grain::Coarse, "^[0-9A-Za-z]+$"),
            (&["v1.ord.7", "v1.ord.8"], Grain::Coarse, "^v1\\.ord\\.[0-9]+$"),
        ];
        for (texts, grain, wanted) in table {
            let found = pattern(grain, texts);
            assert_eq!(found.as_deref(), Some(wanted), "{texts:?}");
            let read = regex::Regex::new(wanted).unwrap();
            assert!(texts.iter().all(|text| read.is_match(text)), "{texts:?}");
        }
    }

    #[test]
    fn words_numbers_and_prose_are_no_ids() {
        for texts in [
            ["red-shirt", "blue-shirt"],
            ["49.99", "52.10"],
            ["1001", "1002"],
            ["room 12", "room 14"],
            ["same-1", "same-1"],
            ["Größe-1", "Größe-2"],
            ["ord_1", "ord-1"],
            ["555-0101", "555-0102"],
        ] {
            for grain in [Grain::Fine, Grain::Coarse] {
                assert_eq!(pattern(grain, &texts), None, "{texts:?}");
            }
        }
    }

    #[test]
    fn two_outlines_together_are_that_of_all_texts() {
        let (mut a, mut b) = (Outline::new(Grain::Fine), Outline::new(Grain::Fine));
        a.add("ord_1");
        b.add("ord_22");
        a.merge(&b);
        assert_eq!(a.pattern().as_deref(), Some("^ord_[0-9]+$"));
        b.add("no id");
        a.merge(&b);
        assert_eq!(a.pattern(), None);
    }
}
