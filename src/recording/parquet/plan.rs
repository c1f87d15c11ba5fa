//! What each column of a Parquet file is for, found before a row is read.

use std::fs::File;
use std::sync::Arc;

use arrow_schema::{DataType, Field as Column, FieldRef, Fields, Schema};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;

use super::super::field::{CallField, Field};
use super::super::json::Json;
use super::cell::is_readable;
use super::schema::{self, EXTRA, Holds, MODEL_CALLS_DETAIL, SCHEMA, SCHEMA_KEY, TOKEN_COLUMNS};

/// Why a Parquet file is no recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParquetFault {
    /// It is damaged, or uses what this reader does not know.
    #[error("{0}")]
    Broken(#[from] ParquetError),
    /// It has no column for what was asked.
    #[error("it has no column \"input\"; its columns are {}", columns.join(", "))]
    NoInput {
        /// The columns it has.
        columns: Vec<String>,
    },
    /// A column holds something else than the field of its name.
    #[error("the column {column:?} is {found}, it should be {wanted}")]
    Type {
        /// The column, as `tool_calls.name`.
        column: String,
        /// The type it has.
        found: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// A column that is none of ours has a type that no JSON can stand for.
    #[error("the column {column:?} is {found}, which cannot be kept as JSON")]
    Unreadable {
        /// The column.
        column: String,
        /// The type it has.
        found: String,
    },
    /// The calls have no names.
    #[error("the column \"tool_calls\" holds structs without a \"name\"; they have {}", columns.join(", "))]
    NoCallName {
        /// The columns the structs have.
        columns: Vec<String>,
    },
    /// It is packed in a way that is not read here.
    #[error("the column {column:?} is compressed with {codec}, which is not read here")]
    Compression {
        /// The column.
        column: String,
        /// How it is compressed.
        codec: String,
    },
    /// It was written by a later version of taketwo.
    #[error("its columns are of version {found:?}, this taketwo knows versions up to {SCHEMA}")]
    Newer {
        /// The version it names.
        found: String,
    },
}

impl ParquetFault {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            ParquetFault::Broken(_) => "a Parquet file that was not closed has no footer; write it again",
            ParquetFault::NoInput { .. } => {
                "a recording needs `input`, what the user sent; rename the columns, or import the file's format"
            }
            ParquetFault::Type { .. } => "cast the column, or drop it: only `input` is required",
            ParquetFault::Unreadable { .. } => "drop the column, or cast it to text",
            ParquetFault::NoCallName { .. } => "each tool call needs a `name`; rename the columns inside the structs",
            ParquetFault::Compression { .. } => "write it with zstd, snappy, gzip, lz4 or no compression",
            ParquetFault::Newer { .. } => "update taketwo",
        }
    }
}

/// How text in a column of JSON is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonText {
    /// The file was written by taketwo: it is JSON.
    Strict,
    /// Others also write plain text.
    OrPlain,
}

/// Where a column's cells go.
#[derive(Debug)]
pub(super) enum Feed {
    /// A field of plain values.
    Plain(Field),
    /// A field of JSON in text.
    Json(Field),
    /// Tokens in a struct: for each column inside, its key in JSON.
    Tokens(Vec<String>),
    /// The tool calls in a list of structs.
    Calls(Vec<CallFeed>),
    /// The fields that the other columns do not give back.
    Extra,
    /// A field of no name of ours.
    Other(String),
}

/// Where a column inside the calls goes.
#[derive(Debug)]
pub(super) enum CallFeed {
    Plain(CallField),
    Json(CallField),
    Extra,
    Other(String),
}

/// How to read a file.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) metadata: ArrowReaderMetadata,
    /// One for each column of the file.
    pub(super) feeds: Vec<Feed>,
    pub(super) json: JsonText,
    /// Which column is `extra`.
    pub(super) extra: Option<usize>,
    /// Which column is `model_calls_detail`.
    pub(super) model_calls_detail: Option<usize>,
}

impl Plan {
    /// Reads the footer and says what each column is for.
    pub(super) fn new(file: &File) -> Result<Self, ParquetFault> {
        guarded(|| Self::read(file))
    }

    fn read(file: &File) -> Result<Self, ParquetFault> {
        let (metadata, columns) = layout(file)?;
        let json = json_text(&metadata)?;
        if columns.find(Field::Input.column()).is_none() {
            return Err(ParquetFault::NoInput { columns: names(&columns) });
        }
        check_chunks(&metadata)?;
        let feeds = columns.iter().map(|column| feed(column)).collect::<Result<_, _>>()?;
        let at = |name| columns.find(name).map(|(at, _)| at);
        Ok(Self { metadata, feeds, json, extra: at(EXTRA), model_calls_detail: at(MODEL_CALLS_DETAIL) })
    }
}

/// How the columns of a file are read, whatever they are for.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) metadata: ArrowReaderMetadata,
    pub(super) columns: Fields,
}

impl Columns {
    /// Reads the footer.
    pub(super) fn new(file: &File) -> Result<Self, ParquetFault> {
        guarded(|| {
            let (metadata, columns) = layout(file)?;
            check_chunks(&metadata)?;
            Ok(Self { metadata, columns })
        })
    }
}

/// The footer, and the columns as they are to be read: as views, equal texts of a dictionary are not copied for each
/// row.
fn layout(file: &File) -> Result<(ArrowReaderMetadata, Fields), ParquetFault> {
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let found = ArrowReaderMetadata::load(file, options)?;
    let columns: Fields = found.schema().fields().iter().map(as_views).collect();
    let options = ArrowReaderOptions::new()
        .with_schema(Arc::new(Schema::new_with_metadata(columns.clone(), found.schema().metadata().clone())));
    Ok((ArrowReaderMetadata::try_new(Arc::clone(found.metadata()), options)?, columns))
}

/// Runs code of the Parquet reader, which on some damaged files panics. A damaged file is a fault and no crash.
pub(super) fn guarded<T, E: From<ParquetError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(ParquetError::General("the file is damaged".to_owned()).into()))
}

/// Finds what cannot be read before a row is.
fn check_chunks(file: &ArrowReaderMetadata) -> Result<(), ParquetFault> {
    use parquet::basic::Compression::{BROTLI, LZO};
    for column in file.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns) {
        if column.compressed_size() < 0 || column.data_page_offset() < 0 {
            return Err(ParquetError::General("a column has no place in the file".to_owned()).into());
        }
        if matches!(column.compression(), BROTLI(_) | LZO) {
            let codec = column.compression().to_string();
            let codec = codec.split_once('(').map_or(codec.as_str(), |(name, _)| name).to_owned();
            return Err(ParquetFault::Compression { column: column.column_path().string(), codec });
        }
    }
    Ok(())
}

/// The version of the columns, which must be one that is known.
fn json_text(file: &ArrowReaderMetadata) -> Result<JsonText, ParquetFault> {
    let pairs = file.metadata().file_metadata().key_value_metadata();
    let Some(pair) = pairs.into_iter().flatten().find(|pair| pair.key == SCHEMA_KEY) else {
        return Ok(JsonText::OrPlain);
    };
    let version = pair.value.as_deref().unwrap_or_default();
    match version.parse::<u32>() {
        Ok(1..=SCHEMA) => Ok(JsonText::Strict),
        _ => Err(ParquetFault::Newer { found: version.to_owned() }),
    }
}

fn names(columns: &Fields) -> Vec<String> {
    columns.iter().map(|column| column.name().clone()).collect()
}

/// The column with each text in it read as a view.
fn as_views(column: &FieldRef) -> FieldRef {
    let kind = match column.data_type() {
        DataType::Utf8 => DataType::Utf8View,
        DataType::List(item) => DataType::List(as_views(item)),
        DataType::Map(pairs, sorted) => DataType::Map(as_views(pairs), *sorted),
        DataType::Struct(columns) => DataType::Struct(columns.iter().map(as_views).collect()),
        DataType::Binary => DataType::BinaryView,
        other => other.clone(),
    };
    Arc::new(Column::clone(column).with_data_type(kind))
}

fn feed(column: &Column) -> Result<Feed, ParquetFault> {
    let (name, kind) = (column.name().as_str(), column.data_type());
    if name == EXTRA {
        return text_only(name, kind, Holds::Json).map(|()| Feed::Extra);
    }
    if name == MODEL_CALLS_DETAIL {
        return text_only(name, kind, Holds::Json).map(|()| Feed::Json(Field::ModelCalls));
    }
    let Some(field) = Field::of_column(name) else {
        return other(name, kind).map(|()| Feed::Other(Json::string(name).text().to_owned()));
    };
    match (schema::holds(field), kind) {
        (Holds::Calls, DataType::List(item)) => match item.data_type() {
            DataType::Struct(columns) => call_feeds(columns).map(Feed::Calls),
            _ => Err(wrong(name, kind, Holds::Calls)),
        },
        (Holds::Tokens, DataType::Struct(columns)) => token_keys(columns).map(Feed::Tokens),
        (Holds::Json | Holds::Calls | Holds::Tokens, kind) if is_text(kind) => Ok(Feed::Json(field)),
        (Holds::Text, DataType::Timestamp(..) | DataType::Date32) if field == Field::RecordedAt => {
            Ok(Feed::Plain(field))
        }
        (holds, kind) if takes(holds, kind) => Ok(Feed::Plain(field)),
        (holds, kind) => Err(wrong(name, kind, holds)),
    }
}

/// Whether it is text, or bytes without a mark that says so.
fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8View | DataType::BinaryView)
}

/// Whether a column of this type can hold plain values of this kind.
fn takes(holds: Holds, kind: &DataType) -> bool {
    let is_whole = kind.is_integer();
    match (holds, kind) {
        (_, DataType::Null) => true,
        (Holds::Text, kind) => is_whole || is_text(kind),
        (Holds::Whole | Holds::Tokens, DataType::Float64 | DataType::Float32) => true,
        (Holds::Whole | Holds::Tokens, _) => is_whole,
        (Holds::Number, DataType::Float64 | DataType::Float32 | DataType::Decimal128(..)) => true,
        (Holds::Number, _) => is_whole,
        (Holds::Flag, kind) => *kind == DataType::Boolean,
        (Holds::Tags, DataType::List(item)) => is_text(item.data_type()),
        (Holds::Json | Holds::Tags | Holds::Calls, _) => false,
    }
}

fn call_feeds(columns: &Fields) -> Result<Vec<CallFeed>, ParquetFault> {
    if columns.find(CallField::Name.column()).is_none() {
        return Err(ParquetFault::NoCallName { columns: names(columns) });
    }
    columns.iter().map(|column| call_feed(column)).collect()
}

fn call_feed(column: &Column) -> Result<CallFeed, ParquetFault> {
    let kind = column.data_type();
    let path = format!("tool_calls.{}", column.name());
    if column.name() == EXTRA {
        return text_only(&path, kind, Holds::Json).map(|()| CallFeed::Extra);
    }
    let Some(field) = CallField::of_column(column.name()) else {
        return other(&path, kind).map(|()| CallFeed::Other(Json::string(column.name()).text().to_owned()));
    };
    match (schema::call_holds(field), kind) {
        (Holds::Json, kind) if is_text(kind) => Ok(CallFeed::Json(field)),
        (holds, kind) if takes(holds, kind) => Ok(CallFeed::Plain(field)),
        (holds, kind) => Err(wrong(&path, kind, holds)),
    }
}

/// The keys in JSON of the columns inside `tokens`.
fn token_keys(columns: &Fields) -> Result<Vec<String>, ParquetFault> {
    let key = |column: &FieldRef| {
        let name = column.name();
        if !takes(Holds::Whole, column.data_type()) {
            return Err(wrong(&format!("tokens.{name}"), column.data_type(), Holds::Whole));
        }
        let ours = TOKEN_COLUMNS.iter().find(|(ours, _)| ours == name);
        Ok(ours.map_or_else(|| name.clone(), |(_, key)| (*key).to_owned()))
    };
    columns.iter().map(key).collect()
}

fn text_only(column: &str, kind: &DataType, holds: Holds) -> Result<(), ParquetFault> {
    if is_text(kind) || *kind == DataType::Null { Ok(()) } else { Err(wrong(column, kind, holds)) }
}

fn other(column: &str, kind: &DataType) -> Result<(), ParquetFault> {
    if is_readable(kind) {
        return Ok(());
    }
    Err(ParquetFault::Unreadable { column: column.to_owned(), found: kind_name(kind) })
}

fn wrong(column: &str, kind: &DataType, holds: Holds) -> ParquetFault {
    ParquetFault::Type { column: column.to_owned(), found: kind_name(kind), wanted: holds.wanted() }
}

/// A column's type in words, without the types inside it.
fn kind_name(kind: &DataType) -> String {
    match kind {
        DataType::Struct(columns) => format!("a struct of {}", names(columns).join(", ")),
        DataType::List(item) => format!("a list of {}", kind_name(item.data_type())),
        DataType::Map(..) => "a map".to_owned(),
        DataType::Utf8View => "text".to_owned(),
        DataType::BinaryView => "bytes (BYTE_ARRAY)".to_owned(),
        other => other.to_string(),
    }
}
