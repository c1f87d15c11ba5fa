//! The promises to the user, one module each.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod command_target;
mod hostile_targets;
mod http_target;
mod replaying;
