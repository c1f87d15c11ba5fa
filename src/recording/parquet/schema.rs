//! The columns of a recording.

use std::sync::{Arc, LazyLock};

use arrow_schema::{DataType, Field as Column, Fields, Schema, SchemaRef};

use super::super::field::{CallField, Field};

/// The version of the columns, which a file's metadata names under [`SCHEMA_KEY`].
pub const SCHEMA: u32 = 1;
/// The key in a file's metadata.
pub const SCHEMA_KEY: &str = "taketwo.schema";

/// Holds, as a JSON object, the fields that the other columns do not give back exactly.
pub(super) const EXTRA: &str = "extra";
/// Holds, as a JSON list, each call of a model.
pub(super) const MODEL_CALLS_DETAIL: &str = "model_calls_detail";

/// The classes of tokens: the column and the key in JSON.
pub(super) const TOKEN_COLUMNS: [(&str, &str); 6] = [
    ("total", "total"),
    ("input", "input"),
    ("output", "output"),
    ("cache_read", "cacheRead"),
    ("cache_write", "cacheWrite"),
    ("reasoning", "reasoning"),
];

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// A text.
    Text,
    /// Any JSON, as text.
    Json,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// True or false.
    Flag,
    /// A list of texts.
    Tags,
    /// A struct of counts.
    Tokens,
    /// A list of structs.
    Calls,
}

impl Holds {
    /// What it is in words.
    pub(super) fn wanted(self) -> &'static str {
        match self {
            Holds::Text => "text (UTF8)",
            Holds::Json => "JSON as text (UTF8)",
            Holds::Whole => "a whole number (INT64)",
            Holds::Number => "a number (DOUBLE)",
            Holds::Flag => "true or false (BOOLEAN)",
            Holds::Tags => "a list of texts",
            Holds::Tokens => "a whole number, or a struct of them",
            Holds::Calls => "a list of structs with a name",
        }
    }
}

/// What the column of a field holds.
pub(super) fn holds(field: Field) -> Holds {
    match field {
        Field::Id
        | Field::Currency
        | Field::Scenario
        | Field::Session
        | Field::Agent
        | Field::Model
        | Field::RecordedAt
        | Field::Failure => Holds::Text,
        Field::Input | Field::Output | Field::History | Field::Variants => Holds::Json,
        Field::ToolCalls => Holds::Calls,
        Field::ModelCalls | Field::Turn => Holds::Whole,
        Field::Tokens => Holds::Tokens,
        Field::LatencyMs | Field::Cost | Field::Weight => Holds::Number,
        Field::Tags => Holds::Tags,
        Field::Truncated => Holds::Flag,
    }
}

/// What the column of a tool call's field holds.
pub(super) fn call_holds(field: CallField) -> Holds {
    match field {
        CallField::Name | CallField::Id | CallField::Effect | CallField::Agent => Holds::Text,
        CallField::Arguments | CallField::Result | CallField::Error => Holds::Json,
        CallField::Step => Holds::Whole,
        CallField::LatencyMs => Holds::Number,
        CallField::Truncated => Holds::Flag,
    }
}

/// The columns that are written.
pub(super) fn schema() -> SchemaRef {
    static COLUMNS: LazyLock<SchemaRef> = LazyLock::new(|| {
        let mut columns = Vec::new();
        for &field in Field::ALL {
            columns.push(Column::new(field.column(), arrow_type(holds(field)), field != Field::Input));
            if field == Field::ModelCalls {
                columns.push(Column::new(MODEL_CALLS_DETAIL, DataType::Utf8, true));
            }
        }
        columns.push(Column::new(EXTRA, DataType::Utf8, true));
        Arc::new(Schema::new(columns))
    });
    Arc::clone(&COLUMNS)
}

fn arrow_type(holds: Holds) -> DataType {
    match holds {
        Holds::Text | Holds::Json => DataType::Utf8,
        Holds::Whole => DataType::Int64,
        Holds::Number => DataType::Float64,
        Holds::Flag => DataType::Boolean,
        Holds::Tags => DataType::List(Arc::new(list_item(DataType::Utf8))),
        Holds::Tokens => DataType::Struct(token_columns()),
        Holds::Calls => DataType::List(Arc::new(list_item(DataType::Struct(call_columns())))),
    }
}

fn list_item(of: DataType) -> Column {
    Column::new("element", of, false)
}

/// The columns inside of `tokens`.
pub(super) fn token_columns() -> Fields {
    TOKEN_COLUMNS.iter().map(|(column, _)| Column::new(*column, DataType::Int64, true)).collect()
}

/// The columns inside of `tool_calls`.
pub(super) fn call_columns() -> Fields {
    let fields = CallField::ALL.iter();
    let columns =
        fields.map(|&field| Column::new(field.column(), arrow_type(call_holds(field)), field != CallField::Name));
    columns.chain([Column::new(EXTRA, DataType::Utf8, true)]).collect()
}

/// The item of the list in `column` of the schema that is written.
pub(super) fn item_of(column: Field) -> Arc<Column> {
    match schema().field_with_name(column.column()).map(Column::data_type) {
        Ok(DataType::List(item)) => Arc::clone(item),
        _ => Arc::new(list_item(DataType::Null)),
    }
}
