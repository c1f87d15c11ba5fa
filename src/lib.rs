//! taketwo replays recorded production interactions of an agent against a new build of it, answers every tool call
//! from the recording, and says what changed: which tools, in which order, with which arguments, at what spend.
//!
//! The rooms of the crate follow the way of the data; a room knows those before it and none after it:
//!
//! - [`recording`]: what production did, and its files: JSONL and Parquet, streams of rows, rejects, importers.
//! - [`scrub`]: secrets and personal data taken out, pseudonyms in their place.
//! - [`compare`]: what is different, and what only looks it: canonical values, the policy, the pairing of calls,
//!   what tools declare. It stands before the replay, as stubs and checks share one equality.
//! - [`draw`]: a suite from traffic: each kind of interaction, in weights that add up to the traffic.
//! - [`case`]: what is tested, and what a recording alone holds a run to.
//! - [`replay`]: doing it again: targets, stubs, the runner.
//! - [`sample`]: the agent that is compiled in.
//! - [`evaluate`]: what a difference means: evaluators, the built-in ones and your own.
//! - [`verdict`]: what the results add up to: attempts, cases, gates, trust, exit codes.
//! - [`store`]: runs on disk, with a journal that resumes.
//! - [`report`]: what a run came to, as text, JSON, JUnit and Markdown.
//! - [`learn`]: rules proposed from what varies though nothing was meant to.
//! - [`experiment`]: a run as a whole, from settings to a verdict.
//!
//! The way from a recording to a finding, by hand:
//!
//! ```
//! use taketwo::compare::{Matching, PairKind, Policy, align, prepare};
//! use taketwo::recording::{Json, wire};
//!
//! let read = |line: &str| wire::read(&Json::parse(line).unwrap()).unwrap();
//! let recorded = read(r#"{"input":"refund 7","toolCalls":[{"name":"refund","arguments":{"id":7,"amount":5}}]}"#);
//! let seen = read(r#"{"input":"refund 7","toolCalls":[{"name":"refund","arguments":{"amount":50,"id":7.0}}]}"#);
//!
//! let policy = Policy::default();
//! let (before, after) = (recorded.tool_calls.unwrap(), seen.tool_calls.unwrap());
//! let alignment = align(&prepare(&before, &policy), &prepare(&after, &policy), Matching::default());
//! let PairKind::Changed(differences) = &alignment.pairs[0].kind else { panic!("an argument changed") };
//! assert_eq!(differences[0].to_string(), "$.amount: 5 -> 50");
//! ```
//!
//! A whole run in a program of one's own is in `examples/in_process.rs`.

pub mod case;
pub mod compare;
pub mod draw;
pub mod evaluate;
pub mod experiment;
pub mod learn;
pub mod recording;
pub mod replay;
pub mod report;
pub mod sample;
pub mod scrub;
pub mod store;
pub mod verdict;

#[doc(hidden)]
pub mod cli;
