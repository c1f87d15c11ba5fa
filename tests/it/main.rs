//! What taketwo promises its users, one module a promise. Nearly everything here drives the real program.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod convert_is_lossless;
mod corpus;
mod damaged_files;
mod hostile_targets;
mod http_target;
mod inspect;
mod probes;
mod program;
mod record;
mod recordings_are_real;
mod replaying;
