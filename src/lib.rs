//! taketwo replays recorded production interactions of an agent against a new build of it, answers every tool call
//! from the recording, and says what changed: which tools, in which order, with which arguments, at what spend.
//!
//! The rooms of the crate follow the way of the data; a room knows those before it and none after it:
//!
//! - [`recording`]: what production did, and its files.

pub mod recording;

#[doc(hidden)]
pub mod cli;
