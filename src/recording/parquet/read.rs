//! Reading the rows of a Parquet file, a batch at a time.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, StructArray};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;

use super::super::field::Field;
use super::super::interaction::{Interaction, Tokens, ToolCall};
use super::super::json::{Fault, Json, Key, Kind, decode_string};
use super::super::place::{At, Reject, RejectReason};
use super::super::source::Read;
use super::super::wire::{CallReader, InteractionReader, RowFault, Value};
use super::cell::{Cell, cell, text};
use super::plan::{CallFeed, Feed, JsonText, ParquetFault, Plan, guarded};
use super::schema::EXTRA;

/// A batch has at most so many rows, and about so many bytes where the file tells how large its rows are.
const BATCH_ROWS: u64 = 1024;
const BATCH_BYTES: u64 = 32 << 20;

/// Opens a Parquet file as rows of a recording.
pub(in crate::recording) fn rows(
    file: Arc<Path>,
    opened: File,
) -> Result<Box<dyn Iterator<Item = Read> + Send>, ParquetFault> {
    let plan = Plan::new(&opened)?;
    Ok(Box::new(ParquetRows::new(file, opened, plan)))
}

/// What makes rows of the columns of a file.
pub(super) trait RowReader {
    /// What a row becomes.
    type Row;

    /// How the file is laid out.
    fn metadata(&self) -> &ArrowReaderMetadata;

    /// Reads a row.
    fn row(&self, batch: &RecordBatch, row: usize) -> Result<Self::Row, RowFault>;
}

impl RowReader for Plan {
    type Row = Interaction;

    fn metadata(&self) -> &ArrowReaderMetadata {
        &self.metadata
    }

    fn row(&self, batch: &RecordBatch, row: usize) -> Result<Interaction, RowFault> {
        interaction(self, batch, row)
    }
}

/// The rows of a file.
pub(super) struct ParquetRows<R> {
    file: Arc<Path>,
    opened: File,
    reader: R,
    /// The row group that is being read, counted from 1.
    group: usize,
    /// The last row that was given, counted from 1.
    number: u64,
    /// The last row of the row group.
    group_end: u64,
    batches: Option<ParquetRecordBatchReader>,
    batch: Option<(RecordBatch, usize)>,
}

impl<R> ParquetRows<R> {
    pub(super) fn new(file: Arc<Path>, opened: File, reader: R) -> Self {
        Self { file, opened, reader, group: 0, number: 0, group_end: 0, batches: None, batch: None }
    }
}

impl<R: RowReader> Iterator for ParquetRows<R> {
    type Item = Result<(At, R::Row), Reject>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((batch, row)) = &mut self.batch {
                let row_now = *row;
                *row += 1;
                if row_now < batch.num_rows() {
                    self.number += 1;
                    let at = At::Row { group: self.group as u64, number: self.number };
                    return Some(read_row(&self.reader, &self.file, at, batch, row_now));
                }
                self.batch = None;
            }
            match guarded(|| self.batches.as_mut().and_then(Iterator::next).transpose().map_err(ParquetError::from)) {
                Ok(Some(batch)) => self.batch = Some((batch, 0)),
                Err(error) => return Some(Err(self.lose_group(&error.to_string()))),
                // A row group may hold fewer rows than its metadata says.
                Ok(None) if self.batches.is_some() && self.number < self.group_end => {
                    return Some(Err(self.lose_group("they are not there")));
                }
                Ok(None) => match self.open_next_group() {
                    None => return None,
                    Some(Ok(())) => {}
                    Some(Err(reject)) => return Some(Err(reject)),
                },
            }
        }
    }
}

impl<R: RowReader> ParquetRows<R> {
    fn open_next_group(&mut self) -> Option<Result<(), Reject>> {
        self.batches = None;
        let metadata = Arc::clone(self.reader.metadata().metadata());
        let group = metadata.row_groups().get(self.group)?;
        self.group += 1;
        self.group_end = self.number + u64::try_from(group.num_rows()).unwrap_or(0);
        let batches = guarded(|| {
            let file = self.opened.try_clone()?;
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.reader.metadata().clone())
                .with_row_groups(vec![self.group - 1])
                .with_batch_size(batch_rows(group))
                .build()
        });
        Some(match batches {
            Ok(batches) => {
                self.batches = Some(batches);
                Ok(())
            }
            Err(error) => Err(self.lose_group(&error.to_string())),
        })
    }

    /// Gives up the rest of the row group.
    fn lose_group(&mut self, problem: &str) -> Reject {
        self.batches = None;
        let at = At::Row { group: self.group as u64, number: self.number + 1 };
        let rows = (self.group_end - self.number).max(1);
        self.number = self.group_end;
        Reject::new(&self.file, at, RejectReason::LostRows { rows, problem: problem.to_owned() }, &[])
    }
}

/// How many rows of this group make a batch.
fn batch_rows(group: &RowGroupMetaData) -> usize {
    let bytes = |column: &parquet::file::metadata::ColumnChunkMetaData| {
        column.uncompressed_size().max(column.unencoded_byte_array_data_bytes().unwrap_or(0)).max(0) as u64
    };
    let total: u64 = group.columns().iter().map(bytes).sum();
    let rows = u64::try_from(group.num_rows()).unwrap_or(1).max(1);
    (BATCH_BYTES / (total / rows).max(1)).clamp(1, BATCH_ROWS) as usize
}

fn read_row<R: RowReader>(
    reader: &R,
    file: &Arc<Path>,
    at: At,
    batch: &RecordBatch,
    row: usize,
) -> Result<(At, R::Row), Reject> {
    reader
        .row(batch, row)
        .map(|read| (at, read))
        .map_err(|fault| Reject::new(file, at, RejectReason::Row { fault, column: None }, raw(batch, row).as_bytes()))
}

/// The whole row as JSON, for the quarantine.
fn raw(batch: &RecordBatch, row: usize) -> String {
    let row_as_struct = StructArray::from(batch.clone());
    match cell(&row_as_struct, row) {
        Ok(Cell::Json(json)) => json.text().to_owned(),
        _ => String::new(),
    }
}

fn interaction(plan: &Plan, batch: &RecordBatch, row: usize) -> Result<Interaction, RowFault> {
    let mut reader = InteractionReader::new();
    let extra =
        plan.extra.map_or_else(|| Ok(Overrides::default()), |at| Overrides::read(batch.column(at), row, EXTRA))?;
    let has_detail = plan.model_calls_detail.is_some_and(|at| batch.column(at).is_valid(row));
    for (feed, column) in plan.feeds.iter().zip(batch.columns()) {
        match feed {
            Feed::Plain(Field::ModelCalls) if has_detail => {}
            Feed::Plain(field) | Feed::Json(field) if extra.has(field.key()) => {}
            Feed::Plain(field) => {
                let cell = cell(column, row).map_err(|fault| in_column(field.column(), fault))?;
                if let Some(value) = cell.value() {
                    reader.field(*field, &value)?;
                }
            }
            Feed::Json(field) => {
                if let Some(json) = json_cell(column, row, plan.json, field.column())? {
                    reader.field(*field, &Value::Json(&json))?;
                }
            }
            Feed::Tokens(_) if extra.has(Field::Tokens.key()) => {}
            Feed::Tokens(keys) => tokens(&mut reader, keys, column.as_struct(), row)?,
            Feed::Calls(_) if extra.has(Field::ToolCalls.key()) => {}
            Feed::Calls(feeds) => {
                let lists = column.as_list::<i32>();
                if lists.is_valid(row) {
                    let calls = calls(&mut reader, plan.json, feeds, lists.value(row).as_struct())?;
                    reader.calls(calls);
                }
            }
            Feed::Extra => {}
            Feed::Other(key) => other(key, column, row, |key, value| {
                if extra.has(&decode_string(key).into_lossy()) { Ok(()) } else { reader.member(key, value) }
            })?,
        }
    }
    for (key, value) in &extra.0 {
        reader.member(&key.quoted(), value)?;
    }
    reader.finish()
}

fn calls(
    reader: &mut InteractionReader,
    json: JsonText,
    feeds: &[CallFeed],
    rows: &StructArray,
) -> Result<Vec<ToolCall>, RowFault> {
    let mut calls = Vec::with_capacity(rows.len());
    for index in 0..rows.len() {
        if rows.is_null(index) {
            let path = format!("toolCalls[{index}]");
            return Err(RowFault::Wrong { path, wanted: "an object", found: Kind::Null });
        }
        calls.push(call(reader, json, feeds, rows, index)?);
    }
    Ok(calls)
}

fn call(
    reader: &mut InteractionReader,
    json: JsonText,
    feeds: &[CallFeed],
    rows: &StructArray,
    index: usize,
) -> Result<ToolCall, RowFault> {
    let path = |column: &str| format!("tool_calls[{index}].{column}");
    let mut call = CallReader::new(index, reader.doubts());
    let extra = match feeds.iter().position(|feed| matches!(feed, CallFeed::Extra)) {
        Some(at) => Overrides::read(rows.column(at), index, &path(EXTRA))?,
        None => Overrides::default(),
    };
    for (feed, column) in feeds.iter().zip(rows.columns()) {
        match feed {
            CallFeed::Plain(field) | CallFeed::Json(field) if extra.has(field.key()) => {}
            CallFeed::Plain(field) => {
                let cell = cell(column, index).map_err(|fault| in_column(&path(field.column()), fault))?;
                if let Some(value) = cell.value() {
                    call.field(*field, &value)?;
                }
            }
            CallFeed::Json(field) => {
                if column.is_valid(index)
                    && let Some(value) = json_cell(column, index, json, &path(field.column()))?
                {
                    call.field(*field, &Value::Json(&value))?;
                }
            }
            CallFeed::Extra => {}
            CallFeed::Other(key) => other(key, column, index, |key, value| {
                if extra.has(&decode_string(key).into_lossy()) { Ok(()) } else { call.member(key, value) }
            })?,
        }
    }
    for (key, value) in &extra.0 {
        call.member(&key.quoted(), value)?;
    }
    call.finish()
}

fn in_column(path: &str, fault: Fault) -> RowFault {
    RowFault::Column { path: path.to_owned(), fault }
}

/// The fields in a column `extra`. They win over the columns of their own.
#[derive(Default)]
struct Overrides(Vec<(Key, Json)>);

impl Overrides {
    fn read(column: &dyn Array, row: usize, path: &str) -> Result<Self, RowFault> {
        let Some(json) = json_cell(column, row, JsonText::Strict, path)? else { return Ok(Self::default()) };
        match (json.written_members(), json.kind()) {
            (Some(members), _) => Ok(Self(members.map(|(key, value)| (Key::of_written(key), value)).collect())),
            (None, Kind::Null) => Ok(Self::default()),
            (None, found) => Err(RowFault::Wrong { path: path.to_owned(), wanted: "an object", found }),
        }
    }

    fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(name, _)| name.as_str() == key)
    }
}

/// A cell of a column that holds JSON as text.
fn json_cell(column: &dyn Array, row: usize, rule: JsonText, path: &str) -> Result<Option<Json>, RowFault> {
    let Some(text) = text(column, row).map_err(|fault| in_column(path, fault))? else { return Ok(None) };
    match (Json::parse(text), rule) {
        (Ok(json), JsonText::Strict) => Ok(Some(json)),
        // `12` and `null` are words that a person may send.
        (Ok(json), JsonText::OrPlain) if matches!(json.kind(), Kind::Object | Kind::Array | Kind::String) => {
            Ok(Some(json))
        }
        (_, JsonText::OrPlain) => Ok(Some(Json::string(text))),
        (Err(fault), JsonText::Strict) => Err(in_column(path, fault)),
    }
}

/// A cell of a column of no name of ours. Null is taken for absent.
fn other(
    key: &str,
    column: &dyn Array,
    row: usize,
    take: impl FnOnce(&str, &Json) -> Result<(), RowFault>,
) -> Result<(), RowFault> {
    let cell = cell(column, row).map_err(|fault| in_column(&decode_string(key).into_lossy(), fault))?;
    cell.value().map_or(Ok(()), |value| take(key, &value.to_json()))
}

/// Tokens in a struct. Counts that make sense are taken as they are, others by the rules of JSON.
fn tokens(reader: &mut InteractionReader, keys: &[String], counts: &StructArray, row: usize) -> Result<(), RowFault> {
    if counts.is_null(row) {
        return Ok(());
    }
    let mut known = Tokens::default();
    let mut odd = false;
    let mut members = Vec::new();
    for (key, column) in keys.iter().zip(counts.columns()) {
        let cell = cell(column, row).map_err(|fault| in_column("tokens", fault))?;
        let Some(value) = cell.value() else { continue };
        let slot = match key.as_str() {
            "total" => Some(&mut known.total),
            "input" => Some(&mut known.input),
            "output" => Some(&mut known.output),
            "cacheRead" => Some(&mut known.cache_read),
            "cacheWrite" => Some(&mut known.cache_write),
            "reasoning" => Some(&mut known.reasoning),
            _ => None,
        };
        match (slot, &value) {
            (Some(slot), Value::Whole(count)) if *count >= 0 => *slot = Some(count.unsigned_abs()),
            _ => odd = true,
        }
        members.push(format!("{}:{}", Json::string(key).text(), value.to_json().text()));
    }
    if odd {
        let json = Json::trusted(format!("{{{}}}", members.join(",")));
        return reader.field(Field::Tokens, &Value::Json(&json));
    }
    reader.tokens(known);
    Ok(())
}
