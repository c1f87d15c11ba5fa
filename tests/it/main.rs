//! What taketwo promises its users, one module a promise. Nearly everything here drives the real program.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod reports;
mod sample_runs;
mod stored_runs;
