//! Papers: articles, notes and other files, release notes.

use super::changes::Version;
use super::field;
use super::turn::{Answers, Given, ToolUse, Turn};
use super::wishes::Question;
use crate::recording::Json;

/// The folder of the notes.
pub(super) const NOTES: &str = "notes";
/// A reply shows so much of a long text.
const SHOWN: usize = 240;

fn search(version: Version, query: &str) -> ToolUse {
    ToolUse::new("search_articles", [("query", Json::string(query)), ("limit", version.search_limit())])
}

fn read_article(topic: &str) -> ToolUse {
    ToolUse::text("read_article", "topic", topic)
}

pub(super) fn release_notes(release: &str) -> ToolUse {
    ToolUse::text("release_notes", "version", release)
}

pub(super) fn read_file(version: Version, path: &str) -> ToolUse {
    ToolUse::text("read_file", "path", &version.path(path))
}

pub(super) fn searches(version: Version, questions: &[Question]) -> Vec<ToolUse> {
    let all = questions.iter().flat_map(|question| version.searches(&question.query));
    all.map(|query| search(version, &query)).collect()
}

/// Reads the best article for each question, all of them at once. A query that finds nothing is followed by one for
/// its topic.
pub(super) async fn articles(turn: &mut Turn<'_>, questions: &[Question], answers: &Answers) -> Vec<String> {
    let mut topics = Vec::new();
    let mut said = Vec::new();
    for Question { query, topic } in questions {
        let mut found = best_topic(answers.of(&search(turn.version(), query)));
        if found == Ok(None) {
            found = best_topic(Some(&turn.ask(search(turn.version(), topic)).await));
        }
        match found {
            Ok(Some(topic)) if !topics.contains(&topic) => topics.push(topic),
            Ok(Some(_)) => {}
            Ok(None) => said.push(format!("I found no article about {query}.")),
            Err(sentence) => said.push(sentence),
        }
    }
    if topics.is_empty() {
        return said;
    }
    let calls: Vec<ToolUse> = topics.iter().map(|topic| read_article(topic)).collect();
    let read = turn.ask_together(calls.clone()).await;
    said.extend(topics.iter().zip(&calls).map(|(topic, call)| match read.of(call) {
        Some(Ok(result)) => shortened(&field(result, "text")),
        Some(Err(error)) => format!("I could not read the article on {topic} ({}).", error.message),
        None => String::new(),
    }));
    said
}

fn best_topic(given: Option<&Given>) -> Result<Option<String>, String> {
    match given {
        Some(Ok(result)) => {
            let hits = result.member("hits").and_then(|hits| hits.items()).unwrap_or_default();
            Ok(hits.first().map(|hit| field(hit, "topic")))
        }
        Some(Err(error)) => Err(format!("I could not search our articles ({}).", error.message)),
        None => Ok(None),
    }
}

pub(super) fn release(release: &str, answers: &Answers) -> String {
    match answers.of(&release_notes(release)) {
        Some(Ok(result)) => {
            let changes = result.member("changes").and_then(|changes| changes.items()).unwrap_or_default();
            let changes: Vec<_> = changes.iter().map(|change| change.shown().into_owned()).collect();
            format!("Release {release} of {}: {}.", field(result, "date"), changes.join("; "))
        }
        Some(Err(error)) => format!("I have no notes on release {release} ({}).", error.message),
        None => String::new(),
    }
}

pub(super) fn file(version: Version, path: &str, answers: &Answers) -> String {
    answers.of(&read_file(version, path)).map_or_else(String::new, |given| file_line(path, given))
}

/// Reads the folder of the notes, then all that it holds.
pub(super) async fn notes(turn: &mut Turn<'_>, answers: &Answers) -> Vec<String> {
    let version = turn.version();
    let names = match answers.of(&read_file(version, NOTES)) {
        Some(Ok(result)) => result.member("entries").and_then(|entries| entries.items()).unwrap_or_default(),
        Some(Err(error)) => return vec![format!("I could not read the notes ({}).", error.message)],
        None => return Vec::new(),
    };
    let names = names.iter().map(|name| name.shown().into_owned()).filter(|name| !name.ends_with('/'));
    let paths: Vec<String> = names.map(|name| format!("{NOTES}/{name}")).collect();
    let read = turn.ask_together(paths.iter().map(|path| read_file(version, path)).collect()).await;
    paths.iter().map(|path| file(version, path, &read)).collect()
}

fn file_line(path: &str, given: &Given) -> String {
    match given {
        Ok(result) => match result.member("entries") {
            Some(entries) => format!("{path} holds {}.", entries.text()),
            None => format!("{path} says: {}", shortened(&field(result, "text"))),
        },
        Err(error) => format!("I could not read {path} ({}).", error.message),
    }
}

fn shortened(text: &str) -> String {
    match text.trim().char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{} ...", text.trim()[..at].trim_end()),
        None => text.trim().to_owned(),
    }
}
