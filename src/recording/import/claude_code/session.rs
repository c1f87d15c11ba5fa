//! The conversations in the lines of a session.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::super::super::json::Json;
use super::super::super::place::{At, Reject};
use super::super::conversation::{Conversation, Role, Said};
use super::super::dialogue::Dialogue;
use super::super::fields::text;
use super::super::thread::{self, Branch, Exchange, branches_of, parents};
use super::super::values::{no_interaction, refused};
use super::answers::Answers;
use super::entry::{Clears, Entry, Side, What, tasks};

type Found = Result<(At, Conversation), Reject>;

/// The conversations of a file, in the order of their first lines; what cannot be told among them.
pub(super) fn conversations(file: &Arc<Path>, entries: Vec<Entry>) -> Vec<Found> {
    let exchanges = exchanges(&entries);
    let mut teller = Teller {
        file,
        answers: Answers::gather(&entries),
        tasks: entries.iter().flat_map(tasks).collect(),
        entries: &entries,
        exchanges: &exchanges,
        numbers: HashMap::new(),
    };
    branches_of(&exchanges).iter().flat_map(|branch| teller.tell(branch)).collect()
}

/// The exchanges of a file. A sub-agent's first words follow nothing that was said to it, and after a command that
/// clears the session nothing is known any more.
fn exchanges(entries: &[Entry]) -> Vec<Exchange> {
    let mut parents = parents(entries.iter().map(|entry| (entry.uuid.as_deref(), entry.parent.as_deref())));
    for (number, entry) in entries.iter().enumerate() {
        let is_other = |parent: usize| entries[parent].side.is_some() != entry.side.is_some();
        parents[number] = parents[number].filter(|parent| !is_other(*parent));
    }
    let mut exchanges =
        thread::exchanges(&parents, |number| entries[number].starts_turn(), |number| &entries[number].side);
    let clears = |exchange: &Exchange| {
        let first = exchange.entries.first().map(|number| &entries[*number].what);
        matches!(first, Some(What::Command(_, Clears::Everything)))
    };
    let cleared: Vec<bool> = exchanges.iter().map(clears).collect();
    for exchange in &mut exchanges {
        exchange.follows = exchange.follows.filter(|before| !cleared[*before]);
    }
    exchanges
}

/// Makes conversations of exchanges.
struct Teller<'a> {
    file: &'a Arc<Path>,
    entries: &'a [Entry],
    exchanges: &'a [Exchange],
    answers: Answers,
    /// The kinds of sub-agents by what they were asked.
    tasks: HashMap<String, String>,
    /// How many conversations each id was given to.
    numbers: HashMap<String, u64>,
}

impl Teller<'_> {
    fn tell(&mut self, branch: &Branch) -> Vec<Found> {
        let (mut dialogue, mut found) = (Dialogue::default(), Vec::new());
        let mut first = None;
        let mut compactions = 0;
        for exchange in &branch.own {
            let entries = &self.exchanges[*exchange].entries;
            match self.words(entries) {
                Some(words) => {
                    let start = entries.first().map(|number| &self.entries[*number]);
                    if first.is_none() {
                        self.before(&branch.shared).into_iter().for_each(|said| dialogue.earlier(said));
                        first = start;
                    }
                    dialogue.user(words, start.and_then(|start| start.time));
                    self.answers(entries, &mut dialogue);
                    let is_compaction = |number: &&usize| matches!(self.entries[**number].what, What::Compacted);
                    compactions += entries.iter().filter(is_compaction).count();
                }
                None => found.extend(self.headless(entries)),
            }
        }
        let Some(first) = first else { return found };
        let session = text(&first.json, "sessionId");
        let id = session.map(|session| self.id(session, first));
        found.push(match dialogue.finish(None) {
            Ok(mut turns) => {
                for turn in &mut turns {
                    turn.it.agent = first.side.as_ref().map(|_| self.sub_agent(first));
                    turn.it.extra.push(("claudeCode".into(), origin(first, compactions)));
                }
                Ok((first.at, Conversation { id: id.clone(), session: id, turns, paid: None }))
            }
            Err(fault) => Err(refused(self.file, first.at, fault, &first.json)),
        });
        found
    }

    /// What the user typed, if it asks the agent: a command does so where it was answered.
    fn words(&self, entries: &[usize]) -> Option<Json> {
        match &self.entries[*entries.first()?].what {
            What::Prompt(words) => Some(words.clone()),
            What::Command(words, _) if self.is_answered(entries) => Some(words.clone()),
            _ => None,
        }
    }

    fn is_answered(&self, entries: &[usize]) -> bool {
        entries.iter().any(|number| matches!(self.entries[*number].what, What::Answer))
    }

    fn answers(&self, entries: &[usize], dialogue: &mut Dialogue) {
        for number in entries {
            match &self.entries[*number].what {
                What::Answer => {
                    let Some(given) = self.answers.at(*number) else { continue };
                    dialogue.answer(given.answer);
                    given.error.into_iter().for_each(|error| dialogue.failed(error));
                }
                What::Results(messages) => messages.iter().cloned().for_each(|message| message.tell(dialogue)),
                What::Interrupted => dialogue.failed("the user interrupted it"),
                What::Took(latency_ms) => dialogue.took(*latency_ms),
                What::Prompt(_) | What::Command(..) | What::Compacted | What::Other => {}
            }
        }
    }

    /// What was said before a branch.
    fn before(&self, shared: &[usize]) -> Vec<Said> {
        let mut said = Vec::new();
        for exchange in shared {
            let entries = &self.exchanges[*exchange].entries;
            said.extend(self.words(entries).map(|content| Said { role: Role::User, content }));
            let last = entries.iter().rev().find_map(|number| self.answers.at(*number)?.answer.words);
            said.extend(last.map(|content| Said { role: Role::Assistant, content }));
        }
        said
    }

    /// The end of a turn whose start is in no line.
    fn headless(&self, entries: &[usize]) -> Option<Found> {
        let did = |number: &&usize| matches!(self.entries[**number].what, What::Answer | What::Results(_));
        let first = &self.entries[*entries.iter().find(did)?];
        let what = "it starts in the middle of a turn: what the user asked for is not in this file";
        Some(Err(refused(self.file, first.at, no_interaction(what), &first.json)))
    }

    /// The id of a conversation: that of its session, with a number from the second on.
    fn id(&mut self, session: String, first: &Entry) -> String {
        let id = match &first.side {
            None => session,
            Some(Side(Some(agent))) => format!("{session}/agent-{agent}"),
            Some(Side(None)) => format!("{session}/agent"),
        };
        let number = self.numbers.entry(id.clone()).or_default();
        *number += 1;
        if *number == 1 { id } else { format!("{id}#{number}") }
    }

    fn sub_agent(&self, first: &Entry) -> String {
        let words = match &first.what {
            What::Prompt(words) => words.as_str(),
            _ => None,
        };
        let kind = words.and_then(|words| self.tasks.get(words.as_ref()));
        kind.cloned().unwrap_or_else(|| "sub-agent".to_owned())
    }
}

/// What has no field of its own.
fn origin(first: &Entry, compactions: usize) -> Json {
    let mut parts: Vec<_> = ["version", "agentId"]
        .into_iter()
        .filter_map(|key| Some(format!("\"{key}\":{}", Json::string(&text(&first.json, key)?).text())))
        .collect();
    if compactions > 0 {
        parts.push(format!("\"compactions\":{compactions}"));
    }
    Json::trusted(format!("{{{}}}", parts.join(",")))
}
