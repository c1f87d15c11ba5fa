//! What taketwo promises to its users, one module a promise.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod recordings_are_real;
