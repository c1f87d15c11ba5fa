//! A support-desk agent that is compiled in, to try taketwo with and to make `recordings/` from.
//!
//! It does all its work through [`Tools`](crate::replay::Tools), has no clock and no chance in it, and no model behind
//! it: plain rules pick the tools, and its tokens are counted words (see `turn.rs`). There are two versions of it;
//! [what the second does differently](Version) is in `changes.rs`.

mod changes;
mod orders;
mod papers;
mod parcels;
mod shelves;
mod sums;
mod turn;
mod wishes;
mod words;

use std::collections::BTreeSet;
use std::str::FromStr;

use futures_core::future::BoxFuture;

pub use changes::Version;
use turn::{Answers, ToolUse, Turn};
use wishes::{Wish, input_text, understand};

use crate::case::EvalSetup;
use crate::recording::Json;
use crate::replay::target::{Abilities, Ending, PreflightReason, Reply, Session, Start, SystemUnderTest, TargetInfo};
use crate::replay::{Aftermath, Failure, FailureKind, Tools};

/// The fixture that the agent has: a customer who is signed in, by `email`.
const SIGNED_IN: &str = "signed-in";

/// The sample agent as a target.
///
/// ```
/// use taketwo::sample::{Sample, Version};
/// assert_eq!("v1".parse::<Version>(), Ok(Version::V1));
/// let target = Sample::new(Version::V2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    version: Version,
}

/// Why a text is no version of the sample agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no version {0:?} of the sample agent: it has v1 and v2")]
pub struct NoSuchVersion(String);

impl FromStr for Version {
    type Err = NoSuchVersion;

    fn from_str(text: &str) -> Result<Self, NoSuchVersion> {
        match text {
            "v1" => Ok(Version::V1),
            "v2" => Ok(Version::V2),
            _ => Err(NoSuchVersion(text.to_owned())),
        }
    }
}

impl Version {
    /// Its word on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Version::V1 => "v1",
            Version::V2 => "v2",
        }
    }
}

impl Sample {
    /// A version of the agent.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Self { version }
    }
}

impl SystemUnderTest for Sample {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: format!("sample:{}", self.version.as_str()),
            version: Some(self.version.as_str().to_owned()),
        }
    }

    fn abilities(&self) -> BoxFuture<'_, Result<Abilities, PreflightReason>> {
        Box::pin(async { Ok(Abilities { fixtures: vec![SIGNED_IN.to_owned()], ..Abilities::default() }) })
    }

    fn prepare<'a>(&'a self, start: Start<'a>) -> BoxFuture<'a, Result<Box<dyn Session + 'a>, Failure>> {
        let conversation = Conversation {
            version: self.version,
            said: start.history.map(said).unwrap_or_default(),
            signed_in: signed_in(start.setup),
            tools: start.tools,
        };
        Box::pin(async move { Ok(Box::new(conversation) as Box<dyn Session + 'a>) })
    }
}

/// What was said in earlier turns, by either side.
fn said(history: &Json) -> Vec<String> {
    let turns = history.items().unwrap_or_default();
    turns.iter().filter_map(|turn| turn.member("content")).map(|content| content.shown().into_owned()).collect()
}

fn signed_in(setup: &EvalSetup) -> Option<String> {
    match setup {
        EvalSetup::Fixture { name, params } if name == SIGNED_IN => {
            params.as_ref()?.member("email")?.as_str().map(|email| email.into_owned())
        }
        _ => None,
    }
}

/// A conversation with the agent.
struct Conversation {
    version: Version,
    said: Vec<String>,
    signed_in: Option<String>,
    tools: Tools,
}

impl Session for Conversation {
    fn submit<'a>(&'a mut self, input: &'a Json) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let text = input_text(input)
                .ok_or_else(|| Failure::new(FailureKind::Reported, "the input is neither text nor has a text in it"))?;
            let reply = answer(self.version, &self.tools, &text, &self.said, self.signed_in.as_deref()).await;
            self.said.push(text);
            self.said.extend(reply.output.as_ref().map(|output| output.shown().into_owned()));
            Ok(reply)
        })
    }

    fn end<'a>(self: Box<Self>, _ending: Ending) -> BoxFuture<'a, Aftermath>
    where
        Self: 'a,
    {
        Box::pin(async { Aftermath::default() })
    }
}

/// One turn: the first calls of all wishes at once, then each wish to its end.
async fn answer(version: Version, tools: &Tools, text: &str, said: &[String], signed_in: Option<&str>) -> Reply {
    let wishes = understand(text, said, signed_in);
    let skills: BTreeSet<_> = wishes.iter().map(Wish::skill).collect();
    let read = said.iter().map(String::as_str).chain([text]).map(|text| turn::words(&Json::string(text))).sum();
    let mut turn = Turn::new(version, tools, &skills, read);
    if wishes.is_empty() {
        return turn.reply("Please tell me your order number or your e-mail address.");
    }
    let first = wishes.iter().flat_map(|wish| first_calls(version, wish)).collect();
    let answers = turn.ask_together(version.without_doubles(first)).await;
    let mut sentences = Vec::new();
    for wish in &wishes {
        sentences.extend(follow(&mut turn, wish, &answers).await);
    }
    sentences.retain(|sentence| !sentence.is_empty());
    turn.reply(&sentences.join(" "))
}

/// The calls that a wish begins with.
fn first_calls(version: Version, wish: &Wish) -> Vec<ToolUse> {
    match wish {
        Wish::Refund { order, part } => vec![orders::first_of_refund(version, order, part)],
        Wish::Look { order }
        | Wish::Track { order }
        | Wish::Watch { order }
        | Wish::Exchange { order, .. }
        | Wish::Invoice { order, .. } => vec![orders::get_order(order)],
        Wish::Total { orders } => orders.iter().map(|order| orders::get_order(order)).collect(),
        Wish::List { email, .. } => vec![orders::search_orders(email)],
        Wish::TrackNumber { parcel } => vec![parcels::track_parcel(parcel)],
        Wish::Stock(item) => vec![shelves::first_of_stock(version, item)],
        Wish::Reserve { sku, .. } => vec![shelves::stock_of(version, sku)],
        Wish::Articles(questions) => papers::searches(version, questions),
        Wish::Release { version: release } => vec![papers::release_notes(release)],
        Wish::File { path } => vec![papers::read_file(version, path)],
        Wish::Notes => vec![papers::read_file(version, papers::NOTES)],
        Wish::Sum { expression } => vec![sums::calculate(expression)],
    }
}

/// Brings a wish to its end and says what came of it.
async fn follow(turn: &mut Turn<'_>, wish: &Wish, answers: &Answers) -> Vec<String> {
    match wish {
        Wish::Look { order } => vec![orders::look(turn.version(), order, answers)],
        Wish::Refund { order, part } => vec![orders::refund(turn, order, part, answers).await],
        Wish::Exchange { order, sku } => orders::exchange(turn, order, sku, answers).await,
        Wish::List { email, then } => orders::list(turn, email, *then, answers).await,
        Wish::Track { order } => parcels::track(turn, order, answers).await,
        Wish::TrackNumber { parcel } => vec![parcels::track_number(turn, parcel, answers).await],
        Wish::Watch { order } => parcels::watch(turn, order, answers).await,
        Wish::Stock(item) => vec![shelves::stock(turn, item, answers).await],
        Wish::Reserve { sku, quantity } => vec![shelves::reserve(turn, sku, *quantity, answers).await],
        Wish::Articles(questions) => papers::articles(turn, questions, answers).await,
        Wish::Release { version } => vec![papers::release(version, answers)],
        Wish::File { path } => vec![papers::file(turn.version(), path, answers)],
        Wish::Notes => papers::notes(turn, answers).await,
        Wish::Sum { expression } => vec![sums::sum(expression, answers)],
        Wish::Total { orders } => vec![sums::total(turn, orders, answers).await],
        Wish::Invoice { order, tax } => sums::invoice(turn, order, *tax, answers).await,
    }
}

/// A member of a result as text; an absent or null one says so.
fn field(result: &Json, key: &str) -> String {
    match result.member(key).filter(|value| !value.is_null()) {
        Some(value) => value.shown().into_owned(),
        None => "unknown".to_owned(),
    }
}
