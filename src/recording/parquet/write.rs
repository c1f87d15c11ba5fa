//! Writing interactions into columns.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use rust_decimal::prelude::ToPrimitive;

use super::super::field::{CallField, Field};
use super::super::interaction::{Extra, Interaction, ModelCalls, Tokens, ToolCall};
use super::super::json::Json;
use super::super::wire::{self, Value, float_text};
use super::schema::{self, Holds, SCHEMA, SCHEMA_KEY};

/// Rows are handed to the Parquet writer in batches of so many rows or so many bytes of text.
const BATCH_ROWS: usize = 1024;
const BATCH_BYTES: usize = 8 << 20;
/// A row group holds at most so many rows and about so many bytes.
const GROUP_ROWS: usize = 1 << 16;
const GROUP_BYTES: usize = 64 << 20;

/// Writes interactions as a Parquet file.
pub(in crate::recording) struct ParquetWriter<W: Write + Send> {
    writer: ArrowWriter<W>,
    batch: Batch,
}

impl<W: Write + Send> ParquetWriter<W> {
    pub(in crate::recording) fn new(out: W) -> Result<Self, ParquetError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_max_row_group_bytes(Some(GROUP_BYTES))
            // Page sizes are looked at after so many values; a few huge ones must not make one huge page.
            .set_write_batch_size(64)
            .set_key_value_metadata(Some(vec![KeyValue::new(SCHEMA_KEY.to_owned(), SCHEMA.to_string())]))
            .build();
        Ok(Self { writer: ArrowWriter::try_new(out, schema::schema(), Some(properties))?, batch: Batch::new() })
    }

    pub(in crate::recording) fn write(&mut self, it: &Interaction) -> Result<(), ParquetError> {
        self.batch.push(it);
        if self.batch.rows() >= BATCH_ROWS || self.batch.bytes >= BATCH_BYTES { self.write_batch() } else { Ok(()) }
    }

    fn write_batch(&mut self) -> Result<(), ParquetError> {
        let batch = std::mem::replace(&mut self.batch, Batch::new()).finish()?;
        self.writer.write(&batch)
    }

    /// Writes the rest and the footer, and gives the file back.
    pub(in crate::recording) fn finish(mut self) -> Result<W, ParquetError> {
        if self.batch.rows() > 0 {
            self.write_batch()?;
        }
        self.writer.into_inner()
    }
}

/// A column of plain values that is being filled.
enum Cells {
    Text(StringBuilder),
    Whole(Int64Builder),
    Number(Float64Builder),
    Flag(BooleanBuilder),
}

impl Cells {
    /// A column for this, if it is one of plain values.
    fn new(holds: Holds) -> Option<Self> {
        match holds {
            Holds::Text | Holds::Json => Some(Cells::Text(StringBuilder::new())),
            Holds::Whole => Some(Cells::Whole(Int64Builder::new())),
            Holds::Number => Some(Cells::Number(Float64Builder::new())),
            Holds::Flag => Some(Cells::Flag(BooleanBuilder::new())),
            Holds::Tags | Holds::Tokens | Holds::Calls => None,
        }
    }

    /// Appends a value and gives its size in bytes of text.
    fn push(&mut self, value: Option<Value<'_>>) -> usize {
        match (self, value) {
            (Cells::Text(cells), Some(Value::Text(text))) => return push_text(cells, Some(text)),
            (Cells::Text(cells), Some(Value::Json(json))) => return push_text(cells, Some(json.text())),
            (Cells::Whole(cells), Some(Value::Whole(whole))) => cells.append_value(whole),
            (Cells::Number(cells), Some(Value::Float(float))) if float.is_finite() => cells.append_value(float),
            (Cells::Flag(cells), Some(Value::Flag(flag))) => cells.append_value(flag),
            (Cells::Text(cells), _) => cells.append_null(),
            (Cells::Whole(cells), _) => cells.append_null(),
            (Cells::Number(cells), _) => cells.append_null(),
            (Cells::Flag(cells), _) => cells.append_null(),
        }
        0
    }

    fn finish(self) -> ArrayRef {
        match self {
            Cells::Text(mut cells) => Arc::new(cells.finish()),
            Cells::Whole(mut cells) => Arc::new(cells.finish()),
            Cells::Number(mut cells) => Arc::new(cells.finish()),
            Cells::Flag(mut cells) => Arc::new(cells.finish()),
        }
    }
}

fn push_text(cells: &mut StringBuilder, text: Option<&str>) -> usize {
    cells.append_option(text);
    text.map_or(0, str::len)
}

/// Where the lists of a column end, row by row.
struct Lists {
    lengths: Vec<usize>,
    valid: NullBufferBuilder,
}

impl Lists {
    fn new() -> Self {
        Self { lengths: Vec::new(), valid: NullBufferBuilder::new(BATCH_ROWS) }
    }

    fn push(&mut self, length: Option<usize>) {
        self.lengths.push(length.unwrap_or(0));
        self.valid.append(length.is_some());
    }

    fn finish(mut self, column: Field, items: ArrayRef) -> Result<ArrayRef, ParquetError> {
        let ends = OffsetBuffer::from_lengths(self.lengths);
        Ok(Arc::new(ListArray::try_new(schema::item_of(column), ends, items, self.valid.finish())?))
    }
}

/// The tool calls of all rows of a batch.
struct Calls {
    lists: Lists,
    columns: Vec<(CallField, Cells)>,
    extra: StringBuilder,
}

impl Calls {
    fn new() -> Self {
        let cells = |&field: &CallField| Cells::new(schema::call_holds(field)).map(|cells| (field, cells));
        Self {
            lists: Lists::new(),
            columns: CallField::ALL.iter().filter_map(cells).collect(),
            extra: StringBuilder::new(),
        }
    }

    fn push(&mut self, calls: Option<&[ToolCall]>) -> usize {
        self.lists.push(calls.map(<[_]>::len));
        let mut bytes = 0;
        for call in calls.unwrap_or_default() {
            for (field, cells) in &mut self.columns {
                bytes += cells.push(wire::call_value(call, *field));
            }
            bytes += push_text(&mut self.extra, wire::extra_text(&call.extra).as_deref());
        }
        bytes
    }

    fn finish(mut self) -> Result<ArrayRef, ParquetError> {
        let columns = self.columns.into_iter().map(|(_, cells)| cells.finish());
        let columns = columns.chain([Arc::new(self.extra.finish()) as ArrayRef]).collect();
        let calls = StructArray::try_new(schema::call_columns(), columns, None)?;
        self.lists.finish(Field::ToolCalls, Arc::new(calls))
    }
}

/// The tokens of all rows of a batch.
struct TokenCounts {
    columns: [Int64Builder; 6],
    valid: NullBufferBuilder,
}

impl TokenCounts {
    fn new() -> Self {
        Self { columns: Default::default(), valid: NullBufferBuilder::new(BATCH_ROWS) }
    }

    fn push(&mut self, tokens: &Tokens) {
        self.valid.append(!tokens.is_unknown());
        for (column, count) in self.columns.iter_mut().zip(counts(tokens)) {
            column.append_option(count.and_then(|count| i64::try_from(count).ok()));
        }
    }

    fn finish(mut self) -> Result<ArrayRef, ParquetError> {
        let columns = self.columns.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef).collect();
        Ok(Arc::new(StructArray::try_new(schema::token_columns(), columns, self.valid.finish())?))
    }
}

/// The counts in the order of the columns.
fn counts(tokens: &Tokens) -> [Option<u64>; 6] {
    let Tokens { total, input, output, cache_read, cache_write, reasoning } = *tokens;
    [total, input, output, cache_read, cache_write, reasoning]
}

/// The rows that are being gathered.
struct Batch {
    plain: Vec<(Field, Cells)>,
    calls: Calls,
    model_calls_detail: StringBuilder,
    tokens: TokenCounts,
    tags: StringBuilder,
    tag_lists: Lists,
    extra: StringBuilder,
    bytes: usize,
}

impl Batch {
    fn new() -> Self {
        let cells = |&field: &Field| Cells::new(schema::holds(field)).map(|cells| (field, cells));
        Self {
            plain: Field::ALL.iter().filter_map(cells).collect(),
            calls: Calls::new(),
            model_calls_detail: StringBuilder::new(),
            tokens: TokenCounts::new(),
            tags: StringBuilder::new(),
            tag_lists: Lists::new(),
            extra: StringBuilder::new(),
            bytes: 0,
        }
    }

    fn rows(&self) -> usize {
        self.extra.len()
    }

    fn push(&mut self, it: &Interaction) {
        let mut bytes = 0;
        for (field, cells) in &mut self.plain {
            bytes += cells.push(plain(it, *field));
        }
        bytes += self.calls.push(it.tool_calls.as_deref());
        let detail = it.model_calls.as_ref().and_then(wire::model_calls_detail);
        bytes += push_text(&mut self.model_calls_detail, detail.as_deref());
        self.tokens.push(&it.tokens);
        self.tag_lists.push(it.tags.as_ref().map(Vec::len));
        for tag in it.tags.iter().flatten() {
            bytes += push_text(&mut self.tags, Some(tag));
        }
        bytes += push_text(&mut self.extra, wire::extra_text(&extra(it)).as_deref());
        self.bytes += bytes;
    }

    fn finish(self) -> Result<RecordBatch, ParquetError> {
        let Self { plain, calls, mut model_calls_detail, tokens, mut tags, tag_lists, mut extra, .. } = self;
        let mut plain = plain.into_iter();
        let (mut calls, mut tokens) = (Some(calls.finish()?), Some(tokens.finish()?));
        let mut tags = Some(tag_lists.finish(Field::Tags, Arc::new(tags.finish()))?);
        let mut columns = Vec::with_capacity(Field::ALL.len() + 2);
        for &field in Field::ALL {
            columns.extend(match field {
                Field::ToolCalls => calls.take(),
                Field::Tokens => tokens.take(),
                Field::Tags => tags.take(),
                _ => plain.next().map(|(_, cells)| cells.finish()),
            });
            if field == Field::ModelCalls {
                columns.push(Arc::new(model_calls_detail.finish()) as ArrayRef);
            }
        }
        columns.push(Arc::new(extra.finish()));
        Ok(RecordBatch::try_new(schema::schema(), columns)?)
    }
}

/// What a column of plain values gets.
fn plain(it: &Interaction, field: Field) -> Option<Value<'_>> {
    match field {
        Field::ModelCalls => it.model_calls.as_ref()?.count().try_into().ok().map(Value::Whole),
        Field::Cost => it.cost?.to_f64().map(Value::Float),
        _ => wire::value(it, field),
    }
}

/// What the columns do not give back exactly: counts beyond 64 bits with sign, and amounts that no double holds.
fn extra(it: &Interaction) -> std::borrow::Cow<'_, Extra> {
    let beyond = |count: Option<u64>| count.is_some_and(|count| i64::try_from(count).is_err());
    let mut more = Vec::new();
    if counts(&it.tokens).into_iter().any(beyond) {
        more.push((Field::Tokens, wire::tokens_text(&it.tokens)));
    }
    if let Some(ModelCalls::Count(count)) = it.model_calls
        && beyond(Some(count))
    {
        more.push((Field::ModelCalls, Some(count.to_string())));
    }
    if let Some(cost) = it.cost {
        let text = cost.to_string();
        if cost.to_f64().map(float_text).as_ref() != Some(&text) {
            more.push((Field::Cost, Some(text)));
        }
    }
    more.retain(|(field, _)| !it.extra.iter().any(|(key, _)| key.as_str() == field.key()));
    if more.is_empty() {
        return std::borrow::Cow::Borrowed(&it.extra);
    }
    let mut extra = it.extra.clone();
    extra.extend(more.into_iter().filter_map(|(field, text)| Some((field.key().into(), Json::trusted(text?)))));
    std::borrow::Cow::Owned(extra)
}
