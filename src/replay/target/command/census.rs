//! Who is still running, so that a shut-down can wait for programs that end in the background.

use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

/// Longer than any program takes to be ended.
const PATIENCE: Duration = Duration::from_secs(5);

/// Counts programs by the tokens they hold.
#[derive(Debug)]
pub(super) struct Census(Mutex<Count>);

/// Held as long as a program is not waited for. Nothing is ever sent: what counts is that it is there.
#[derive(Clone, Debug)]
pub(super) struct Token(#[expect(dead_code, reason = "held, not used")] mpsc::Sender<Infallible>);

#[derive(Debug)]
struct Count {
    token: Token,
    last_gone: mpsc::Receiver<Infallible>,
}

impl Count {
    fn new() -> Self {
        let (sender, last_gone) = mpsc::channel(1);
        Self { token: Token(sender), last_gone }
    }
}

impl Default for Census {
    fn default() -> Self {
        Self(Mutex::new(Count::new()))
    }
}

impl Census {
    /// A token for one more program.
    pub(super) fn token(&self) -> Token {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).token.clone()
    }

    /// Waits until all tokens that were given out are gone.
    pub(super) async fn all_gone(&self) {
        let count = std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), Count::new());
        let Count { token, mut last_gone } = count;
        drop(token);
        let _ = timeout(PATIENCE, last_gone.recv()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_waits_for_the_last_token() {
        let census = Census::default();
        let (first, second) = (census.token(), census.token());
        let mut waiting = std::pin::pin!(census.all_gone());
        for token in [first, second] {
            assert!(timeout(Duration::from_millis(5), &mut waiting).await.is_err());
            drop(token);
        }
        waiting.await;
    }
}
