//! Lines from a program, none of them without bound.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncBufRead, AsyncRead, BufReader};

/// The longest line that is read, in bytes.
pub const MAX_MESSAGE: usize = 16 << 20;

/// How much is read at a time.
const CHUNK: usize = 64 << 10;

/// What a line reader finds next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line without its end.
    Text(Vec<u8>),
    /// A line that is longer than the bound. What follows cannot be read any more.
    TooLong,
    /// The end. A last line without its end is lost: it was not sent.
    End,
}

/// Reads lines. A read that is given up loses nothing.
#[derive(Debug)]
pub(super) struct LineReader<R> {
    from: BufReader<R>,
    partial: Vec<u8>,
    bound: usize,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from: BufReader::with_capacity(CHUNK, from), partial: Vec::new(), bound: MAX_MESSAGE }
    }

    /// The next line.
    pub(super) async fn next(&mut self) -> std::io::Result<Line> {
        poll_fn(|context| self.poll_next(context)).await
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<std::io::Result<Line>> {
        loop {
            let chunk = ready!(Pin::new(&mut self.from).poll_fill_buf(context))?;
            if chunk.is_empty() {
                return Poll::Ready(Ok(Line::End));
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let until = end.unwrap_or(chunk.len());
            if self.partial.len() + until > self.bound {
                self.partial = Vec::new();
                return Poll::Ready(Ok(Line::TooLong));
            }
            self.partial.extend_from_slice(&chunk[..until]);
            let used = until + usize::from(end.is_some());
            Pin::new(&mut self.from).consume(used);
            if end.is_some() {
                return Poll::Ready(Ok(Line::Text(std::mem::take(&mut self.partial))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_come_whole_and_a_torn_last_one_does_not_come() {
        let mut lines = LineReader::new(&b"one\r\n\ntwo\nhal"[..]);
        let mut seen = Vec::new();
        loop {
            match lines.next().await.unwrap() {
                Line::Text(text) => seen.push(String::from_utf8(text).unwrap()),
                end => {
                    assert_eq!(end, Line::End);
                    break;
                }
            }
        }
        assert_eq!(seen, ["one\r", "", "two"]);
    }

    #[tokio::test]
    async fn a_line_may_have_the_bound_and_no_byte_more() {
        let text = vec![b'x'; MAX_MESSAGE];
        let mut whole = text.clone();
        whole.push(b'\n');
        assert_eq!(LineReader::new(&whole[..]).next().await.unwrap(), Line::Text(text));
        whole.insert(0, b'x');
        assert_eq!(LineReader::new(&whole[..]).next().await.unwrap(), Line::TooLong);
    }
}
