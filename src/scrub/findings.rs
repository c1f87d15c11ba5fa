//! What was found where, without the values themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::key::KeyOrigin;
use super::kind::Kind;
use super::scrubber::Scrubber;

/// What was found in recordings, by kind and place.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Findings {
    format: &'static str,
    version: u32,
    /// How many interactions were gone through.
    pub interactions: u64,
    /// In how many of them something was found.
    pub with_findings: u64,
    /// How many values were found.
    pub found: u64,
    /// How many files were gone through.
    pub files: usize,
    /// Rows that could not be read.
    pub rejected: u64,
    /// Last lines that were cut off.
    pub torn: u64,
    /// The name of the key, where pseudonyms were made.
    pub key: Option<String>,
    /// Where the key came from.
    pub key_origin: Option<KeyOrigin>,
    /// Each kind at each place, by kind and path.
    pub places: Vec<PlaceFound>,
}

/// What was found of a kind at a place.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaceFound {
    /// The kind.
    pub kind: Kind,
    /// Where, as `toolCalls[*].arguments.email`.
    pub path: String,
    /// How often.
    pub count: u64,
    /// In how many files.
    pub files: usize,
    /// What the first looked like: letters as `x`, digits as `0`.
    pub example: String,
}

/// So many places are told apart; the rest is counted by kind.
const MOST_PLACES: usize = 1000;
const OTHER_PLACES: &str = "(other places)";

/// Counts what is found.
#[derive(Debug, Default)]
pub(super) struct Tally {
    places: BTreeMap<(Kind, String), Counted>,
    found: u64,
    interactions: u64,
    with_findings: u64,
}

#[derive(Debug)]
struct Counted {
    count: u64,
    files: BTreeSet<Arc<Path>>,
    example: String,
}

impl Tally {
    pub(super) fn found(&self) -> u64 {
        self.found
    }

    pub(super) fn add(&mut self, file: &Arc<Path>, kind: &Kind, path: &str, value: &str) {
        self.found += 1;
        let mut place = (kind.clone(), path.to_owned());
        if self.places.len() >= MOST_PLACES && !self.places.contains_key(&place) {
            place.1 = OTHER_PLACES.to_owned();
        }
        let counted = self.places.entry(place).or_insert_with(|| Counted {
            count: 0,
            files: BTreeSet::new(),
            example: masked(kind, value),
        });
        counted.count += 1;
        if !counted.files.contains(file) {
            counted.files.insert(Arc::clone(file));
        }
    }

    /// An interaction was gone through, in which so many were found.
    pub(super) fn end_interaction(&mut self, found: u64) {
        self.interactions += 1;
        self.with_findings += u64::from(found > 0);
    }

    pub(super) fn finish(self, files: usize, (rejected, torn): (u64, u64), scrubber: Option<&Scrubber>) -> Findings {
        let Self { places, found, interactions, with_findings } = self;
        let place = |((kind, path), Counted { count, files, example }): ((Kind, String), Counted)| PlaceFound {
            kind,
            path,
            count,
            files: files.len(),
            example,
        };
        Findings {
            format: "taketwo.scrub",
            version: 1,
            interactions,
            with_findings,
            found,
            files,
            rejected,
            torn,
            key: scrubber.map(Scrubber::key_name),
            key_origin: scrubber.map(Scrubber::key_origin),
            places: places.into_iter().map(place).collect(),
        }
    }
}

/// How much of a value its picture shows.
const SHOWN: usize = 20;

/// What a value looks like, and nothing of what it says. Of a password not even that.
fn masked(kind: &Kind, value: &str) -> String {
    let length = value.chars().count();
    if matches!(kind, Kind::Password | Kind::PrivateKey) {
        return format!("({length} characters)");
    }
    let picture = |c: char| match c {
        c if c.is_numeric() => '0',
        c if c.is_alphabetic() => 'x',
        c if c.is_ascii_graphic() => c,
        _ => ' ',
    };
    let more = if length > SHOWN { "…" } else { "" };
    value.chars().take(SHOWN).map(picture).chain(more.chars()).collect()
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { interactions, with_findings, found, files, .. } = self;
        let (interaction, file) = (noun(*interactions, "interaction"), noun(*files as u64, "file"));
        if *found == 0 {
            writeln!(f, "CLEAN: {interactions} {interaction} in {files} {file}, nothing was found.")?;
        } else {
            let value = noun(*found, "value");
            writeln!(f, "FOUND: {found} {value} in {with_findings} of {interactions} {interaction}, {files} {file}.")?;
            writeln!(f, "\n{:<PATH$}  {:>7}{:>7}  looks like", "Kind and place", "times", "files")?;
        }
        let mut last = None;
        for PlaceFound { kind, path, count, files, example } in &self.places {
            if last.replace(kind) != Some(kind) {
                writeln!(f, "{kind}")?;
            }
            writeln!(f, "  {:<PATH$}{count:>7}{files:>7}  {example}", cut(path, PATH))?;
        }
        Ok(())
    }
}

/// The width of a path in the report.
const PATH: usize = 39;

fn noun(count: u64, one: &str) -> String {
    if count == 1 { one.to_owned() } else { format!("{one}s") }
}

/// A text that fits, its start left out where it is too long.
fn cut(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    std::iter::once('…').chain(text.chars().skip(length + 1 - width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_tells_nothing_of_the_value() {
        assert_eq!(masked(&Kind::Email, "jané@corp.de"), "xxxx@xxxx.xx");
        assert_eq!(masked(&Kind::Phone, "+49 170 1234567"), "+00 000 0000000");
        assert_eq!(masked(&Kind::Field, &"a1".repeat(20)), format!("{}…", "x0".repeat(10)));
        assert_eq!(masked(&Kind::Password, "hunter2"), "(7 characters)");
    }
}
