//! Lines on their way to a program that may be slow to read them.

use std::collections::VecDeque;
use std::future::pending;

use tokio::io::{AsyncWrite, AsyncWriteExt};

/// How much may wait before no more is taken from the program that does not read.
const FULL: usize = 16 << 20;

/// The lines that a program has not taken yet, and the pipe to it.
#[derive(Debug)]
pub(super) struct Outbox<W> {
    pipe: Option<W>,
    waiting: VecDeque<Vec<u8>>,
    /// How much of the first line is written.
    sent: usize,
    bytes: usize,
}

impl<W: AsyncWrite + Unpin> Outbox<W> {
    pub(super) fn new(pipe: W) -> Self {
        Self { pipe: Some(pipe), waiting: VecDeque::new(), sent: 0, bytes: 0 }
    }

    /// Puts a line in, without its end.
    pub(super) fn push(&mut self, line: String) {
        if self.pipe.is_some() {
            let mut line = line.into_bytes();
            line.push(b'\n');
            self.bytes += line.len();
            self.waiting.push_back(line);
        }
    }

    /// Whether so much waits that the program has to read first.
    pub(super) fn is_full(&self) -> bool {
        self.bytes > FULL
    }

    /// Writes a part of what waits. It never comes back where nothing waits. It may be given up at any time.
    pub(super) async fn write(&mut self) {
        let (Some(pipe), Some(first)) = (&mut self.pipe, self.waiting.front()) else { return pending().await };
        match pipe.write(&first[self.sent..]).await {
            Ok(length @ 1..) => {
                self.sent += length;
                if self.sent == first.len() {
                    self.bytes -= first.len();
                    self.sent = 0;
                    self.waiting.pop_front();
                }
            }
            // It reads no more. Whether it ended shows in other ways.
            _ => self.close(),
        }
    }

    /// Closes the pipe. What waits is lost.
    pub(super) fn close(&mut self) {
        self.pipe = None;
        self.waiting.clear();
        (self.sent, self.bytes) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn a_slow_reader_gets_every_byte_once() {
        let (ours, mut theirs) = tokio::io::duplex(7);
        let mut outbox = Outbox::new(ours);
        outbox.push("a line that is longer than the pipe".to_owned());
        outbox.push("two".to_owned());
        let reading = tokio::spawn(async move {
            let mut text = String::new();
            theirs.read_to_string(&mut text).await.map(|_| text)
        });
        while outbox.bytes > 0 {
            // Giving up a write now and then must lose nothing.
            tokio::select! {
                biased;
                () = outbox.write() => {}
                () = tokio::task::yield_now() => {}
            }
        }
        outbox.close();
        assert_eq!(reading.await.unwrap().unwrap(), "a line that is longer than the pipe\ntwo\n");
    }
}
