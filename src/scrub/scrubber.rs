//! The scrubber: rules and a key, made ready.

use glob::{MatchOptions, Pattern};
use regex::Regex;

use super::document::{Pass, Seen};
use super::field::{FieldPatterns, LISTED};
use super::find::{Found, What};
use super::key::{KeyOrigin, ScrubKey};
use super::kind::Kind;
use super::known::Known;
use super::place::{Fields, Place};
use super::pseudonym;
use super::rules::{OwnPattern, RulesError, ScrubRules};
use crate::recording::{Interaction, Json, Reject, ToolName};

/// Replaces secrets and personal data by pseudonyms.
///
/// Equal values get equal pseudonyms wherever they stand, as long as the key is the same; what was scrubbed once stays
/// as it is. One scrubber can be used by many threads.
///
/// ```
/// use taketwo::recording::Json;
/// use taketwo::scrub::{ScrubKey, ScrubRules, Scrubber};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let key = ScrubKey::new("of 16 characters or more", "the example")?;
/// let scrubber = Scrubber::new(&ScrubRules::default(), key)?;
/// let once = scrubber.json(&Json::parse(r#"{"to": "jane@corp.com", "order": 4711}"#)?);
/// assert!(once.text().ends_with(r#"@example.invalid", "order": 4711}"#));
/// assert_eq!(scrubber.json(&once), once);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Scrubber {
    pub(super) key: ScrubKey,
    pub(super) fields: Fields,
    off: Vec<Kind>,
    keep: Vec<Pattern>,
    exempt_tools: Vec<Pattern>,
    own: Vec<(Kind, Regex)>,
    rules_hash: String,
}

/// What an interaction is gone through at most: what one way finds by a field's name, the next finds elsewhere.
const MOST_PASSES: usize = 5;

impl Scrubber {
    /// Makes rules and a key ready.
    ///
    /// # Errors
    /// [`RulesError`] for the first rule that makes no sense.
    pub fn new(rules: &ScrubRules, key: ScrubKey) -> Result<Self, RulesError> {
        let off = rules.kinds_off()?;
        let listed = if off.contains(&Kind::Field) { &[] } else { LISTED };
        let listed = listed.iter().map(|name| (*name).to_owned()).chain(rules.fields.iter().cloned());
        Ok(Self {
            key,
            fields: Fields {
                listed: patterns("fields", listed)?,
                not_listed: patterns("not-fields", rules.not_fields.iter().cloned())?,
                exempt: patterns("exempt-fields", rules.exempt_fields.iter().cloned())?,
            },
            off,
            keep: globs("keep", rules.keep.iter().map(|value| value.to_lowercase()))?,
            exempt_tools: globs("exempt-tools", rules.exempt_tools.iter().cloned())?,
            own: rules.pattern.iter().map(own).collect::<Result<_, _>>()?,
            rules_hash: blake3::hash(format!("1 {rules:?}").as_bytes()).to_hex()[..16].to_owned(),
        })
    }

    /// A name for the rules and the key together: where it is the same, equal values get equal pseudonyms.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}-{}", self.rules_hash, self.key.name())
    }

    /// The name of the key.
    #[must_use]
    pub fn key_name(&self) -> String {
        self.key.name()
    }

    /// Where the key came from.
    #[must_use]
    pub fn key_origin(&self) -> KeyOrigin {
        self.key.origin()
    }

    /// An interaction without secrets and personal data.
    #[must_use]
    pub fn interaction(&self, interaction: Interaction) -> Interaction {
        self.interaction_seen(interaction, &mut |_, _, _| {})
    }

    /// The same, and tells what was replaced: its kind, where it stood, and the value itself.
    pub(super) fn interaction_seen(&self, mut interaction: Interaction, seen: &mut Seen<'_>) -> Interaction {
        self.passes(seen, |pass| pass.interaction(&mut interaction));
        interaction
    }

    /// Any JSON without secrets and personal data.
    #[must_use]
    pub fn json(&self, json: &Json) -> Json {
        self.part("", json)
    }

    /// The arguments of a call, as those of a recorded call are scrubbed.
    #[must_use]
    pub fn arguments(&self, tool: &ToolName, arguments: &Json) -> Json {
        if self.exempts(tool) { arguments.clone() } else { self.part("arguments", arguments) }
    }

    /// A text without secrets and personal data.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        self.text_seen("", text, &mut |_, _, _| {})
    }

    /// The same, and tells what was replaced.
    pub(super) fn text_seen(&self, part: &str, text: &str, seen: &mut Seen<'_>) -> String {
        let mut text = text.to_owned();
        self.passes(seen, |pass| pass.text(part, &mut text));
        text
    }

    /// A row that could not be read, looked through as text: what only the name of its field tells may stay in it.
    #[must_use]
    pub fn reject(&self, reject: Reject) -> Reject {
        self.reject_seen(reject, &mut |_, _, _| {})
    }

    /// The same, and tells what was replaced.
    pub(super) fn reject_seen(&self, reject: Reject, seen: &mut Seen<'_>) -> Reject {
        // Bytes that are no text cannot be looked through, and nothing is lost where nothing is found.
        let text = String::from_utf8_lossy(&reject.raw).into_owned();
        let scrubbed = self.text_seen("(a row that cannot be read)", &text, seen);
        if scrubbed == text { reject } else { Reject { raw: scrubbed.into_bytes(), ..reject } }
    }

    fn part(&self, part: &str, json: &Json) -> Json {
        let mut json = json.clone();
        self.passes(&mut |_, _, _| {}, |pass| pass.json(Place::of_part(part), &mut json));
        json
    }

    /// Goes through something until nothing is found any more. `pass` says whether it found something.
    fn passes(&self, seen: &mut Seen<'_>, mut pass: impl FnMut(&mut Pass<'_>) -> bool) {
        let mut known = Known::default();
        for _ in 0..MOST_PASSES {
            if !pass(&mut Pass { scrubber: self, known: &mut known, seen }) {
                return;
            }
        }
    }

    pub(super) fn exempts(&self, tool: &ToolName) -> bool {
        self.exempt_tools.iter().any(|pattern| pattern.matches(tool.as_str()))
    }

    pub(super) fn is_off(&self, kind: &Kind) -> bool {
        self.off.contains(kind)
    }

    /// Whether a value is to stay. Letter case does not count.
    pub(super) fn keeps(&self, value: &str) -> bool {
        let value = || value.trim().to_lowercase();
        !self.keep.is_empty() && self.keep.iter().any(|pattern| pattern.matches_with(&value(), MatchOptions::new()))
    }

    /// Finds what the user's own patterns find.
    pub(super) fn find_own(&self, text: &str, out: &mut Vec<Found>) {
        for (kind, regex) in &self.own {
            for parts in regex.captures_iter(text) {
                let Some(place) = parts.get(1).or(parts.get(0)).filter(|place| !place.is_empty()) else { continue };
                let new = pseudonym::of_text(&self.key, place.as_str());
                out.push(Found {
                    kind: kind.clone(),
                    range: place.range(),
                    whole: place.range(),
                    what: What::Value(new),
                });
            }
        }
    }
}

fn patterns(rule: &'static str, texts: impl Iterator<Item = String>) -> Result<FieldPatterns, RulesError> {
    let mut patterns = FieldPatterns::default();
    for text in texts {
        patterns.add(&text).map_err(|problem| RulesError::rule(rule, problem))?;
    }
    Ok(patterns)
}

fn globs(rule: &'static str, texts: impl Iterator<Item = String>) -> Result<Vec<Pattern>, RulesError> {
    let read = |text: String| {
        Pattern::new(&text).map_err(|error| RulesError::rule(rule, format!("{text:?} is no pattern: {}", error.msg)))
    };
    texts.map(read).collect()
}

fn own(pattern: &OwnPattern) -> Result<(Kind, Regex), RulesError> {
    let OwnPattern { name, regex } = pattern;
    if name.trim().is_empty() || Kind::read(name).is_some() {
        return Err(RulesError::rule(
            "pattern",
            format!("{name:?} cannot be the name of a pattern: it is blank or taken"),
        ));
    }
    let wrong = |problem: String| RulesError::rule("pattern", format!("{name}: {problem}"));
    let compiled = Regex::new(regex).map_err(|error| wrong(error.to_string()))?;
    if compiled.is_match("") {
        return Err(wrong("it matches where there is nothing".into()));
    }
    Ok((Kind::Own(name.as_str().into()), compiled))
}
