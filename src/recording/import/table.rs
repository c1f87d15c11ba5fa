//! Rows of a table, each as a JSON object of its columns, whatever the table is kept in: Parquet, CSV, JSON Lines or a
//! JSON list.

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use super::super::json::Json;
use super::super::parquet;
use super::super::place::{At, Reject, RejectReason};
use super::super::wire::RowFault;
use super::format::{NotThisFormat, SourceText};
use super::values::values;

/// Rows with their places; rejects among them.
pub(super) type Rows = Box<dyn Iterator<Item = Result<(At, Json), Reject>> + Send>;

/// The rows of a file. In those of CSV every cell is a text, and an empty one is not there.
///
/// # Errors
/// When a Parquet file cannot be read.
pub(super) fn rows(mut source: SourceText) -> Result<Rows, NotThisFormat> {
    let head = source.text.fill_buf().map_err(|error| NotThisFormat::new(format!("it cannot be read: {error}")))?;
    match Container::of(head) {
        Container::Parquet => {
            let opened = source.reopen().map_err(|error| NotThisFormat::new(format!("it cannot be read: {error}")))?;
            let rows = parquet::table(source.file, opened);
            rows.map_err(|fault| NotThisFormat { problem: fault.to_string(), help: Some(fault.help().into()) })
        }
        Container::Json => Ok(values(source)),
        Container::Csv => csv_rows(source),
    }
}

/// The names of a table's columns, as far as the first bytes of a file or its footer tell them. None of a file that
/// is no table.
pub(super) fn columns(path: &Path, head: &[u8]) -> Vec<String> {
    match Container::of(head) {
        Container::Json => Vec::new(),
        Container::Parquet => {
            std::fs::File::open(path).ok().and_then(|file| parquet::column_names(&file).ok()).unwrap_or_default()
        }
        Container::Csv => {
            let mut header = csv::ByteRecord::new();
            let is_read = csv_reader(without_mark(head)).read_byte_record(&mut header).is_ok();
            let names = header.iter().map(|name| String::from_utf8_lossy(name).into_owned());
            if is_read && header.len() > 1 { names.collect() } else { Vec::new() }
        }
    }
}

/// What a table is kept in.
enum Container {
    Parquet,
    Json,
    Csv,
}

impl Container {
    fn of(head: &[u8]) -> Self {
        if head.starts_with(b"PAR1") {
            return Container::Parquet;
        }
        match without_mark(head).trim_ascii_start().first() {
            Some(b'{' | b'[') | None => Container::Json,
            Some(_) => Container::Csv,
        }
    }
}

/// Without a byte order mark.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

fn csv_reader<R: std::io::Read>(text: R) -> csv::Reader<R> {
    // Whether rows are as long as the header is looked at where they are read, so that one that is not is told apart.
    csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text)
}

fn csv_rows(source: SourceText) -> Result<Rows, NotThisFormat> {
    let SourceText { file, mut text, .. } = source;
    let unreadable = |problem: String| NotThisFormat::new(format!("it cannot be read as CSV: {problem}"));
    let head = text.fill_buf().map_err(|error| unreadable(error.to_string()))?;
    let mark = head.len() - without_mark(head).len();
    text.consume(mark);
    let mut reader = csv_reader(text);
    let mut header = csv::StringRecord::new();
    reader.read_record(&mut header).map_err(|error| unreadable(error.to_string()))?;
    let mut names: Vec<&str> = header.iter().collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(unreadable(format!("two of its columns are named {:?}", twice[0])));
    }
    let keys = header.iter().map(|name| Json::string(name).text().to_owned()).collect();
    Ok(Box::new(CsvRows { file, reader, keys, row: csv::StringRecord::new(), mark: mark as u64, ended: false }))
}

struct CsvRows {
    file: Arc<Path>,
    reader: csv::Reader<Box<dyn BufRead + Send>>,
    /// The names of the columns as they are written in JSON.
    keys: Vec<String>,
    row: csv::StringRecord,
    mark: u64,
    ended: bool,
}

impl Iterator for CsvRows {
    type Item = Result<(At, Json), Reject>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let start = self.reader.position();
        let at = At::Line { number: start.line(), offset: start.byte() + self.mark };
        match self.reader.read_record(&mut self.row) {
            Ok(false) => None,
            Ok(true) if self.row.len() == self.keys.len() => Some(Ok((at, self.object()))),
            Ok(true) => {
                let problem = format!("the row has {} cells, the header {}", self.row.len(), self.keys.len());
                Some(Err(self.reject(at, problem)))
            }
            Err(error) => match error.kind() {
                csv::ErrorKind::Utf8 { .. } => Some(Err(self.reject(at, "the row is no UTF-8 text".into()))),
                _ => {
                    self.ended = true;
                    Some(Err(Reject::new(&self.file, at, RejectReason::Unreadable(error.to_string()), &[])))
                }
            },
        }
    }
}

impl CsvRows {
    fn object(&self) -> Json {
        let cells = self.keys.iter().zip(&self.row).filter(|(_, cell)| !cell.is_empty());
        let members: Vec<String> = cells.map(|(key, cell)| format!("{key}:{}", Json::string(cell).text())).collect();
        Json::trusted(format!("{{{}}}", members.join(",")))
    }

    fn reject(&self, at: At, problem: String) -> Reject {
        let reason = RejectReason::Row { fault: RowFault::Encoding(problem), column: None };
        Reject::new(&self.file, at, reason, self.object().text().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<(At, Json), Reject>> {
        rows(SourceText::of("x.csv", text)).map_err(|error| error.problem).unwrap().collect()
    }

    #[test]
    fn a_row_of_csv_is_an_object_of_the_cells_that_say_something() {
        let found = read("\u{feff}id,input,a.b\n1,\"say \"\"hi\"\",\nthere\",\n2,,x\n");
        let told: Vec<_> =
            found.iter().map(|row| row.as_ref().unwrap()).map(|(at, row)| (at.number(), row.text())).collect();
        let first = r#"{"id":"1","input":"say \"hi\",\nthere"}"#;
        assert_eq!(told, [(2, first), (4, r#"{"id":"2","a.b":"x"}"#)]);
        assert!(matches!(found[1].as_ref().unwrap().0, At::Line { offset: 39, .. }), "{found:?}");
    }

    #[test]
    fn a_row_of_another_length_is_turned_away_and_the_next_is_read() {
        let found = read("a,b\n1,2,3\n4,5\n");
        assert_eq!(found[0].as_ref().unwrap_err().to_string(), "x.csv:2: the row has 3 cells, the header 2");
        assert_eq!(found[1].as_ref().unwrap().1.text(), r#"{"a":"4","b":"5"}"#);
        assert!(rows(SourceText::of("x.csv", "a,b,a\n")).is_err(), "nobody knows which of the two is meant");
    }

    #[test]
    fn lines_and_lists_of_json_are_rows_too() {
        for text in ["{\"a\":1}\n{\"a\":2}\n", "[{\"a\":1},{\"a\":2}]"] {
            let texts: Vec<_> = read(text).into_iter().map(|row| row.unwrap().1.text().to_owned()).collect();
            assert_eq!(texts, ["{\"a\":1}", "{\"a\":2}"]);
        }
    }

    #[test]
    fn the_columns_of_csv_are_known_from_its_beginning() {
        assert_eq!(columns(Path::new("x"), b"a,b.c\n1"), ["a", "b.c"]);
        assert!(columns(Path::new("x"), b"{\"a\":1}").is_empty() && columns(Path::new("x"), b"text\nmore").is_empty());
    }
}
