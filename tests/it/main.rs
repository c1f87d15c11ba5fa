//! What taketwo promises its users, one module a promise. Everything here drives the real program.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod convert_is_lossless;
mod corpus;
mod damaged_files;
mod import_tau2;
mod inspect;
mod program;
