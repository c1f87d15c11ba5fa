//! What becomes of rows that could not be read: counted, written down, and weighed against a budget.

use std::fmt;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::str::FromStr;

use super::json::Json;
use super::place::{At, Reject};

/// How many rows may be turned away before a recording is refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RejectBudget {
    /// At most so many.
    Count(u64),
    /// At most this share of all rows, from 0 to 1.
    Share(f64),
}

impl Default for RejectBudget {
    fn default() -> Self {
        RejectBudget::Count(0)
    }
}

impl FromStr for RejectBudget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || format!("{text:?} is neither a count such as 10 nor a share such as 1%");
        match text.strip_suffix('%') {
            Some(percent) => match percent.trim().parse::<f64>() {
                Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(RejectBudget::Share(percent / 100.0)),
                _ => Err(wanted()),
            },
            None => text.parse().map(RejectBudget::Count).map_err(|_| wanted()),
        }
    }
}

impl fmt::Display for RejectBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RejectBudget::Count(count) => write!(f, "{count}"),
            RejectBudget::Share(share) => write!(f, "{}%", share * 100.0),
        }
    }
}

/// How many rejects are kept to be shown; all of them are counted and written down.
const SHOWN: usize = 50;

/// The rows that were turned away.
#[derive(Debug, Default)]
pub struct Quarantine {
    /// Rows that count against the budget.
    pub rejected: u64,
    /// Last lines that were cut off, which do not.
    pub torn: u64,
    /// How many entries there are; one entry can stand for several rows.
    pub entries: u64,
    /// The first of them, to be shown.
    pub shown: Vec<Reject>,
    file: Option<BufWriter<File>>,
}

impl Quarantine {
    /// A quarantine that also writes each reject as a line of JSON.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn in_file(path: &Path) -> std::io::Result<Self> {
        Ok(Self { file: Some(BufWriter::new(File::create(path)?)), ..Self::default() })
    }

    /// Takes in a reject.
    ///
    /// # Errors
    /// When the quarantine file cannot be written.
    pub fn take(&mut self, reject: Reject) -> std::io::Result<()> {
        self.entries += 1;
        if reject.reason.is_torn() {
            self.torn += 1;
        } else {
            self.rejected += reject.rows();
        }
        if let Some(file) = &mut self.file {
            writeln!(file, "{}", line(&reject))?;
        }
        if self.shown.len() < SHOWN {
            self.shown.push(Reject { raw: Vec::new(), ..reject });
        }
        Ok(())
    }

    /// Whether nothing was turned away.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rejected == 0 && self.torn == 0
    }

    /// Whether the budget allows what was turned away, `rows` good ones having been read.
    #[must_use]
    pub fn within(&self, budget: RejectBudget, rows: u64) -> bool {
        match budget {
            RejectBudget::Count(count) => self.rejected <= count,
            RejectBudget::Share(share) => self.rejected as f64 <= share * (rows + self.rejected) as f64,
        }
    }

    /// Writes out what is still buffered.
    ///
    /// # Errors
    /// When the quarantine file cannot be written.
    pub fn finish(&mut self) -> std::io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// One reject as JSON: file, place, reason and the row as text.
fn line(reject: &Reject) -> String {
    let mut fields = serde_json::Map::new();
    fields.insert("file".into(), reject.place.file.display().to_string().into());
    match reject.place.at {
        At::Line { number, offset } => {
            fields.insert("line".into(), number.into());
            fields.insert("offset".into(), offset.into());
        }
        At::Value { number, offset } => {
            fields.insert("value".into(), number.into());
            fields.insert("offset".into(), offset.into());
        }
        At::Row { group, number } => {
            fields.insert("rowGroup".into(), group.into());
            fields.insert("row".into(), number.into());
        }
    }
    fields.insert("reason".into(), reject.reason.to_string().into());
    fields.insert("torn".into(), reject.reason.is_torn().into());
    fields.insert("raw".into(), String::from_utf8_lossy(&reject.raw).into_owned().into());
    Json::of(&fields).text().to_owned()
}
