//! taketwo replays recorded production interactions of an agent against a new build of it, answers every tool call
//! from the recording, and says what changed: which tools, in which order, with which arguments, at what spend.
//!
//! The rooms of the crate follow the way of the data; a room knows those before it and none after it:
//!
//! - [`recording`]: what production did, and its files.
//! - [`compare`]: what is different, and what only looks it.

pub mod case;
pub mod compare;
pub mod evaluate;
pub mod experiment;
pub mod recording;
pub mod replay;
pub mod report;
pub mod sample;
pub mod store;
pub mod verdict;

#[doc(hidden)]
pub mod cli;
