//! The end of what a program writes to standard error.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinHandle;

/// How many bytes are kept.
const KEPT: usize = 4 << 10;

/// Reads standard error all the time, so that a program never waits for a reader, and keeps its end.
#[derive(Debug)]
pub(super) struct StderrTail {
    tail: Arc<Mutex<Tail>>,
    reader: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Tail {
    kept: VecDeque<u8>,
    left_out: u64,
}

impl Tail {
    fn take(&mut self, bytes: &[u8]) {
        self.kept.extend(bytes);
        let over = self.kept.len().saturating_sub(KEPT);
        self.kept.drain(..over);
        self.left_out += over as u64;
    }

    fn text(&self) -> String {
        let bytes: Vec<u8> = self.kept.iter().copied().collect();
        // A cut can go through a character; its rest says nothing.
        let from = if self.left_out == 0 { 0 } else { bytes.iter().take(3).take_while(|b| **b & 0xC0 == 0x80).count() };
        let text = String::from_utf8_lossy(&bytes[from..]);
        match self.left_out {
            0 => text.into_owned(),
            left_out => format!("({left_out} bytes before this are left out)\n{text}"),
        }
    }
}

impl StderrTail {
    /// Begins to read.
    pub(super) fn follow(mut pipe: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let tail = Arc::new(Mutex::new(Tail::default()));
        let shared = Arc::clone(&tail);
        let reader = tokio::spawn(async move {
            let mut chunk = vec![0; 8 << 10];
            while let Ok(length @ 1..) = pipe.read(&mut chunk).await {
                lock(&shared).take(&chunk[..length]);
            }
        });
        Self { tail, reader }
    }

    /// Forgets what was written so far: another attempt begins.
    pub(super) fn start_over(&self) {
        *lock(&self.tail) = Tail::default();
    }

    /// What was kept.
    pub(super) fn text(&self) -> String {
        lock(&self.tail).text()
    }

    /// Waits until the program has closed it, but not for long: a child in another group may hold it open.
    pub(super) async fn settle(&mut self) {
        if !self.reader.is_finished() {
            let _ = tokio::time::timeout(Duration::from_millis(300), &mut self.reader).await;
        }
    }
}

impl Drop for StderrTail {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

/// A panic while it was held leaves it whole enough: it is text for people.
fn lock(tail: &Mutex<Tail>) -> MutexGuard<'_, Tail> {
    tail.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_and_the_rest_is_counted() {
        let mut tail = Tail::default();
        tail.take(b"short");
        assert_eq!(tail.text(), "short");
        tail.take("é".repeat(5000).as_bytes());
        tail.take(b"!");
        let text = tail.text();
        assert!(text.starts_with("(5910 bytes before this are left out)\né"), "{}", &text[..60]);
        assert!(text.ends_with("é!"));
    }
}
