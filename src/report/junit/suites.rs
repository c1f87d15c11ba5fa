//! The suites of a document while their tests come in.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::Duration;

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TestKind {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// What was tested could not be.
    Broke,
    /// It has no result.
    Skipped,
}

/// The figures of a suite.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) tests: u64,
    pub(super) failures: u64,
    pub(super) errors: u64,
    pub(super) skipped: u64,
    pub(super) time: Duration,
}

impl Counts {
    /// Counts a test.
    pub(super) fn add(&mut self, kind: TestKind, time: Duration) {
        self.tests += 1;
        self.time = self.time.saturating_add(time);
        match kind {
            TestKind::Passed => {}
            TestKind::Failed => self.failures += 1,
            TestKind::Broke => self.errors += 1,
            TestKind::Skipped => self.skipped += 1,
        }
    }
}

/// Suites by scenario, in the order in which scenarios came. A suite's tests are gathered up to a few kilobytes and then
/// put away in a temporary file that all suites share.
#[derive(Debug, Default)]
pub(super) struct Suites {
    places: HashMap<String, usize>,
    suites: Vec<Suite>,
    spool: Spool,
}

#[derive(Debug)]
struct Suite {
    scenario: String,
    counts: Counts,
    put_away: Vec<Piece>,
    latest: Vec<u8>,
}

/// A part of the temporary file.
#[derive(Clone, Copy, Debug)]
struct Piece {
    offset: u64,
    length: usize,
}

/// How many bytes of a suite's tests are gathered before they are put away.
const GATHERED: usize = 4096;

impl Suites {
    /// The figures of a scenario's suite.
    pub(super) fn suite(&mut self, scenario: &str) -> &mut Counts {
        let place = self.place(scenario);
        &mut self.suites[place].counts
    }

    /// Writes a test of a scenario.
    pub(super) fn write(&mut self, scenario: &str, write: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let place = self.place(scenario);
        let suite = &mut self.suites[place];
        write(&mut suite.latest);
        if suite.latest.len() >= GATHERED {
            suite.put_away.push(self.spool.put(&suite.latest)?);
            suite.latest.clear();
            suite.latest.shrink_to(2 * GATHERED);
        }
        Ok(())
    }

    fn place(&mut self, scenario: &str) -> usize {
        if let Some(place) = self.places.get(scenario) {
            return *place;
        }
        let (counts, put_away, latest) = (Counts::default(), Vec::new(), Vec::new());
        self.suites.push(Suite { scenario: scenario.to_owned(), counts, put_away, latest });
        self.places.insert(scenario.to_owned(), self.suites.len() - 1);
        self.suites.len() - 1
    }

    /// The figures of all suites together.
    pub(super) fn total(&self) -> Counts {
        let mut total = Counts::default();
        for Suite { counts, .. } in &self.suites {
            total.tests += counts.tests;
            total.failures += counts.failures;
            total.errors += counts.errors;
            total.skipped += counts.skipped;
            total.time = total.time.saturating_add(counts.time);
        }
        total
    }

    /// Shows each suite with its figures and tests.
    pub(super) fn each(
        &mut self,
        mut show: impl FnMut(&str, &Counts, &mut Tests<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        for Suite { scenario, counts, put_away, latest } in &self.suites {
            show(scenario, counts, &mut Tests { spool: &mut self.spool, put_away, latest })?;
        }
        Ok(())
    }
}

/// The tests of one suite, as they were written.
pub(super) struct Tests<'a> {
    spool: &'a mut Spool,
    put_away: &'a [Piece],
    latest: &'a [u8],
}

impl Tests<'_> {
    /// Copies them.
    pub(super) fn copy_to(&mut self, out: &mut dyn Write) -> io::Result<()> {
        for piece in self.put_away {
            out.write_all(self.spool.get(*piece)?)?;
        }
        out.write_all(self.latest)
    }
}

/// A temporary file that is made when it is first needed.
#[derive(Debug, Default)]
struct Spool {
    file: Option<File>,
    end: u64,
    piece: Vec<u8>,
}

impl Spool {
    fn put(&mut self, bytes: &[u8]) -> io::Result<Piece> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.write_all(bytes)?;
        let piece = Piece { offset: self.end, length: bytes.len() };
        self.end += bytes.len() as u64;
        Ok(piece)
    }

    fn get(&mut self, piece: Piece) -> io::Result<&[u8]> {
        // There is a piece, so there is a file.
        let Some(file) = &mut self.file else { return Err(io::ErrorKind::NotFound.into()) };
        self.piece.resize(piece.length, 0);
        file.seek(SeekFrom::Start(piece.offset))?;
        file.read_exact(&mut self.piece)?;
        Ok(&self.piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_a_suite_stay_together_in_their_order_however_many_there_are() {
        let mut suites = Suites::default();
        for number in 0..6_000 {
            let scenario = if number % 3 == 0 { "a" } else { "b" };
            suites.suite(scenario).add(TestKind::Passed, Duration::from_millis(1));
            suites.write(scenario, |text| text.extend(format!("<{number}>").into_bytes())).unwrap();
        }
        let mut shown = Vec::new();
        suites
            .each(|scenario, counts, tests| {
                let mut text = Vec::new();
                tests.copy_to(&mut text)?;
                shown.push((scenario.to_owned(), counts.tests, String::from_utf8(text).unwrap()));
                Ok(())
            })
            .unwrap();
        let numbers = |wanted: bool| {
            let numbers = (0..6_000).filter(|number| (number % 3 == 0) == wanted);
            numbers.map(|number| format!("<{number}>")).collect::<String>()
        };
        assert_eq!(shown, [("a".into(), 2_000, numbers(true)), ("b".into(), 4_000, numbers(false))]);
        assert_eq!((suites.total().tests, suites.total().time), (6_000, Duration::from_secs(6)));
        assert!(suites.suites.iter().all(|suite| !suite.put_away.is_empty() && suite.latest.len() < GATHERED));
    }
}
