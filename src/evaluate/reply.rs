//! Checks on the reply.

use std::str::FromStr;

use regex::Regex;

use super::recorded::listed;
use super::{EvalContext, EvaluationResult, Evaluator, Label, Said};
use crate::compare::{ToolRules, Value};

const NO_REPLY: &str = "there is no reply";

/// How the reply is held to the recorded one, where that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputComparison {
    /// The same, as arguments are compared.
    Exact,
    /// The same but for white space, upper and lower case, and Unicode form.
    Normalized,
}

impl FromStr for OutputComparison {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "exact" => Ok(OutputComparison::Exact),
            "normalized" => Ok(OutputComparison::Normalized),
            _ => Err("exact or normalized".into()),
        }
    }
}

/// The comparison with the recorded reply, where it is asked for.
pub(super) fn as_recorded(context: &EvalContext<'_>) -> Option<EvaluationResult> {
    let how = context.rules.output?;
    const LABEL: &str = "reply-as-recorded";
    if context.rules.skips(LABEL) {
        return None;
    }
    let recorded = context.recorded().output.as_ref().filter(|_| context.recorded().has_reply())?;
    let Some(seen) = context.attempt.seen.output.as_ref().filter(|_| context.reply().is_some()) else {
        return Some(Said::failed(NO_REPLY).by(Label::known(LABEL)));
    };
    let (expected, seen) = (Value::read(recorded, &ToolRules::none()), Value::read(seen, &ToolRules::none()));
    let equal = match how {
        OutputComparison::Exact => expected == seen,
        OutputComparison::Normalized => normal(&expected.to_string()) == normal(&seen.to_string()),
    };
    let said = if equal {
        Said::passed()
    } else {
        let differences = crate::compare::differences(&expected, &seen);
        Said::failed(listed(&differences.iter().map(ToString::to_string).collect::<Vec<_>>()))
    };
    Some(said.by(Label::known(LABEL)))
}

fn normal(text: &str) -> String {
    text.to_lowercase().replace("\\n", " ").replace("\\t", " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All of these texts are in the reply, upper and lower case alike (TestKit: `replyShouldContain`).
#[derive(Clone, Debug)]
pub struct ReplyContains(pub Vec<String>);

impl Evaluator for ReplyContains {
    fn label(&self) -> &str {
        "reply-contains"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        let reply = context.reply().unwrap_or_default().to_lowercase();
        let missing: Vec<String> = self
            .0
            .iter()
            .filter(|text| !reply.contains(&text.to_lowercase()))
            .map(|text| format!("{text:?} is missing"))
            .collect();
        if missing.is_empty() { Said::passed() } else { Said::failed(listed(&missing)) }
    }
}

/// The pattern is found somewhere in the reply; `.` takes in line ends (TestKit: `replyShouldMatch`).
#[derive(Clone, Debug)]
pub struct ReplyMatches(Regex);

impl ReplyMatches {
    /// Compiles the pattern.
    ///
    /// # Errors
    /// When it is none.
    pub fn new(pattern: &str) -> Result<Self, regex::Error> {
        dot_all(pattern).map(Self)
    }
}

fn dot_all(pattern: &str) -> Result<Regex, regex::Error> {
    regex::RegexBuilder::new(pattern).dot_matches_new_line(true).build()
}

impl Evaluator for ReplyMatches {
    fn label(&self) -> &str {
        "reply-matches"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        if self.0.is_match(&context.reply().unwrap_or_default()) {
            return Said::passed();
        }
        Said::failed(format!("{:?} is not found", self.0.as_str()))
    }
}

/// None of these texts is in the reply, upper and lower case alike (TestKit: `replyShouldNotContain`).
#[derive(Clone, Debug)]
pub struct ReplyLacks(pub Vec<String>);

impl Evaluator for ReplyLacks {
    fn label(&self) -> &str {
        "reply-lacks"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        let reply = context.reply().unwrap_or_default().to_lowercase();
        match self.0.iter().find(|text| reply.contains(&text.to_lowercase())) {
            None => Said::passed(),
            Some(text) => Said::failed(format!("{text:?} is in the reply")),
        }
    }
}

/// The pattern is found nowhere in the reply (TestKit: `replyShouldNotMatch`).
#[derive(Clone, Debug)]
pub struct ReplyDoesNotMatch(Regex);

impl ReplyDoesNotMatch {
    /// Compiles the pattern.
    ///
    /// # Errors
    /// When it is none.
    pub fn new(pattern: &str) -> Result<Self, regex::Error> {
        dot_all(pattern).map(Self)
    }
}

impl Evaluator for ReplyDoesNotMatch {
    fn label(&self) -> &str {
        "reply-does-not-match"
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        match self.0.find(&context.reply().unwrap_or_default()) {
            None => Said::passed(),
            Some(found) => Said::failed(format!("{:?} is found: {:?}", self.0.as_str(), found.as_str())),
        }
    }
}

/// No number in the reply passes the Luhn test (TestKit: `replyShouldNotContainLuhnNumber`, and with 13 to 19
/// digits `replyShouldNotContainPaymentCard`). Digits may be parted by one space or dash.
#[derive(Clone, Debug)]
pub struct ReplyLacksLuhnNumber {
    least: usize,
    most: usize,
    label: &'static str,
}

impl ReplyLacksLuhnNumber {
    /// Numbers of so many digits. `None` unless 2 ≤ least ≤ most.
    #[must_use]
    pub fn new(least: usize, most: usize) -> Option<Self> {
        (least >= 2 && most >= least).then_some(Self { least, most, label: "reply-lacks-luhn-number" })
    }

    /// Numbers as on payment cards.
    #[must_use]
    pub fn payment_card() -> Self {
        Self { least: 13, most: 19, label: "reply-lacks-payment-card" }
    }

    /// The first number in the text that passes.
    fn find(&self, text: &str) -> Option<String> {
        let characters: Vec<char> = text.chars().collect();
        let is_word =
            |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(|c| c.is_alphanumeric() || *c == '_');
        for start in (0..characters.len()).filter(|at| characters[*at].is_ascii_digit() && !is_word(at.checked_sub(1)))
        {
            let mut digits = String::new();
            let mut at = start;
            while let Some(digit) = characters.get(at).filter(|c| c.is_ascii_digit()) {
                digits.push(*digit);
                if digits.len() > self.most {
                    break;
                }
                let fits = digits.len() >= self.least && !is_word(Some(at + 1)) && passes_luhn(&digits);
                if fits {
                    return Some(digits);
                }
                let parted = matches!(characters.get(at + 1), Some(' ' | '-'))
                    && characters.get(at + 2).is_some_and(char::is_ascii_digit);
                at += if parted { 2 } else { 1 };
            }
        }
        None
    }
}

fn passes_luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(digit - b'0');
            match place % 2 {
                0 => digit,
                _ if digit > 4 => digit * 2 - 9,
                _ => digit * 2,
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

impl Evaluator for ReplyLacksLuhnNumber {
    fn label(&self) -> &str {
        self.label
    }
    fn evaluate(&self, context: &EvalContext<'_>) -> Said {
        match self.find(&context.reply().unwrap_or_default()) {
            None => Said::passed(),
            // The number itself stays out of reports.
            Some(found) => Said::failed(format!("a number of {} digits passes the Luhn test", found.len())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn card_numbers_are_found_however_they_are_written() {
        let card = ReplyLacksLuhnNumber::payment_card();
        for text in ["4111111111111111", "card 4111 1111 1111 1111.", "4111-1111-1111-1111"] {
            assert!(card.find(text).is_some(), "{text}");
        }
        for text in
            ["4111111111111112", "x4111111111111111", "4111  1111 1111 1111", "12345", "41111111111111111111111"]
        {
            assert!(card.find(text).is_none(), "{text}");
        }
        assert!(ReplyLacksLuhnNumber::new(2, 4).unwrap().find("18").is_some());
        assert!(ReplyLacksLuhnNumber::new(1, 4).is_none() && ReplyLacksLuhnNumber::new(4, 3).is_none());
    }

    #[test]
    fn patterns_take_in_line_ends() {
        assert!(dot_all("a.b").unwrap().is_match("a\nb"));
        assert!(ReplyMatches::new("(").is_err());
    }
}
