//! What a target does for attempts that are over.

use std::sync::{Mutex, PoisonError};

use super::Stray;
use super::capped::Capped;

/// How many strays a run keeps; the rest is counted.
const MOST: usize = 100;

/// The strays of a run, collected from all lanes.
#[derive(Debug)]
pub(super) struct Strays(Mutex<Capped<Stray>>);

impl Default for Strays {
    fn default() -> Self {
        Self(Mutex::new(Capped::new(MOST)))
    }
}

impl Strays {
    /// Notes what was done for an attempt.
    pub(super) fn note(&self, attempt: &str, what: impl Into<String>) {
        let stray = Stray { attempt: attempt.to_owned(), what: what.into() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(stray);
    }

    /// Takes all of them.
    pub(super) fn take(&self) -> Vec<Stray> {
        let rest = |more| Stray { attempt: String::new(), what: format!("and {more} more") };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take(rest)
    }
}
