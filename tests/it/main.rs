//! The promises to the user, one module each.

mod hostile_targets;
mod http_target;
mod recordings_are_real;
mod replaying;
