//! How a run goes, on standard error: a bar on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::screen::note;
use crate::experiment::Progress;
use crate::verdict::{AttemptRow, AttemptVerdict};

/// Shows how a run goes.
pub struct ShownProgress {
    bar: Option<ProgressBar>,
    noun: &'static str,
    attempts: u64,
    made: u64,
    failed: u64,
    next_line: Instant,
}

/// How often a plain line is written.
const LINE_EVERY: Duration = Duration::from_secs(10);

impl ShownProgress {
    /// Progress of a run, for standard error.
    pub fn new() -> Self {
        Self::of("attempts")
    }

    /// Progress that counts something else.
    pub fn of(noun: &'static str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
            let style =
                ProgressStyle::with_template(&format!("{{bar:24}} {{pos}}/{{len}} {noun}  {{msg}}  {{eta}} left"));
            if let Ok(style) = style {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        });
        Self { bar, noun, attempts: 0, made: 0, failed: 0, next_line: Instant::now() + LINE_EVERY }
    }

    /// One more is done, and these failed.
    pub fn advance(&mut self, failed: u64) {
        self.made += 1;
        self.failed += failed;
        if let Some(bar) = &self.bar {
            bar.set_position(self.made);
            bar.set_message(format!("{} failed", self.failed));
        } else if Instant::now() >= self.next_line {
            self.next_line = Instant::now() + LINE_EVERY;
            note(&format!("{} of {} {}, {} failed", self.made, self.attempts, self.noun, self.failed));
        }
    }
}

/// Recordings smaller than this are read before anyone looks up.
const LARGE: u64 = 100 << 20;

impl Progress for ShownProgress {
    fn read(&mut self, bytes: u64) {
        if bytes > LARGE {
            note(&format!("reading {} MB of recordings", bytes >> 20));
        }
    }

    fn begin(&mut self, attempts: u64, made: u64) {
        (self.attempts, self.made) = (attempts, made);
        self.next_line = Instant::now() + LINE_EVERY;
        if let Some(bar) = &self.bar {
            bar.set_length(attempts);
            bar.set_position(made);
            bar.reset_eta();
        }
    }

    fn made(&mut self, row: &AttemptRow) {
        self.advance(u64::from(row.verdict == AttemptVerdict::Failed));
    }

    fn end(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
